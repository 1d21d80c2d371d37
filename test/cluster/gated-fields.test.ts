import { expect, test } from 'vitest';
import { gatedFields } from '../../src/apiserver/built-in/strategy/gated-fields.js';
import type { ResponseBody } from '../harness/api-client.js';
import { ownersOf } from '../harness/managed-fields.js';
import { own } from '../harness/program-text.js';
import { sender } from '../harness/send-as.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** Fields behind a feature gate that is off: a server drops them without a word, and its managedFields name them nevertheless. */
const testEnvironment = await TestEnvironment.create('gated-fields');
const { app, cluster, namespace } = testEnvironment;
const send = sender(testEnvironment);

const container = { name: 'c', image: 'x' };
const podSpec = {
  os: { name: 'linux' },
  containers: [
    { ...container, lifecycle: { stopSignal: 'SIGTERM' } },
    { name: 'd', image: 'x', lifecycle: { stopSignal: 'SIGTERM', preStop: { sleep: { seconds: 1 } } } },
  ],
  schedulingGroup: { podGroupName: 'x' },
  volumes: [
    {
      name: 'v',
      projected: {
        sources: [
          { podCertificate: { signerName: 'a.b/c', keyType: 'RSA3072', keyPath: 'k' } },
          { clusterTrustBundle: { name: 'x', path: 'p' } },
        ],
      },
    },
  ],
};
const labels = { app: 'web' };
const template = { metadata: { labels }, spec: podSpec };
const plain = { metadata: { labels }, spec: { containers: [container] } };
const selector = { matchLabels: labels };

/** Returns the members of a pod spec that are behind a gate. */
const gatedParts = ({ containers, schedulingGroup, volumes }: ResponseBody) => ({
  lifecycles: containers.map(({ lifecycle }: ResponseBody) => lifecycle),
  schedulingGroup,
  sources: volumes[0].projected.sources,
});
const keptParts = { lifecycles: [undefined, { preStop: { sleep: { seconds: 1 } } }], schedulingGroup: undefined, sources: [{}, {}] };

test.each<readonly [apiVersion: string, kind: string, body: object, podSpec: (object: ResponseBody) => ResponseBody]>([
  ['v1', 'Pod', { spec: podSpec }, ({ spec }) => spec],
  ['apps/v1', 'Deployment', { spec: { selector, template } }, ({ spec }) => spec.template.spec],
  ['apps/v1', 'DaemonSet', { spec: { selector, template } }, ({ spec }) => spec.template.spec],
  ['apps/v1', 'ReplicaSet', { spec: { selector, template } }, ({ spec }) => spec.template.spec],
  ['v1', 'ReplicationController', { spec: { template } }, ({ spec }) => spec.template.spec],
  ['v1', 'PodTemplate', { template }, (object) => object.template.spec],
  ['apps/v1', 'StatefulSet', { spec: { selector, serviceName: 'x', template } }, ({ spec }) => spec.template.spec],
  ['batch/v1', 'Job', { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } }, ({ spec }) => spec.template.spec],
  [
    'batch/v1',
    'CronJob',
    { spec: { schedule: '@daily', jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } } } },
    ({ spec }) => spec.jobTemplate.spec.template.spec,
  ],
])('the spec of a Pod in %s %s, created and applied', async (apiVersion, kind, body, podSpecOf) => {
  const object = (name: string) => ({ apiVersion, kind, metadata: { name, namespace }, ...body });
  const created = await cluster.create('test', object('created'));
  expect(gatedParts(podSpecOf(created))).toEqual(keptParts);
  const applied = await cluster.apply('test', object('applied'));
  expect(gatedParts(podSpecOf(applied))).toEqual(keptParts);
  for (const owned of [created, applied]) {
    const text = JSON.stringify(owned.metadata.managedFields);
    for (const name of ['stopSignal', 'schedulingGroup']) expect(text).toContain(`"f:${name}"`);
  }
});

const resourceSlice = {
  spec: {
    driver: 'a.b',
    nodeName: 'n',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'd', attributes: { a: { string: 'x' } }, nodeAllocatableResourceMappings: { cpu: { capacityKey: 'c' } } }],
  },
};

test.each<
  readonly [
    apiVersion: string,
    kind: string,
    isNamespaced: boolean,
    body: object,
    part: (object: ResponseBody) => unknown,
    kept: unknown,
    owned: string,
  ]
