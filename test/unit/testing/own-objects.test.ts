import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { configMap } from '../../../generated/core/v1.js';
import { Controller } from '../../../src/entry/controller.js';
import { EmbeddedApiServer } from '../../../src/entry/embedded.js';
import { testCluster } from '../../../src/testing/index.js';
import type { TestCluster } from '../../../src/testing/test-cluster.js';

// biome-ignore lint/suspicious/noExplicitAny: tests change what they read, as programs in JavaScript do
type Any = any;

const path = '/api/v1/namespaces/default/configmaps';
const settings = () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'default' }, data: { x: '1' } });

/** Changes everything in a value: each text, number, list and map, and adds members. */
function spoil(value: Any): void {
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'object' && member !== null) spoil(member);
    else value[name] = 'spoiled';
  }
  if (Array.isArray(value)) value.push('spoiled');
  else value.spoiled = 'spoiled';
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

const get = (target: string, accept = 'application/json') => ({ method: 'GET', path: target, headers: { accept } });
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Requests that change nothing. */
const reads: readonly (readonly [name: string, request: Any])[] = [
  ['an object', get(`${path}/c`)],
  ['a list', get(path)],
  ['a list of several kinds of owners', get('/apis/apps/v1/deployments')],
  ['a Table', get(path, table)],
  ['metadata alone', get(`${path}/c`, 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1')],
  ['an error', get(`${path}/absent`)],
  ['a definition', get('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com')],
  ['a custom object', get('/apis/example.com/v1/namespaces/default/widgets/w')],
  ['the kinds of a group', get('/apis/apps/v1')],
  ['discovery', get('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList')],
  ['the version', get('/version')],
  ['the documents of OpenAPI', get('/openapi/v3')],
  ['a document of OpenAPI', get('/openapi/v3/apis/example.com/v1')],
  ['the document of OpenAPI v2', get('/openapi/v2')],
  [
    'a refused apply',
    {
      method: 'PATCH',
      path: `${path}/c?fieldManager=other`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: { ...settings(), data: { x: '2' } },
    },
  ],
  ['a refused object', { method: 'POST', path: `${path}?dryRun=All`, body: { ...settings(), metadata: { name: 'A' } } }],
  [
    'a plan',
    {
      method: 'PATCH',
      path: `${path}/c?dryRun=All`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { data: { y: '1' } },
    },
  ],
];

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
        },
      },
    ],
  },
};
const widget = () => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'default' },
  spec: { size: 9007199254740993n, list: [{ deep: [1, 2] }], ['__proto__' as string]: 1 },
});

async function cluster(): Promise<TestCluster> {
  const started = await testCluster({ crds: definition, time: '2030-01-01T00:00:00Z' });
  await started.apply('a', settings());
  await started.handle({ method: 'POST', path: '/apis/example.com/v1/namespaces/default/widgets?fieldManager=a', body: widget() });
  return started;
}

test.each(reads)('%s that its reader changes is as it was for the next one', async (_, request) => {
  const server = await cluster();
  const first = await server.handle(request);
  const before = structuredClone({ ...first });
  spoil(first);
  const again = await server.handle(request);
  expect(again).toEqual(before);
  const fork = await server.fork();
  expect(await fork.handle(request)).toEqual(before);
});

describe('what a reader changes is changed for no one else', () => {
  const kept = async (server: TestCluster) => ((await server.get('ConfigMap', 'c', 'default')) as Any).data;

  test.each<[string, (server: TestCluster) => Promise<unknown>]>([
    ['get', (server) => server.get('ConfigMap', 'c', 'default')],
    ['apply', (server) => server.apply('a', settings())],
    ['patch', (server) => server.patch('a', settings())],
    ['apply of the connection', (server) => server.connection.apply(settings(), { manager: 'a' })],
    ['Controller.apply', async (server) => (await new Controller(server.connection, { manager: 'a' }).apply(settings())).object],
    ['Controller.read', (server) => new Controller(server.connection, { manager: 'a' }).read(settings())],
    ['an ApiError', (server) => server.apply('b', { ...settings(), data: { x: '2' } }).catch((error: unknown) => error)],
    ['a fork', async (server) => (await server.fork()).get('ConfigMap', 'c', 'default')],
  ])('%s', async (_, read) => {
    const server = await testCluster();
    await server.apply('a', settings());
    const value = (await read(server)) as Any;
    spoil(value instanceof Error ? { ...value } : value);
    expect(await kept(server)).toEqual({ x: '1' });
    expect(await kept(await server.fork())).toEqual({ x: '1' });
  });

  test('get, change, PUT: the writer owns what it changed', async () => {
    const server = await testCluster();
    await server.apply('a', settings());
    const { body } = (await server.handle(get(`${path}/c`))) as Any;
    body.data.x = '2';
    body.data.y = 'new';
    const written = (await server.handle({ method: 'PUT', path: `${path}/c?fieldManager=op`, body })) as Any;
    const owners = written.body.metadata.managedFields.map((entry: Any) => [entry.manager, entry.operation, entry.fieldsV1]);
    expect(owners).toEqual([['op', 'Update', { 'f:data': { 'f:x': {}, 'f:y': {} } }]]);
  });

  test('two clusters of one content', async () => {
    const content = { objects: [settings()] };
    const one = (await (await testCluster(content)).get('ConfigMap', 'c', 'default')) as Any;
    one.data.x = 'left by test one';
    expect(await kept(await testCluster(content))).toEqual({ x: '1' });
  });

  test('an exported object with its owners, which the caller changes later', async () => {
    const first = await testCluster();
    await first.apply('a', settings());
    const exported = (await first.get('ConfigMap', 'c', 'default')) as Any;
    const content = { objects: [exported] };
    const second = await testCluster(content);
    spoil(exported);
    expect(await kept(second)).toEqual({ x: '1' });
    expect(await second.get('ConfigMap', 'c', 'default')).toMatchObject({ metadata: { managedFields: [{ manager: 'a' }] } });
  });
});

