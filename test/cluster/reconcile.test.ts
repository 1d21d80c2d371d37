import { beforeEach, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { ref } from '../harness/cluster.js';
import { type Declared, own, share } from '../harness/program-text.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('reconcile');
const proxy = await testEnvironment.proxy();
const changed = ['--reconcile', 'changed'];

/** A namespace for each test: how many objects it holds decides whether listing is cheaper. */
let here = '';
let tests = 0;
beforeEach(async () => {
  here = `${testEnvironment.namespace}-${++tests}`;
  await testEnvironment.cluster.create('test', ref('v1', 'Namespace', here));
  testEnvironment.removeNamespaceLater(here);
});

const group = `${testEnvironment.app}.example.com`;
await testEnvironment.crd(crdOf('map'));

/** A kind whose items of `ports` are owned one by one, or all together. */
function crdOf(listType: 'map' | 'atomic'): ResponseBody {
  const item = { type: 'object', required: ['port'], properties: { port: { type: 'integer' }, host: { type: 'string' } } };
  const keys = listType === 'map' ? { 'x-kubernetes-list-map-keys': ['port'] } : {};
  const ports = { type: 'array', 'x-kubernetes-list-type': listType, ...keys, items: item };
  const spec = { type: 'object', properties: { big: { type: 'integer', format: 'int64' }, ports } };
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `booths.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Booth', plural: 'booths' },
      versions: [version('v1', true), version('v2', false)],
    },
  };
}

const booth = (name: string, spec: object, version = 'v1') => ({ ...ref(`${group}/${version}`, 'Booth', name, here), spec });
const booths = (prefix: string, spec: object, version?: string) =>
  ['a', 'b', 'c'].map((letter) => own(booth(`${prefix}-${letter}`, spec, version)));
const config = (name: string, data: object) => ({ ...ref('v1', 'ConfigMap', name, here), data });

/** The names of the objects that a deploy sends a PATCH for. */
async function deployed(project: ReturnType<TestEnvironment['program']>, args: readonly string[] = changed, kubeconfig = proxy.kubeconfig) {
  proxy.requests.length = 0;
  const report = await project.deploy(args, { kubeconfig });
  expect(report.exitCode, String(report)).toBe(0);
  const ofObjects = ({ method, path }: { method: string; path: string }) =>
    method === 'PATCH' && !/\/secrets\/fieldwise-history|\/leases\/|\.default\./.test(path);
  const sent = proxy.requests.filter(ofObjects).map(({ path }) => path.split('/').at(-1) as string);
  return { report, sent: sent.sort() };
}

/** LISTs of the test's ConfigMaps; inventories live elsewhere. */
function listed() {
  return proxy.requests.filter(({ method, path }) => method === 'GET' && path.endsWith(`/${here}/configmaps`));
}

/** For each of those LISTs whether it asked for metadata or for values. */
const looks = () => listed().map(({ accept }) => (accept.includes('as=PartialObjectMetadataList') ? 'metadata' : 'values'));

/** A program deployed twice, so that nothing would be sent the third time. */
async function settled(declared: readonly Declared[]) {
  const project = testEnvironment.program({ main: declared });
  await deployed(project);
  expect((await deployed(project)).sent).toEqual([]);
  return project;
}

test('what a LIST proves unchanged is not sent, and reported as unchanged; what has changed is sent', async () => {
  const names = ['one', 'two', 'three', 'four'];
  const project = await settled(names.map((name) => own(config(name, { a: '1', b: '2' }))));
  const { report } = await deployed(project);
  expect(Object.values(report.results)).toEqual(['unchanged', 'unchanged', 'unchanged', 'unchanged']);
  expect(listed().map(({ query }) => query.get('limit'))).toEqual(['18']); // ours twice, and a few of others
  expect(proxy.requests.filter(({ path }) => path === '/version')).toHaveLength(1);

  await testEnvironment.cluster.patch('them', config('two', {}), { data: { b: 'theirs' } });
  const again = await deployed(project);
  expect(again.sent).toEqual(['two', 'two']); // unforced, then forced
  expect(again.report.only('two').forcedConflicts).toMatchObject([{ field: '.data.b', oldValue: 'theirs', from: 'them' }]);

  project.write({
    'main.ts': testEnvironment.text({ main: names.map((name) => own(config(name, { a: name === 'one' ? 'new' : '1', b: '2' }))) }),
  });
  expect((await deployed(project)).sent).toEqual(['one']);
});

test('by default everything is sent', async () => {
  const project = await settled(['x', 'y', 'z'].map((name) => own(config(`full-${name}`, { a: '1' }))));
  expect((await deployed(project, [])).sent).toEqual(['full-x', 'full-y', 'full-z']);
});

describe('what was seen to change nothing', () => {
  const names = ['v', 'w', 'x', 'y', 'z'];
  const declared = (prefix: string) => names.map((name) => own(config(`${prefix}-${name}`, { a: '1' })));

  test('is known from the metadata of objects that nobody has written since', async () => {
    const project = await settled(declared('seen'));
    expect(looks()).toEqual(['values']);
    expect((await deployed(project)).sent).toEqual([]);
    expect(looks()).toEqual(['metadata']);
  });

  test('is looked at again where objects were written since: where they are few, one by one', async () => {
    const project = await settled(declared('touched'));
    await testEnvironment.cluster.apply('them', config('touched-v', { theirs: '1' }));
    expect((await deployed(project)).sent).toEqual([]);
    expect(looks()).toEqual(['metadata']);
    expect(proxy.requests.filter(({ path }) => path.includes('/touched-')).map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /api/v1/namespaces/${here}/configmaps/touched-v`,
    ]);
    for (const name of names.slice(2)) await testEnvironment.cluster.apply('them', config(`touched-${name}`, { theirs: '1' }));
    expect((await deployed(project)).sent).toEqual([]);
    expect(looks()).toEqual(['metadata', 'values']);
    await testEnvironment.cluster.patch('them', config('touched-z', {}), { data: { a: 'theirs' } });
    const { sent, report } = await deployed(project);
    expect(sent).toEqual(['touched-z', 'touched-z']);
    expect(report.only('touched-z').forcedConflicts).toMatchObject([{ field: '.data.a', oldValue: 'theirs' }]);
  });

  test('is not known of another intent, nor under another name of the stack', async () => {
    const project = await settled(declared('other'));
    const edited = names.map((name) => own(config(`other-${name}`, { a: name === 'w' ? '2' : '1' })));
    project.write({ 'main.ts': testEnvironment.text({ main: edited }) });
    expect((await deployed(project)).sent).toEqual(['other-w']);
    expect((await deployed(project)).sent).toEqual([]);
    project.write({ 'main.ts': testEnvironment.text({ fresh: edited }).replace('"fresh")', '"fresh", { renamedFrom: "main" })') });
    const { sent, report } = await deployed(project);
    expect(new Set(sent)).toEqual(new Set(names.map((name) => `other-${name}`)));
    expect(Object.values(report.results)).toEqual(names.map(() => 'updated'));
  });

  test('lasts through a deploy that sends everything and changes nothing', async () => {
    const project = await settled(declared('lasts'));
    expect((await deployed(project, [])).sent).toHaveLength(names.length);
    expect((await deployed(project)).sent).toEqual([]);
    expect(looks()).toEqual(['metadata']);
  });

  test('is also what the server has answered to a PATCH that no admission sees, in whatever way it writes a value', async () => {
    const quotas = Array.from({ length: 20 }, (_, index) => `written-${String(index).padStart(2, '0')}`);
    const quota = (name: string) => own({ ...ref('v1', 'ResourceQuota', name, here), spec: { hard: { cpu: '1000m' } } });
    const project = testEnvironment.program({ main: quotas.map(quota) });
    await deployed(project);
    // Without a look at admission, an answer alone proves nothing: a webhook may have changed the PATCH.
    for (let times = 0; times < 2; times++) expect((await deployed(project)).sent).toEqual(quotas);
    expect((await deployed(project, [])).sent).toEqual(quotas);
    expect((await deployed(project, [])).sent).toEqual([]);
    expect((await deployed(project)).sent).toEqual([]);
  });

  test('is not recorded where a field was yielded, which is reported each time', async () => {
    const objects = names.map((name) => config(`yields-${name}`, { a: '1', b: '2' }));
    for (const object of objects) await testEnvironment.cluster.apply('them', { ...object, data: { a: 'theirs' } });
    const project = testEnvironment.program({ main: objects.map((object) => share(object, { conflicts: 'yield' })) });
    await deployed(project);
    for (let times = 0; times < 2; times++) {
      const { report } = await deployed(project);
      for (const { yielded } of report.objects) expect(yielded).toMatchObject([{ field: '.data.a', from: 'them' }]);
    }
  });
});