>([
  [
    'apps/v1',
    'StatefulSet',
    true,
    {
      spec: {
        selector,
        serviceName: 'x',
        template: plain,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
      },
    },
    ({ spec }) => spec.updateStrategy.rollingUpdate,
    { partition: 0 },
    'maxUnavailable',
  ],
  [
    'v1',
    'PersistentVolumeClaim',
    true,
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'x', namespace: 'other' },
        resources: { requests: { storage: '1Gi' } },
      },
    },
    ({ spec }) => [spec.dataSource, spec.dataSourceRef],
    [undefined, undefined],
    'dataSourceRef',
  ],
  [
    'storage.k8s.io/v1',
    'CSIDriver',
    false,
    { spec: { preventPodSchedulingIfMissing: true, nodeAllocatableUpdatePeriodSeconds: 30 } },
    ({ spec }) => [spec.preventPodSchedulingIfMissing, spec.nodeAllocatableUpdatePeriodSeconds],
    [undefined, 30],
    'preventPodSchedulingIfMissing',
  ],
  [
    'coordination.k8s.io/v1',
    'Lease',
    true,
    { spec: { strategy: 'OldestEmulationVersion', holderIdentity: 'x' } },
    ({ spec }) => spec,
    { holderIdentity: 'x' },
    'strategy',
  ],
  [
    'resource.k8s.io/v1',
    'ResourceSlice',
    false,
    resourceSlice,
    ({ spec }) => spec.devices[0],
    { name: 'd', attributes: { a: { string: 'x' } } },
    'devices',
  ],
])('%s %s, created, applied and updated', async (apiVersion, kind, isNamespaced, body, part, kept, owned) => {
  const object = (suffix: string) => ({
    apiVersion,
    kind,
    metadata: { name: `${app}-${suffix}`, ...(isNamespaced ? { namespace } : {}) },
    ...body,
  });
  if (!isNamespaced) for (const suffix of ['created', 'applied']) testEnvironment.removeLater(object(suffix));
  const created = await cluster.create('test', object('created'));
  expect(part(created)).toEqual(kept);
  const applied = await cluster.apply('test', object('applied'));
  expect(part(applied)).toEqual(kept);
  expect(JSON.stringify(applied.metadata.managedFields)).toContain(`"f:${owned}"`);
  const again = await cluster.apply('other', object('applied'), { force: true });
  expect(part(again)).toEqual(kept);
  expect(JSON.stringify(ownersOf(again))).toContain('other');
});

test('the status of a Pod', async () => {
  await cluster.create('test', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'status', namespace },
    spec: { containers: [container] },
  });
  const volumeMounts = [{ name: 'v', mountPath: '/v', volumeStatus: { image: { imageRef: 'x' } } }];
  const status = {
    containerStatuses: [{ name: 'c', image: 'x', imageID: '', ready: false, restartCount: 0, volumeMounts }],
    nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: 'x', containers: ['c'] }],
  };
  const path = `/api/v1/namespaces/${namespace}/pods/status/status`;
  const { body } = await send('PATCH', path, { status });
  expect(body.status.nodeAllocatableResourceClaimStatuses).toBeUndefined();
  expect(body.status.containerStatuses[0].volumeMounts).toEqual([{ name: 'v', mountPath: '/v' }]);
});

test('the gates are off', async () => {
  const metrics: string = await cluster.client.call('GET', '/metrics');
  const off = [...metrics.matchAll(/^kubernetes_feature_enabled\{name="(\w+)".*\} 0$/gm)].map(([, name]) => name);
  expect([...new Set(gatedFields.map(({ gate }) => gate))].filter((gate) => !off.includes(gate))).toEqual([]);
});

test('a deploy says that a declared field is owned and not there, and the next one has nothing to do', async () => {
  const spec = {
    selector,
    serviceName: 'x',
    template: plain,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
  };
  const project = testEnvironment.program({
    gated: [own({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'deployed' }, spec })],
  });
  const dropped = [{ field: '.spec.updateStrategy.rollingUpdate.maxUnavailable', declared: 2 }];
  const report = await project.deploy();
  expect(report.only('deployed')).toMatchObject({ result: 'created', rewritten: dropped });
  expect((await project.deploy()).only('deployed')).toMatchObject({ result: 'unchanged', rewritten: dropped });
  const diff = await project.run(['diff', '--exit-code']);
  expect(diff.exitCode, String(diff)).toBe(0);
  expect(`${diff.stdout}${diff.stderr}`).toContain('maxUnavailable: declared 2, the server keeps no value');
});
