import { expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { sender } from '../../harness/send-as.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Members that nobody wrote and a server shows: nulls, empty structs, defaults and times of its own. */
const testEnvironment = await TestEnvironment.create('shown-members');
const { app, cluster, namespace } = testEnvironment;
const send = sender(testEnvironment);
const container = { name: 'c', image: 'x' };

const inNamespace = (apiVersion: string, kind: string, name: string, body: object) => ({
  apiVersion,
  kind,
  ...body,
  metadata: { name, namespace, ...(body as ResponseBody).metadata },
});
const clusterWide = (apiVersion: string, kind: string, body: object, name = app) => {
  const object = { apiVersion, kind, metadata: { name }, ...body };
  testEnvironment.removeLater(object);
  return object;
};

test.each<readonly [apiVersion: string, kind: string, body: object, shown: (object: ResponseBody) => unknown, expected: unknown]>([
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    { addressType: 'IPv4' },
    ({ endpoints, ports }) => ({ endpoints, ports }),
    { endpoints: null, ports: null },
  ],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    { addressType: 'IPv4', endpoints: [], ports: [] },
    ({ endpoints, ports }) => ({ endpoints, ports }),
    { endpoints: null, ports: null },
  ],
  ['v1', 'LimitRange', { spec: { limits: [] } }, ({ spec }) => spec, { limits: null }],
  ['v1', 'LimitRange', { spec: {} }, ({ spec }) => spec, { limits: null }],
  [
    'batch/v1',
    'CronJob',
    {
      spec: {
        schedule: '@daily',
        jobTemplate: {
          spec: {
            podFailurePolicy: { rules: [] },
            template: { spec: { restartPolicy: 'Never', containers: [container], volumes: [{ name: 'v', projected: { sources: [] } }] } },
          },
        },
      },
    },
    ({
      spec: {
        jobTemplate: { spec },
      },
    }) => [spec.podFailurePolicy, spec.template.spec.volumes[0].projected],
    [{ rules: null }, { defaultMode: 420, sources: null }],
  ],
  ['rbac.authorization.k8s.io/v1', 'Role', {}, ({ rules }) => rules, null],
  ['v1', 'Endpoints', {}, ({ subsets }) => subsets, undefined],
  [
    'v1',
    'Pod',
    {
      spec: {
        containers: [{ ...container, env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } } }] }],
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'i', image: { reference: 'x' } },
          { name: 'j', image: { reference: 'x:1' } },
        ],
      },
    },
    ({ spec }) => [
      spec.containers[0].env[0].valueFrom.fileKeyRef.optional,
      spec.volumes[1].image.pullPolicy,
      spec.volumes[2].image.pullPolicy,
    ],
    [false, 'Always', 'IfNotPresent'],
  ],
  [
    'apps/v1',
    'StatefulSet',
    {
      spec: {
        serviceName: 'x',
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
      },
    },
    ({ spec }) => spec.persistentVolumeClaimRetentionPolicy,
    { whenDeleted: 'Delete', whenScaled: 'Retain' },
  ],
])('%s %s: %j', async (apiVersion, kind, body, shown, expected) => {
  const name = (suffix: string) => `${kind.toLowerCase()}-${suffix}-${Math.abs(JSON.stringify(body).length)}`;
  const created = await cluster.create('test', inNamespace(apiVersion, kind, name('created'), body));
  expect(shown(created)).toEqual(expected);
  expect(shown(await cluster.get(created as never))).toEqual(expected);
  expect(shown(await cluster.apply('test', inNamespace(apiVersion, kind, name('applied'), body)))).toEqual(expected);
});

test('a CSINode without drivers, as a kubelet writes it, and a driver without keys', async () => {
  const node = await cluster.create('test', clusterWide('storage.k8s.io/v1', 'CSINode', { spec: { drivers: [] } }));
  expect(node.spec).toEqual({ drivers: null });
  const spec = { drivers: [{ name: 'a.b', nodeID: 'x' }] };
  expect((await cluster.patch('test', node as never, { spec })).spec).toEqual({
    drivers: [{ name: 'a.b', nodeID: 'x', topologyKeys: null }],
  });
});

test('a FlowSchema has a precedence, which its creator owns', async () => {
  const spec = { priorityLevelConfiguration: { name: 'exempt' } };
  const created = await cluster.create('test', clusterWide('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', { spec }));
  expect(created.spec.matchingPrecedence).toBe(1000);
  expect(created.metadata.managedFields[0].fieldsV1['f:spec']['f:matchingPrecedence']).toEqual({});
});

test('levels of priority: the queues of limited ones, and the shares of exempt ones', async () => {
  const limited = { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } };
  const level = (spec: object) => ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: app },
    spec,
  });
  testEnvironment.removeLater(level({}));
  expect((await cluster.create('test', level(limited))).spec.limited).toEqual({
    lendablePercent: 0,
    limitResponse: { type: 'Queue', queuing: { handSize: 8, queueLengthLimit: 50, queues: 64 } },
    nominalConcurrencyShares: 30,
  });
});

test('the owner of an event and of an address', async () => {
  const event = await cluster.create(
    'test',
    inNamespace('v1', 'Event', 'event', { involvedObject: { namespace }, reason: 'x', type: 'Normal' }),
  );
  expect(event.involvedObject).toEqual({ namespace });
  const address = clusterWide(
    'networking.k8s.io/v1',
    'IPAddress',
    { spec: { parentRef: { resource: 'services', name: 'x', namespace } } },
    '192.0.2.77',
  );
  const { managedFields } = (await cluster.create('test', address)).metadata;
  expect(managedFields[0].fieldsV1['f:spec']['f:parentRef']['.']).toEqual({});
});

