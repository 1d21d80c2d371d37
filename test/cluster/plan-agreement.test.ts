import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAssembly } from '../../src/assembly/index.js';
import { type PlannedObject, plan } from '../../src/deploy/index.js';
import { App, Stack } from '../../src/entry/index.js';
import { startSimulation } from '../../src/entry/simulation.js';
import { serializeValue } from '../../src/fields/index.js';
import { connect, createClusterClient, Transport } from '../../src/kubernetes/index.js';
import type { Json } from '../../src/util/json.js';
import { ApiCallError } from '../harness/api-client.js';
import { type ObjectRef, ref } from '../harness/cluster.js';
import { crdOf } from '../harness/crd.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('plan-agreement');
const group = `${testEnvironment.namespace}.example.com`;
const seed = Number(process.env.FIELDWISE_SEED ?? 1);
/** Objects of each kind; a script may ask for more. */
const objects = Number(process.env.FIELDWISE_OBJECTS ?? 40);

const string = { type: 'string' };
const named = (properties: object) => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { type: 'object', required: ['name'], properties: { name: string, ...properties } },
});
const widgetSpec = {
  type: 'object',
  properties: {
    size: { type: 'integer', default: 1 },
    color: string,
    tags: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
    order: { type: 'array', items: string },
    items: named({ port: { type: 'integer', default: 80 }, mode: string }),
    labels: { type: 'object', additionalProperties: string },
    parts: { type: 'object', additionalProperties: { type: 'object', properties: { a: string, b: string } } },
    atom: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { x: string, y: string } },
    nested: { type: 'object', required: ['must'], properties: { must: string, may: { type: 'string', default: 'd' } } },
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const word = fc.constantFrom('a', 'b', 'c');
const some = <T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(members, { requiredKeys: [] });
const words = fc.dictionary(word, word, { maxKeys: 3 });
const item = fc.record({ name: word, port: fc.constantFrom(80, 81), mode: word }, { requiredKeys: ['name'] });
const widget = some({
  size: fc.constantFrom(1, 2),
  color: word,
  tags: fc.uniqueArray(word, { minLength: 1 }),
  order: fc.array(word, { minLength: 1, maxLength: 3 }),
  items: fc.uniqueArray(item, { selector: ({ name }) => name, minLength: 1 }),
  labels: words,
  parts: fc.dictionary(word, some({ a: word, b: word }), { maxKeys: 2 }),
  atom: some({ x: word, y: word }),
  nested: fc.record({ must: word, may: word }, { requiredKeys: ['must'] }),
  any: fc.dictionary(word, fc.oneof(word, words, fc.array(word, { minLength: 1 })), { maxKeys: 2 }),
});
const env = fc.uniqueArray(fc.record({ name: fc.constantFrom('A', 'B'), value: word }), { selector: ({ name }) => name, minLength: 1 });
const container = fc.record(
  {
    name: fc.constant('app'),
    image: fc.constantFrom('a:1', 'a:2'),
    env,
    args: fc.array(word, { minLength: 1, maxLength: 2 }),
    imagePullPolicy: fc.constantFrom('Always', 'IfNotPresent'),
    ports: fc.constantFrom([{ containerPort: 80 }], [{ containerPort: 80, protocol: 'TCP', name: 'http' }]),
    resources: some({ limits: fc.constantFrom({ cpu: '1' }, { cpu: '1000m' }, { memory: '1Gi' }) }),
  },
  { requiredKeys: ['name', 'image'] },
);
const deployment = fc.record(
  {
    replicas: fc.constantFrom(1, 2),
    paused: fc.boolean(),
    strategy: fc.constantFrom({ type: 'Recreate' }, { type: 'RollingUpdate' }, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } }),
    selector: fc.constant({ matchLabels: { app: 'x' } }),
    template: fc.record({
      metadata: fc.constant({ labels: { app: 'x' } }),
      spec: fc.record(
        {
          containers: fc.tuple(container),
          terminationGracePeriodSeconds: fc.constantFrom(5, 30),
          nodeSelector: fc.constantFrom({ a: 'b' }, { c: 'd' }),
          tolerations: fc.constantFrom([{ key: 'a', operator: 'Exists' }], [{ key: 'b', operator: 'Exists' }]),
        },
        { requiredKeys: ['containers'] },
      ),
    }),
  },
  { requiredKeys: ['selector', 'template'] },
);
const port = fc.constantFrom(
  { port: 80, name: 'http' },
  { port: 80, name: 'http', protocol: 'TCP', targetPort: 8080 },
  { port: 80, name: 'web', targetPort: 'web' },
);
const service = fc.record(
  {
    ports: fc.oneof(fc.tuple(port), fc.tuple(port, fc.constant({ port: 443, name: 'https' }))),
    selector: words,
    sessionAffinity: fc.constantFrom('None', 'ClientIP'),
  },
  { requiredKeys: ['ports'] },
);

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly content: fc.Arbitrary<object>;
}

