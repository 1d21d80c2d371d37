import { expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** A namespace that is being deleted, and that a finalizer in it holds: what a server says to those who still make objects in it. */
const testEnvironment = await TestEnvironment.create('ending-namespaces');
const { cluster } = testEnvironment;
const { config } = configMapHelpers(testEnvironment);

const ending = `${testEnvironment.namespace}-ending`;
const inside = `/api/v1/namespaces/${ending}`;
const guarded = { namespace: ending, finalizers: ['example.com/guard'] };
const containers = [{ name: 'main', image: 'busybox' }];

testEnvironment.removeNamespaceLater(ending);
await cluster.create('test', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ending } });
await cluster.create('test', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'held', ...guarded } });
const pod = { serviceAccountName: 'held', automountServiceAccountToken: false, containers };
await cluster.create('test', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'held', ...guarded }, spec: pod });
await cluster.client.call('DELETE', `/api/v1/namespaces/${ending}`);

const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'held' }, target: { kind: 'Node', name: 'a' } };
const eviction = (name: string) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });
const tokenRequest = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };

test.each<readonly [path: string, body: object, resource: string, name: string]>([
  ['/configmaps', { metadata: { name: 'late' } }, 'configmaps', 'late'],
  ['/configmaps', { metadata: { generateName: 'late-' } }, 'configmaps', 'late-'],
  ['/configmaps', { metadata: {} }, 'configmaps', 'Unknown'],
  ['/pods', { metadata: { name: 'late' }, spec: { containers } }, 'pods', 'late'],
  ['/pods/held/binding', binding, 'pods', 'held'],
  ['/bindings', binding, 'bindings', 'held'],
  ['/pods/held/eviction', eviction('held'), 'pods', 'held'],
  ['/pods/absent/eviction', eviction('absent'), 'pods', 'absent'],
  ['/serviceaccounts/held/token', tokenRequest, 'serviceaccounts', 'held'],
  ['/serviceaccounts/absent/token', tokenRequest, 'serviceaccounts', 'absent'],
])('a POST to %s is refused with the cause: %#', async (path, body, resource, name) => {
  await expect(cluster.client.call('POST', `${inside}${path}`, { body })).rejects.toMatchObject({
    status: 403,
    body: {
      message: `${resource} "${name}" is forbidden: unable to create new content in namespace ${ending} because it is being terminated`,
      details: {
        name,
        kind: resource,
        causes: [{ reason: 'NamespaceTerminating', message: `namespace ${ending} is being terminated`, field: 'metadata.namespace' }],
      },
    },
  });
});

test.each<readonly [path: string, body: object]>([
  ['/pods/a/eviction', eviction('a')],
  ['/serviceaccounts/a/token', tokenRequest],
])('a POST to %s in a namespace that does not exist names the namespace', async (path, body) => {
  await expect(cluster.client.call('POST', `/api/v1/namespaces/absent${path}`, { body })).rejects.toMatchObject({
    status: 404,
    body: { message: 'namespaces "absent" not found' },
  });
});

test('what is there can still change', async () => {
  const body = { metadata: { labels: { a: 'b' } } };
  const patched = await cluster.client.call('PATCH', `${inside}/pods/held`, { body, contentType: 'application/merge-patch+json' });
  expect(patched.metadata.labels).toEqual({ a: 'b' });
});

test('a deploy says to wait, not that a right is missing', async () => {
  const late = config('late', { a: '1' });
  const project = testEnvironment.program({ main: [own({ ...late, metadata: { ...late.metadata, namespace: ending } })] });
  const report = await project.deploy();
  expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'namespace-terminating' } });
});
