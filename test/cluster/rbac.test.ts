import { expect, test } from 'vitest';
import { ref } from '../harness/cluster.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('rbac');

const group = 'rbac.authorization.k8s.io/v1';
const name = `${testEnvironment.app}-operator`;
const clusterWide = [ref(group, 'ClusterRole', name), ref(group, 'ClusterRoleBinding', name)];
const namespaced = [
  testEnvironment.ref(group, 'Role', name),
  testEnvironment.ref(group, 'RoleBinding', name),
  testEnvironment.ref('v1', 'ServiceAccount', name),
];
for (const object of clusterWide) testEnvironment.removeLater(object);

test("an operator's set: applied, a rule dropped, released and deleted", async () => {
  const project = testEnvironment.example('rbac-operator', (text) => text.replaceAll(/^name: .*\n|^namespace: .*\n/gm, ''));
  const context = ['-c', `name=${name}`];
  const created = await project.deploy(context);
  expect(created.exitCode, String(created)).toBe(0);
  expect(created.objects.map(({ kind, result }) => [kind, result]).sort()).toEqual([
    ['ClusterRole', 'created'],
    ['ClusterRoleBinding', 'created'],
    ['Role', 'created'],
    ['RoleBinding', 'created'],
    ['ServiceAccount', 'created'],
  ]);
  const rules = async () => (await testEnvironment.cluster.get(clusterWide[0]!)).rules;
  expect(await rules()).toHaveLength(2);
  // The roles and subjects of the bindings exist before them.
  const order = created.objects.map(({ kind }) => kind);
  expect(order.indexOf('ClusterRole')).toBeLessThan(order.indexOf('ClusterRoleBinding'));
  expect(order.indexOf('ServiceAccount')).toBeLessThan(order.indexOf('RoleBinding'));

  // The rights are real: the account may do what the Role says, through a token of its own.
  const review = await testEnvironment.cluster.client.call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: `system:serviceaccount:${testEnvironment.namespace}:${name}`,
        resourceAttributes: { namespace: testEnvironment.namespace, group: 'coordination.k8s.io', resource: 'leases', verb: 'create' },
      },
    },
  });
  expect(review.status.allowed).toBe(true);

  await waitForNextSecond();
  const dropped = await project.deploy([...context, '-c', 'exec=no']);
  expect(dropped.only('ClusterRole').result).toBe('updated');
  expect(await rules()).toEqual([expect.objectContaining({ resources: ['persistentvolumeclaims'] })]);

  const destroyed = await project.destroy(context);
  expect(destroyed.objects.map(({ result }) => result)).toEqual(['deleted', 'deleted', 'deleted', 'deleted', 'deleted']);
  for (const object of [...clusterWide, ...namespaced]) expect(await testEnvironment.cluster.find(object)).toBeUndefined();
});

test('an aggregated role: two stacks with a label each, one is removed', async () => {
  const aggregated = { ...ref(group, 'ClusterRole', `${name}-labelled`) };
  testEnvironment.removeLater(aggregated);
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-labels` } };
  const labelled = (labels: object) => ({ ...aggregated, metadata: { ...aggregated.metadata, labels } });
  const owner = testEnvironment.program({ base: [own({ ...labelled({ to: 'view' }), rules: [] })] }, app);
  const sharer = testEnvironment.program({ more: [share(labelled({ also: 'edit' }))] }, app);
  await owner.deploy();
  expect((await sharer.deploy()).exitCode).toBe(0);
  expect((await testEnvironment.cluster.get(aggregated)).metadata.labels).toEqual({ to: 'view', also: 'edit' });
  await sharer.destroy();
  expect((await testEnvironment.cluster.get(aggregated)).metadata.labels).toEqual({ to: 'view' });
});

test('a share needs no right to create, update or delete its object', async () => {
  await testEnvironment.cluster.apply('owner', {
    ...testEnvironment.ref('v1', 'Service', 'shared'),
    spec: { selector: { app: 'x' }, ports: [{ port: 80, name: 'http' }] },
  });
  const kubeconfig = await testEnvironment.account('sharer', [
    { apiGroups: [''], resources: ['services'], verbs: ['get', 'patch'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create', 'update', 'delete'] }, // the inventory
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'delete'] }, // the lock
  ]);
  const annotated = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'shared', annotations: { shared: 'yes' } } };
  const project = testEnvironment.program({ main: [share(annotated)] }, { kubeconfig });
  const deployed = await project.deploy();
  expect(deployed.exitCode, String(deployed)).toBe(0);
  const annotations = async () => (await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Service', 'shared'))).metadata.annotations;
  expect(await annotations()).toEqual({ shared: 'yes' });
  const destroyed = await project.destroy();
  expect(destroyed.only(), String(destroyed)).toMatchObject({ result: 'released' });
  expect(await annotations()).toBeUndefined();
});