test('the time at which a volume came into its phase', async () => {
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi: { driver: 'a.b', volumeHandle: 'h' } };
  const created = await cluster.create('test', clusterWide('v1', 'PersistentVolume', { spec }));
  const since = created.metadata.creationTimestamp;
  expect(created.status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: since });
  const path = `/api/v1/persistentvolumes/${app}`;
  const patched = async (status: object, subresource = '/status') => (await send('PATCH', `${path}${subresource}`, { status })).body.status;
  expect(await patched({ message: 'x', lastPhaseTransitionTime: null })).toEqual({
    phase: 'Pending',
    message: 'x',
    lastPhaseTransitionTime: since,
  });
  const sent = '2001-01-01T00:00:00Z';
  expect((await patched({ phase: 'Available', lastPhaseTransitionTime: sent })).lastPhaseTransitionTime).toBe(sent);
  const bound = await patched({ phase: 'Bound' });
  expect(Date.parse(bound.lastPhaseTransitionTime)).toBeGreaterThanOrEqual(Date.parse(since));
  expect(await patched({ phase: 'Failed' }, '')).toEqual(bound);
});

test('the ranges of a Node: one names both, and neither changes once it is set', async () => {
  const node = (name: string, spec: object) => clusterWide('v1', 'Node', { spec }, `${app}-${name}`);
  const ranges = ({ spec: { podCIDR, podCIDRs } }: ResponseBody) => ({ podCIDR, podCIDRs });
  const both = (first: string, ...more: string[]) => ({ podCIDR: first, podCIDRs: [first, ...more] });
  const one = await cluster.create('test', node('one', { podCIDR: '10.9.1.0/24' }));
  expect(ranges(one)).toEqual(both('10.9.1.0/24'));
  expect(one.metadata.managedFields[0].fieldsV1['f:spec']).toMatchObject({ 'f:podCIDR': {}, 'f:podCIDRs': { 'v:"10.9.1.0/24"': {} } });
  expect(ranges(await cluster.create('test', node('list', { podCIDRs: ['10.9.2.0/24', 'fd00::/64'] })))).toEqual(
    both('10.9.2.0/24', 'fd00::/64'),
  );
  expect(ranges(await cluster.create('test', node('differs', { podCIDR: '10.9.3.0/24', podCIDRs: ['10.9.4.0/24'] })))).toEqual(
    both('10.9.3.0/24'),
  );
  expect(ranges(await cluster.apply('test', node('applied', { podCIDR: '10.9.5.0/24' })))).toEqual(both('10.9.5.0/24'));
  const later = node('later', { providerID: 'a' });
  await cluster.create('test', later);
  expect(ranges(await cluster.patch('test', later, { spec: { podCIDR: '10.9.6.0/24' } }))).toEqual(both('10.9.6.0/24'));
  const refusal = async (spec: object) => (await send('PATCH', `/api/v1/nodes/${app}-later`, { spec })).body.message;
  const fixed = (field: string, name: string) =>
    `Node "${app}-later" is invalid: spec.${field}: Forbidden: node updates may not change ${name} except from "" to valid`;
  expect(await refusal({ podCIDR: '10.9.7.0/24' })).toBe(fixed('podCIDRs', 'podCIDR'));
  expect(await refusal({ podCIDR: null, podCIDRs: null })).toBe(fixed('podCIDRs', 'podCIDR'));
  expect(await refusal({ providerID: 'b' })).toBe(fixed('providerID', 'providerID'));
  expect(ranges(await cluster.patch('test', later, { spec: { unschedulable: true } }))).toEqual(both('10.9.6.0/24'));
});

test('an unmasked /proc needs users of the Pod', async () => {
  const pod = (spec: object) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'proc', namespace },
    spec: { containers: [{ ...container, securityContext: { procMount: 'Unmasked' } }], ...spec },
  });
  const message = 'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`';
  for (const spec of [{}, { hostUsers: true }])
    expect((await send('POST', `/api/v1/namespaces/${namespace}/pods`, pod(spec))).body.message).toBe(`Pod "proc" is invalid: ${message}`);
  expect((await send('POST', `/api/v1/namespaces/${namespace}/pods`, pod({ hostUsers: false }))).status).toBe(201);
});

test('the capacity of a claim that is to get a certain volume, in a Table', async () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  for (const [name, more] of [
    ['plain', {}],
    ['certain', { volumeName: 'x' }],
  ] as const)
    await cluster.create('test', inNamespace('v1', 'PersistentVolumeClaim', name, { spec: { ...spec, ...more } }));
  const { server } = cluster.client.connection;
  const url = new URL(`${server.replace(/\/$/, '')}/api/v1/namespaces/${namespace}/persistentvolumeclaims`);
  const { text } = await cluster.client.raw('GET', url, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }, undefined);
  const { columnDefinitions, rows } = JSON.parse(text);
  const column = columnDefinitions.findIndex(({ name }: ResponseBody) => name === 'Capacity');
  expect(rows.map(({ cells }: ResponseBody) => [cells[0], cells[column]])).toEqual([
    ['certain', '0'],
    ['plain', ''],
  ]);
});
