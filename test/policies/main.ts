import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import { Random } from '../corpus/random.js';
import { startServers } from '../fuzz/servers.js';
import { bindingOf } from '../harness/bound-policy.js';
import { readCount, readFlags } from '../harness/script-flags.js';
import type { Received, ScenarioTransport, Sent } from '../vectors/exchange.js';
import { campaignDefinition, campaignPolicies } from './campaign-policies.js';
import { randomChange } from './random-change.js';

const usage = `Usage: npm run campaign -- prove:policies [--changes 200] [--seed 1] [--show]
Sends random changes to a real API server and to the embedded one, each with the same ValidatingAdmissionPolicies and the same
rules of a CustomResourceDefinition: both must decide the same, by the same status, message and warnings.`;
const { values } = readFlags(usage, {
  options: {
    changes: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    show: { type: 'boolean', default: false },
  },
});
const changes = readCount(usage, 'changes', values.changes);
const seed = readCount(usage, 'seed', values.seed);

const group = '/apis/admissionregistration.k8s.io/v1';
const namespaceOf = (index: number) => `policy-${index}`;

async function declare(send: ScenarioTransport): Promise<void> {
  const post = async (path: string, body: JsonObject) => {
    const { code, text } = await send({ method: 'POST', path, body: JSON.stringify(body) });
    if (code >= 300) throw new Error(`${path}: ${code} ${text}`);
  };
  await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', campaignDefinition);
  for (const [index, { spec, action, binding, constraints, groups, resources }] of campaignPolicies.entries()) {
    const name = namespaceOf(index);
    await post('/api/v1/namespaces', { metadata: { name } });
    const maps = `/api/v1/namespaces/${name}/configmaps`;
    await post(maps, { metadata: { name: 'limits' }, data: { most: '2' } });
    for (const forbidden of ['a', 'bb'])
      await post(maps, { metadata: { name: `names-${forbidden}`, labels: { kind: 'names' } }, data: { [forbidden]: 'x' } });
    const rule = { apiGroups: groups, apiVersions: ['*'], operations: ['*'], resources };
    const matchConstraints = { resourceRules: [rule], ...constraints };
    await post(`${group}/validatingadmissionpolicies`, { metadata: { name }, spec: { matchConstraints, ...spec } });
    await post(`${group}/validatingadmissionpolicybindings`, bindingOf(name, name, name, { validationActions: [action], ...binding }));
  }
  await declareMarker(post);
}

/** A server takes up policies some time after they are written, all of them at once: the last one shows that. */
async function declareMarker(post: (path: string, body: JsonObject) => Promise<void>): Promise<void> {
  const rule = { apiGroups: [''], apiVersions: ['*'], operations: ['CREATE'], resources: ['secrets'] };
  const validations = [{ expression: 'false' }];
  await post(`${group}/validatingadmissionpolicies`, {
    metadata: { name: 'marker' },
    spec: { matchConstraints: { resourceRules: [rule] }, validations },
  });
  await post(`${group}/validatingadmissionpolicybindings`, {
    metadata: { name: 'marker' },
    spec: { policyName: 'marker', validationActions: ['Deny'] },
  });
}

async function inEffect(send: ScenarioTransport): Promise<void> {
  const marker: Sent = {
    method: 'POST',
    path: '/api/v1/namespaces/default/secrets',
    query: { dryRun: 'All' },
    body: '{"metadata":{"name":"marker"}}',
  };
  for (const deadline = Date.now() + 60_000; (await send(marker)).code !== 422; ) {
    if (Date.now() > deadline) throw new Error('the policies have not come into effect within 60 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns what a client sees of the decision, without what differs between two servers in any case. */
function decisionOf({ code, body, warnings }: Received): string {
  const { status, message, reason, details }: JsonObject = isJsonObject(body) ? body : {};
  const isFailure = status === 'Failure';
  const shown = isFailure ? { code, reason, ...inOneOrder(message, details) } : { code };
  return JSON.stringify({ ...shown, warnings: warnings.toSorted() } as Json).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID');
}

/** The server walks a Go map through the fields of an object, so several errors come in any order. */
function inOneOrder(message: Json | undefined, details: Json | undefined): JsonObject {
  const causes = isJsonObject(details) && Array.isArray(details.causes) ? (details.causes as readonly Json[]) : [];
  if (causes.length < 2) return { message: message ?? '', details: details ?? {} };
  return { message: String(message).split(': [')[0] as string, causes: causes.map((cause) => JSON.stringify(cause)).toSorted() };
}

const servers = await startServers();
const outcomes = new Map<string, number>();
let failed = 0;
try {
  await Promise.all([servers.real, servers.embedded].map(async (send) => declare(send).then(() => inEffect(send))));
  for (let number = 0; number < changes; number++) {
    const random = new Random(seed * 1_000_003 + number);
    const index = random.below(campaignPolicies.length);
    const change = randomChange(random, campaignPolicies[index] as (typeof campaignPolicies)[number], namespaceOf(index));
    const [expected, found] = (await Promise.all([servers.real(change), servers.embedded(change)])).map(decisionOf) as [string, string];
    const isDenied = expected.includes('denied request');
    const outcome = isDenied
      ? 'denied'
      : expected.includes('Validation failed for')
        ? 'warned'
        : expected.includes('FieldValue')
          ? 'invalid'
          : /"code":2/.test(expected)
            ? 'allowed'
            : 'refused otherwise';
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (values.show) console.log(`${number} ${change.method} ${change.path}: ${expected.slice(0, 200)}`);
    if (expected === found) continue;
    failed += 1;
    if (failed <= 20)
      console.log(
        `FAILED change ${number} (policy ${index}): ${change.method} ${change.path} ${change.body ?? ''}\n  real     ${expected}\n  embedded ${found}`,
      );
  }
} finally {
  await servers.stop();
}
console.log(`${campaignPolicies.length} policies; ${[...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`);
console.log(`${changes - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
