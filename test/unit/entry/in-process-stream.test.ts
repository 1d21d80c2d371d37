import { afterEach, describe, expect, test, vi } from 'vitest';
import { Controller, connect, runController } from '../../../src/entry/controller.js';
import { metadataOf, nameOf } from '../../../src/fields/object.js';
import { type Cluster, clientOf } from '../../../src/kubernetes/cluster.js';
import type { ClusterClient, WatchEvent } from '../../../src/kubernetes/index.js';
import { testCluster } from '../../../src/testing/index.js';
import type { TestCluster } from '../../../src/testing/test-cluster.js';
import type { JsonObject } from '../../../src/util/json.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const settings = (name: string, x = '1') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { x },
});
const kind = { apiVersion: 'v1', kind: 'ConfigMap' };

/** A watch behaves alike in process and over HTTP. */
const ways: readonly (readonly [name: string, open: (server: TestCluster) => Promise<Cluster>])[] = [
  ['in process', async (server) => server.connection],
  [
    'over HTTP',
    async (server) => {
      const cluster = await connect({ kubeconfig: await server.kubeconfig() });
      ends.push(() => cluster.close());
      return cluster;
    },
  ],
];

async function opened(open: (server: TestCluster) => Promise<Cluster>) {
  const server = await testCluster();
  ends.push(() => server.stop());
  const cluster = await open(server);
  return { server, cluster, client: clientOf(cluster) };
}

async function watchOf(client: ClusterClient, options: { resourceVersion?: string; timeoutSeconds?: number; signal?: AbortSignal } = {}) {
  const resource = await client.resourceOf('v1', 'ConfigMap');
  const { resourceVersion } = await client.listWithVersion(resource, { namespace: 'default' });
  const signal = options.signal ?? new AbortController().signal;
  return client.watch(resource, { namespace: 'default', resourceVersion, timeoutSeconds: 60, ...options, signal });
}

const shown = ({ type, object }: WatchEvent) => `${type} ${nameOf(object)}`;

/** Reads events until one names an object. */
async function until(events: AsyncIterable<WatchEvent>, name: string): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of events) {
    seen.push(shown(event));
    if (nameOf(event.object) === name) break;
  }
  return seen;
}

describe.each(ways)('a watch %s', (_, open) => {
  test('has the events since a resourceVersion, in their order', async () => {
    const { server, client } = await opened(open);
    await server.apply('a', settings('one'));
    const events = await watchOf(client);
    await server.apply('a', settings('two'));
    await server.apply('a', settings('one', '2'));
    await server.delete('ConfigMap', 'two');
    const read = until(events, 'last');
    await server.apply('a', settings('last'));
    expect(await read).toEqual(['ADDED two', 'MODIFIED one', 'DELETED two', 'ADDED last']);
  });

  test('ends at its time', async () => {
    const { client } = await opened(open);
    const seen: WatchEvent[] = [];
    for await (const event of await watchOf(client, { timeoutSeconds: 1 })) seen.push(event);
    expect(seen).toEqual([]);
  });

  test.each([
    ['before it begins', true],
    ['while it waits', false],
  ])('rejects when it is aborted %s', async (__, isEarly) => {
    const { server, client } = await opened(open);
    const stop = new AbortController();
    const events = await watchOf(client, { signal: stop.signal });
    if (isEarly) stop.abort();
    const read = until(events, 'last');
    if (!isEarly) {
      const first = until(await watchOf(client), 'one');
      await server.apply('a', settings('one'));
      await first;
      stop.abort();
    }
    await expect(read).rejects.toThrow('aborted');
  });

  test.each([
    ['that is gone', '1', 410],
    ['that no server has made', 'x', 500],
  ])('from a version %s rejects', async (__, resourceVersion, code) => {
    const { client } = await opened(open);
    await expect(until(await watchOf(client, { resourceVersion }), 'one')).rejects.toMatchObject({ name: 'ApiError', method: 'GET', code });
  });

  test('does not see bookmarks', async () => {
    const { server, client } = await opened(open);
    await server.apply('a', settings('one'));
    expect(await until(await watchOf(client, { resourceVersion: '0' }), 'one')).toEqual(['ADDED one']);
  });

  test('has objects that are its own', async () => {
    const { server, client } = await opened(open);
    const [one, other] = [await watchOf(client), await watchOf(client)].map((events) => events[Symbol.asyncIterator]());
    const first = [one!.next(), other!.next()];
    await server.apply('a', settings('one'));
    const [changed, kept] = (await Promise.all(first)).map(({ value }) => value.object);
    changed.data.x = 'changed';
    changed.metadata.managedFields[0].fieldsV1['f:data'] = {};
    expect(kept).toMatchObject({ data: { x: '1' }, metadata: { managedFields: [{ fieldsV1: { 'f:data': { 'f:x': {} } } }] } });
    expect(await server.get('ConfigMap', 'one')).toEqual(kept);
    await Promise.all([one!.return?.(undefined), other!.return?.(undefined)]);
  });
});

