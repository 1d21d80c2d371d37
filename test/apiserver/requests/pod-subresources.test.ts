import { expect, test } from 'vitest';
import { ApiCallError, type CallOptions } from '../../harness/api-client.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('pod-subresources');
const { cluster, namespace } = testEnvironment;
const main = { name: 'main', image: 'busybox' };
const pods = `/api/v1/namespaces/${namespace}/pods`;

for (const [name, spec] of Object.entries({
  one: { containers: [main] },
  two: { containers: [main, { ...main, name: 'side' }], nodeName: 'none' },
}))
  await cluster.create('test', { ...testEnvironment.ref('v1', 'Pod', name), spec });
testEnvironment.onCleanup(() => cluster.client.call('DELETE', `${pods}/two`, { query: { gracePeriodSeconds: '0' } }));

/** The message of a refusal, or the status of an answer. */
async function answer(method: string, path: string, options: CallOptions = {}): Promise<string> {
  return cluster.client.call(method, `${pods}/${path}`, options).then(
    () => 'accepted',
    (error) => (error instanceof ApiCallError ? `${error.status} ${error.body.message}` : String(error)),
  );
}

test.each([
  ['one/log', {}, 'accepted'],
  ['one/log', { container: 'none' }, '400 container none is not valid for pod one'],
  ['one/log', { tailLines: '-1' }, '422 PodLogOptions "one" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0'],
  ['absent/log', {}, '404 pods "absent" not found'],
  ['two/log', {}, '400 a container name must be specified for pod two, choose one of: [main side]'],
  ['one/exec', { command: 'ls' }, '400 pod one does not have a host assigned'],
  ['one/attach', {}, '400 pod one does not have a host assigned'],
  ['one/portforward', {}, '400 pod one does not have a host assigned'],
  ['two/exec', { container: 'main', command: 'ls' }, '404 pods "none" not found'],
  ['one/none', {}, '404 the server could not find the requested resource'],
])('GET %s %j: without a kubelet', async (path, query, expected) => {
  expect(await answer('GET', path, { query })).toBe(expected);
});

test('a new Pod has its priority, tolerations and class of service, which nobody owns', async () => {
  const { spec, status, metadata } = await cluster.get(testEnvironment.ref('v1', 'Pod', 'one'));
  expect(spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority', enableServiceLinks: true });
  expect(spec.tolerations.map(({ key }: { key: string }) => key)).toEqual([
    'node.kubernetes.io/not-ready',
    'node.kubernetes.io/unreachable',
  ]);
  expect(status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  const owned = Object.keys(metadata.managedFields[0].fieldsV1['f:spec']);
  expect(owned).toContain('f:enableServiceLinks');
  expect(owned).not.toContain('f:priority');
  expect(owned).not.toContain('f:tolerations');
});

test.each([
  [{ requests: { cpu: '1' } }, 'Burstable'],
  [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
  [{ limits: { cpu: '1' } }, 'Burstable'],
])('a Pod with %j is %s', async (resources, qosClass) => {
  const body = { metadata: { name: 'new' }, spec: { containers: [{ ...main, resources }] } };
  const { status } = await cluster.client.call('POST', pods, { body, query: { dryRun: 'All' } });
  expect(status.qosClass).toBe(qosClass);
});

test('a Pod names a class of priority that exists', async () => {
  const name = `${namespace}-high`;
  const body = (priorityClassName: string) => ({ metadata: { name: 'new' }, spec: { containers: [main], priorityClassName } });
  await cluster.create('test', { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value: 7 });
  testEnvironment.removeLater({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name } });
  // The real API server reads priority classes from an informer, which learns of a new one a moment later.
  const unknown = (error: unknown) => error instanceof ApiCallError && error.message.includes('no PriorityClass with name');
  const { spec } = await poll(`a Pod of the class ${name} is accepted`, () =>
    cluster.client.call('POST', pods, { body: body(name), query: { dryRun: 'All' } }).catch((error) => {
      if (unknown(error)) return undefined;
      throw error;
    }),
  );
  expect(spec).toMatchObject({ priority: 7, priorityClassName: name });
  const refused = cluster.client.call('POST', pods, { body: body('absent'), query: { dryRun: 'All' } });
  await expect(refused).rejects.toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('no PriorityClass with name absent was found') },
  });
});

test('ephemeral containers are added through their subresource, and nothing else is', async () => {
  const patch = { metadata: { labels: { color: 'red' } }, spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] } };
  const one = testEnvironment.ref('v1', 'Pod', 'one');
  const { metadata, spec } = await cluster.patch('debugger', one, patch, 'strategic', 'ephemeralcontainers');
  expect(metadata).toMatchObject({ generation: 2 });
  expect(metadata.labels).toBeUndefined();
  expect(spec.ephemeralContainers).toMatchObject([{ name: 'debug', terminationMessagePolicy: 'File' }]);
});

const evictionOf = (name: string, more = {}) => ({ body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more } });

test('an eviction deletes a Pod, unless a budget forbids it', async () => {
  const spec = { containers: [main], nodeName: 'none' };
  const pod = { ...testEnvironment.ref('v1', 'Pod', 'kept'), spec };
  await cluster.create('test', { ...pod, metadata: { ...pod.metadata, labels: { app: 'kept' } } });
  await cluster.patch('test', pod, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }, 'merge', 'status');
  const budget = testEnvironment.ref('policy/v1', 'PodDisruptionBudget', 'kept');
  await cluster.create('test', { ...budget, spec: { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } } });
  expect(await answer('POST', 'kept/eviction', evictionOf('other'))).toBe('400 name in URL does not match name in Eviction object');
  expect(await answer('POST', 'kept/eviction', evictionOf('kept'))).toContain(
    "429 Cannot evict pod as it would violate the pod's disruption budget.",
  );
  await cluster.remove(budget);
  expect(await answer('POST', 'kept/eviction', evictionOf('kept', { deleteOptions: { gracePeriodSeconds: 0 } }))).toBe('accepted');
  expect(await answer('GET', 'kept')).toBe('404 pods "kept" not found');
});
