import { beforeEach, expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('live-before');
const { config, ref, edit } = configMapHelpers(testEnvironment);
const proxy = await testEnvironment.proxy();
const watched = { kubeconfig: proxy.kubeconfig };
beforeEach(() => {
  proxy.requests.length = 0;
  proxy.onRequest = () => undefined;
});

/** Requests about ConfigMaps other than the inventories', in their order: `GET web`, or `LIST`. */
const sent = () =>
  proxy.requests
    .filter(({ path }) => path.includes(`/${testEnvironment.namespace}/configmaps`))
    .filter(({ query }) => !query.has('labelSelector'))
    .map(({ method, path }) => ({ method, name: path.split('/configmaps')[1]?.slice(1) ?? '' }))
    .filter(({ method, name }) => (method === 'GET' || method === 'PATCH') && !name.includes('.default.'))
    .map(({ method, name }) => (name === '' ? 'LIST' : `${method} ${name}`));
const all = (prefix: string, data: object) => ['a', 'b', 'c'].map((name) => own(config(`${prefix}-${name}`, data)));

test('new intents of one kind and namespace are looked for by one LIST, before anything is written', async () => {
  const project = testEnvironment.program({ main: all('listed', { v: '1' }) });
  await deployed(project, '--kubeconfig', proxy.kubeconfig);
  expect(sent()).toEqual(['LIST', 'PATCH listed-a', 'PATCH listed-b', 'PATCH listed-c']);
  const first = proxy.requests.findIndex(({ method, path }) => method !== 'GET' && !/\/(leases|selfsubjectaccessreviews)/.test(path));
  expect(proxy.requests.slice(0, first).some(({ path }) => path.endsWith('/configmaps'))).toBe(true);
});

test('a single changed intent is looked for by a GET, unchanged ones cost one PATCH each', async () => {
  const project = testEnvironment.program({ main: all('single', { v: '1' }) });
  await project.deploy();
  await deployed(project, '--kubeconfig', proxy.kubeconfig);
  expect(sent()).toEqual(['PATCH single-a', 'PATCH single-b', 'PATCH single-c']);

  proxy.requests.length = 0;
  edit(project, { main: [...all('single', { v: '1' }).slice(0, 2), own(config('single-c', { v: '2' }))] });
  await deployed(project, '--kubeconfig', proxy.kubeconfig);
  expect(sent().sort()).toEqual(['GET single-c', 'PATCH single-a', 'PATCH single-b', 'PATCH single-c']);
});

test('where lists are forbidden each object is read, and where reading is forbidden too the apply decides', async () => {
  const forbidden = { status: 403, body: { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message: 'forbidden' } };
  proxy.onRequest = ({ method, path, query }) =>
    method === 'GET' && path.endsWith(`/${testEnvironment.namespace}/configmaps`) && !query.has('labelSelector') ? forbidden : undefined;
  const project = testEnvironment.program({ main: all('narrow', { v: '1' }) });
  await deployed(project, '--kubeconfig', proxy.kubeconfig);
  expect(sent().sort()).toEqual([
    ...['GET narrow-a', 'GET narrow-b', 'GET narrow-c'],
    ...['LIST', 'PATCH narrow-a', 'PATCH narrow-b', 'PATCH narrow-c'],
  ]);

  proxy.requests.length = 0;
  proxy.onRequest = ({ method, path }) => (method === 'GET' && path.includes('/narrow-') ? forbidden : undefined);
  edit(project, { main: [own(config('narrow-a', { v: '2' })), ...all('narrow', { v: '1' }).slice(1)] });
  await deployed(project, '--kubeconfig', proxy.kubeconfig);
  // Before the questions, and again with the apply.
  expect(sent().sort()).toEqual(['GET narrow-a', 'GET narrow-a', 'PATCH narrow-a', 'PATCH narrow-b', 'PATCH narrow-c']);
});

test('Secrets are never listed', async () => {
  const secret = (name: string) => own({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { a: 'of nobody else' } });
  const project = testEnvironment.program({ main: ['secret-a', 'secret-b', 'secret-c', 'secret-d'].map(secret) });
  project.write({ 'fieldwise.yaml': 'app: main.ts\nhistory: false\n' });
  await deployed(project, '--kubeconfig', proxy.kubeconfig);
  const asked = proxy.requests
    .filter(({ method, path }) => method === 'GET' && path.includes('/secrets'))
    .map(({ path }) => path.split('/').at(-1));
  expect(asked.sort()).toEqual(['secret-a', 'secret-b', 'secret-c', 'secret-d']);
});

test('a share joins the object that was read, with no further look', async () => {
  await testEnvironment.cluster.create('them', { ...ref('joined'), data: { theirs: '1' } });
  const project = testEnvironment.program({ main: [share(config('joined', { ours: '1' }))] });
  const report = await project.deploy([], watched);
  expect(report.only().result).toBe('updated');
  expect(sent()).toEqual(['GET joined', 'PATCH joined']);
});

test('after a write of somebody else an intent that changes nothing is unchanged where its object was read, else applied', async () => {
  await testEnvironment.cluster.create('them', { ...ref('same'), data: { theirs: '1' } });
  const project = testEnvironment.program({ main: [share(config('same', { v: '1' }))] });
  await project.deploy();
  await testEnvironment.cluster.patch('them', ref('same'), { data: { theirs: '2' } });
  expect((await project.deploy()).only().result).toBe('applied'); // the intent is the same, and nothing is read

  await testEnvironment.cluster.patch('them', ref('same'), { data: { theirs: '3' } });
  edit(project, { main: [own(config('same', { v: '1' }))] });
  expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged', adopted: { owners: ['them (Update)'] } });
});
