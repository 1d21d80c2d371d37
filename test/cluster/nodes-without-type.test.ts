import { expect, test } from 'vitest';
import { ValueCheck } from '../../src/builders/check-value.js';
import { readCrd, type TypeRef } from '../../src/schema/index.js';
import type { Json } from '../../src/util/json.js';
import type { ApiCallError, ResponseBody } from '../harness/api-client.js';
import { causesOf } from '../harness/causes-of.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { type Owners, ownersOf } from '../harness/managed-fields.js';
import { poll } from '../harness/poll.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** Nodes of a schema without a type: any value fits, and an object among them has these fields, a list these items. */

const testEnvironment = await TestEnvironment.create('nodes-without-type');
const { cluster, namespace } = testEnvironment;
const group = `${namespace}.example.com`;
const apiVersion = `${group}/v1`;

const preserve = { 'x-kubernetes-preserve-unknown-fields': true };
const text = { type: 'string' };
const integer = { type: 'integer' };
const item = { type: 'object', required: ['port'], properties: { port: integer, title: text } };
const ports = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port'], items: item };
const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: text };
const closed = { type: 'object', properties: { a: text } };
const filled = { ...integer, default: 3 };

const nodes = {
  fields: { ...preserve, properties: { labels: { type: 'array', items: text }, ports, set, closed } },
  items: { ...preserve, items: { type: 'object', properties: { a: text, filled } } },
  members: { ...preserve, additionalProperties: ports },
  both: { ...preserve, items: integer, properties: { ports } },
  nested: { ...preserve, properties: { inner: { ...preserve, properties: { ports, list: { ...preserve, items: integer } } } } },
  inList: { type: 'array', items: { ...preserve, properties: { a: integer } } },
  inMap: { type: 'object', additionalProperties: { ...preserve, properties: { ports } } },
  number: { 'x-kubernetes-int-or-string': true, properties: { a: integer } },
  withDefault: { ...preserve, properties: { a: text, filled } },
  orNull: { ...preserve, nullable: true, properties: { a: text } },
};
const definition = crdOf(group, 'Rule', { spec: { type: 'object', properties: nodes } });
await testEnvironment.crd(definition);
const [root] = readCrd(definition).roots;

const ruleOf = (name: string, spec: object) => ({ ...testEnvironment.ref(apiVersion, 'Rule', name), spec });
let objects = 0;
const fresh = () => `r${objects++}`;

const p1 = [{ port: 1, title: 'p' }];
const p2 = [{ port: 2, title: 'q' }];
const fieldsOf = (path: string, port: number) => [`${path}[port=${port}].port`, `${path}[port=${port}].title`];

test.each<readonly [one: object, two: object, live: object, owners: Owners]>([
  [
    { fields: { labels: ['a'], ports: p1 } },
    { fields: { ports: p2 } },
    { fields: { labels: ['a'], ports: [...p1, ...p2] } },
    { one: ['.spec.fields.labels', ...fieldsOf('.spec.fields.ports', 1)], two: fieldsOf('.spec.fields.ports', 2) },
  ],
  [
    { fields: { set: ['a'], more: { x: 1 } } },
    { fields: { set: ['b'], more: { y: 1 } } },
    { fields: { set: ['a', 'b'], more: { x: 1, y: 1 } } },
    { one: ['.spec.fields.more.x', '.spec.fields.set[="a"]'], two: ['.spec.fields.more.y', '.spec.fields.set[="b"]'] },
  ],
  [
    { members: { http: p1 } },
    { members: { http: p2 } },
    { members: { http: [...p1, ...p2] } },
    { one: fieldsOf('.spec.members.http', 1), two: fieldsOf('.spec.members.http', 2) },
  ],
  [
    { both: { ports: p1 } },
    { both: { ports: p2 } },
    { both: { ports: [...p1, ...p2] } },
    { one: fieldsOf('.spec.both.ports', 1), two: fieldsOf('.spec.both.ports', 2) },
  ],
  [
    { nested: { inner: { ports: p1 } } },
    { nested: { inner: { ports: p2 } } },
    { nested: { inner: { ports: [...p1, ...p2] } } },
    { one: fieldsOf('.spec.nested.inner.ports', 1), two: fieldsOf('.spec.nested.inner.ports', 2) },
  ],
  [
    { inMap: { k: { ports: p1 } } },
    { inMap: { k: { ports: p2 } } },
    { inMap: { k: { ports: [...p1, ...p2] } } },
    { one: fieldsOf('.spec.inMap.k.ports', 1), two: fieldsOf('.spec.inMap.k.ports', 2) },
  ],
])('two managers of %j and %j have fields of their own', async (one, two, live, owners) => {
  const name = fresh();
  await cluster.apply('one', ruleOf(name, one));
  const written = await cluster.apply('two', ruleOf(name, two));
  expect(written.spec).toEqual(live);
  expect(ownersOf(written)).toEqual(owners);
});

