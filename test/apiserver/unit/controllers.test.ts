import { beforeEach, describe, expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/apiserver/index.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by tests that know their shape
type AnyObject = any;

let cluster: EmbeddedApiServer;

async function ask(method: string, path: string, body?: unknown, query: Record<string, string> = {}): Promise<AnyObject> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const request = { method, path, query: new URLSearchParams(query), headers: { 'content-type': type } };
  return (await cluster.handle(body === undefined ? request : { ...request, body: JSON.stringify(body) })).body;
}

const maps = '/api/v1/namespaces/default/configmaps';

async function create(name: string, owners: readonly AnyObject[] = [], block = false): Promise<AnyObject> {
  const ownerReferences = owners.map(({ metadata }) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: metadata.name,
    uid: metadata.uid,
    ...(block ? { blockOwnerDeletion: true } : {}),
  }));
  return ask('POST', maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences } });
}

const names = async () => (await ask('GET', maps)).items.map(({ metadata }: AnyObject) => metadata.name);
const remove = (name: string, propagationPolicy: string) => ask('DELETE', `${maps}/${name}`, undefined, { propagationPolicy });

describe('deleting an owner deletes its dependents', () => {
  beforeEach(async () => {
    cluster = await EmbeddedApiServer.start({ port: false });
  });

  test('Background: dependents without another owner are deleted, and their dependents', async () => {
    const [first, second] = [await create('first'), await create('second')];
    const child = await create('child', [first]);
    await create('grandchild', [child]);
    await create('shared', [first, second]);
    await remove('first', 'Background');
    expect(await names()).toEqual(['second', 'shared']);
    const { metadata } = await ask('GET', `${maps}/shared`);
    expect(metadata.ownerReferences.map(({ name }: AnyObject) => name)).toEqual(['second']);
  });

  test('Orphan: dependents are kept, without the owner reference', async () => {
    const owner = await create('owner');
    await create('child', [owner]);
    await remove('owner', 'Orphan');
    expect(await names()).toEqual(['child']);
    expect((await ask('GET', `${maps}/child`)).metadata.ownerReferences).toBeUndefined();
  });

  test('Foreground: the owner waits for the dependents that block it', async () => {
    const owner = await create('owner');
    await create('child', [owner], true);
    await ask('PATCH', `${maps}/child`, { metadata: { finalizers: ['example.com/hold'] } });
    expect((await remove('owner', 'Foreground')).metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(await names()).toEqual(['child', 'owner']);
    await ask('PATCH', `${maps}/child`, { metadata: { finalizers: null } });
    expect(await names()).toEqual([]);
  });
});

test('a namespace waits for the finalizers of its objects', async () => {
  cluster = await EmbeddedApiServer.start({ port: false });
  await ask('POST', '/api/v1/namespaces', { metadata: { name: 'short' } });
  await ask('POST', '/api/v1/namespaces/short/configmaps', { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
  await ask('POST', '/api/v1/namespaces/short/configmaps', { metadata: { name: 'free' } });
  await ask('DELETE', '/api/v1/namespaces/short');
  expect((await ask('GET', '/api/v1/namespaces/short/configmaps')).items).toMatchObject([{ metadata: { name: 'held' } }]);
  expect((await ask('GET', '/api/v1/namespaces/short')).status.phase).toBe('Terminating');
  const late = await ask('POST', '/api/v1/namespaces/short/configmaps', { metadata: { name: 'late' } });
  expect(late.message).toContain('because it is being terminated');
  await ask('PATCH', '/api/v1/namespaces/short/configmaps/held', { metadata: { finalizers: null } });
  expect(await ask('GET', '/api/v1/namespaces/short')).toMatchObject({ reason: 'NotFound' });
});

test('without controllers, a deleted object is only marked and is kept', async () => {
  cluster = await EmbeddedApiServer.start({ port: false, controllers: false });
  const owner = await create('owner');
  await create('child', [owner]);
  await remove('owner', 'Background');
  await remove('child', 'Foreground');
  expect(await names()).toEqual(['child']);
  await ask('DELETE', '/api/v1/namespaces/kube-node-lease');
  expect((await ask('GET', '/api/v1/namespaces/kube-node-lease')).status.phase).toBe('Terminating');
});

describe('storage in use is protected', () => {
  const core = '/api/v1/namespaces/default';
  const claims = `${core}/persistentvolumeclaims`;
  const volumes = '/api/v1/persistentvolumes';
  const size = { storage: '1Gi' };
  const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: size } };
  const volumeSpec = { capacity: size, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } };
  const exists = async (path: string) => (await ask('GET', path)).code !== 404;

  const podSpec = (volume: object, nodeName?: string) => ({
    containers: [{ name: 'main', image: 'main' }],
    volumes: [{ name: 'data', ...volume }],
    nodeName,
  });

  async function createPod(name: string, volume: object, nodeName?: string): Promise<void> {
    await ask('POST', `${core}/pods`, { metadata: { name }, spec: podSpec(volume, nodeName) });
  }

  const using = (claimName: string) => ({ persistentVolumeClaim: { claimName } });
  const end = (pod: string) => ask('PATCH', `${core}/pods/${pod}/status`, { status: { phase: 'Succeeded' } });
  const force = (pod: string) => ask('DELETE', `${core}/pods/${pod}`, undefined, { gracePeriodSeconds: '0' });

  test('a claim is deleted when no Pod on a node names it, not even one that has ended', async () => {
    cluster = await EmbeddedApiServer.start({ port: false });
    for (const name of ['free', 'used', 'waited-for']) await ask('POST', claims, { metadata: { name }, spec: claimSpec });
    expect((await ask('GET', `${claims}/free`)).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    await createPod('pending', using('waited-for'));
    for (const name of ['first', 'second']) await createPod(name, using('used'), 'node');
    for (const name of ['free', 'used', 'waited-for']) await ask('DELETE', `${claims}/${name}`);
    expect(await Promise.all(['free', 'used', 'waited-for'].map((name) => exists(`${claims}/${name}`)))).toEqual([false, true, false]);
    await end('first');
    await force('second');
    expect((await ask('GET', `${claims}/used`)).metadata.deletionTimestamp).toBeDefined();
    await force('first');
    expect(await exists(`${claims}/used`)).toBe(false);
  });

  test('the claim of an ephemeral volume is held by its Pod', async () => {
    cluster = await EmbeddedApiServer.start({ port: false });
    await createPod('main', { ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }, 'node');
    await ask('POST', claims, { metadata: { name: 'main-data' }, spec: claimSpec });
    await ask('DELETE', `${claims}/main-data`);
    expect(await exists(`${claims}/main-data`)).toBe(true);
    await force('main');
    expect(await exists(`${claims}/main-data`)).toBe(false);
  });

  test('a namespace waits for the Pods that use its claims', async () => {
    cluster = await EmbeddedApiServer.start({ port: false });
    const namespace = '/api/v1/namespaces/short';
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'short' } });
    await ask('POST', `${namespace}/persistentvolumeclaims`, { metadata: { name: 'used' }, spec: claimSpec });
    await ask('POST', `${namespace}/pods`, {
      metadata: { name: 'main', finalizers: ['example.com/hold'] },
      spec: podSpec(using('used'), 'node'),
    });
    await ask('DELETE', namespace);
    expect(await exists(`${namespace}/persistentvolumeclaims/used`)).toBe(true);
    await ask('PATCH', `${namespace}/pods/main`, { metadata: { finalizers: null } });
    expect(await exists(namespace)).toBe(false);
  });

  test('a volume is deleted unless a claim is bound to it', async () => {
    cluster = await EmbeddedApiServer.start({ port: false });
    for (const name of ['free', 'bound']) await ask('POST', volumes, { metadata: { name }, spec: volumeSpec });
    expect((await ask('GET', `${volumes}/bound`)).metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
    await ask('PATCH', `${volumes}/bound/status`, { status: { phase: 'Bound' } });
    for (const name of ['bound', 'free']) await ask('DELETE', `${volumes}/${name}`);
    expect(await exists(`${volumes}/free`)).toBe(false);
    expect((await ask('GET', `${volumes}/bound`)).metadata.deletionTimestamp).toBeDefined();
    await ask('PATCH', `${volumes}/bound/status`, { status: { phase: 'Released' } });
    expect(await exists(`${volumes}/bound`)).toBe(false);
  });

  test('a Pod of the data that a server is started on holds its claim, and one that is scheduled later', async () => {
    cluster = await EmbeddedApiServer.start({ port: false });
    for (const name of ['used', 'used-later']) await ask('POST', claims, { metadata: { name }, spec: claimSpec });
    await createPod('main', using('used'), 'node');
    cluster = await EmbeddedApiServer.start({ port: false, snapshot: cluster.snapshot() });
    await createPod('later', using('used-later'));
    await ask('POST', `${core}/pods/later/binding`, { metadata: { name: 'later' }, target: { kind: 'Node', name: 'node' } });
    for (const name of ['used', 'used-later']) await ask('DELETE', `${claims}/${name}`);
    expect((await ask('GET', claims)).items).toHaveLength(2);
    for (const pod of ['main', 'later']) await force(pod);
    expect((await ask('GET', claims)).items).toEqual([]);
  });

  test('a kube-apiserver alone sets the finalizer, and nobody removes it', async () => {
    cluster = await EmbeddedApiServer.start({ port: false, controllers: false });
    await ask('POST', claims, { metadata: { name: 'free' }, spec: claimSpec });
    await ask('DELETE', `${claims}/free`);
    expect((await ask('GET', `${claims}/free`)).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
  });
});