describe.each(ways)('runController %s', (_, open) => {
  test('watches: each object once, without errors, until it is aborted', async () => {
    const begun = performance.now();
    const { server, cluster } = await opened(open);
    await server.apply('a', settings('one'));
    const stop = new AbortController();
    const [seen, errors] = [[] as string[], [] as unknown[]];
    const running = runController({
      cluster,
      reconciles: kind,
      namespace: 'default',
      signal: stop.signal,
      reconcile: async (object) => void seen.push(`${nameOf(object)} ${(object.data as JsonObject).x}`),
      onError: (error) => errors.push(error),
    });
    await vi.waitFor(() => expect(seen).toEqual(['one 1']));
    for (const x of ['2', '3']) {
      await server.apply('a', settings('late', x));
      await vi.waitFor(() => expect(seen.at(-1)).toBe(`late ${x}`));
    }
    // A loop that lists again each second would have reconciled everything by now.
    await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(begun + 2_500), { timeout: 5_000, interval: 100 });
    stop.abort();
    await running;
    expect([seen, errors]).toEqual([['one 1', 'late 2', 'late 3'], []]);
  });

  test('an operator that changes what it was given sees the object of the server again', async () => {
    const { server, cluster } = await opened(open);
    await server.apply('a', settings('one'));
    const stop = new AbortController();
    const seen: unknown[] = [];
    const controller = new Controller(cluster, { manager: 'op' });
    const running = runController({
      cluster,
      reconciles: kind,
      namespace: 'default',
      signal: stop.signal,
      async reconcile(object) {
        const { data } = object as { data: Record<string, string> };
        seen.push({ ...data });
        data.x = 'changed by the operator, never sent';
        if (seen.length === 1) throw new Error('again');
        const applied = await controller.apply({ ...settings('of-the-operator'), data: { x: '1' } });
        (applied.object as { data: Record<string, string> }).data.x = 'changed';
        stop.abort();
      },
      onError: () => {},
    });
    await running;
    expect(seen.slice(0, 2)).toEqual([{ x: '1' }, { x: '1' }]);
    expect(await server.get('ConfigMap', 'of-the-operator')).toMatchObject({ data: { x: '1' } });
    expect(metadataOf(await server.get('ConfigMap', 'one')).managedFields).toHaveLength(1);
  });
});

test('a watch in process ends with its server, and a client that breaks off hears nothing more', async () => {
  const { server, client } = await opened(async ({ connection }) => connection);
  const seen: string[] = [];
  const events = await watchOf(client);
  const read = (async () => {
    for await (const event of events) seen.push(shown(event));
  })();
  const first = until(await watchOf(client), 'one');
  await server.apply('a', settings('one'));
  expect(await first).toEqual(['ADDED one']);
  await vi.waitFor(() => expect(seen).toEqual(['ADDED one']));
  await server.stop();
  await read;
  expect(seen).toEqual(['ADDED one']);
});

test('a watch in process leaves no timer behind, however it ends', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const { server, client } = await opened(async ({ connection }) => connection);
  const before = timers();
  const stop = new AbortController();
  const aborted = until(await watchOf(client, { signal: stop.signal }), 'last').catch(() => {});
  const left = until(await watchOf(client), 'one');
  await vi.waitFor(() => expect(timers()).toBeGreaterThan(before));
  await server.apply('a', settings('one'));
  await left;
  stop.abort();
  await aborted;
  expect(timers()).toBeLessThanOrEqual(before);
});