describe('what a caller passes and changes after the call', () => {
  test.each<[string, (server: TestCluster) => [Promise<unknown>, Any]]>([
    ['a body', (server) => sent(settings(), (body) => server.handle({ method: 'POST', path, body }))],
    ['bytes', (server) => sent(Buffer.from(JSON.stringify(settings())), (body) => server.handle({ method: 'POST', path, body }))],
    ['an intent', (server) => sent(settings(), (intent) => server.apply('a', intent))],
    ['an intent of the connection', (server) => sent(settings(), (intent) => server.connection.apply(intent))],
    [
      'an intent of a controller',
      (server) => sent(settings(), (intent) => new Controller(server.connection, { manager: 'a' }).apply(intent)),
    ],
  ])('%s', async (_, send) => {
    const server = await testCluster();
    const [response, value] = send(server);
    if (value instanceof Uint8Array) value.fill(32);
    else spoil(value);
    await response;
    expect(await server.get('ConfigMap', 'c', 'default')).toMatchObject({ data: { x: '1' } });
  });

  test('parameters, headers and the user', async () => {
    const server = await testCluster();
    const query = new URLSearchParams({ fieldManager: 'a' });
    const headers = { 'content-type': 'application/json' };
    const user = { name: 'jane', groups: ['system:masters'] };
    const response = server.handle({ method: 'POST', path, query, headers, user, body: settings() });
    query.set('fieldManager', 'b');
    headers['content-type'] = 'text/plain';
    user.groups.pop();
    expect(await response).toMatchObject({ code: 201, body: { metadata: { managedFields: [{ manager: 'a' }] } } });
  });

  test('objects and definitions of a cluster', async () => {
    const options = { objects: [settings()], crds: [structuredClone(definition)], namespaces: ['shop'] };
    const started = testCluster(options);
    spoil(options);
    const server = await started;
    expect(await server.get('ConfigMap', 'c', 'default')).toMatchObject({ data: { x: '1' } });
    expect(await server.get('crd', 'widgets.example.com')).toMatchObject({ spec: definition.spec });
  });

  test('a snapshot holds nothing that its receiver can change', async () => {
    const server = await EmbeddedApiServer.start({ port: false });
    await server.handle({ method: 'POST', path, body: settings() });
    const snapshot = server.snapshot();
    expect([Object.isFrozen(snapshot), Object.keys(snapshot)]).toEqual([true, []]);
    const copy = await EmbeddedApiServer.start({ port: false, snapshot });
    expect(await copy.handle(get(`${path}/c`))).toMatchObject({ body: { data: { x: '1' } } });
  });

  test('frozen input is accepted and stays as it is', async () => {
    const content = deepFreeze({ objects: [settings()], crds: [definition], namespaces: ['shop'] });
    const server = await testCluster(content);
    expect(await server.apply('preloaded', deepFreeze(settings()))).toMatchObject({ data: { x: '1' } });
    expect(await server.handle(deepFreeze({ method: 'PUT', path: `${path}/c`, body: settings() }))).toMatchObject({ code: 200 });
    expect(content).toEqual({ objects: [settings()], crds: [definition], namespaces: ['shop'] });
  });
});

function sent<Value extends object>(value: Value, send: (value: Value) => Promise<unknown>): [Promise<unknown>, Value] {
  return [send(value), value];
}

