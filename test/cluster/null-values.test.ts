import { expect, test } from 'vitest';
import { ValueCheck } from '../../src/builders/check-value.js';
import { readCrd, rootType, type Table } from '../../src/schema/index.js';
import type { JsonObject } from '../../src/util/json.js';
import type { ApiCallError } from '../harness/api-client.js';
import { crdOf } from '../harness/crd.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** What a server does with an explicit null in an apply, beside what `build()` says of it. */

const testEnvironment = await TestEnvironment.create('null-values');
const group = `${testEnvironment.namespace}.example.com`;

const text = { type: 'string' };
const crd = crdOf(group, 'Nullable', {
  spec: {
    type: 'object',
    properties: {
      plain: text,
      nullable: { ...text, nullable: true },
      defaulted: { ...text, default: 'x' },
      items: { type: 'array', items: text },
      nullableItems: { type: 'array', items: { ...text, nullable: true } },
      map: { type: 'object', additionalProperties: text },
      nullableMap: { type: 'object', additionalProperties: { ...text, nullable: true } },
      open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      any: { 'x-kubernetes-preserve-unknown-fields': true },
      mapOfAny: { type: 'object', additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true } },
      listOfAny: { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } },
      intOrString: { 'x-kubernetes-int-or-string': true },
    },
  },
});
const [root] = readCrd(crd).roots;

const dropped = 'null, which the server drops without an error; leave the field out';
const rejected = 'null, but the server rejects it here; leave the field out';

test.each<[string, JsonObject, stored: JsonObject | number, build: string]>([
  ['a field', { plain: null }, 422, rejected],
  ['a nullable field', { nullable: null }, { nullable: null }, 'fine'],
  [
    'a field with a default',
    { defaulted: null },
    { defaulted: 'x' },
    'null, but the server sets the default "x" instead; leave the field out',
  ],
  ['a list', { items: null }, 422, rejected],
  ['an item', { items: ['a', null] }, 422, rejected],
  ['a nullable item', { nullableItems: ['a', null] }, { nullableItems: ['a', null] }, 'fine'],
  ['a map', { map: null }, 422, rejected],
  ['a value of a map', { map: { k: null } }, 422, rejected],
  ['a nullable value of a map', { nullableMap: { k: null } }, { nullableMap: { k: null } }, 'fine'],
  ['an unknown field that is preserved', { open: { k: null } }, { open: { k: null } }, 'fine'],
  ['a field of any value', { any: null }, {}, dropped],
  ['a value of any value in a map', { mapOfAny: { k: null } }, { mapOfAny: {} }, dropped],
  ['an item of any value', { listOfAny: [null] }, { listOfAny: [null] }, 'fine'],
  ['inside a field of any value', { any: { k: null, l: [null] } }, { any: { k: null, l: [null] } }, 'fine'],
  ['no null, but a list, of an integer or text', { intOrString: [1] }, 422, 'expected an integer or a string, got a list'],
])('of a custom resource: %s', async (name, spec, stored, build) => {
  await testEnvironment.crd(crd);
  const object = { ...testEnvironment.ref(`${group}/v1`, 'Nullable', name.replaceAll(' ', '-')), spec };
  const result = await testEnvironment.cluster.apply('test', object, { force: true }).catch((error: ApiCallError) => error.status);
  const found = typeof result === 'number' ? result : result.spec;
  expect([found, said(object as unknown as JsonObject)]).toEqual([
    typeof stored === 'number' ? stored : { defaulted: 'x', ...stored },
    build,
  ]);
});

const defaulted = { ...text, default: 'x' };
const defaultedObject = { type: 'object', default: { a: 'given' }, properties: { a: text, b: defaulted } };
const defaults = crdOf(`defaults.${group}`, 'Defaulting', {
  spec: {
    type: 'object',
    properties: {
      items: { type: 'array', items: defaulted },
      map: { type: 'object', additionalProperties: defaulted },
      nullableItems: { type: 'array', items: { ...defaulted, nullable: true } },
      nullableMap: { type: 'object', additionalProperties: { ...defaulted, nullable: true } },
      objects: { type: 'array', items: defaultedObject },
      maps: { type: 'object', additionalProperties: { type: 'object', additionalProperties: defaultedObject } },
    },
  },
});

test.each<[string, spec: JsonObject, stored: JsonObject]>([
  ['an item', { items: [null, 'a'] }, { items: ['x', 'a'] }],
  ['a value of a map', { map: { k: null, l: 'a' } }, { map: { k: 'x', l: 'a' } }],
  ['a nullable item', { nullableItems: [null] }, { nullableItems: [null] }],
  ['a nullable value of a map', { nullableMap: { k: null } }, { nullableMap: { k: null } }],
  ['an item that is an object', { objects: [null, {}] }, { objects: [{ a: 'given', b: 'x' }, { b: 'x' }] }],
  ['an object deep in maps', { maps: { k: { l: null } } }, { maps: { k: { l: { a: 'given', b: 'x' } } } }],
])('of a custom resource, where lists and maps have defaults: %s', async (name, spec, stored) => {
  await testEnvironment.crd(defaults);
  const object = { ...testEnvironment.ref(`defaults.${group}/v1`, 'Defaulting', name.replaceAll(' ', '-')), spec };
  expect((await testEnvironment.cluster.apply('test', object)).spec).toEqual(stored);
});

const emptied = 'null, but the server sets an empty value or a default instead; leave the field out';

test.each<[string, JsonObject, at: (deployment: JsonObject) => unknown, stored: unknown]>([
  ['a number', { replicas: null }, (spec) => spec.replicas, 1],
  ['an object', { strategy: null }, (spec) => (spec.strategy as JsonObject).type, 'RollingUpdate'],
  ['an item of a list of texts', container({ args: ['a', null] }), (spec) => containerOf(spec).args, ['a', '']],
  ['a list by keys', container({ ports: null }), (spec) => containerOf(spec).ports, undefined],
  ['a value of a map', template({ nodeSelector: { k: null } }), (spec) => podOf(spec).nodeSelector, { k: '' }],
])('of a built-in kind: %s', async (name, spec, at, stored) => {
  const { $table } = (await import(`fieldwise/k8s/${'apps/v1'}`)) as { readonly $table: Table };
  const pod = { containers: [{ name: 'c', image: 'i' }] };
  const labels = { app: 'x' };
  const base = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } };
  const object = { ...testEnvironment.ref('apps/v1', 'Deployment', name.replaceAll(' ', '-')), spec: { ...base, ...spec } };
  const applied = await testEnvironment.cluster.apply('test', object, { force: true });
  const check = new ValueCheck(rootType($table, 'Deployment').schema, { root: { apiVersion: 'apps/v1', kind: 'Deployment' } });
  check.check(object, rootType($table, 'Deployment').type);
  expect([at(applied.spec), check.diagnostics.map(({ message }) => message)]).toEqual([stored, [emptied]]);
});

function said(object: JsonObject): string {
  const check = new ValueCheck(root!.schema, { root });
  check.check(object, root!.type);
  return check.diagnostics[0]?.message ?? 'fine';
}

function template(pod: JsonObject): JsonObject {
  return { template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }], ...pod } } };
}

function container(members: JsonObject): JsonObject {
  return template({ containers: [{ name: 'c', image: 'i', ...members }] });
}

function podOf(spec: JsonObject): JsonObject {
  return (spec.template as JsonObject).spec as JsonObject;
}

function containerOf(spec: JsonObject): JsonObject {
  return (podOf(spec).containers as readonly JsonObject[])[0] as JsonObject;
}
