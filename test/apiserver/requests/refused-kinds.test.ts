import { expect, test } from 'vitest';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('refused-kinds');
const { cluster, namespace } = testEnvironment;

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'busybox' }] } };
const policy = (ipBlock: object) => ({ podSelector: {}, ingress: [{ from: [{ ipBlock }] }] });
const claim = (members: object) => ({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...members });
const otherSource = `Invalid value: "Other": must be 'PersistentVolumeClaim' when referencing the default apiGroup`;
const pods = { selector: { matchLabels: { app: 'web' } }, template };
const rolled = (rollingUpdate: object) => ({ ...pods, strategy: { rollingUpdate } });
const negative = 'Invalid value: -1: must be greater than or equal to 0';
const block = 'spec.ingress[0].from[0].ipBlock.cidr';

test.each([
  ['v1', 'ReplicationController', { selector: { app: 'other' }, template }, '`selector` does not match template `labels`'],
  [
    'v1',
    'ReplicationController',
    { selector: { app: 'web' }, template: { ...template, spec: { containers: [] } } },
    'spec.template.spec.containers: Required value',
  ],
  ['v1', 'ReplicationController', {}, '[spec.selector: Required value, spec.template: Required value]'],
  ['v1', 'PersistentVolumeClaim', {}, '[spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: '],
  ['apps/v1', 'DaemonSet', { selector: {}, template }, 'empty selector is invalid for daemonset'],
  ['apps/v1', 'ReplicaSet', { selector: {}, template }, 'empty selector is invalid for deployment'],
  ['apps/v1', 'StatefulSet', { selector: {}, template }, 'empty selector is invalid for statefulset'],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    policy({ cidr: '10.0.0.0/8z' }),
    `${block}: Invalid value: "10.0.0.0/8z": must be a valid CIDR`,
  ],
  ['networking.k8s.io/v1', 'NetworkPolicy', policy({ cidr: '' }), `${block}: Required value`],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    policy({ cidr: '10.0.0.1/8' }),
    `${block}: Invalid value: "10.0.0.1/8": must not have bits set`,
  ],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    policy({ cidr: '010.0.0.0/8' }),
    `${block}: Invalid value: "010.0.0.0/8": must not have leading 0s`,
  ],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    policy({ cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.0.0.0/8', '::/64'] }),
    '[spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`, spec.ingress[0].from[0].ipBlock.except[2]: Invalid value: "::/64": must be a strict subset of `cidr`]',
  ],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    { podSelector: {}, policyTypes: ['Other'], egress: [{ ports: [{ protocol: 'X', port: 5, endPort: 3 }] }] },
    '[spec.egress[0].ports[0].protocol: Unsupported value: "X": supported values: "TCP", "UDP", "SCTP", spec.egress[0].ports[0].endPort: Invalid value: 5: must be greater than or equal to `port`, spec.policyTypes[0]: Unsupported value: "Other": supported values: "Ingress", "Egress"]',
  ],
  [
    'v1',
    'PersistentVolumeClaim',
    claim({ resources: { requests: { storage: '0' } } }),
    'spec.resources[storage]: Invalid value: "0": must be greater than zero',
  ],
  [
    'v1',
    'PersistentVolumeClaim',
    claim({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }),
    'may not use ReadWriteOncePod with other access modes',
  ],
  [
    'v1',
    'PersistentVolumeClaim',
    claim({ dataSourceRef: { kind: 'Other', name: 'main' } }),
    `[spec.dataSource: ${otherSource}, spec.dataSourceRef: ${otherSource}]`,
  ],
  [
    'v1',
    'LimitRange',
    { limits: [{ type: 'Other' }] },
    'spec.limits[0].type: Invalid value: "Other": must be a standard limit type or fully qualified',
  ],
  ['v1', 'LimitRange', { limits: [{ type: 'Container', max: { cpu: 1 }, min: { cpu: 2 } }] }, 'min value 2 is greater than max value 1'],
  ['v1', 'LimitRange', { limits: [{ type: 'PersistentVolumeClaim' }] }, 'either minimum or maximum storage value is required'],
  ['v1', 'ResourceQuota', { hard: { cpu: -1 } }, 'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
  ['v1', 'ResourceQuota', { hard: { pods: '1.5' } }, 'spec.hard[pods]: Invalid value: "1500m": must be an integer'],
  [
    'v1',
    'ResourceQuota',
    { scopes: ['BestEffort', 'NotBestEffort'] },
    'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
  ],
  [
    'v1',
    'ResourceQuota',
    { scopes: ['Terminating'], hard: { services: 1 } },
    'spec.scopes: Invalid value: ["Terminating"]: unsupported scope applied',
  ],
  [
    'apps/v1',
    'Deployment',
    rolled({ maxSurge: 0, maxUnavailable: '0%' }),
    'maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0',
  ],
  [
    'apps/v1',
    'Deployment',
    rolled({ maxSurge: 'x', maxUnavailable: '150%' }),
    'maxUnavailable: Invalid value: "150%": must not be greater than 100%]',
  ],
  [
    'apps/v1',
    'Deployment',
    { ...pods, strategy: { type: 'Other' } },
    'spec.strategy: Unsupported value: {"Type":"Other","RollingUpdate":null}: supported',
  ],
  ['apps/v1', 'Deployment', { ...pods, selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } }, ': invalid label selector]'],
  [
    'apps/v1',
    'Deployment',
    { ...pods, selector: { matchExpressions: [{ key: 'other', operator: 'Exists' }] } },
    '`selector` does not match template `labels`',
  ],
  [
    'apps/v1',
    'Deployment',
    { ...pods, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -1 },
    `[spec.minReadySeconds: ${negative}, spec.revisionHistoryLimit: ${negative}, spec.progressDeadlineSeconds: ${negative}, spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds]`,
  ],
  [
    'apps/v1',
    'DaemonSet',
    { ...pods, updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } },
    'maxSurge: Invalid value: 1: may not be set when',
  ],
  [
    'apps/v1',
    'StatefulSet',
    { ...pods, serviceName: 'Web', podManagementPolicy: 'Other', updateStrategy: { type: 'Other' }, minReadySeconds: -1 },
    `[spec.podManagementPolicy: Invalid value: "Other": must be 'OrderedReady' or 'Parallel', spec.updateStrategy: Invalid value: {"Type":"Other","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete', spec.minReadySeconds: ${negative}, spec.serviceName: Invalid value: "Web": a lowercase`,
  ],
])('%s %s is refused %#', async (apiVersion, kind, spec, text) => {
  const object = { apiVersion, kind, metadata: { name: 'refused', namespace } };
  await expect(cluster.create('author', { ...object, spec })).rejects.toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(text) },
  });
});

