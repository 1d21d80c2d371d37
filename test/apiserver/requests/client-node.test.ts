import {
  AppsV1Api,
  AuthorizationV1Api,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, expect, test } from 'vitest';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** The JavaScript client of Kubernetes, as any program would use it. */
const testEnvironment = await TestEnvironment.create('client-node');
const { namespace } = testEnvironment;
const config = new KubeConfig();
config.loadFromFile(testEnvironment.kubeconfig);
const core = config.makeApiClient(CoreV1Api);
const stops: (() => unknown)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

const configMap = (name: string, data: Record<string, string>) => ({
  metadata: { name, namespace, labels: { from: 'client-node' } },
  data,
});

test('an informer holds what there is, and sees what is added, changed and deleted', async () => {
  await core.createNamespacedConfigMap({ namespace, body: configMap('first', { a: '1' }) });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'from=client-node' });
  const informer = makeInformer(config, path, list, 'from=client-node');
  const seen: string[] = [];
  for (const verb of ['add', 'update', 'delete'] as const) informer.on(verb, ({ metadata }) => seen.push(`${verb} ${metadata?.name}`));
  informer.on('error', (error: unknown) => seen.push(`error ${String(error)}`));
  stops.push(() => informer.stop());
  await informer.start();
  await poll('the first object', () => seen.includes('add first'));
  await core.createNamespacedConfigMap({ namespace, body: configMap('second', {}) });
  await core.replaceNamespacedConfigMap({ name: 'first', namespace, body: configMap('first', { a: '2' }) });
  await core.deleteNamespacedConfigMap({ name: 'second', namespace });
  await poll('the deletion', () => seen.includes('delete second'));
  expect(seen.toSorted()).toEqual(['add first', 'add second', 'delete second', 'update first']);
  expect(informer.get('first', namespace)?.data).toEqual({ a: '2' });
  expect(informer.list(namespace)).toHaveLength(1);
});

test('a watch begins at a resourceVersion, sends bookmarks when asked, and ends in time', async () => {
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  await core.createNamespacedConfigMap({ namespace, body: configMap('watched', {}) });
  const events: string[] = [];
  const query = {
    resourceVersion: metadata?.resourceVersion,
    timeoutSeconds: 2,
    allowWatchBookmarks: true,
    fieldSelector: 'metadata.name=watched',
  };
  await new Promise<void>((resolve, reject) => {
    new Watch(config)
      .watch(
        `/api/v1/namespaces/${namespace}/configmaps`,
        query,
        (type, object: KubernetesObject) => events.push(`${type} ${object.metadata?.name}`),
        (error) => (error ? reject(error as Error) : resolve()),
      )
      .catch(reject);
  });
  expect(events.filter((event) => !event.startsWith('BOOKMARK'))).toEqual(['ADDED watched']);
});

test('objects of any kind: create, read, apply, patch, list and delete', async () => {
  const objects = KubernetesObjectApi.makeApiClient(config);
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  };
  await objects.create(deployment);
  const { apiVersion, kind } = deployment;
  const ref = { apiVersion, kind, metadata: { name: 'web', namespace } };
  const applied = { ...ref, spec: { replicas: 3 } };
  await objects.patch(applied, undefined, undefined, 'client-node', true, PatchStrategy.ServerSideApply);
  const strategic = { ...ref, spec: { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } } };
  await objects.patch(strategic, undefined, undefined, 'client-node', undefined, PatchStrategy.StrategicMergePatch);
  const live = (await objects.read(ref)) as typeof deployment & { spec: { replicas: number } };
  expect(live.spec.replicas).toBe(3);
  expect(live.spec.template.spec.containers.map(({ name }) => name)).toEqual(['side', 'web']);
  expect((await objects.list('apps/v1', 'Deployment', namespace)).items).toHaveLength(1);
  const apps = config.makeApiClient(AppsV1Api);
  const scale = await apps.readNamespacedDeploymentScale({ name: 'web', namespace });
  await apps.replaceNamespacedDeploymentScale({ name: 'web', namespace, body: { ...scale, spec: { replicas: 5 } } });
  expect((await apps.readNamespacedDeployment({ name: 'web', namespace })).spec?.replicas).toBe(5);
  await objects.delete(ref);
  await expect(objects.read(ref)).rejects.toMatchObject({ code: 404 });
});

test('leases, access reviews and tokens', async () => {
  const leases = config.makeApiClient(CoordinationV1Api);
  await leases.createNamespacedLease({
    namespace,
    body: { metadata: { name: 'leader' }, spec: { holderIdentity: 'a', leaseDurationSeconds: 15 } },
  });
  const lease = await leases.readNamespacedLease({ name: 'leader', namespace });
  const stale = { ...lease, spec: { ...lease.spec, holderIdentity: 'b' } };
  await leases.replaceNamespacedLease({ name: 'leader', namespace, body: { ...lease, spec: { ...lease.spec, holderIdentity: 'c' } } });
  await expect(leases.replaceNamespacedLease({ name: 'leader', namespace, body: stale })).rejects.toMatchObject({ code: 409 });
  await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'robot' } } });
  const { status } = await core.createNamespacedServiceAccountToken({ name: 'robot', namespace, body: { spec: { audiences: [] } } });
  const robot = new KubeConfig();
  const cluster = config.getCurrentCluster();
  robot.loadFromOptions({
    clusters: [cluster],
    users: [{ name: 'robot', token: status?.token }],
    contexts: [{ name: 'robot', cluster: cluster?.name, user: 'robot' }],
    currentContext: 'robot',
  });
  const spec = { resourceAttributes: { verb: 'list', resource: 'configmaps', namespace } };
  const review = await robot.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({ body: { spec } });
  expect(review.status?.allowed).toBe(false);
  await expect(robot.makeApiClient(CoreV1Api).listNamespacedConfigMap({ namespace })).rejects.toMatchObject({ code: 403 });
});