test('a foreign field beside ours changes nothing for us', async () => {
  const project = await settled(['x', 'y', 'z'].map((name) => own(config(`beside-${name}`, { a: '1' }))));
  await testEnvironment.cluster.apply('them', config('beside-x', { theirs: '1' }));
  expect((await deployed(project)).sent).toEqual([]);
});

describe('traps', () => {
  test('list items in another order have an equal field set, and are a write', async () => {
    const ports = [{ port: 1 }, { port: 2 }];
    const project = await settled(booths('order', { ports }));
    await testEnvironment.cluster.patch('them', booth('order-a', {}), { spec: { ports: [...ports].reverse() } });
    await waitForNextSecond();
    const { sent, report } = await deployed(project);
    expect(sent).toEqual(['order-a']);
    expect(report.only('order-a').result).toBe('updated');
  });

  test('whole numbers beyond 2^53', async () => {
    const project = testEnvironment.program({ main: booths('big', { big: 2 ** 53 }) });
    await deployed(project);
    expect((await deployed(project)).sent).toEqual([]);
    const { connection } = testEnvironment.cluster.client;
    const path = `/apis/${group}/v1/namespaces/${here}/booths/big-a?fieldManager=them`;
    const type = { 'content-type': 'application/merge-patch+json' };
    const edited = await testEnvironment.cluster.client.raw(
      'PATCH',
      new URL(path, connection.server),
      type,
      Buffer.from(`{"spec":{"big":${2n ** 53n + 1n}}}`),
    );
    expect(edited.status, edited.text).toBe(200);
    expect((await deployed(project, [...changed, '--yes'])).sent).toContain('big-a');
  });

  test('quantities that the server writes in another way', async () => {
    const quota = (name: string, cpu: string) => own({ ...ref('v1', 'ResourceQuota', `quota-${name}`, here), spec: { hard: { cpu } } });
    const project = testEnvironment.program({ main: [quota('a', '1000m'), quota('b', '1'), quota('c', '2'), quota('d', '3')] });
    await deployed(project);
    const { sent, report } = await deployed(project);
    expect(sent).toEqual(['quota-a']);
    expect(report.only('quota-a').result).toBe('unchanged');
  });

  test('terminating objects', async () => {
    const project = await settled(
      ['x', 'y', 'z'].map((name) =>
        own({
          ...config(`going-${name}`, {}),
          metadata: { ...config(`going-${name}`, {}).metadata, finalizers: ['example.com/hold'] },
          data: { a: '1' },
        }),
      ),
    );
    await testEnvironment.cluster.remove(config('going-x', {}));
    proxy.requests.length = 0;
    const report = await project.deploy(changed, { kubeconfig: proxy.kubeconfig });
    expect(report.only('going-x').error?.code).toBe('object-terminating');
    for (const name of ['x', 'y', 'z'])
      await testEnvironment.cluster.patch('test', config(`going-${name}`, {}), { metadata: { finalizers: null } });
  });

  test('another apiVersion, and a second entry of the stack', async () => {
    const project = await settled(booths('version', { ports: [{ port: 1 }] }));
    const manager = project.manager('main');
    await testEnvironment.cluster.patch(manager, booth('version-b', {}), { metadata: { labels: { a: 'b' } } });
    expect((await deployed(project)).sent).toEqual(['version-b']);
    project.write({ 'main.ts': testEnvironment.text({ main: booths('version', { ports: [{ port: 1 }] }, 'v2') }) });
    const { sent, report } = await deployed(project);
    expect(sent).toEqual(['version-a', 'version-b', 'version-c']);
    expect(report.exitCode).toBe(0);
  });

  test('a list type that has changed since we applied', async () => {
    const project = await settled(booths('type', { ports: [{ port: 1 }] }));
    try {
      await testEnvironment.cluster.apply('test', crdOf('atomic') as never, { force: true });
      expect((await deployed(project)).sent).toEqual(['type-a', 'type-b', 'type-c']);
      expect((await deployed(project)).sent).toEqual([]);
    } finally {
      await testEnvironment.cluster.apply('test', crdOf('map') as never, { force: true });
    }
  });

  test('Secrets are not listed', async () => {
    const secret = (name: string) => own({ ...ref('v1', 'Secret', `secret-${name}`, here), data: { a: 'YQ==' } });
    const project = testEnvironment.program({ main: ['a', 'b', 'c'].map(secret) });
    await deployed(project);
    expect((await deployed(project)).sent).toEqual(['secret-a', 'secret-b', 'secret-c']);
    expect(proxy.requests.filter(({ path }) => path.endsWith('/secrets'))).toEqual([]);
  });

  test('LISTs are consistent reads', async () => {
    await deployed(await settled(['x', 'y', 'z'].map((name) => own(config(`read-${name}`, { a: '1' })))));
    expect(listed().length).toBeGreaterThan(0);
    for (const { query } of listed()) expect(query.has('resourceVersion')).toBe(false);
  });

  test('an object that was deleted and created again by somebody else', async () => {
    const project = await settled(['x', 'y', 'z'].map((name) => own(config(`anew-${name}`, { a: '1' }))));
    await testEnvironment.cluster.remove(config('anew-x', {}));
    await testEnvironment.cluster.create('somebody', config('anew-x', { a: '1' }));
    await testEnvironment.cluster.apply(project.manager('main'), config('anew-x', { a: '1' }));
    const { sent, report } = await deployed(project);
    expect(sent).toEqual(['anew-x']);
    expect(report.only('anew-x').adopted).toBeDefined();
  });

  test('another stack of the same deploy takes a field meanwhile', async () => {
    const names = ['x', 'y', 'z'];
    const of = (value: string): Record<string, readonly Declared[]> => ({
      first: names.map((name) => own(config(`both-${name}`, { a: value }))),
      second: names.map((name) => share(config(`both-${name}`, { a: 'second' }), { ifAbsent: 'wait' })),
    });
    const project = testEnvironment.program(of('second'));
    await deployed(project);
    expect((await deployed(project)).sent).toEqual([]);
    project.write({ 'main.ts': testEnvironment.text(of('first')) });
    await deployed(project);
    expect((await testEnvironment.cluster.get(config('both-x', {}))).data).toEqual({ a: 'second' });
  });
});

