import { describe, expect, test } from 'vitest';
import type { ApiCallError, ResponseBody } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';
import { watchObject } from '../../harness/watch.js';

/** Custom resources of several versions: their defaults, what is pruned, embedded resources, and selectable fields. */
const testEnvironment = await TestEnvironment.create('definition-versions');
const group = `${testEnvironment.namespace}.example.com`;
const { cluster } = testEnvironment;
const { client } = cluster;

const text = { type: 'string' };
const version = (name: string, spec: object, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', ...spec } } } },
  ...more,
});
const define = (kind: string, ...versions: readonly object[]) =>
  testEnvironment.crd({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.toLowerCase()}s.${group}` },
    spec: { group, scope: 'Namespaced', names: { kind, plural: `${kind.toLowerCase()}s` }, versions },
  });
const objectOf = (kind: string, name: string, spec: object, of = 'v1'): ResponseBody => ({
  ...testEnvironment.ref(`${group}/${of}`, kind, name),
  spec,
});
const created = async (object: ResponseBody) => {
  const path = await cluster.path(object);
  return client.call('POST', path.slice(0, path.lastIndexOf('/')), { body: object });
};
const causesOf = (call: Promise<unknown>) =>
  call.then(
    () => [],
    ({ body }: ApiCallError) => (body.details?.causes ?? []).map(({ field, message }: ResponseBody) => `${field}: ${message}`).toSorted(),
  );

describe('defaults of two versions', async () => {
  await define(
    'Twice',
    version('v1', { properties: { a: { ...text, default: 'one' }, only1: { ...text, default: 'first' }, shared: text } }),
    version('v2', { properties: { a: { ...text, default: 'two' }, only2: { ...text, default: 'second' }, shared: text } }),
  );
  const read = async (name: string, of: string) => (await cluster.get(objectOf('Twice', name, {}, of))).spec;

  test('a create in the stored version', async () => {
    expect((await created(objectOf('Twice', 'in-v1', { shared: 'x' }))).spec).toEqual({ a: 'one', only1: 'first', shared: 'x' });
    expect(await read('in-v1', 'v1')).toEqual({ a: 'one', only1: 'first', shared: 'x' });
    expect(await read('in-v1', 'v2')).toEqual({ a: 'one', shared: 'x' });
  });

  test('a create in the other version', async () => {
    expect((await created(objectOf('Twice', 'in-v2', { shared: 'x', only2: 'kept?' }, 'v2'))).spec).toEqual({ a: 'two', shared: 'x' });
    expect(await read('in-v2', 'v1')).toEqual({ a: 'two', only1: 'first', shared: 'x' });
    expect(await read('in-v2', 'v2')).toEqual({ a: 'two', shared: 'x' });
  });

  test('an apply in the other version', async () => {
    const object = objectOf('Twice', 'applied', { shared: 'x' }, 'v2');
    const answer = await cluster.apply('m', object);
    expect(answer.spec).toEqual({ a: 'two', shared: 'x' });
    const again = await cluster.apply('m', { ...object, spec: { shared: 'y' } });
    expect(again.spec).toEqual({ a: 'two', shared: 'y' });
  });
});

describe('versions in which objects may be stored', async () => {
  const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/stayers.${group}`;
  const [v1, v2, v3] = ['v1', 'v2', 'v3'].map((name) => version(name, {})) as [object, object, object];
  await define('Stayer', v1, v2);
  const contentType = 'application/merge-patch+json';
  const patch = (body: object, part = '') => client.call('PATCH', `${definition}${part}`, { body, contentType });
  const stored = { storage: true };
  const left = (...versions: readonly object[]) => causesOf(patch({ spec: { versions } }));
  const missing = (index: number, name: string) =>
    `status.storedVersions[${index}]: Invalid value: "${name}": missing from spec.versions; ${name} was previously a storage version, and must ` +
    `remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
  const storedVersions = async () => (await client.call('GET', definition)).status.storedVersions;

  test('stay in the definition until the status no longer has them', async () => {
    expect(await left({ ...v2, ...stored })).toEqual([missing(0, 'v1')]);
    expect(await left({ ...v1, storage: false }, { ...v2, ...stored })).toEqual([]);
    await expect.poll(storedVersions).toEqual(['v1', 'v2']);
    expect(await left({ ...v2, ...stored })).toEqual([missing(0, 'v1')]);
    expect(await left({ ...v3, ...stored })).toEqual([missing(0, 'v1'), missing(1, 'v2')]);
    await patch({ status: { storedVersions: ['v2'] } }, '/status');
    expect(await left({ ...v2, ...stored })).toEqual([]);
    expect(await left()).toEqual([
      'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
      missing(0, 'v2'),
    ]);
  });

  test('of a status are those that a client writes, and the current one', async () => {
    await patch({ status: { storedVersions: ['v9', 'v2', 'v2'] } }, '/status');
    expect(await storedVersions()).toEqual(['v9', 'v2', 'v2']);
    await patch({ status: { storedVersions: null } }, '/status');
    await expect.poll(storedVersions).toEqual(['v2']);
  });
});

describe('revisions of a workload', () => {
  const object = (more: object): ResponseBody => ({ ...testEnvironment.ref('apps/v1', 'ControllerRevision', 'first'), ...more });

  test('keep their data', async () => {
    await created(object({ revision: 1, data: { a: 1 } }));
    const patch = async (body: object) =>
      causesOf(client.call('PATCH', await cluster.path(object({})), { body, contentType: 'application/merge-patch+json' }));
    expect(await patch({ data: { b: 1 } })).toEqual(['data: Invalid value: {"a":1,"b":1}: field is immutable']);
    expect(await patch({ data: null })).toEqual(['data: Invalid value: null: field is immutable']);
    expect(await patch({ revision: -5 })).toEqual(['revision: Invalid value: -5: must be greater than or equal to 0']);
    expect(await patch({ revision: 5 })).toEqual([]);
  });
});

describe('an embedded resource', async () => {
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
  await define('Wrapper', version('v1', { properties: { inner: embedded, list: { type: 'array', items: embedded } } }));
  const inner = (more: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...more });

  test.each<readonly [spec: object, causes: readonly string[]]>([
    [{ inner: inner({ metadata: { name: 'a' } }) }, []],
    [{ inner: { kind: 'ConfigMap' } }, ['spec.inner.apiVersion: Required value']],
    [{ inner: { apiVersion: 'v1' } }, ['spec.inner.kind: Required value']],
    [{ list: [{}] }, ['spec.list[0].apiVersion: Required value', 'spec.list[0].kind: Required value']],
    [{ inner: inner({ metadata: { name: 'A B' } }) }, []],
    [
      { inner: inner({ metadata: { labels: { 'a b': 'c' } } }) },
      ['spec.inner.metadata.labels: Invalid value: "a b": name part must consist'],
    ],
    [{ inner: inner({ apiVersion: 'a/b/c' }) }, ['spec.inner.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c']],
    [{ inner: inner({ kind: 'lower case' }) }, ['spec.inner.kind: Invalid value: "lower case": may have mixed case, but should otherwise']],
  ])('%j', async (spec, causes) => {
    const object = objectOf('Wrapper', 'tried', spec);
    const path = await cluster.path(object);
    const call = client.call('POST', path.slice(0, path.lastIndexOf('/')), { body: object, query: { dryRun: 'All' } });
    expect(await causesOf(call)).toEqual(causes.map((cause) => expect.stringContaining(cause)));
  });
});

// Selectable fields that are not those of all versions need a schema that is not either.
describe('selectable fields', async () => {
  const fields = { properties: { color: text, size: { type: 'integer' }, on: { type: 'boolean' } } };
  await define(
    'Chosen',
    version('v1', fields, { selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }, { jsonPath: '.spec.on' }] }),
    version('v2', { properties: { ...fields.properties, more: text } }, { selectableFields: [{ jsonPath: '.spec.color' }] }),
  );
  await created(objectOf('Chosen', 'red', { color: 'red', size: 1, on: true }));
  await created(objectOf('Chosen', 'blue', { color: 'blue', size: 2 }));
  await created(objectOf('Chosen', 'bare', {}));
  const path = await cluster.path(objectOf('Chosen', 'red', {}));
  const list = (fieldSelector: string, of = 'v1') =>
    client.call('GET', path.slice(0, path.lastIndexOf('/')).replace('/v1/', `/${of}/`), { query: { fieldSelector } }).then(
      ({ items }) => items.map(({ metadata }: ResponseBody) => metadata.name),
      ({ status, body }: ApiCallError) => `${status} ${body.message}`,
    );

  test.each<readonly [selector: string, of: string, names: readonly string[]]>([
    ['spec.color=red', 'v1', ['red']],
    ['spec.color=red', 'v2', ['red']],
    ['spec.color!=red', 'v1', ['bare', 'blue']],
    ['spec.size=2', 'v1', ['blue']],
    ['spec.on=true', 'v1', ['red']],
    ['spec.color=', 'v1', ['bare']],
    ['spec.color=blue,metadata.name=blue', 'v1', ['blue']],
  ])('%s in %s', async (selector, of, names) => {
    expect(await list(selector, of)).toEqual(names);
  });

  test('another field, and one of another version, are refused', async () => {
    expect(await list('spec.other=x')).toMatch(/^400 .*field label not supported: spec.other/);
    expect(await list('spec.size=2', 'v2')).toMatch(/^400 .*field label not supported: spec.size/);
  });

  test('a watch tells of an object that begins and ceases to match', async () => {
    const object = objectOf('Chosen', 'turning', { color: 'red' });
    await created(object);
    const watched = await watchObject(cluster, object, { selector: 'spec.color=red' });
    const turn = (color: string) =>
      client.call('PATCH', path.replace(/red$/, 'turning'), { body: { spec: { color } }, contentType: 'application/merge-patch+json' });
    await turn('blue');
    await turn('red');
    await watched.until(({ type }) => type === 'DELETED');
    await watched.until(({ type, object: state }) => type === 'ADDED' && state.spec.color === 'red' && state.metadata.generation === 3);
    expect(watched.events.map(({ type, object: state }) => [type, state.spec.color])).toEqual([
      ['ADDED', 'red'],
      ['DELETED', 'red'],
      ['ADDED', 'red'],
    ]);
    watched.stop();
  });
});
