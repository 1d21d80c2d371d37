import { beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/apiserver/index.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by tests that know their shape
type AnyObject = any;

let cluster: EmbeddedApiServer;

async function ask(method: string, path: string, body?: unknown): Promise<AnyObject> {
  const request = { method, path, query: new URLSearchParams(), headers: { 'content-type': 'application/json' } };
  return (await cluster.handle(body === undefined ? request : { ...request, body: JSON.stringify(body) })).body;
}

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = 'things.example.com';

function definition(kind: string, versions: readonly AnyObject[], names: object = {}): AnyObject {
  const plural = `${kind.toLowerCase()}s`;
  const spec = { group, scope: 'Namespaced', names: { kind, plural, ...names }, versions };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${plural}.${group}` }, spec };
}

const version = (name: string, spec: AnyObject, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  ...more,
});

const things = `/apis/${group}/v1/namespaces/default/things`;
const create = (name: string, spec: unknown) => ask('POST', things, { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec });

const properties = {
  count: { type: 'integer', minimum: 1, maximum: 9 },
  ratio: { type: 'number', exclusiveMaximum: true, maximum: 1, multipleOf: 0.25 },
  mode: { type: 'string', enum: ['on', 'off'] },
  code: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 3 },
  when: { type: 'string', format: 'date-time' },
  tags: { type: 'array', 'x-kubernetes-list-type': 'set', maxItems: 2, items: { type: 'string' } },
  ports: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['port', 'protocol'],
    items: {
      type: 'object',
      required: ['port'],
      properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
    },
  },
  limits: { type: 'object', minProperties: 1, additionalProperties: { type: 'integer' } },
  size: { 'x-kubernetes-int-or-string': true },
  maybe: { type: 'string', nullable: true },
  either: {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    oneOf: [{ required: ['a'] }, { required: ['b'] }],
  },
  some: {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  },
  none: { type: 'string', not: { enum: ['never'] } },
  level: { type: 'integer', default: 3 },
  open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

beforeAll(async () => {
  cluster = await EmbeddedApiServer.start({ port: false });
  const spec = { type: 'object', required: ['count'], properties };
  expect(await ask('POST', crds, definition('Thing', [version('v1', spec, { storage: true })]))).toMatchObject({
    kind: 'CustomResourceDefinition',
  });
});

describe('an object that violates the schema is refused', () => {
  test.each([
    [{}, 'spec.count: Required value'],
    [{ count: 'one' }, 'spec.count: Invalid value: "string": spec.count in body must be of type integer: "string"'],
    [{ count: 0 }, 'spec.count in body should be greater than or equal to 1'],
    [{ count: 10 }, 'spec.count in body should be less than or equal to 9'],
    [{ count: 1, ratio: 1 }, 'spec.ratio in body should be less than 1'],
    [{ count: 1, ratio: 0.3 }, 'spec.ratio in body should be a multiple of 0.25'],
    [{ count: 1, mode: 'x' }, 'spec.mode: Unsupported value: "x": supported values: "on", "off"'],
    [{ count: 1, code: 'AB' }, "spec.code in body should match '^[a-z]+$'"],
    [{ count: 1, code: 'a' }, 'spec.code in body should be at least 2 chars long'],
    [{ count: 1, code: 'abcd' }, 'spec.code: Too long'],
    [{ count: 1, when: 'noon' }, 'spec.when in body must be of type date-time: "noon"'],
    [{ count: 1, tags: ['a', 'a'] }, 'spec.tags[1]: Duplicate value: "a"'],
    [{ count: 1, tags: ['a', 'b', 'c'] }, 'spec.tags: Too many: 3: must have at most 2 items'],
    [{ count: 1, ports: [{ port: 1 }, { port: 1 }] }, 'spec.ports[1]: Duplicate value: {"port":1,"protocol":"TCP"}'],
    [{ count: 1, limits: {} }, 'spec.limits in body should have at least 1 properties'],
    [{ count: 1, limits: { a: 'b' } }, 'spec.limits.a in body must be of type integer: "string"'],
    [{ count: 1, size: true }, 'spec.size in body must be of type integer,string: "boolean"'],
    [{ count: 1, either: { a: 'x', b: 'y' } }, 'must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    [{ count: 1, some: {} }, '"spec.some" must validate at least one schema (anyOf), spec.some.a: Required value'],
    [{ count: 1, none: 'never' }, '"spec.none" must not validate the schema (not)'],
  ])('%j: %s', async (spec, text) => {
    const { code, message } = await create('refused', spec);
    expect([code, message]).toEqual([422, expect.stringContaining(text)]);
  });
});

test('a valid object receives defaults and loses unknown fields', async () => {
  const spec = { count: 1, maybe: null, size: '50%', nope: 1, ports: [{ port: 1 }, { port: 1, protocol: 'UDP' }], open: { any: 1 } };
  expect((await create('kept', spec)).spec).toEqual({
    count: 1,
    maybe: null,
    size: '50%',
    level: 3,
    ports: [
      { port: 1, protocol: 'TCP' },
      { port: 1, protocol: 'UDP' },
    ],
    open: { any: 1 },
  });
});

test('several versions: an object is stored in one and decoded by the schema of each', async () => {
  const text = { type: 'object', properties: { text: { type: 'string' } } };
  const more = { type: 'object', properties: { text: { type: 'string' }, extra: { type: 'string', default: 'new' } } };
  const old = version('v1beta1', text, { deprecated: true });
  await ask('POST', crds, definition('Note', [old, version('v1', more, { storage: true }), version('v2', more, { served: false })]));
  const notes = (name: string) => `/apis/${group}/${name}/namespaces/default/notes`;
  await ask('POST', notes('v1beta1'), {
    apiVersion: `${group}/v1beta1`,
    kind: 'Note',
    metadata: { name: 'a' },
    spec: { text: 'x', extra: 'lost' },
  });
  expect(await ask('GET', `${notes('v1')}/a`)).toMatchObject({ apiVersion: `${group}/v1`, spec: { text: 'x', extra: 'new' } });
  expect((await ask('GET', `${notes('v1beta1')}/a`)).spec).toEqual({ text: 'x' });
  expect(await ask('GET', `${notes('v2')}/a`)).toBe('404 page not found\n');
  const { versions, preferredVersion } = await ask('GET', `/apis/${group}`);
  expect([versions.map(({ version: name }: AnyObject) => name), preferredVersion.version]).toEqual([['v1', 'v1beta1'], 'v1']);
});

// Conditions, names and messages are those of kube-apiserver 1.36.3.
test('the first definition keeps its names; another one serves nothing until they are free', async () => {
  const any = [version('v1', { type: 'object' }, { storage: true })];
  const conditions = async (plural: string) => {
    const { status } = await ask('GET', `${crds}/${plural}.${group}`);
    return status.conditions.map(({ type, status: value, reason, message }: AnyObject) => `${type}=${value} ${reason}: ${message}`);
  };
  const accepted = [
    'NamesAccepted=True NoConflicts: no conflicts found',
    'Established=True InitialNamesAccepted: the initial names have been accepted',
  ];
  await ask('POST', crds, definition('Foo', any, { shortNames: ['f'] }));
  await ask('POST', crds, definition('Bar', any, { shortNames: ['f'], categories: ['all'] }));
  await ask('POST', crds, definition('Baz', any, { kind: 'Foo', singular: 'baz' }));
  expect(await conditions('foos')).toEqual(accepted);
  const notEstablished = 'Established=False NotAccepted: not all names are accepted';
  expect(await conditions('bars')).toEqual(['NamesAccepted=False ShortNamesConflict: "f" is already in use', notEstablished]);
  expect(await conditions('bazs')).toEqual(['NamesAccepted=False ListKindConflict: "FooList" is already in use', notEstablished]);
  expect((await ask('GET', `${crds}/bars.${group}`)).status.acceptedNames).toEqual({
    plural: 'bars',
    singular: 'bar',
    kind: 'Bar',
    listKind: 'BarList',
    categories: ['all'],
  });
  expect(await ask('GET', `/apis/${group}/v1/namespaces/default/bars`)).toBe('404 page not found\n');
  await ask('DELETE', `${crds}/foos.${group}`);
  expect(await conditions('bars')).toEqual(accepted);
  expect(await ask('GET', `/apis/${group}/v1/namespaces/default/bars`)).toMatchObject({ kind: 'BarList' });
});

/** On a kube-apiserver 1.36.3 as here. */
test.each([
  ['apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition'],
  ['networking.k8s.io', 'networkpolicies', 'NetworkPolicy'],
  ['networking.k8s.io', 'foos', 'Foo'],
])('a definition of %s %s shadows no built-in resource, and its deletion deletes nothing else', async (ownGroup, plural, kind) => {
  const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
  await ask('POST', policies, { metadata: { name: 'kept' }, spec: { podSelector: {} } });
  const before = (await ask('GET', crds)).items.map(({ metadata }: AnyObject) => metadata.name);
  const name = `${plural}.${ownGroup}`;
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, test-only' };
  const spec = {
    group: ownGroup,
    scope: 'Namespaced',
    names: { kind, plural },
    versions: ['v1', 'v9'].map((each) => version(each, { type: 'object' }, { storage: each === 'v1' })),
  };
  const made = await ask('POST', crds, { metadata: { name, annotations }, spec });
  expect(made.status.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
  expect(await ask('GET', `${policies}/kept`)).toMatchObject({ kind: 'NetworkPolicy', spec: { policyTypes: ['Ingress'] } });
  expect(await ask('GET', `${crds}/${name}`)).toMatchObject({ kind: 'CustomResourceDefinition', metadata: { name } });
  expect(await ask('GET', `/apis/${ownGroup}/v9/${plural}`)).toMatchObject({ code: 404 });
  if (kind === 'Foo') expect(await ask('GET', `/apis/${ownGroup}/v1/${plural}`)).toMatchObject({ code: 404 });
  expect(await ask('DELETE', `${crds}/${name}`)).toMatchObject({ kind: 'CustomResourceDefinition', metadata: { name } });
  expect((await ask('GET', crds)).items.map(({ metadata }: AnyObject) => metadata.name)).toEqual(before);
  expect(await ask('GET', `${policies}/kept`)).toMatchObject({ kind: 'NetworkPolicy' });
});