test.each<readonly [one: object, two: object, conflicts: readonly string[]]>([
  [{ fields: { ports: p1 } }, { fields: { ports: [{ port: 1, title: 'q' }] } }, ['.spec.fields.ports[port=1].title']],
  [{ fields: { labels: ['a'] } }, { fields: { labels: ['b'] } }, ['.spec.fields.labels']],
  [{ fields: 5 }, { fields: { ports: p1 } }, ['.spec.fields']],
  [{ items: [{ a: 'x' }] }, { items: [{ a: 'y' }] }, ['.spec.items']],
  [{ both: [1] }, { both: { ports: p1 } }, ['.spec.both']],
])('%j and %j of two managers conflict in %j', async (one, two, conflicts) => {
  const name = fresh();
  await cluster.apply('one', ruleOf(name, one));
  const refused = (await cluster.apply('two', ruleOf(name, two)).catch((error) => error)) as ApiCallError;
  expect(refused.status).toBe(409);
  expect((refused.body.details.causes as ResponseBody[]).map(({ field }) => field).toSorted()).toEqual(conflicts);
  const forced = await cluster.apply('two', ruleOf(name, two), { force: true });
  expect(forced.spec).toMatchObject(two);
});

test.each<readonly [two: object]>([[{ fields: 5 }], [{ fields: [1] }]])(
  '%j takes the place of an object without a conflict',
  async (two) => {
    const name = fresh();
    await cluster.apply('one', ruleOf(name, { fields: { ports: p1 } }));
    const written = await cluster.apply('two', ruleOf(name, two));
    expect(written.spec).toEqual(two);
    expect(ownersOf(written)).toEqual({ two: ['.spec.fields'] });
  },
);

/** What the server says of an apply in the place of the node; the builders' check must not be stricter. */
test.each<readonly [spec: object, refusal: string | undefined]>([
  [{ fields: 5 }, undefined],
  [{ fields: 'x' }, undefined],
  [{ fields: [1, { a: 1 }, null] }, undefined],
  [{ fields: {} }, undefined],
  [{ fields: { unknown: { deep: [1] } } }, undefined],
  [
    { fields: { labels: [{ key: 'x' }] } },
    '.spec.fields.labels[0]: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"key":"x"}}',
  ],
  [{ fields: { labels: 'a' } }, '.spec.fields.labels: expected list, got &{a}'],
  [{ fields: { ports: [{ port: 1 }, { port: 1 }] } }, '.spec.fields.ports: duplicate entries for key [port=1]'],
  [{ fields: { closed: 5 } }, '.spec.fields.closed: expected map, got &{5}'],
  [{ items: 5 }, undefined],
  [{ items: [] }, undefined],
  [{ items: [{ a: 'x' }] }, undefined],
  [{ items: { a: 5 } }, undefined],
  [{ items: [{ a: 5 }] }, '.spec.items[0].a: expected string, got &value.valueUnstructured{Value:5}'],
  [{ items: [5] }, '.spec.items[0]: expected map, got &{5}'],
  [{ members: { a: 5 } }, '.spec.members.a: expected list, got &{5}'],
  [{ members: [{ a: 5 }] }, undefined],
  [{ both: [1, 2] }, undefined],
  [{ both: ['x'] }, '.spec.both[0]: expected numeric (int or float), got string'],
  [{ nested: { inner: [1] } }, undefined],
  [{ nested: { inner: { list: { a: 1 } } } }, undefined],
  [{ nested: { inner: { list: ['x'] } } }, '.spec.nested.inner.list[0]: expected numeric (int or float), got string'],
  [{ inList: [5, [1], { a: 1, b: 2 }, null] }, undefined],
  [{ inList: [{ a: 'x' }] }, '.spec.inList[0].a: expected numeric (int or float), got string'],
  [{ number: 5 }, undefined],
  [{ number: '5%' }, undefined],
  [{ number: { a: 'x' } }, '.spec.number.a: expected numeric (int or float), got string'],
  [{ orNull: null }, undefined],
])('%j is taken, or refused: %s', async (spec, refusal) => {
  const object = ruleOf(fresh(), spec);
  const answer = await cluster.apply('one', object).then(
    () => undefined,
    ({ body }: ApiCallError) => body.message as string,
  );
  const prefix = `failed to create typed patch object (${namespace}/${object.metadata.name}; ${apiVersion}, Kind=Rule): `;
  expect(answer).toBe(refusal === undefined ? undefined : prefix + refusal);
  const check = new ValueCheck(root!.schema, { root: root! });
  check.check({ spec } as unknown as Json, root!.type as TypeRef);
  expect(check.diagnostics.length > 0).toBe(refusal !== undefined);
});

