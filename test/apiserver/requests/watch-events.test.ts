import { expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('watch-events');
const { cluster, namespace } = testEnvironment;
const path = `/api/v1/namespaces/${namespace}/configmaps`;

/** Returns the events of a watch that ends by itself. */
async function watched(query: Record<string, string>, collection = path): Promise<readonly ResponseBody[]> {
  const url = new URL(cluster.client.connection.server.replace(/\/$/, '') + collection);
  for (const [name, value] of Object.entries({ watch: '1', timeoutSeconds: '1', ...query })) url.searchParams.set(name, value);
  const { status, text } = await cluster.client.raw('GET', url, { accept: 'application/json' }, undefined);
  expect(status).toBe(200);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('an object that leaves a selector is told of as it last matched, at the version of the change', async () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'left', namespace, labels: { color: 'red' } }, data: { x: '1' } };
  const created = await cluster.create('author', object);
  const changed = await cluster.patch('author', object, { metadata: { labels: { color: 'blue' } }, data: { x: '2' } });
  const { resourceVersion } = created.metadata;
  expect(await watched({ labelSelector: 'color=red', resourceVersion })).toEqual([
    { type: 'DELETED', object: { ...created, metadata: { ...created.metadata, resourceVersion: changed.metadata.resourceVersion } } },
  ]);
});

test('a watch from a version before its definition was deleted and created again has expired', async () => {
  const group = `${namespace}.example.com`;
  const definition = crdOf(group, 'Gone', {});
  await testEnvironment.crd(definition);
  const object = { ...testEnvironment.ref(`${group}/v1`, 'Gone', 'one') };
  const { metadata } = await cluster.create('author', object as never);
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `gones.${group}` } };
  await cluster.remove(ref as never);
  await poll('the definition is gone', async () => ((await cluster.find(ref as never)) === undefined ? true : undefined));
  await testEnvironment.crd(definition);
  const collection = (await cluster.path(object as never)).replace(/\/one$/, '');
  // The real server answers 429 until its cache of the new definition is ready.
  const ready = () => watched({ resourceVersion: metadata.resourceVersion }, collection).catch(() => undefined);
  const [first] = await poll('the collection is watched', ready);
  expect([first?.type, first?.object.code, first?.object.reason]).toEqual(['ERROR', 410, 'Expired']);
});

test('a watch with initial events from a version of the future says so', async () => {
  const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true', timeoutSeconds: '10' };
  const [first] = await watched({ ...query, resourceVersion: '99999999' });
  expect([first?.type, first?.object.code, first?.object.message]).toEqual([
    'ERROR',
    504,
    expect.stringContaining('Too large resource version'),
  ]);
});
