import { EmbeddedApiServer } from '../../lib/src/apiserver/index.js';
import type { JsonObject } from '../../lib/src/util/json.js';
import { type Intents, largeDeployment, smallDeployment } from './deployments.js';
import { type Figure, median, perSecond } from './figures.js';
import { benchPolicies, policyCount } from './policies.js';
import { ruled, ruledDefinition } from './ruled.js';

// Applies to servers in this process, which has nothing else to do; prints each figure as a line of JSON.
const resources: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1/namespaces/bench/deployments',
  Ruled: 'example.com/v1/namespaces/bench/ruleds',
};
const rounds = 5;
/** Makes each applied value another one. */
let counter = 1;

const print = (figure: Figure): void => console.log(JSON.stringify(figure));
await inProcess({ name: '60-field Deployment, 3 managers', intents: smallDeployment, managers: 3, applies: 2_000, atLeast: 5_000 });
await inProcess({ name: '500-field Deployment, 10 managers', intents: largeDeployment, managers: 10, applies: 100, atLeast: 400 });
await inProcess({ name: 'kind with nine rules, 26 evaluations', intents: ruled, managers: 1, applies: 500, atLeast: 1_000 });
await admissionPolicies();
await storedObjects();

interface InProcess {
  readonly name: string;
  readonly intents: Intents;
  readonly managers: number;
  readonly applies: number;
  readonly atLeast: number;
}

/** The first applies of a new server, which run before the code is optimised, and those after the first three rounds. */
async function inProcess({ name, intents, managers, applies, atLeast }: InProcess): Promise<void> {
  const cluster = await clusterWithNamespace();
  for (let manager = 0; manager < managers; manager++) await apply(cluster, intents(manager, 0, 'web', 'bench'), manager);
  const speeds: number[] = [];
  for (let round = 0; round < rounds + 3; round++) {
    const bodies = Array.from({ length: applies }, (_, index) => intents(index % managers, round * applies + index + 1, 'web', 'bench'));
    speeds.push(applies / (await timed(cluster, bodies, managers)));
  }
  await cluster.stop();
  print({ name: `applies in process, ${name}, the first ${applies}`, value: perSecond(speeds[0]!) });
  const speed = median(speeds.slice(3));
  print({
    name: `applies in process, ${name}`,
    value: perSecond(speed),
    ratio: { of: 'the goal', value: speed / atLeast, target: { atLeast: 1 } },
  });
}

/** Measures applies to a hundred Deployments, each of which changes a value. */
async function microsecondsOfApply(cluster: EmbeddedApiServer): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds + 2; round++) {
    const bodies = Array.from({ length: 400 }, (_, index) => smallDeployment(0, counter++, `web-${index % 100}`, 'bench'));
    times.push(((await timed(cluster, bodies, 1)) / bodies.length) * 1e6);
  }
  return median(times.slice(2));
}

/** The same applies without policies and with ten that look at each of them: what one policy adds to one. */
async function admissionPolicies(): Promise<void> {
  const cluster = await clusterWithNamespace();
  const without = await microsecondsOfApply(cluster);
  for (const [path, object] of benchPolicies) await created(cluster, `/apis/admissionregistration.k8s.io/v1/${path}`, object);
  const each = ((await microsecondsOfApply(cluster)) - without) / policyCount / 1000;
  await cluster.stop();
  print({
    name: `a policy on an apply in process, of ${policyCount} with a variable, a condition and four validations`,
    value: `${each.toFixed(3)} ms`,
    ratio: { of: '1 ms', value: each, target: { atMost: 1 } },
  });
}

/** The same applies to a hundred of the objects, with 100 and with 10,000 of them stored. */
async function storedObjects(): Promise<void> {
  const cluster = await clusterWithNamespace();
  const name = (index: number) => `web-${index}`;
  const fill = async (from: number, to: number) => {
    for (let index = from; index < to; index++) await apply(cluster, smallDeployment(0, 0, name(index), 'bench'), 0);
  };
  await fill(0, 100);
  const few = await microsecondsOfApply(cluster);
  await fill(100, 10_000);
  const many = await microsecondsOfApply(cluster);
  await cluster.stop();
  print({ name: 'apply in process, 100 objects stored', value: `${Math.round(few)} µs` });
  print({
    name: 'apply in process, 10,000 objects stored',
    value: `${Math.round(many)} µs`,
    ratio: { of: '100 objects', value: many / few, target: { atMost: 1.25 } },
  });
}

async function clusterWithNamespace(): Promise<EmbeddedApiServer> {
  const cluster = await EmbeddedApiServer.start({ port: false });
  await created(cluster, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } });
  await created(cluster, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', ruledDefinition);
  return cluster;
}

async function created(cluster: EmbeddedApiServer, path: string, object: JsonObject): Promise<void> {
  await accepted(cluster, { method: 'POST', path, query: new URLSearchParams(), headers: {}, body: JSON.stringify(object) });
}

async function timed(cluster: EmbeddedApiServer, intents: readonly JsonObject[], managers: number): Promise<number> {
  const requests = intents.map((intent, index) => requestOf(intent, index % managers));
  const started = performance.now();
  for (const request of requests) await accepted(cluster, request);
  return (performance.now() - started) / 1000;
}

async function apply(cluster: EmbeddedApiServer, intent: JsonObject, manager: number): Promise<void> {
  await accepted(cluster, requestOf(intent, manager));
}

async function accepted(cluster: EmbeddedApiServer, request: Parameters<EmbeddedApiServer['handle']>[0]): Promise<void> {
  const { code, body } = await cluster.handle(request);
  if (code >= 300) throw new Error(JSON.stringify(body));
}

function requestOf(intent: JsonObject, manager: number) {
  const { name } = intent.metadata as { name: string };
  return {
    method: 'PATCH',
    path: `/apis/${resources[String(intent.kind)]}/${name}`,
    query: new URLSearchParams({ fieldManager: `m${manager}`, force: 'true' }),
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(intent),
  };
}