describe('a body is read as its text is', () => {
  test.each<[string, object, unknown]>([
    ['a Date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['a Date beside a bigint', { at: new Date(0), big: 9007199254740993n }, { at: '1970-01-01T00:00:00.000Z', big: 9007199254740993n }],
    ['symbols and undefined', { [Symbol('a')]: 1, none: undefined, one: 1 }, { one: 1 }],
    ['functions beside a bigint', { call: () => 1, items: [undefined], big: 9007199254740993n }, { items: [null], big: 9007199254740993n }],
    ['no prototype', Object.assign(Object.create(null), { one: 1 }), { one: 1 }],
    ['a member named __proto__', JSON.parse('{"__proto__":{"one":1}}'), JSON.parse('{"__proto__":{"one":1}}')],
    [
      'a getter',
      {
        get one() {
          return 1;
        },
      },
      { one: 1 },
    ],
    [
      'a builder beside a bigint',
      { big: 9007199254740993n, inner: configMap('c').withData({ x: '1' }) },
      { big: 9007199254740993n, inner: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { x: '1' } } },
    ],
  ])('%s', async (_, spec, stored) => {
    const server = await testCluster({ crds: definition });
    const collection = '/apis/example.com/v1/namespaces/default/widgets';
    const { body } = (await server.handle({ method: 'POST', path: collection, body: { ...widget(), spec } })) as Any;
    expect(body.spec).toEqual(stored);
    expect(isDeepStrictEqual(body.spec, stored)).toBe(true);
    spoil(body);
    expect(((await server.get('Widget', 'w', 'default')) as Any).spec).toEqual(stored);
  });

  test('a builder is a body', async () => {
    const server = await testCluster();
    expect(await server.handle({ method: 'POST', path, body: configMap('c').withData({ x: '1' }) })).toMatchObject({
      code: 201,
      body: { data: { x: '1' } },
    });
  });

  test('a body that contains itself is refused', async () => {
    const server = await testCluster();
    const body: Any = settings();
    body.metadata.self = body;
    await expect(server.handle({ method: 'POST', path, body })).rejects.toMatchObject({
      code: 'option-invalid',
      message: expect.stringContaining('`body`'),
    });
  });
});

describe('what is read is plain JSON', () => {
  const read = async () => {
    const server = await testCluster({ time: '2030-01-01T00:00:00Z' });
    await server.apply('a', settings());
    return (await server.get('ConfigMap', 'c', 'default')) as Any;
  };
  const owner = {
    manager: 'a',
    operation: 'Apply',
    apiVersion: 'v1',
    time: '2030-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { 'f:x': {} } },
  };

  test.each<[string, (entry: Any) => unknown]>([
    ['toEqual and toStrictEqual', (entry) => entry],
    ['JSON', (entry) => JSON.parse(JSON.stringify(entry))],
    ['structuredClone', (entry) => structuredClone(entry)],
    ['a spread', (entry) => ({ ...entry })],
    ['Object.entries', (entry) => Object.fromEntries(Object.entries(entry))],
    ['Object.assign', (entry) => Object.assign({}, entry)],
    ['a frozen entry', (entry) => deepFreeze(entry)],
    ['an entry that is frozen first', (entry) => Object.freeze(entry)],
    [
      'an entry that is written before it is read',
      (entry) => {
        entry.fieldsV1 = owner.fieldsV1;
        return entry;
      },
    ],
  ])('%s', async (_, through) => {
    const entry = through((await read()).metadata.managedFields[0]);
    expect(entry).toStrictEqual(owner);
    expect(isDeepStrictEqual(entry, owner)).toBe(true);
    expect(Object.keys(entry as object)).toEqual(Object.keys(owner));
  });

  test('field sets are changed, replaced, deleted, and frozen', async () => {
    const object = await read();
    const [entry] = object.metadata.managedFields;
    expect(entry.fieldsV1).toBe(entry.fieldsV1);
    entry.fieldsV1['f:data']['f:y'] = {};
    expect(entry.fieldsV1).toEqual({ 'f:data': { 'f:x': {}, 'f:y': {} } });
    delete entry.fieldsV1;
    expect('fieldsV1' in entry).toBe(false);
    const [frozen] = (await read()).metadata.managedFields;
    Object.freeze(frozen);
    expect(() => {
      frozen.fieldsV1 = {};
    }).toThrow(TypeError);
    expect(frozen.fieldsV1).toEqual(owner.fieldsV1);
  });
});

test('events of a watch and the next list share no object', async () => {
  const server = await testCluster();
  const { watch } = await server.handle(get(`${path}?watch=true&resourceVersion=0`));
  const events: Any[] = [];
  const other: Any[] = [];
  const stop = [
    watch?.(
      (event) => events.push(event),
      () => {},
    ),
    (await server.handle(get(`${path}?watch=true`))).watch?.(
      (event) => other.push(event),
      () => {},
    ),
  ];
  await server.apply('a', settings());
  await vi.waitFor(() => expect([events.length, other.length]).toEqual([1, 1]));
  spoil(events);
  expect(other).toMatchObject([{ type: 'ADDED', object: { data: { x: '1' } } }]);
  expect(await server.handle(get(path))).toMatchObject({ body: { items: [{ data: { x: '1' } }] } });
  for (const end of stop) end?.();
});
