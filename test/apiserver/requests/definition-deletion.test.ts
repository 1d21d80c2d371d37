import { expect, test } from 'vitest';
import type { ApiCallError, ResponseBody } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';
import { type Watched, watchObject } from '../../harness/watch.js';

/** What becomes of a CustomResourceDefinition that is deleted, of its objects, and of watches of them. */
const testEnvironment = await TestEnvironment.create('definition-deletion');
const group = `${testEnvironment.namespace}.example.com`;
const { cluster } = testEnvironment;
const { client } = cluster;

const cleanup = 'customresourcecleanup.apiextensions.k8s.io';
const definitionPath = (kind: string) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kind.toLowerCase()}s.${group}`;
const objectOf = (kind: string, name: string, metadata: object = {}): ResponseBody => {
  const ref = testEnvironment.ref(`${group}/v1`, kind, name);
  return { ...ref, metadata: { ...ref.metadata, ...metadata } };
};
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    ({ status, body }: ApiCallError) => `${status} ${body.message}`,
  );
const conditionOf = ({ status }: ResponseBody, type: string) => status.conditions.find((each: ResponseBody) => each.type === type);
const gone = (path: string) => poll(`${path} is gone`, async () => (await codeOf(client.call('GET', path)))?.startsWith('404'));

test('the answer to its deletion shows it, and its objects go before it', async () => {
  await testEnvironment.crd(crdOf(group, 'Plain'));
  await cluster.create('creator', objectOf('Plain', 'one'));
  const path = await cluster.path(objectOf('Plain', 'one'));
  const answer = await client.call('DELETE', definitionPath('Plain'));
  expect(answer).toMatchObject({
    kind: 'CustomResourceDefinition',
    metadata: { deletionTimestamp: expect.any(String), finalizers: [cleanup], generation: 1 },
  });
  expect(answer.metadata.deletionGracePeriodSeconds).toBeUndefined();
  expect(conditionOf(answer, 'Terminating')).toMatchObject({
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  });
  await gone(definitionPath('Plain'));
  expect(await codeOf(client.call('GET', path))).toMatch(/^404/);
});

test('an object with a finalizer keeps it; new objects are refused until then', async () => {
  await testEnvironment.crd(crdOf(group, 'Kept'));
  const kept = objectOf('Kept', 'kept', { finalizers: ['example.com/wait'] });
  await cluster.create('creator', kept);
  const path = await cluster.path(kept);
  const collection = path.slice(0, path.lastIndexOf('/'));
  await client.call('DELETE', definitionPath('Kept'));
  const live = await poll('the object is being deleted', async () => {
    const object = await client.call('GET', path);
    return object.metadata.deletionTimestamp === undefined ? undefined : object;
  });
  expect(live.metadata).toMatchObject({ finalizers: ['example.com/wait'], deletionGracePeriodSeconds: 0, generation: 2 });
  const definition = await client.call('GET', definitionPath('Kept'));
  expect(conditionOf(definition, 'Terminating')).toMatchObject({ status: 'True', reason: 'InstanceDeletionInProgress' });
  const name = `${'kept'}s.${group} "other" is forbidden: create not allowed while custom resource definition is terminating`;
  const other = objectOf('Kept', 'other');
  expect(await codeOf(client.call('POST', collection, { body: other }))).toBe(`403 ${name}`);
  const apply = { body: other, contentType: 'application/apply-patch+yaml', query: { fieldManager: 'm' } };
  expect(await codeOf(client.call('PATCH', `${collection}/other`, apply))).toBe(`403 ${name}`);
  const labels = { metadata: { labels: { a: 'b' } } };
  expect(await codeOf(client.call('PATCH', path, { body: labels, contentType: 'application/merge-patch+json' }))).toBeUndefined();
  const { resources } = await client.call('GET', `/apis/${group}/v1`);
  const verbs = (resources as ResponseBody[]).find((each) => each.kind === 'Kept').verbs;
  expect(verbs.toSorted()).toEqual(['delete', 'deletecollection', 'get', 'list', 'watch']);
  await client.call('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: 'application/merge-patch+json' });
  await gone(definitionPath('Kept'));
});

test('its other finalizers keep it without objects, and new ones are accepted', async () => {
  const definition = crdOf(group, 'Held');
  const held = { ...definition, metadata: { ...definition.metadata, finalizers: ['example.com/hold'] } };
  await testEnvironment.crd(held);
  await cluster.create('creator', objectOf('Held', 'one'));
  await client.call('DELETE', definitionPath('Held'));
  const live = await poll('the objects are deleted', async () => {
    const found = await client.call('GET', definitionPath('Held'));
    return conditionOf(found, 'Terminating').status === 'False' ? found : undefined;
  });
  expect(live.metadata.finalizers).toEqual(['example.com/hold']);
  expect(conditionOf(live, 'Terminating')).toMatchObject({ reason: 'InstanceDeletionCompleted', message: 'removed all instances' });
  const release = { body: { metadata: { finalizers: null } }, contentType: 'application/merge-patch+json' };
  await client.call('PATCH', definitionPath('Held'), release);
  await gone(definitionPath('Held'));
});

test('a precondition that does not hold refuses its deletion', async () => {
  await testEnvironment.crd(crdOf(group, 'Guarded'));
  const uid = '00000000-0000-4000-8000-000000000001';
  const body = Buffer.from(JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } }));
  const url = new URL(client.connection.server.replace(/\/$/, '') + definitionPath('Guarded'));
  // Node leaves the length of a DELETE out.
  const { status, text } = await client.raw(
    'DELETE',
    url,
    { 'content-type': 'application/json', 'content-length': String(body.length) },
    body,
  );
  expect(status).toBe(409);
  const of = `customresourcedefinitions.apiextensions.k8s.io "guardeds.${group}"`;
  expect(JSON.parse(text).message).toContain(
    `Operation cannot be fulfilled on ${of}: Precondition failed: UID in precondition: ${uid}, UID in `,
  );
});

test('watches of its objects end when it changes, and when it is deleted', async () => {
  const definition = crdOf(group, 'Watched');
  await testEnvironment.crd(definition);
  const object = objectOf('Watched', 'one');
  await cluster.create('creator', object);
  const typesOf = ({ events }: Watched) => events.map(({ type }) => type);
  const first = await watchObject(cluster, object);
  const [version] = definition.spec.versions;
  const columns = [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }];
  const changed = { ...definition.spec, versions: [{ ...version, additionalPrinterColumns: columns }] };
  await testEnvironment.crd({ ...definition, spec: changed });
  await first.ended;
  expect(typesOf(first)).toEqual(['ADDED']);
  // The real server forgets the versions before the change.
  const labels = { metadata: { labels: { a: 'b' } } };
  await client.call('PATCH', await cluster.path(object), { body: labels, contentType: 'application/merge-patch+json' });
  const second = await watchObject(cluster, object);
  await client.call('DELETE', definitionPath('Watched'));
  await second.ended;
  expect(typesOf(second)).toEqual(['ADDED', 'DELETED']);
});
