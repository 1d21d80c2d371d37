import { expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** One LIST of metadata decides about deletions; whatever changes after it is seen nevertheless. */
const testEnvironment = await TestEnvironment.create('plain');
const { config, edit, placed, ref } = configMapHelpers(testEnvironment);
const { cluster } = testEnvironment;
const named = (word: string) => ['a', 'b', 'c', 'd'].map((letter) => `${word}-${letter}`);
const owned = (names: readonly string[]) => names.map((name) => own(config(name)));
const forbidden = { status: 403, body: { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message: 'no' } };

/** A deployed project of these objects, and the requests of its destroys for them. */
async function projectOf(names: readonly string[]) {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: owned(names) }, { kubeconfig: proxy.kubeconfig });
  await deployed(project);
  proxy.requests.length = 0;
  const sent = () =>
    proxy.requests.flatMap(({ method, path, query, accept }) => {
      const name = path.split('/').at(-1) as string;
      const isList = method === 'GET' && name === 'configmaps' && query.get('labelSelector') === null;
      if (isList) return [accept.includes('PartialObjectMetadataList') ? 'LIST metadata' : 'LIST'];
      return names.includes(name) ? [`${method} ${name}`] : [];
    });
  return { project, proxy, sent };
}

/** Does something once, after the LIST and before the deletion of an object arrives at the server. */
function beforeDeletion(proxy: Awaited<ReturnType<typeof projectOf>>['proxy'], name: string, act: () => Promise<unknown>): void {
  let isDone = false;
  proxy.onRequest = async ({ method, path }) => {
    if (isDone || method !== 'DELETE' || !path.endsWith(`/${name}`)) return undefined;
    isDone = true;
    await act();
    return undefined;
  };
}

test('destroy sends one LIST of metadata and one DELETE per object', async () => {
  const names = named('plain');
  const { project, sent } = await projectOf(names);
  expect((await project.destroy()).exitCode).toBe(0);
  expect(sent().sort()).toEqual([...names.map((name) => `DELETE ${name}`), 'LIST metadata']);
});

test('a Service, which the server returns as it was, is not read again', async () => {
  const proxy = await testEnvironment.proxy();
  const names = named('service');
  const services = names.map((name) =>
    own({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ name: 'http', port: 80 }] } }),
  );
  const project = testEnvironment.program({ main: services }, { kubeconfig: proxy.kubeconfig });
  await deployed(project);
  proxy.requests.length = 0;
  expect((await project.destroy()).exitCode).toBe(0);
  const single = proxy.requests.filter(({ path }) => path.includes('/services/'));
  expect(single.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`).sort()).toEqual(names.map((name) => `DELETE ${name}`));
});

test('a prune of several objects sends the same, beside the LIST that every deploy of them sends', async () => {
  const names = named('pruned');
  const { project, sent } = await projectOf(names);
  edit(project, { main: owned(names.slice(3)) });
  await deployed(project, '--yes');
  expect(
    sent()
      .filter((request) => !request.endsWith(names[3] as string))
      .sort(),
  ).toEqual([...names.slice(0, 3).map((name) => `DELETE ${name}`), 'LIST', 'LIST metadata']);
});

test('an object to which somebody applies after the LIST is released', async () => {
  const names = named('applied');
  const [name = ''] = names;
  const { project, proxy } = await projectOf(names);
  beforeDeletion(proxy, name, () => cluster.apply('them', placed(name, { theirs: '1' })));
  const report = await project.destroy();
  expect(report.only(name), String(report)).toMatchObject({ result: 'released' });
  expect((await cluster.get(ref(name))).data).toEqual({ theirs: '1' });
});

test('an object that is replaced by another of its name after the LIST stays', async () => {
  const names = named('replaced');
  const [name = ''] = names;
  const { project, proxy } = await projectOf(names);
  beforeDeletion(proxy, name, async () => {
    await cluster.client.call('DELETE', `/api/v1/namespaces/${testEnvironment.namespace}/configmaps/${name}`);
    await cluster.create('them', placed(name, { theirs: '1' }));
  });
  const report = await project.destroy();
  expect(report.only(name), String(report)).toMatchObject({ result: 'absent' });
  expect((await cluster.get(ref(name))).data).toEqual({ theirs: '1' });
});

test('an object that is only written after the LIST is read again and deleted', async () => {
  const names = named('written');
  const [name = ''] = names;
  const { project, proxy, sent } = await projectOf(names);
  beforeDeletion(proxy, name, () => cluster.patch('them', ref(name) as never, { data: { theirs: '1' } }));
  const report = await project.destroy();
  expect(report.only(name), String(report)).toMatchObject({ result: 'deleted' });
  expect(sent().filter((request) => request.endsWith(name))).toEqual([`DELETE ${name}`, `GET ${name}`, `DELETE ${name}`]);
});

test('an object that others keep, one without proof and one of another uid are read and stay', async () => {
  const names = named('kept');
  const [shared = '', wiped = '', other = ''] = names;
  const { project } = await projectOf(names);
  await cluster.apply('them', placed(shared, { theirs: '1' }));
  await cluster.patch('them', ref(wiped) as never, { metadata: { managedFields: [{}], annotations: null } });
  await cluster.client.call('DELETE', `/api/v1/namespaces/${testEnvironment.namespace}/configmaps/${other}`);
  await cluster.create('them', placed(other, { theirs: '1' }));
  const report = await project.destroy();
  expect(
    names.map((name) => report.only(name).result),
    String(report),
  ).toEqual(['released', 'released', 'absent', 'deleted']);
  for (const name of [shared, wiped, other]) expect(await cluster.find(ref(name)), name).toBeDefined();
});

test('what a stack of the run shares is released first, and then deleted by the list', async () => {
  const proxy = await testEnvironment.proxy();
  const names = named('joined');
  const shares = names.map((name) => share(config(name, { b: '1' })));
  const project = testEnvironment.program({ main: owned(names), other: shares }, { kubeconfig: proxy.kubeconfig });
  await deployed(project);
  proxy.requests.length = 0;
  const report = await project.destroy();
  expect(report.exitCode, String(report)).toBe(0);
  for (const name of names) expect(await cluster.find(ref(name))).toBeUndefined();
  const afterLists = proxy.requests.slice(proxy.requests.findLastIndex(({ accept }) => accept.includes('PartialObjectMetadataList')));
  const single = afterLists.filter(({ path }) => names.includes(path.split('/').at(-1) as string));
  expect(single.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'DELETE', 'DELETE']);
});

test.each<[string, object]>([
  ['is forbidden', forbidden],
  ['fails', { status: 422, body: { kind: 'Status', status: 'Failure', reason: 'Invalid', code: 422, message: 'no' } }],
  ['has objects without a resourceVersion', {}],
])('where the LIST %s, each object is read', async (how, answer) => {
  const names = named(how.replaceAll(/[^a-z]+/gi, '').toLowerCase());
  const { project, proxy, sent } = await projectOf(names);
  const isMetadata = (accept: string) => accept.includes('PartialObjectMetadataList');
  if ('status' in answer) proxy.onRequest = ({ accept }) => (isMetadata(accept) ? (answer as typeof forbidden) : undefined);
  else
    proxy.onResponse = ({ accept }, { body }) => {
      if (isMetadata(accept)) for (const { metadata } of body.items) delete metadata.resourceVersion;
      return isMetadata(accept) ? { body } : undefined;
    };
  const report = await project.destroy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(
    sent()
      .filter((request) => request.startsWith('GET '))
      .sort(),
  ).toEqual(names.map((name) => `GET ${name}`));
});
