import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/index.js';
import type { JsonObject } from '../../../src/util/json.js';

const seed = Number(process.env.FIELDWISE_SEED ?? 1);
/** Objects of each definition; a script may ask for more. */
const objects = Number(process.env.FIELDWISE_OBJECTS ?? 60);

const text = { type: 'string' };
const itemsOf = (list: object) => ({
  type: 'array',
  ...list,
  items: { type: 'object', required: ['name'], properties: { name: text, port: { type: 'integer', default: 80 }, mode: text } },
});
const byName = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const properties = {
  size: { type: 'integer' },
  color: text,
  tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  items: itemsOf(byName),
  labels: { type: 'object', additionalProperties: text },
  atom: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { x: text, y: text } },
  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

/** What became of the definition after the objects were written. */
const definitions: Readonly<Record<string, JsonObject>> = {
  same: {},
  'a set is atomic now': { tags: { type: 'array', items: text } },
  'items are atomic now': { items: itemsOf({}) },
  'items have two keys now': { items: itemsOf({ ...byName, 'x-kubernetes-list-map-keys': ['name', 'port'] }) },
  'a map is atomic now': { labels: { ...properties.labels, 'x-kubernetes-map-type': 'atomic' } },
  'an atomic map is granular now': { atom: { type: 'object', properties: { x: text, y: text } } },
  'there is a default now': { color: { type: 'string', default: 'a' } },
  'a value is out of its range now': { size: { type: 'integer', minimum: 2 } },
  'a field is gone': { color: null },
  'a type is another now': { color: { type: 'integer' } },
};

function definition(change: JsonObject): JsonObject {
  const { color, ...others } = { ...properties, ...change };
  const spec = { type: 'object', properties: color === null ? others : { ...others, color } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } } as JsonObject,
      ],
    },
  } as unknown as JsonObject;
}

const word = fc.constantFrom('a', 'b', 'c');
const item = fc.record({ name: word, port: fc.constantFrom(80, 81), mode: word }, { requiredKeys: ['name'] });
const content = fc.record(
  {
    size: fc.constantFrom(1, 2),
    color: word,
    tags: fc.uniqueArray(word, { minLength: 1 }),
    items: fc.uniqueArray(item, { selector: ({ name }) => name, minLength: 1 }),
    labels: fc.dictionary(word, word, { maxKeys: 3 }),
    atom: fc.record({ x: word, y: word }, { requiredKeys: [] }),
    any: fc.dictionary(word, fc.oneof(word, fc.constant(null), fc.array(word, { minLength: 1 })), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
);
const write = fc.record({ by: fc.constantFrom('me', 'them', 'updater'), turn: fc.nat(2) });
const cases = fc.record({
  history: fc.array(write, { maxLength: 3 }),
  settled: fc.constantFrom([], ['me'], ['me', 'them'], ['updater', 'me']),
  contents: fc.array(content, { minLength: 3, maxLength: 3 }),
});

const collection = '/apis/example.com/v1/namespaces/default/widgets';

test.each(Object.entries(definitions))('wouldBeNoop returns true only if a dry run changes nothing: %s', async (_, change) => {
  const before = await ApiServer.create();
  const after = await ApiServer.create();
  expect(before.load(definition({}))).toBe(true);
  expect(after.load(definition(change))).toBe(true);
  let shown = 0;
  let changing = 0;
  for (const [index, { history, settled, contents }] of fc.sample(cases, { seed, numRuns: objects }).entries()) {
    const name = `widget-${index}`;
    const objectOf = (spec: object) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, namespace: 'default' }, spec });
    for (const { by, turn } of history) await wrote(before, by, objectOf(contents[turn]!));
    for (const by of settled) await wrote(before, by, objectOf(contents[0]!));
    const live = await ask(before, 'GET', name);
    if (live.code !== 200) continue;
    const intent = objectOf(contents[0]!) as unknown as JsonObject;
    const told = after.wouldBeNoop(live.body, intent, 'me');
    expect(after.load(live.body)).toBe(true);
    const read = await ask(after, 'GET', name);
    const dryRun = await ask(after, 'PATCH', name, { body: intent, query: { fieldManager: 'me', dryRun: 'All' } });
    if (told) {
      shown += 1;
      expect(read.body).toEqual({
        ...live.body,
        metadata: { ...(live.body.metadata as JsonObject), resourceVersion: versionOf(read.body) },
      });
      expect(dryRun).toEqual(read);
    } else if (dryRun.code !== 200 || JSON.stringify(dryRun.body) !== JSON.stringify(read.body)) {
      changing += 1;
    }
  }
  expect(shown + changing).toBeGreaterThan(objects / 2);
  expect(shown).toBeGreaterThan(0);
  expect(changing).toBeGreaterThan(0);
});

test('wouldBeNoop works for an object that is not stored, and a loaded object can be unloaded', async () => {
  const cluster = await ApiServer.create();
  const intent = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data: { a: '1' } };
  const other = await ApiServer.create();
  const path = '/api/v1/namespaces/default/configmaps';
  await ask(other, 'PATCH', 'a', { body: intent, query: { fieldManager: 'me' }, path });
  const { body: live } = await ask(other, 'GET', 'a', { path });
  expect(cluster.wouldBeNoop(live, intent, 'me')).toBe(true);
  expect(cluster.wouldBeNoop(live, intent, 'them')).toBe(false);
  expect(cluster.wouldBeNoop(live, { ...intent, data: { a: '2' } }, 'me')).toBe(false);
  expect(cluster.wouldBeNoop(live, { ...intent, dat: {} }, 'me')).toBe(false);
  expect(cluster.wouldBeNoop(live, { ...intent, kind: 'Unknown' }, 'me')).toBe(false);
  expect((await ask(cluster, 'GET', 'a', { path })).code).toBe(404);
  cluster.load(live);
  expect((await ask(cluster, 'GET', 'a', { path })).body.data).toEqual({ a: '1' });
  cluster.unload(live);
  expect((await ask(cluster, 'GET', 'a', { path })).code).toBe(404);
});

interface Asked {
  readonly path?: string;
  readonly body?: JsonObject;
  readonly query?: Record<string, string>;
  readonly type?: string;
}

async function ask(
  cluster: ApiServer,
  method: string,
  name: string,
  { path = collection, body, query = {}, type = 'application/apply-patch+yaml' }: Asked = {},
): Promise<{ readonly code: number; readonly body: JsonObject }> {
  const request = {
    method,
    path: name === '' ? path : `${path}/${name}`,
    query: new URLSearchParams(query),
    headers: { 'content-type': type },
  };
  const answer = await cluster.handle(body === undefined ? request : { ...request, body: JSON.stringify(body) });
  return { code: answer.code, body: answer.body as JsonObject };
}

/** A write as one of the others would do it; what the server refuses did not happen. */
async function wrote(cluster: ApiServer, manager: string, object: object): Promise<void> {
  const body = object as JsonObject;
  const { name } = body.metadata as { name: string };
  if (manager !== 'updater') await ask(cluster, 'PATCH', name, { body, query: { fieldManager: manager, force: 'true' } });
  else if ((await ask(cluster, 'GET', name)).code === 404)
    await ask(cluster, 'POST', '', { body, query: { fieldManager: manager }, type: 'application/json' });
  else await ask(cluster, 'PATCH', name, { body, query: { fieldManager: manager }, type: 'application/merge-patch+json' });
}

function versionOf(object: JsonObject): string {
  return (object.metadata as { resourceVersion: string }).resourceVersion;
}
