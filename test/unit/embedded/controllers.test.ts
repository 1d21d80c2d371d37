import { beforeEach, describe, expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../src/embedded/index.js';

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
