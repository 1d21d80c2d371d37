import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/util/json.js';
import { ApiClient } from '../harness/api-client.js';
import { poll } from '../harness/poll.js';
import { TestEnvironment } from '../harness/test-environment.js';
import { bindingOf, policyOf } from './policies/bound-policy.js';
import { type CaseRequest, type PolicyCase, paramObjects, policyCases } from './policies/cases.js';

/** ValidatingAdmissionPolicies: the answers to requests that they decide on. The recorded answers are those of kube-apiserver 1.36.3. */
const testEnvironment = await TestEnvironment.create('policies');
const { cluster, namespace } = testEnvironment;
const client = new ApiClient(testEnvironment.kubeconfig);
testEnvironment.onCleanup(() => client.close());
const server = client.connection.server.replace(/\/$/, '');

const roots: Readonly<Record<string, string>> = {
  deployments: `/apis/apps/v1/namespaces/${namespace}/deployments`,
  'horizontalpodautoscalers.v1': `/apis/autoscaling/v1/namespaces/${namespace}/horizontalpodautoscalers`,
  'horizontalpodautoscalers.v2': `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`,
  namespaces: '/api/v1/namespaces',
  priorityclasses: '/apis/scheduling.k8s.io/v1/priorityclasses',
  validatingadmissionpolicies: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
};

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

async function send(
  { method, resource = 'configmaps', path, body, query, type = 'application/json' }: CaseRequest,
  name: string,
): Promise<Answer> {
  const root = roots[resource] ?? `/api/v1/namespaces/${namespace}/${resource}`;
  const fill = (text: string) => text.replaceAll('NAMESPACE', namespace).replaceAll('NAME', name);
  const url = new URL(fill(`${server}${root}${path === undefined ? '' : `/${path}`}${query === undefined ? '' : `?${query}`}`));
  const bytes = body === undefined ? undefined : Buffer.from(fill(JSON.stringify(body)));
  const { status, text, headers } = await client.raw(method, url, { 'content-type': type }, bytes);
  const warnings = [...String(headers.warning ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
    ([, warning]) => JSON.parse(`"${warning}"`) as string,
  );
  return { status, body: text.startsWith('{') ? JSON.parse(text) : { text }, warnings };
}

/** Returns what a client sees of an answer, without what differs between two runs. */
function shown({ status, body, warnings }: Answer): JsonObject {
  const text = JSON.stringify({
    status,
    ...(status < 400 ? {} : { reason: body.reason, message: body.message, details: body.details }),
    ...(warnings.length > 0 ? { warnings: warnings.toSorted() } : {}),
  });
  return JSON.parse(text.replaceAll(namespace, 'NAMESPACE').replaceAll(/\bmade-[a-z0-9]{5}\b/g, 'made-SUFFIX')) as JsonObject;
}

const denyAll = { validations: [{ expression: 'false', message: 'in effect' }] };

async function declare({
  name,
  spec,
  bindings = [{ validationActions: ['Deny'] }],
}: Pick<PolicyCase, 'name' | 'spec' | 'bindings'>): Promise<void> {
  const fill = (object: JsonObject) => JSON.parse(JSON.stringify(object).replaceAll('NAMESPACE', namespace)) as never;
  const own = `${name}-${namespace}`;
  testEnvironment.removeLater(policyOf(own, name, spec) as never);
  await cluster.create('test', fill(policyOf(own, name, spec)));
  for (const [index, binding] of bindings.entries()) {
    const bound = bindingOf(`${own}-${index}`, own, namespace, binding);
    testEnvironment.removeLater(bound as never);
    await cluster.create('test', fill(bound));
  }
}

/** A server takes up policies some time after they are written, all of them at once. */
async function inEffect(): Promise<void> {
  const marker: CaseRequest = { method: 'POST', query: 'dryRun=All', body: { metadata: { name: 'NAME', labels: { case: 'NAME' } } } };
  const statusOf = async (name: string) => (await send(marker, name)).status;
  // The namespace cannot be emptied before. What is declared first is removed last.
  testEnvironment.onCleanup(() => poll('the policies are no longer in effect', async () => (await statusOf('first')) === 201));
  for (const each of [{ name: 'first', spec: denyAll }, ...policyCases, { name: 'last', spec: denyAll }]) await declare(each);
  await poll('the policies are in effect', async () => (await statusOf('last')) === 422);
}

for (const object of paramObjects) await send({ method: 'POST', body: object }, '');
await inEffect();

test.each(policyCases.map((each) => [each.name, each] as const))('%s', async (name, { requests }) => {
  const answers: JsonObject[] = [];
  for (const request of requests) answers.push(shown(await send(request, name)));
  expect(answers).toMatchSnapshot();
});