const lowerCase = 'a lowercase RFC 1123 subdomain must consist';

test.each([
  [{ name: 'a'.repeat(260) }, `metadata.name: Invalid value: "${'a'.repeat(260)}": must be no more than 253 characters`],
  [{ name: 'main', generateName: 'Main_' }, `metadata.generateName: Invalid value: "Main_": ${lowerCase}`],
  [{ generateName: 'main.' }, `metadata.generateName: Invalid value: "main.": ${lowerCase}`],
])('a ConfigMap with a wrong name is refused %#', async (metadata, text) => {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  await expect(cluster.client.call('POST', `/api/v1/namespaces/${namespace}/configmaps`, { body })).rejects.toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(text) },
  });
});

const slice = (members: object) => ({ addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ...members });

test.each([
  ['v1', 'Endpoints', { subsets: [{}] }, 'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
  ['v1', 'Endpoints', { subsets: [{ addresses: [{ ip: '127.0.0.1' }] }] }, 'may not be in the loopback range'],
  [
    'v1',
    'Endpoints',
    { subsets: [{ addresses: [{ ip: '010.0.0.1' }] }] },
    'subsets[0].addresses[0].ip: Invalid value: "010.0.0.1": must not have leading 0s',
  ],
  [
    'v1',
    'Endpoints',
    { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 1 }, { name: 'b', port: 0 }] }] },
    '[subsets[0].ports[0].name: Required value, subsets[0].ports[1].port: Invalid value: 0: must be between',
  ],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    slice({ endpoints: [{ addresses: [] }] }),
    'endpoints[0].addresses: Required value: must contain at least 1 address',
  ],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    slice({ addressType: 'IPv6' }),
    'endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address',
  ],
  ['discovery.k8s.io/v1', 'EndpointSlice', slice({ ports: [{ name: 'a' }, { name: 'a' }] }), 'ports[1].name: Duplicate value: "a"'],
  [
    'storage.k8s.io/v1',
    'StorageClass',
    { provisioner: 'example.com/a', reclaimPolicy: 'Recycle' },
    'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
  ],
  ['storage.k8s.io/v1', 'StorageClass', { provisioner: 'a b' }, 'provisioner: Invalid value: "a b": name part must consist'],
])('%s %s with wrong members is refused %#', async (apiVersion, kind, members, text) => {
  const metadata = { name: 'refused', ...(kind === 'StorageClass' ? {} : { namespace }) };
  await expect(cluster.create('author', { apiVersion, kind, metadata, ...members })).rejects.toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(text) },
  });
});

