import { afterAll, expect, test } from 'vitest';
import { TestCluster } from '../harness/cluster.js';
import { crdOf } from '../harness/crd.js';
import { TestEnvironment } from '../harness/test-environment.js';

type ConfigMap = { data: Record<string, string> };

// The ground the other files stand on: nothing of Fieldwise here.
const testEnvironment = await TestEnvironment.create('ground');

const config = (data: Record<string, string>) => ({ ...testEnvironment.ref('v1', 'ConfigMap', 'settings'), data });

test('owners are read from managedFields, appliers and updaters apart', async () => {
  await testEnvironment.cluster.apply('one', { ...config({ a: '1' }) });
  await testEnvironment.cluster.apply('two', { ...config({ b: '2' }) });
  await testEnvironment.cluster.patch('kubectl', config({}), { data: { c: '3' } });
  expect(await testEnvironment.cluster.owners(config({}))).toEqual({ one: ['.data.a'], two: ['.data.b'], 'kubectl (Update)': ['.data.c'] });
});

test('a conflict is a refusal', async () => {
  await expect(testEnvironment.cluster.apply('two', config({ a: 'x' }))).rejects.toMatchObject({ status: 409 });
});

test('the proxy shows requests, answers in the place of the server, and lets a test write in between', async () => {
  const proxy = await testEnvironment.proxy();
  const path = await testEnvironment.cluster.path(config({}));
  proxy.onResponse = async ({ method }) => {
    if (method === 'GET') await testEnvironment.cluster.patch('between', config({}), { data: { between: 'yes' } });
  };
  const first = (await (await fetch(proxy.server + path)).json()) as ConfigMap;
  expect(first.data.between).toBeUndefined();
  expect((await testEnvironment.cluster.get(config({}))).data.between).toBe('yes');
  proxy.onRequest = () => ({ status: 429, body: { kind: 'Status' }, headers: { 'retry-after': '1' } });
  const second = await fetch(proxy.server + path);
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1']);
  expect(proxy.requestsFor('settings').map(({ method, status }) => `${method} ${status}`)).toEqual(['GET 200', 'GET 429']);
});

test('an account has the rights it was given and no others', async () => {
  const kubeconfig = await testEnvironment.account('reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
  const reader = new TestCluster(kubeconfig);
  expect((await reader.get(config({}))).data.a).toBe('1');
  await expect(reader.apply('reader', config({ d: '4' }))).rejects.toMatchObject({ status: 403 });
  reader.client.close();
});

test('a CustomResourceDefinition serves at once', async () => {
  const group = `${testEnvironment.namespace}.example.com`;
  await testEnvironment.crd(crdOf(group, 'Thing'));
  await testEnvironment.cluster.apply('one', testEnvironment.ref(`${group}/v1`, 'Thing', 'first'));
  expect(await testEnvironment.cluster.list(`${group}/v1`, 'Thing', testEnvironment.namespace)).toHaveLength(1);
});

// Registered before the ground's own hook runs: hooks after all tests run last registered first.
afterAll(async () => {
  const held = {
    ...config({ held: 'yes' }),
    metadata: { name: 'held', namespace: testEnvironment.namespace, finalizers: ['example.com/hold'] },
  };
  await testEnvironment.cluster.apply('one', held);
});