test('whoever may not list patches', async () => {
  const declared = ['x', 'y', 'z'].map((name) => own(config(`denied-${name}`, { a: '1' })));
  const project = await settled(declared);
  proxy.onRequest = ({ method, path }) =>
    method === 'GET' && path.endsWith(`/${here}/configmaps`)
      ? { status: 403, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message: 'forbidden' } }
      : undefined;
  try {
    expect((await deployed(project)).sent).toEqual(['denied-x', 'denied-y', 'denied-z']);
  } finally {
    proxy.onRequest = () => undefined;
  }
});

describe('objects of others', () => {
  const names = ['few-x', 'few-y', 'few-z'];
  const among = async (count: number) => {
    const others = Array.from({ length: count }, (_, index) => config(`a-lot-${index}`, { a: '1' }));
    await Promise.all(others.map((object) => testEnvironment.cluster.create('them', object)));
    const project = testEnvironment.program({ main: names.map((name) => own(config(name, { a: '1' }))) });
    await deployed(project);
    return project;
  };

  test('three objects among very many are patched: the first page tells that listing costs more', async () => {
    expect((await deployed(await among(60))).sent).toEqual(names);
    expect(listed().map(({ query }) => query.get('limit'))).toEqual(['16']);
  });

  test('three objects among some are found on the pages after the first', async () => {
    expect((await deployed(await among(20))).sent).toEqual([]);
    expect(listed().map(({ query }) => query.get('limit'))).toEqual(['16', '500']);
  });
});
