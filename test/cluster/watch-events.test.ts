import { expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('watch-events');
const { cluster, namespace } = testEnvironment;
const path = `/api/v1/namespaces/${namespace}/configmaps`;

/** Returns the events of a watch that ends by itself. */
async function watched(query: Record<string, string>): Promise<readonly ResponseBody[]> {
  const url = new URL(cluster.client.connection.server.replace(/\/$/, '') + path);
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