test('an empty LimitRange and a StorageClass with an empty reclaim policy are accepted', async () => {
  await cluster.create('author', { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'empty', namespace }, spec: { limits: [] } });
  const name = `empty-${namespace}`;
  await cluster.create('author', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'a',
    reclaimPolicy: '',
  });
});

const client = cluster.client;
const patch = (path: string, body: object) => client.call('PATCH', path, { body, contentType: 'application/merge-patch+json' });

test('a StatefulSet changes only some members of its spec', async () => {
  const path = `/apis/apps/v1/namespaces/${namespace}/statefulsets/kept`;
  await cluster.create('author', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'kept', namespace },
    spec: { ...pods, serviceName: 'web' },
  });
  await expect(patch(path, { spec: { serviceName: 'other', replicas: 2 } })).rejects.toMatchObject({
    status: 422,
    body: {
      message: `StatefulSet.apps "kept" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`,
    },
  });
  await patch(path, { spec: { replicas: 2, minReadySeconds: 3, updateStrategy: { type: 'OnDelete', rollingUpdate: null } } });
});

test('a claim keeps its spec', async () => {
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/kept`;
  const metadata = { name: 'kept', namespace };
  await cluster.create('author', { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: claim({}) });
  await expect(patch(path, { spec: { accessModes: ['ReadWriteMany'] } })).rejects.toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('spec: Forbidden: spec is immutable after creation except resources.requests and') },
  });
  await patch(path, { spec: { volumeName: 'volume' } });
});

test('the source of the data of a claim is shown in both members', async () => {
  const source = { kind: 'PersistentVolumeClaim', name: 'other' };
  const object = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'copied', namespace },
    spec: claim({ dataSource: source }),
  };
  await cluster.create('author', object);
  const { spec } = (await client.call('GET', `/api/v1/namespaces/${namespace}/persistentvolumeclaims/copied`)) as { spec: object };
  expect(spec).toMatchObject({ dataSource: source, dataSourceRef: source });
});

test('only a Service for a load balancer has the address of one in its status', async () => {
  await cluster.create('author', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'inner', namespace },
    spec: { ports: [{ port: 1 }] },
  });
  const path = `/api/v1/namespaces/${namespace}/services/inner/status`;
  await expect(patch(path, { status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } } })).rejects.toMatchObject({
    status: 422,
    body: {
      message: expect.stringContaining("status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"),
    },
  });
});
