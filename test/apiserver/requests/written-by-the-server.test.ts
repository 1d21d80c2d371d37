import { expect, test } from 'vitest';
import { crdOf } from '../../harness/crd.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('written-by-the-server');
const { cluster, namespace } = testEnvironment;

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by a test that knows their shape
type AnyObject = any;

const condition = { '.': {}, 'f:lastTransitionTime': {}, 'f:message': {}, 'f:reason': {}, 'f:status': {}, 'f:type': {} };

test('the server owns what it writes to the status of a definition, but not the stored versions', async () => {
  const definition = crdOf(`${namespace}.example.com`, 'Tried');
  testEnvironment.removeLater(definition);
  await cluster.create('creator', definition);
  const entry = await poll('the status is written', async () => {
    const { metadata, status }: AnyObject = await cluster.get(definition);
    const established = status?.conditions?.some(({ type, status }: AnyObject) => type === 'Established' && status === 'True');
    return established ? metadata.managedFields.find(({ subresource }: AnyObject) => subresource === 'status') : undefined;
  });
  expect(entry.manager).toMatch(/apiserver$/);
  expect(entry.fieldsV1).toEqual({
    'f:status': {
      'f:acceptedNames': expect.objectContaining({ 'f:kind': {}, 'f:plural': {} }),
      'f:conditions': { 'k:{"type":"Established"}': condition, 'k:{"type":"NamesAccepted"}': condition },
    },
  });
});

test('the server has one name, and owns of a namespace what it wrote, not what it adds to each namespace', async () => {
  const definition = crdOf(`${namespace}.example.com`, 'Named');
  testEnvironment.removeLater(definition);
  await cluster.create('creator', definition);
  const { manager } = await poll('the status is written', async () => {
    const { metadata }: AnyObject = await cluster.get(definition);
    return metadata.managedFields.find(({ subresource }: AnyObject) => subresource === 'status');
  });
  const { metadata }: AnyObject = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-public' } });
  const fieldsV1 = { 'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } } };
  expect(metadata.managedFields).toMatchObject([{ manager, operation: 'Update', fieldsV1 }]);
  expect(metadata.managedFields[0].fieldsV1).toEqual(fieldsV1);
});

test('a policy has an empty status from the start', async () => {
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: namespace },
    spec: {
      matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] }] },
      validations: [{ expression: 'true' }],
    },
  };
  testEnvironment.removeLater(policy);
  expect((await cluster.create('creator', policy)).status).toEqual({});
});

test('a claim and a volume have a finalizer from the start', async () => {
  const size = { storage: '1Gi' };
  const accessModes = ['ReadWriteOnce'];
  const claim = { ...testEnvironment.ref('v1', 'PersistentVolumeClaim', 'data'), spec: { accessModes, resources: { requests: size } } };
  const created = await cluster.create('creator', claim);
  expect(created.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: namespace },
    spec: { capacity: size, accessModes, hostPath: { path: '/data' } },
  };
  testEnvironment.removeLater(volume);
  expect((await cluster.create('creator', volume)).metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
});
