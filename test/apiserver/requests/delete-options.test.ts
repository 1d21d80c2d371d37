import { expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('delete-options');
const { cluster, namespace } = testEnvironment;
const hold = ['example.com/hold'];
let count = 0;

interface Deletion {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
}

/** Sends a DELETE and returns its status, warnings and body. */
async function deleted(path: string, { body, query = {} }: Deletion = {}) {
  const url = new URL(cluster.client.connection.server.replace(/\/$/, '') + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  // Without a length, the server reads no body of a DELETE.
  const headers = {
    accept: 'application/json',
    ...(bytes ? { 'content-type': 'application/json', 'content-length': `${bytes.length}` } : {}),
  };
  const { status, text, headers: received } = await cluster.client.raw('DELETE', url, headers, bytes);
  return { status, warning: String(received.warning ?? ''), body: JSON.parse(text) as ResponseBody };
}

async function create(apiVersion: string, kind: string, content: object, finalizers: readonly string[] = []): Promise<string> {
  count += 1;
  const object = testEnvironment.ref(apiVersion, kind, `n${count}`);
  await cluster.create('test', { ...object, ...content, metadata: { ...object.metadata, finalizers } });
  if (finalizers.length > 0)
    testEnvironment.onCleanup(() => cluster.patch('test', object, { metadata: { finalizers: null } }).catch(() => {}));
  return cluster.path(object);
}

const policies = 'supported values: "Foreground", "Background", "Orphan", "nil"';

test.each([
  [{ propagationPolicy: 'Sideways' }, 422, `propagationPolicy: Unsupported value: "Sideways": ${policies}`],
  [{ propagationPolicy: 'Orphan', orphanDependents: true }, 422, 'orphanDependents and deletionPropagation cannot be both set'],
  [{ dryRun: ['Some'] }, 422, 'dryRun: Unsupported value: ["Some"]: supported values: "All"'],
  [{ gracePeriodSeconds: '5' }, 400, 'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64'],
  [{ dryRun: 'All' }, 400, 'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string'],
  [{ preconditions: { uid: 'other' } }, 409, 'the UID in the precondition (other) does not match the UID in record'],
])('%j is refused', async (body, status, message) => {
  const path = await create('v1', 'ConfigMap', {});
  const answer = await deleted(path, { body });
  expect(answer.status).toBe(status);
  expect(answer.body.message).toContain(message);
  expect((await cluster.client.call('GET', path)).metadata.deletionTimestamp).toBeUndefined();
});

test('options of the query are checked as those of a body', async () => {
  const path = await create('v1', 'ConfigMap', {});
  expect(await deleted(path, { query: { propagationPolicy: 'Sideways' } })).toMatchObject({ status: 422 });
  expect(await deleted(path, { query: { dryRun: 'Some' } })).toMatchObject({ status: 422 });
  expect(await deleted(path, { query: { gracePeriodSeconds: 'x' } })).toMatchObject({ status: 400 });
  expect(await deleted(path, { query: { dryRun: 'All' } })).toMatchObject({ status: 200 });
  expect(await deleted(`${path}-absent`, { body: { propagationPolicy: 'Sideways' } })).toMatchObject({ status: 422 });
});

test('a finalizer holds a deletion: 202 only where the request says that dependents are deleted', async () => {
  const path = await create('v1', 'ConfigMap', {}, hold);
  expect(await deleted(path, { body: { orphanDependents: false, dryRun: ['All'] } })).toMatchObject({ status: 202 });
  expect(await deleted(path)).toMatchObject({ status: 200, body: { kind: 'ConfigMap', metadata: { deletionGracePeriodSeconds: 0 } } });
  expect(await deleted(path, { body: { orphanDependents: false } })).toMatchObject({ status: 202 });
  expect(await deleted(path, { query: { orphanDependents: 'false' } })).toMatchObject({ status: 202 });
});

test('each policy replaces the finalizer of the one before', async () => {
  const path = await create('v1', 'ConfigMap', {}, [...hold, 'orphan']);
  const finalizersAfter = async (body: unknown) =>
    (await deleted(path, { body: { ...(body as object), dryRun: ['All'] } })).body.metadata.finalizers;
  expect(await finalizersAfter({})).toEqual([...hold, 'orphan']);
  expect(await finalizersAfter({ propagationPolicy: 'Foreground' })).toEqual([...hold, 'foregroundDeletion']);
  expect(await finalizersAfter({ propagationPolicy: 'Background' })).toEqual(hold);
  expect(await finalizersAfter({ propagationPolicy: 'Orphan' })).toEqual([...hold, 'orphan']);
});

const containers = [{ name: 'main', image: 'busybox' }];

test('dependents of a Job stay by default, which is warned of', async () => {
  const path = await create('batch/v1', 'Job', { spec: { template: { spec: { restartPolicy: 'Never', containers } } } }, hold);
  const answer = await deleted(path, { query: { dryRun: 'All' } });
  expect(answer.warning).toContain('child pods are preserved by default when jobs are deleted');
  expect(answer.body.metadata.finalizers).toEqual([...hold, 'orphan']);
  const background = await deleted(path, { query: { dryRun: 'All', propagationPolicy: 'Background' } });
  expect(background.warning).toBe('');
});

test('a Pod on a node has its time of grace, which a later request can only shorten', async () => {
  const path = await create('v1', 'Pod', { spec: { nodeName: 'none', containers } });
  testEnvironment.onCleanup(() => deleted(path, { body: { gracePeriodSeconds: 0 } }));
  const graceAfter = async (body: unknown) => (await deleted(path, { body })).body.metadata.deletionGracePeriodSeconds;
  expect(await graceAfter({})).toBe(30);
  expect(await graceAfter({ gracePeriodSeconds: 60 })).toBe(30);
  expect(await graceAfter({ gracePeriodSeconds: 5 })).toBe(5);
  const { generation, deletionTimestamp, creationTimestamp } = (await cluster.client.call('GET', path)).metadata;
  expect(generation).toBe(2);
  expect(Date.parse(deletionTimestamp) - Date.parse(creationTimestamp)).toBeGreaterThanOrEqual(5000);
  await cluster.client.call('PATCH', path, { body: { metadata: { labels: { a: 'b' } } }, contentType: 'application/merge-patch+json' });
  expect(await graceAfter({ gracePeriodSeconds: 0 })).toBe(0);
  await expect(cluster.client.call('GET', path)).rejects.toMatchObject({ status: 404 });
});

test('a Pod without a node is deleted at once', async () => {
  const path = await create('v1', 'Pod', { spec: { containers } });
  expect(await deleted(path)).toMatchObject({
    status: 200,
    body: { kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0, generation: 2 } },
  });
  await expect(cluster.client.call('GET', path)).rejects.toMatchObject({ status: 404 });
});

test('the preconditions of a collection hold for each object', async () => {
  await create('v1', 'Secret', {});
  const answer = await deleted(`/api/v1/namespaces/${namespace}/secrets`, { body: { preconditions: { uid: 'other' } } });
  expect(answer).toMatchObject({ status: 409 });
});

test('the items of a built-in list do not repeat their kind', async () => {
  await create('v1', 'ConfigMap', {});
  const { items } = await cluster.client.call('GET', `/api/v1/namespaces/${namespace}/configmaps`);
  expect(items[0]).not.toHaveProperty('kind');
  expect(items[0]).not.toHaveProperty('apiVersion');
});

test.each(['default', 'kube-system', 'kube-public'])('the namespace %s is never deleted', async (name) => {
  const { status, body } = await deleted(`/api/v1/namespaces/${name}`, { query: { dryRun: 'All' } });
  expect([status, body.message]).toEqual([403, `namespaces "${name}" is forbidden: this namespace may not be deleted`]);
});

test('a write cannot move the time of a deletion that is under way, and is not refused for it', async () => {
  const one = testEnvironment.ref('v1', 'ConfigMap', 'moved');
  const path = `/api/v1/namespaces/${namespace}/configmaps/moved`;
  const send = (metadata: object) =>
    cluster.client.call('PATCH', path, { body: { metadata }, contentType: 'application/merge-patch+json' });
  await cluster.create('test', { ...one, metadata: { ...one.metadata, finalizers: hold } });
  const deletionTimestamp = '2020-01-01T00:00:00Z';
  const immutable = { status: 422, message: expect.stringContaining('field is immutable') };
  await expect(send({ deletionTimestamp })).rejects.toMatchObject(immutable);
  await deleted(path);
  const { metadata } = await cluster.get(one);
  expect((await send({ deletionTimestamp, labels: { a: 'b' } })).metadata).toMatchObject({
    deletionTimestamp: metadata.deletionTimestamp,
    labels: { a: 'b' },
  });
  await expect(send({ deletionGracePeriodSeconds: 5 })).rejects.toMatchObject(immutable);
  await send({ finalizers: null });
});

test('what only a deletion sets is left out of a POST, and stays in what an apply or an update creates', async () => {
  const deletion = { deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 };
  const object = (name: string) => {
    const one = testEnvironment.ref('v1', 'ConfigMap', name);
    return { ...one, metadata: { ...one.metadata, ...deletion } };
  };
  const posted = await cluster.create('test', object('of-post'));
  expect(Object.keys(posted.metadata).filter((name) => name.startsWith('deletion'))).toEqual([]);
  const first = await cluster.apply('test', object('of-apply'));
  expect(first.metadata).toMatchObject(deletion);
  expect((await cluster.apply('test', object('of-apply'))).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  const later = { ...object('of-apply'), metadata: { ...object('of-apply').metadata, deletionGracePeriodSeconds: 6 } };
  await expect(cluster.apply('test', later)).rejects.toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('metadata.deletionGracePeriodSeconds: Invalid value: 6: field is immutable') },
  });
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'of-put', ...deletion } };
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/of-put`;
  expect((await cluster.client.call('PUT', path, { body: lease })).metadata).toMatchObject(deletion);
});

test('fields that an owner holds by null are held', async () => {
  const one = testEnvironment.ref('v1', 'ConfigMap', 'owned-by-null');
  const data = { a: '1' };
  await cluster.create('test', { ...one, data });
  const entry = { manager: 'null', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': null } } };
  const body = { ...one, metadata: { ...one.metadata, managedFields: [entry] }, data };
  const { metadata } = await cluster.client.call('PUT', `/api/v1/namespaces/${namespace}/configmaps/owned-by-null`, { body });
  const own = metadata.managedFields.find(({ manager }: { manager: string }) => manager === 'null');
  expect(own).toMatchObject({ fieldsV1: { 'f:data': { 'f:a': {} } } });
});

test.each([
  ['storage.k8s.io/v1', 'StorageClass', { provisioner: 'example.com/disk' }],
  ['storage.k8s.io/v1', 'CSIDriver', { spec: {} }],
  ['storage.k8s.io/v1', 'VolumeAttributesClass', { driverName: 'example.com', parameters: { a: 'b' } }],
  ['resource.k8s.io/v1', 'DeviceClass', { spec: {} }],
  ['resource.k8s.io/v1', 'ResourceClaim', { spec: {} }],
])('the deletion of an object of %s returns the %s', async (apiVersion, kind, content) => {
  const { status, body } = await deleted(await create(apiVersion, kind, content));
  expect([status, body.kind]).toEqual([200, kind]);
});

test('the deletion of an absent Job warns, too', async () => {
  const { status, warning } = await deleted(`/apis/batch/v1/namespaces/${namespace}/jobs/absent`);
  expect(status).toBe(404);
  expect(warning).toContain('child pods are preserved by default');
});
