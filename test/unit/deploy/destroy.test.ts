import { expect, test } from 'vitest';
import { deploy } from '../../../src/deploy/deploy/deploy.js';
import { destroy } from '../../../src/deploy/destroy/destroy.js';
import type { ClusterClient } from '../../../src/kubernetes/index.js';
import { configMap, dataOf, options, program, removeProgramsAfterAll, reported, server } from './run-fixture.js';

removeProgramsAfterAll();

test('deletes what the stack owns, and finds nothing the second time', async () => {
  const { cluster } = await server();
  const one = await program(configMap('a', { x: '1' }));
  await deploy(one, cluster, options, () => {});
  const refused = await reported((host) => destroy(one.manifest, cluster, { ...options, yes: false, confirm: async () => false }, host));
  expect(refused.error).toMatchObject({ code: 'confirmation-needed' });
  expect(refused.outcomes).toEqual(['skipped ConfigMap default/a']);
  const done = await reported((host) => destroy(one.manifest, cluster, options, host));
  expect(done).toMatchObject({ error: undefined, outcomes: ['deleted ConfigMap default/a'], order: ['started', 'object', 'summary'] });
  const again = await reported((host) => destroy(one.manifest, cluster, options, host));
  expect(again).toMatchObject({ outcomes: [], order: ['started', 'summary'] });
});

test('an unknown stack is refused before anything is reported', async () => {
  const one = await program(configMap('a', { x: '1' }));
  const unknown = await reported(async (host) => destroy(one.manifest, (await server()).cluster, { ...options, stacks: ['other'] }, host));
  expect(unknown).toMatchObject({ error: { code: 'stack-unknown' }, order: [] });
});

test('the locks come first and go last, and the inventory is forgotten after the objects', async () => {
  const { cluster, writes } = await server();
  const one = await program(configMap('a', { x: '1' }), configMap('b', { x: '1' }));
  await deploy(one, cluster, options, () => {});
  writes.length = 0;
  await destroy(one.manifest, cluster, options, () => {});
  expect(writes).toEqual(['PUT leases', 'DELETE configmaps a', 'DELETE configmaps b', 'DELETE configmaps', 'DELETE leases']);
});

test('a refusal is reported after the start, with the locks given up', async () => {
  const { cluster, writes } = await server();
  const one = await program(configMap('a', { x: '1' }));
  await deploy(one, cluster, options, () => {});
  writes.length = 0;
  const atRefusal: string[][] = [];
  const { order } = await reported(
    (host) => destroy(one.manifest, cluster, { ...options, yes: false, confirm: async () => false }, host),
    ({ event }) => event === 'refused' && atRefusal.push([...writes]),
  );
  expect(order).toEqual(['started', 'refused', 'object', 'summary']);
  expect(atRefusal).toEqual([['PUT leases', 'PUT leases']]);
  expect(await dataOf(cluster, 'a')).toEqual({ x: '1' });
});

test('an error before the stacks are known is reported as a refusal of a run without objects', async () => {
  const { cluster } = await server();
  const one = await program(configMap('a', { x: '1' }));
  const failing = () => Promise.reject(new Error('the disk is full'));
  const broken: ClusterClient = { ...cluster, withContext: () => broken, list: failing };
  const { error, order, result } = await reported((host) => destroy(one.manifest, broken, options, host));
  expect(error).toBeUndefined();
  expect(order).toEqual(['started', 'refused', 'summary']);
  expect(result).toMatchObject({ ok: false, errors: [{ message: expect.stringContaining('the disk is full') }] });
});

test('an object that a finalizer holds fails, and stays in the inventory for the next run', async () => {
  const { cluster, writes } = await server();
  const one = await program(configMap('a', { x: '1' }), configMap('b', { x: '1' }, { finalizers: ['example.com/hold'] }));
  await deploy(one, cluster, options, () => {});
  const first = await reported((host) => destroy(one.manifest, cluster, { ...options, deletionTimeoutSeconds: 1 }, host));
  expect(first).toMatchObject({
    order: ['started', 'object', 'waiting', 'object', 'summary'],
    outcomes: ['deleted ConfigMap default/a', 'failed ConfigMap default/b'],
    result: { ok: false },
  });
  expect(first.events[2]).toMatchObject({ stack: 'web', object: 'ConfigMap default/b', for: 'delete', timeoutSeconds: 1 });
  expect(writes.at(-1)).toBe('PUT leases');
  const again = await reported((host) => destroy(one.manifest, cluster, options, host)); // does not wait
  expect(again.outcomes).toEqual(['deleted ConfigMap default/b']);
  expect(again.events[1]).toMatchObject({ finalizers: ['example.com/hold'] });
});

test('an interrupt lets the object at hand end, and the next run does the rest', async () => {
  const { cluster, writes } = await server();
  const one = await program(configMap('a', { x: '1' }), configMap('b', { x: '1' }));
  await deploy(one, cluster, options, () => {});
  const interrupt = new AbortController();
  const first = await reported(
    (host) => destroy(one.manifest, cluster, { ...options, signal: interrupt.signal }, host),
    ({ event }) => event === 'object' && interrupt.abort(),
  );
  expect(first.outcomes).toEqual(['deleted ConfigMap default/a', 'skipped ConfigMap default/b']);
  expect(first.result).toMatchObject({ ok: false, exitCode: 130 });
  expect(writes.slice(-2)).toEqual(['PUT configmaps', 'PUT leases']);
  const second = await reported((host) => destroy(one.manifest, cluster, options, host));
  expect(second).toMatchObject({ outcomes: ['deleted ConfigMap default/b'], result: { ok: true } });
});