test('a null in the place of such a node is dropped, and defaults below it are filled in', async () => {
  const { spec } = await cluster.apply(
    'one',
    ruleOf(fresh(), { fields: null, withDefault: { a: 'x' }, items: [{ a: 'x' }], orNull: null }),
  );
  expect(spec).toEqual({ withDefault: { a: 'x', filled: 3 }, items: [{ a: 'x', filled: 3 }], orNull: null });
});

/** Returns the errors by which the server refuses a definition. */
async function errorsOf(spec: object): Promise<readonly string[]> {
  const body = crdOf(`other.${group}`, 'Rule', { spec });
  const path = await cluster.path(definition);
  return causesOf(cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } }));
}

test('a definition may leave out no type but beside preserve-unknown-fields and int-or-string', async () => {
  const at = 'spec.validation.openAPIV3Schema.properties[spec]';
  expect(await errorsOf({ properties: { a: text } })).toEqual([
    `${at}.type: Required value: must not be empty for specified object fields`,
  ]);
  expect(await errorsOf({ type: 'object', ...preserve, properties: { a: { items: text } } })).toEqual([
    `${at}.properties[a].type: Required value: must not be empty for specified object fields`,
  ]);
  expect(await errorsOf({ ...preserve, 'x-kubernetes-map-type': 'atomic', properties: { a: text } })).toEqual([
    `${at}.type: Required value: must be object if x-kubernetes-map-type is specified`,
  ]);
  expect(await errorsOf({ ...preserve, 'x-kubernetes-list-type': 'set', items: text })).toEqual([
    `${at}.type: Required value: must be array if x-kubernetes-list-type is specified`,
  ]);
  expect(await errorsOf({ ...ports, items: { ...preserve, properties: { port: integer }, required: ['port'] } })).toEqual([
    `${at}.items.type: Invalid value: "": must be object if parent array's x-kubernetes-list-type is map`,
  ]);
});

test('a rule below such a node is refused where a node around has rules, too', async () => {
  const rule = { 'x-kubernetes-validations': [{ rule: 'self == self' }] };
  const below = { ...preserve, properties: { a: { ...integer, ...rule } } };
  const untyped =
    'Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
  const at = 'spec.validation.openAPIV3Schema.properties[spec].properties[any]';
  expect(await errorsOf({ type: 'object', properties: { any: below } })).toEqual([]);
  expect(await errorsOf({ type: 'object', properties: { any: below, k: integer }, ...rule })).toEqual([
    `${at}.properties[a].x-kubernetes-validations: ${untyped}`,
  ]);
  expect(await errorsOf({ type: 'object', properties: { any: { ...below, ...rule } } })).toEqual([
    `${at}.properties[a].x-kubernetes-validations: ${untyped}`,
    `${at}.x-kubernetes-validations: ${untyped}`,
  ]);
});

test('a value of the wrong type is validated as far as the rest of its schema goes', async () => {
  const of = (spec: object) => causesOf(cluster.create('one', ruleOf(fresh(), spec)));
  expect(await of({ number: { a: 'x' } })).toEqual([
    'spec.number: Invalid value: "object": spec.number in body must be of type integer,string: "object"',
    'spec.number.a: Invalid value: "string": spec.number.a in body must be of type integer: "string"',
  ]);
});

test('a list below such a node that becomes atomic has one owner after the next write', async () => {
  const kind = 'Retyped';
  const of = (list: object) => crdOf(group, kind, { spec: { ...preserve, properties: { list } } });
  const object = { ...testEnvironment.ref(apiVersion, kind, 'one'), spec: { list: p1 } };
  await testEnvironment.crd(of(ports));
  expect(ownersOf(await cluster.apply('one', object))).toEqual({ one: fieldsOf('.spec.list', 1) });
  await testEnvironment.crd(of({ type: 'array', 'x-kubernetes-list-type': 'atomic', items: item }));
  let tries = 0;
  await poll('the server takes the list for atomic', async () => {
    const probe = await cluster.apply('probe', { ...object, metadata: { ...object.metadata, name: `probe${tries++}` } });
    return ownersOf(probe).probe?.join() === '.spec.list';
  });
  const written = await cluster.apply('two', { ...object, spec: { list: [...p1, ...p2] } }, { force: true });
  expect(ownersOf(written)).toEqual({ two: ['.spec.list'] });
});

