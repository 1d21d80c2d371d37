import { expect, test } from 'vitest';
import type { ApiCallError } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('status-metadata');
const { cluster, namespace } = testEnvironment;

const changed = {
  labels: { color: 'blue' },
  annotations: { note: 'new' },
  finalizers: ['example.com/new'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '0-0' }],
};
const members = Object.keys(changed);
const pod = { containers: [{ name: 'main', image: 'busybox' }] };
const template = { metadata: { labels: { app: 'web' } }, spec: pod };
const selector = { matchLabels: { app: 'web' } };
const rules = [
  { subjects: [{ kind: 'Group', group: { name: 'none' } }], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/none'] }] },
];
const queuing = { limitResponse: { type: 'Reject' } };
const matchConstraints = { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }] };
const scaled = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 2 };

const keepsGenerateName: readonly string[] = ['FlowSchema', 'PriorityLevelConfiguration'];

/** The members of metadata that a write to the status of each kind changes; the others it keeps. */
test.each([
  ['v1', 'Pod', pod, ['labels', 'annotations', 'finalizers']],
  ['v1', 'Service', { ports: [{ port: 80 }] }, members],
  ['apps/v1', 'Deployment', { selector, template }, ['annotations', 'finalizers', 'ownerReferences']],
  ['apps/v1', 'ReplicaSet', { selector, template }, members],
  ['apps/v1', 'StatefulSet', { selector, template, serviceName: 'web' }, members],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', scaled, members],
  ['networking.k8s.io/v1', 'ServiceCIDR', { cidrs: ['192.0.2.0/24'] }, []],
  ['storage.k8s.io/v1', 'VolumeAttachment', { attacher: 'a', nodeName: 'a', source: { persistentVolumeName: 'a' } }, []],
  ['flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', { priorityLevelConfiguration: { name: 'none' }, matchingPrecedence: 9999, rules }, []],
  ['flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', { type: 'Limited', limited: queuing }, []],
  [
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
    { failurePolicy: 'Ignore', matchConstraints, validations: [{ expression: 'true' }] },
    [],
  ],
  ['resource.k8s.io/v1', 'ResourceClaim', { devices: {} }, []],
] as const)('%s %s', async (apiVersion, kind, spec, expected) => {
  const type = (await cluster.types()).find((candidate) => candidate.apiVersion === apiVersion && candidate.kind === kind);
  const name = kind.toLowerCase();
  const object = { apiVersion, kind, metadata: { name: type?.namespaced ? name : namespace, ...(type?.namespaced ? { namespace } : {}) } };
  if (!type?.namespaced) testEnvironment.removeLater(object);
  const { metadata: before } = await cluster.create('creator', { ...object, spec });
  const { metadata } = await cluster.patch('writer', object, { metadata: changed }, 'merge', 'status');
  const isChanged = (member: string) => JSON.stringify(metadata[member]) !== JSON.stringify(before[member]);
  expect(members.filter(isChanged)).toEqual(expected);
  const entry = metadata.managedFields?.find(({ manager }: { manager: string }) => manager === 'writer');
  const owned = Object.keys(entry?.fieldsV1['f:metadata'] ?? {}).map((field) => field.slice('f:'.length));
  expect(members.filter((member) => owned.includes(member))).toEqual(expected);
  const { metadata: renamed } = await cluster.patch('writer', object, { metadata: { generateName: 'other-' } }, 'merge', 'status');
  expect(renamed.generateName).toBe(keepsGenerateName.includes(kind) ? undefined : 'other-');
  await cluster.patch('writer', object, { metadata: { finalizers: null, ownerReferences: null } });
});

test.each(['ephemeralcontainers', 'resize'])('%s of a Pod changes its generateName, and no other metadata', async (subresource) => {
  const object = testEnvironment.ref('v1', 'Pod', subresource);
  await cluster.create('creator', { ...object, spec: pod } as never);
  const { metadata } = await cluster.patch('writer', object, { metadata: { ...changed, generateName: 'other-' } }, 'merge', subresource);
  expect(metadata.generateName).toBe('other-');
  expect(members.filter((member) => metadata[member] !== undefined)).toEqual([]);
});

/** Other kinds refuse a time of deletion, the status of a Pod ignores it, and nobody owns it. */
test('the status of a Pod ignores a time of deletion', async () => {
  const sent = { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } };
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'kept', namespace } };
  await cluster.create('creator', { ...service, spec: { ports: [{ port: 80 }] } });
  await expect(cluster.patch('writer', service, sent, 'merge', 'status')).rejects.toThrow('field is immutable');
  const kept = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'kept', namespace } };
  await cluster.create('creator', { ...kept, spec: pod });
  const { metadata } = await cluster.patch('writer', kept, sent, 'merge', 'status');
  expect(metadata.deletionTimestamp).toBeUndefined();
  expect(metadata.managedFields?.map(({ manager }: { manager: string }) => manager)).toEqual(['creator']);
});

/** Layers of the server each validate metadata, and report its errors: how often, for an update of the object and of its status. */
test.each([
  ['v1', 'Pod', pod, 4, 3],
  ['v1', 'PersistentVolumeClaim', { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }, 4, 3],
  ['batch/v1', 'Job', { template: { spec: { ...pod, restartPolicy: 'Never' } } }, 4, 3],
  [
    'batch/v1',
    'CronJob',
    { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } } },
    3,
    2,
  ],
  ['policy/v1', 'PodDisruptionBudget', { minAvailable: 1 }, 2, 2],
  ['apps/v1', 'DaemonSet', { selector, template }, 3, 3],
] as const)('errors in the metadata of a %s %s', async (apiVersion, kind, spec, ofObject, ofStatus) => {
  const object = { apiVersion, kind, metadata: { name: 'reported', namespace } };
  await cluster.create('creator', { ...object, spec });
  const reports = async (subresource?: 'status') => {
    const sent = cluster.patch('writer', object, { metadata: { annotations: { 'a b': 'c' } } }, 'merge', subresource);
    const refusal = await sent.then(
      () => undefined,
      (error: ApiCallError) => error.body,
    );
    return refusal?.details.causes.filter(({ field }: { field: string }) => field === 'metadata.annotations').length;
  };
  expect([await reports(), await reports('status')]).toEqual([ofObject, ofStatus]);
});