const kinds: readonly Kind[] = [
  { apiVersion: `${group}/v1`, kind: 'Widget', content: fc.record({ spec: widget }) },
  { apiVersion: 'v1', kind: 'ConfigMap', content: fc.record({ data: words }) },
  { apiVersion: 'v1', kind: 'Secret', content: fc.record({ data: fc.dictionary(word, fc.constantFrom('YQ==', 'Yg==')) }) },
  { apiVersion: 'apps/v1', kind: 'Deployment', content: fc.record({ spec: deployment }) },
  { apiVersion: 'v1', kind: 'Service', content: fc.record({ spec: service }) },
];

/** How an object came to be as it is: what each of three managers wrote, in order. */
const write = fc.record({ by: fc.constantFrom('stack', 'them', 'updater'), turn: fc.nat() });
const history = fc.array(write, { maxLength: 3 });
/** Who has written just what is planned, in the end. */
const settled = fc.constantFrom([], ['stack'], ['stack', 'them'], ['updater', 'stack']);

await testEnvironment.crd(crdOf(group, 'Widget', { spec: widgetSpec }));

test.each(kinds)('server and schema say the same of $kind', async ({ apiVersion, kind, content }) => {
  const metadata = some({ labels: words, annotations: words });
  const cases = fc.sample(
    fc.record({ history, settled, contents: fc.array(fc.tuple(content, metadata), { minLength: 4, maxLength: 4 }), own: fc.boolean() }),
    { seed, numRuns: objects },
  );
  const outdir = mkdtempSync(join(tmpdir(), 'fieldwise-agreement-'));
  testEnvironment.onCleanup(() => rmSync(outdir, { recursive: true, force: true }));
  const app = new App({ name: testEnvironment.app, instance: kind.toLowerCase(), outdir });
  const stack = new Stack(app, 'main', { namespace: testEnvironment.namespace });
  const manager = `fieldwise/${testEnvironment.app}/${kind.toLowerCase()}/main`;
  for (const [index, { history, settled, contents, own }] of cases.entries()) {
    const place = ref(apiVersion, kind, `case-${index}`, testEnvironment.namespace);
    const objectOf = ([body, extra]: readonly [object, object]) => ({ ...place, metadata: { ...place.metadata, ...extra }, ...body });
    for (const { by, turn } of history) await wrote(by === 'stack' ? manager : by, objectOf(contents[turn % 3]!), by === 'updater');
    for (const by of settled) await wrote(by === 'stack' ? manager : by, objectOf(contents[3]!), by === 'updater');
    const intent = objectOf(contents[3]!) as never;
    if (own) stack.own(intent);
    else stack.share(intent, { ifAbsent: 'create' });
  }
  app.synth();
  const assembly = await readAssembly(outdir);
  const connection = await connect({ kubeconfig: testEnvironment.kubeconfig });
  const cluster = createClusterClient(new Transport(connection), testEnvironment.namespace);
  testEnvironment.onCleanup(() => cluster.close());
  let shown = 0;
  const told = async (readOnly: boolean, dryRunsOnly = false) => {
    const objects: PlannedObject[] = [];
    const simulate = async (version: string) => {
      const simulation = await startSimulation(testEnvironment.namespace, version);
      const wouldBeNoop: typeof simulation.wouldBeNoop = (...asked) => {
        const known = !dryRunsOnly && simulation.wouldBeNoop(...asked);
        shown += known ? 1 : 0;
        return known;
      };
      return { ...simulation, wouldBeNoop };
    };
    const options = { inventoryNamespace: testEnvironment.namespace, readOnly, simulate };
    await plan(assembly, cluster, options, (event) => void (event.event === 'plan' && objects.push(event)));
    return objects;
  };
  const server = await told(false);
  const schema = await told(true);
  const differing = server.flatMap((line, index) =>
    differences(linesOf(line), linesOf(schema[index]!)).map((text) => `${line.object}: ${text}`),
  );
  expect(differing).toEqual([]);
  // A plan without a dry run equals the one that a dry run makes.
  expect(shown).toBeGreaterThan(objects / 10);
  expect(schema).toEqual(await told(true, true));
  expect(new Set(server.map(({ action }) => action)).size).toBeGreaterThan(1);
});

/** Formats the plan of an object as lines. The server lists conflicts in random order. */
function linesOf({ action, fields, adopts, error }: PlannedObject): string[] {
  const owners = adopts?.owners.map(({ manager, operation }) => `${manager} ${operation}`).sort();
  return [
    `${action} ${error?.code ?? ''} adopts ${owners?.join(', ') ?? 'nothing'}`,
    ...fields.map(({ field, change, ...rest }) => `${field} ${change} ${serializeValue(rest as unknown as Json)}`).sort(),
  ];
}

function differences(server: readonly string[], schema: readonly string[]): string[] {
  return [
    ...server.filter((line) => !schema.includes(line)).map((line) => `server ${line}`),
    ...schema.filter((line) => !server.includes(line)).map((line) => `schema ${line}`),
  ];
}

/** A write as one of the others would do it; what the server refuses did not happen. */
async function wrote(manager: string, object: ObjectRef, update: boolean): Promise<void> {
  try {
    if (!update) await testEnvironment.cluster.apply(manager, object, { force: true });
    else if (await testEnvironment.cluster.find(object)) await testEnvironment.cluster.patch(manager, object, object);
    else await testEnvironment.cluster.create(manager, object);
  } catch (error) {
    if (!(error instanceof ApiCallError)) throw error;
  }
}
