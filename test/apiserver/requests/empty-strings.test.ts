import { expect, test } from 'vitest';
import { ApiCallError } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('empty-strings');
const { cluster, namespace } = testEnvironment;
const client = cluster.client;

/** Sends a server-side apply; returns the object, or the message of the refusal. */
async function apply(apiVersion: string, plural: string, kind: string, members: object) {
  const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const path = `${prefix}/namespaces/${namespace}/${plural}/${plural}`;
  const body = { apiVersion, kind, metadata: { name: plural, namespace }, ...members };
  const query = { fieldManager: 'author' };
  await client.call('DELETE', path).catch(() => {});
  return await client.call('PATCH', path, { body, contentType: 'application/apply-patch+yaml', query }).catch((error: ApiCallError) => {
    if (!(error instanceof ApiCallError)) throw error;
    return error.body.message;
  });
}

const containers = [{ name: 'main', image: 'busybox' }];
const job = { spec: { template: { spec: { restartPolicy: 'Never', containers } } } };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

/** Go keeps an empty string of a member that is a pointer, such as the holder of a Lease that was released. */
test.each([
  ['a holder', 'coordination.k8s.io/v1', 'leases', 'Lease', { spec: { holderIdentity: '', leaseTransitions: 0 } }],
  ['a class', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', { spec: { ...claim, storageClassName: '' } }],
  [
    'a zone',
    'discovery.k8s.io/v1',
    'endpointslices',
    'EndpointSlice',
    {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'], hostname: 'a', zone: '' }],
      ports: [{ port: 80, name: '' }],
    },
  ],
] as const)('an empty string is kept: %s', async (_, apiVersion, plural, kind, members) => {
  const created = await apply(apiVersion, plural, kind, members);
  expect(created).toMatchObject(members);
  const [{ fieldsV1 }] = created.metadata.managedFields;
  const spec = 'spec' in members ? members.spec : {};
  const owned = Object.keys(spec).map((name) => `f:${name}`);
  expect(Object.keys(fieldsV1['f:spec'] ?? {})).toEqual(expect.arrayContaining(owned));
  if (plural !== 'leases') await cluster.patch('author', created, { metadata: { finalizers: null } });
});

test('the holder of a Lease is released and taken over', async () => {
  const lease = await cluster.create('one', {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'turn', namespace },
    spec: { holderIdentity: 'one' },
  });
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/turn`;
  const released = await client.call('PUT', path, { body: { ...lease, spec: { holderIdentity: '', leaseDurationSeconds: 1 } } });
  expect(released.spec).toEqual({ holderIdentity: '', leaseDurationSeconds: 1 });
  expect((await client.call('GET', path)).spec.holderIdentity).toBe('');
});

const qualified = (field: string) => [
  `${field}: Invalid value: "": name part must be non-empty`,
  `${field}: Invalid value: "": name part must consist of alphanumeric characters`,
];
const cron = { schedule: '* * * * *', jobTemplate: job };
const ports = [{ port: 80 }];

test.each([
  ['batch/v1', 'cronjobs', 'CronJob', { spec: { ...cron, timeZone: '' } }, ['spec.timeZone: Invalid value: "": timeZone must be nil']],
  ['batch/v1', 'cronjobs', 'CronJob', { spec: { ...cron, timeZone: 'No/Where' } }, ['unknown time zone No/Where']],
  ['batch/v1', 'jobs', 'Job', { spec: { ...job.spec, managedBy: '' } }, ['spec.managedBy: Required value']],
  ['batch/v1', 'jobs', 'Job', { spec: { ...job.spec, podReplacementPolicy: '' } }, ['spec.podReplacementPolicy: Unsupported value: ""']],
  ['v1', 'services', 'Service', { spec: { ports, ipFamilyPolicy: '' } }, ['spec.ipFamilyPolicy: Unsupported value: ""']],
  ['v1', 'services', 'Service', { spec: { ports, internalTrafficPolicy: '' } }, ['spec.internalTrafficPolicy: Unsupported value: ""']],
  ['v1', 'services', 'Service', { spec: { ports: [{ port: 80, appProtocol: '' }] } }, qualified('spec.ports[0].appProtocol')],
  [
    'v1',
    'persistentvolumeclaims',
    'PersistentVolumeClaim',
    { spec: { ...claim, volumeMode: '' } },
    ['spec.volumeMode: Unsupported value: ""'],
  ],
] as const)('an empty string is refused: %s %s %#', async (apiVersion, plural, kind, members, texts) => {
  const message = await apply(apiVersion, plural, kind, members);
  for (const text of texts) expect(message).toContain(text);
});
