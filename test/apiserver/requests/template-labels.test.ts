import { expect, test } from 'vitest';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('template-labels');
const { cluster } = testEnvironment;
const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] };
const job = (name: string) => testEnvironment.ref('batch/v1', 'Job', name);

test('a Job has the selector and the labels that the server gives its Pods', async () => {
  const { metadata, ...created } = await cluster.apply('test', { ...job('one'), spec: { template: { spec } } });
  const { uid } = metadata;
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': 'one',
    'controller-uid': uid,
    'job-name': 'one',
  };
  expect(metadata.labels).toEqual(labels);
  expect(created.spec).toMatchObject({
    manualSelector: false,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    template: { metadata: { labels } },
  });
  expect(Object.keys(metadata.managedFields[0].fieldsV1)).toEqual(['f:spec']);
});

test('a Job has a selector of its own only where it says so', async () => {
  const selected = { selector: { matchLabels: { app: 'own' } }, template: { metadata: { labels: { app: 'own' } }, spec } };
  await expect(cluster.create('test', { ...job('two'), spec: selected })).rejects.toMatchObject({ status: 422 });
  const created = await cluster.create('test', { ...job('two'), spec: { ...selected, manualSelector: true } });
  expect(created.spec.selector).toEqual(selected.selector);
  expect(created.metadata.labels).toEqual({ app: 'own' });
});

test('a ReplicationController has the labels and the selector of its template', async () => {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: spec.containers } };
  const controller = testEnvironment.ref('v1', 'ReplicationController', 'web');
  const created = await cluster.create('test', { ...controller, spec: { template, replicas: 0 } });
  expect(created.spec.selector).toEqual({ app: 'web' });
  expect(created.metadata.labels).toEqual({ app: 'web' });
});

test('a Job whose template has empty labels is stored with those of the server', async () => {
  const created = await cluster.create('test', { ...job('three'), spec: { template: { metadata: { labels: {} }, spec } } });
  expect(created.metadata.labels).toMatchObject({ 'job-name': 'three' });
  const updated = await replace('test', created as never);
  expect(updated.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
});

test.each([
  ['labels', {}],
  ['annotations', {}],
  ['finalizers', []],
  ['ownerReferences', []],
])('empty %s of a claim template count as a change of it, those that are absent do not', async (member, empty) => {
  const set = testEnvironment.ref('apps/v1', 'StatefulSet', member.toLowerCase());
  const labels = { app: 'db' };
  const claim = (metadata: object) => ({
    metadata: { name: 'data', ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const withClaim = (metadata: object) => ({
    ...set,
    spec: {
      serviceName: 'db',
      selector: { matchLabels: labels },
      volumeClaimTemplates: [claim(metadata)],
      template: { metadata: { labels }, spec: { containers: spec.containers } },
    },
  });
  const owners = async (manager: string, metadata: object) => {
    const { resourceVersion } = (await cluster.get(set)).metadata;
    const body = withClaim(metadata);
    const updated = await replace(manager, { ...body, metadata: { ...body.metadata, resourceVersion } } as never);
    return updated.metadata.managedFields.map((entry: { manager: string }) => entry.manager).toSorted();
  };
  await cluster.create('first', withClaim({}) as never);
  expect(await owners('second', {})).toEqual(['first']);
  expect(await owners('second', { [member]: empty })).toEqual(['first', 'second']);
});

async function replace(manager: string, object: ReturnType<typeof job>) {
  return cluster.client.call('PUT', await cluster.path(object), { body: object, query: { fieldManager: manager } });
}