test.each(['force', 'yield', 'fail'] as const)(
  'another kind of value for a map of somebody else, of which the server names no conflict: %s',
  async (conflicts) => {
    const name = fresh();
    await cluster.apply('them', ruleOf(name, { fields: { more: { x: 1, y: { z: 2 } } } }));
    const project = testEnvironment.program({ one: [share(ruleOf(name, { fields: 'all', number: 3 }), { conflicts })] });
    const { events } = await project.run(['diff', '-o', 'json']);
    const [plan] = eventsOf(events, 'plan');
    const rows = plan?.fields.map(({ field, change }) => `${change} ${field}`);
    const version = await cluster.resourceVersion(ruleOf(name, {}));
    if (conflicts === 'force') {
      expect(rows).toEqual(expect.arrayContaining(['force .spec.fields.more.x', 'force .spec.fields.more.y.z']));
      expect((await project.deploy()).exitCode).toBe(2);
      expect(await cluster.resourceVersion(ruleOf(name, {}))).toBe(version);
    } else expect([plan?.action, ...(rows ?? [])]).toEqual(expect.arrayContaining(['blocked', 'conflict .spec.fields.more.x']));
    const report = await project.deploy(['--yes']);
    const live = await cluster.get(ruleOf(name, {}));
    if (conflicts === 'force') {
      expect([report.exitCode, live.spec.fields]).toEqual([0, 'all']);
      expect(report.only().forcedConflicts).toMatchObject([
        { field: '.spec.fields.more.x', from: 'them', oldValue: 1 },
        { field: '.spec.fields.more.y.z', from: 'them', oldValue: 2 },
      ]);
      expect(report.only().overwritten ?? []).toEqual([]);
      expect((await project.deploy()).only().result).toBe('unchanged');
    } else {
      expect([report.exitCode, live.metadata.resourceVersion]).toEqual([5, version]);
      expect(report.only().conflicts).toMatchObject([{ field: '.spec.fields.more.x', from: 'them' }, { field: '.spec.fields.more.y.z' }]);
    }
  },
);

test('plans by the server, by the schema and offline agree, and are what the deploy does', async () => {
  const name = fresh();
  const stacks = (one: object, two: object) => ({
    one: [own(ruleOf(name, one))],
    two: [share(ruleOf(name, two), { ifAbsent: 'fail' })],
  });
  const project = testEnvironment.program(stacks({ fields: { labels: ['a'], ports: p1 } }, { fields: { ports: p2 } }));
  const first = await project.deploy();
  expect(first.exitCode, String(first)).toBe(0);
  project.write({
    'main.ts': testEnvironment.text(
      stacks({ fields: { labels: ['b'] }, items: 5, both: [1] }, { fields: { ports: [{ port: 3, title: 'r' }], more: { x: 1 } } }),
    ),
  });
  const told = async (...flags: readonly string[]) => {
    const { events, exitCode, stdout } = await project.run(['diff', '-o', 'json', ...flags]);
    expect(exitCode, stdout).toBe(0);
    return events.slice(0, -1).map(({ stack, action, fields }) => ({ stack, action, fields }));
  };
  const server = await told();
  expect(server.map(({ stack, fields }) => [stack, fields.map(({ field, change }: ResponseBody) => `${change} ${field}`)])).toEqual([
    ['one', expect.arrayContaining(['change .spec.fields.labels', 'set .spec.items', 'set .spec.both'])],
    ['two', expect.arrayContaining(['set .spec.fields.ports[port=3].title', 'set .spec.fields.more.x'])],
  ]);
  expect(await told('--read-only')).toEqual(server);
  expect((await project.run(['snapshot'])).exitCode).toBe(0);
  expect(await told('--offline')).toEqual(server);
  const second = await project.deploy();
  expect(second.exitCode, String(second)).toBe(0);
  const live = await cluster.get(ruleOf(name, {}));
  expect(live.spec).toEqual({ fields: { labels: ['b'], ports: [{ port: 3, title: 'r' }], more: { x: 1 } }, items: 5, both: [1] });
});

test('an item that two stacks share is forced by its field, as the plan says', async () => {
  const name = fresh();
  const project = testEnvironment.program({
    one: [own(ruleOf(name, { fields: { ports: p1 } }))],
    two: [share(ruleOf(name, { fields: { ports: [{ port: 1, title: 'other' }, ...p2] } }), { ifAbsent: 'fail' })],
  });
  const { exitCode, events, stdout } = await project.run(['deploy', '-o', 'json', '--yes']);
  expect(exitCode, stdout).toBe(0);
  expect(eventsOf(events, 'object').map(({ stack, forcedConflicts }) => [stack, forcedConflicts.map(({ field }) => field)])).toEqual([
    ['one', []],
    ['two', ['.spec.fields.ports[port=1].title']],
  ]);
});
