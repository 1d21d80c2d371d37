import { expect, test } from 'vitest';
import { confirmDeploy, questionsOf } from '../../../src/deploy/deploy/confirm-deploy.js';
import { deploy } from '../../../src/deploy/deploy/deploy.js';
import { prepareDeploy } from '../../../src/deploy/deploy/prepare-deploy.js';
import { startDeploy } from '../../../src/deploy/deploy/start-deploy.js';
import { Cleanup } from '../../../src/engine/run/cleanup.js';
import type { ClusterClient } from '../../../src/kubernetes/index.js';
import { configMap, dataOf, options, program, refusedConfigMap, removeProgramsAfterAll, reported, server } from './run-fixture.js';

removeProgramsAfterAll();

test('creates, leaves alone, changes and removes', async () => {
  const { cluster } = await server();
  const one = await program(configMap('a', { x: '1' }), configMap('b', { x: '1' }));
  const two = await program(configMap('a', { x: '2' }));
  expect((await reported((host) => deploy(one, cluster, options, host))).outcomes).toEqual([
    'created ConfigMap default/a',
    'created ConfigMap default/b',
  ]);
  expect((await reported((host) => deploy(one, cluster, options, host))).outcomes).toEqual([
    'unchanged ConfigMap default/a',
    'unchanged ConfigMap default/b',
  ]);
  const { outcomes, order } = await reported((host) => deploy(two, cluster, options, host));
  expect(outcomes).toContain('deleted ConfigMap default/b');
  expect(order).toEqual(['started', 'object', 'object', 'summary']);
  expect(await dataOf(cluster, 'a')).toEqual({ x: '2' });
  expect(await dataOf(cluster, 'b')).toBeUndefined();
});

test('a no changes nothing, reports every object as skipped, and gives up the locks', async () => {
  const { cluster } = await server();
  const one = await program(configMap('a', { x: '1' }), configMap('b', { x: '1' }));
  const two = await program(configMap('a', { x: '2' }));
  await deploy(one, cluster, options, () => {});
  const refused = await reported((host) => deploy(two, cluster, { ...options, yes: false, confirm: async () => false }, host));
  expect(refused.error).toMatchObject({ code: 'confirmation-needed', questions: [{ objects: ['delete ConfigMap default/b'] }] });
  expect(refused.outcomes).toEqual(['skipped ConfigMap default/a', 'skipped ConfigMap default/b']);
  expect(refused.order).toEqual(['started', 'refused', 'object', 'object', 'summary']);
  expect(await dataOf(cluster, 'a')).toEqual({ x: '1' });
  expect((await reported((host) => deploy(two, cluster, options, host))).error).toBeUndefined();
});

test('prepareDeploy: knows its questions before anything is changed', async () => {
  const { cluster } = await server();
  await deploy(await program(configMap('a', { x: '1' }), configMap('b', { x: '1' })), cluster, options, () => {});
  const cleanup = new Cleanup();
  try {
    const started = await startDeploy(await program(configMap('a', { x: '2' })), cluster, { ...options, yes: false }, () => {});
    const prepared = await prepareDeploy(started, cleanup);
    expect(Object.isFrozen(prepared)).toBe(true);
    expect(prepared.waves.flat().map(({ key }) => key)).toEqual(['/ConfigMap/default/a']);
    expect(questionsOf(prepared).map(({ objects }) => objects)).toEqual([['delete ConfigMap default/b']]);
    expect(questionsOf(prepared)).toEqual(questionsOf(prepared));
    expect(await confirmDeploy(prepared)).toMatchObject({ releasesInitialEntry: false });
    expect(await dataOf(cluster, 'a')).toEqual({ x: '1' });
  } finally {
    await cleanup.run();
  }
});

test('the locks come first and go last, and the inventories are written before and after the applies', async () => {
  const { cluster, writes } = await server();
  await deploy(await program(configMap('b', { x: '1' })), cluster, options, () => {});
  writes.length = 0;
  await deploy(await program(configMap('a', { x: '1' })), cluster, options, () => {});
  expect(writes).toEqual([
    'PUT leases',
    'PUT configmaps',
    'PATCH configmaps a',
    'PUT configmaps',
    'DELETE configmaps b',
    'PUT configmaps',
    'PUT leases',
  ]);
});

test('a refusal gives up the locks before the run ends', async () => {
  const { cluster, writes } = await server();
  await deploy(await program(configMap('a', { x: '1' }), configMap('b', { x: '1' })), cluster, options, () => {});
  writes.length = 0;
  const atSummary: string[][] = [];
  const two = await program(configMap('a', { x: '2' }));
  const no = { ...options, yes: false, confirm: async () => false };
  await reported(
    (host) => deploy(two, cluster, no, host),
    ({ event }) => event === 'refused' && atSummary.push([...writes]),
  );
  expect(atSummary).toEqual([['PUT leases', 'PUT leases']]);
});

test('an error before the first change is the summary of a run in which everything is skipped', async () => {
  const { cluster, writes } = await server();
  const failing = () => Promise.reject(new Error('the disk is full'));
  const broken: ClusterClient = { ...cluster, withContext: () => broken, list: failing };
  const { error, outcomes, order, result } = await reported(async (host) =>
    deploy(await program(configMap('a', { x: '1' })), broken, options, host),
  );
  expect(error).toBeUndefined();
  expect(outcomes).toEqual(['skipped ConfigMap default/a']);
  expect(order).toEqual(['started', 'refused', 'object', 'summary']);
  expect(result).toMatchObject({ ok: false, counts: { skipped: 1 }, errors: [{ message: expect.stringContaining('the disk is full') }] });
  expect(writes.filter((write) => !write.endsWith('leases'))).toEqual([]);
});

test('where an apply fails the others are applied, and nothing is removed', async () => {
  const { cluster, writes } = await server();
  await deploy(await program(configMap('a', { x: '1' }), configMap('b', { x: '1' })), cluster, options, () => {});
  const two = await program(refusedConfigMap('c'), configMap('d', { x: '1' }), configMap('a', { x: '1' }));
  const { outcomes, order, result, events } = await reported((host) => deploy(two, cluster, options, host));
  expect(outcomes).toEqual([
    'failed ConfigMap default/c',
    'created ConfigMap default/d',
    'unchanged ConfigMap default/a',
    'skipped ConfigMap default/b',
  ]);
  expect(order).toEqual(['started', 'object', 'object', 'object', 'object', 'summary']);
  expect(result).toMatchObject({ ok: false, counts: { failed: 1, created: 1, unchanged: 1, skipped: 1 } });
  expect(events.at(-2)).toMatchObject({ reason: 'no longer declared, but kept because its stack did not fully succeed' });
  expect(await dataOf(cluster, 'b')).toEqual({ x: '1' });
  expect(writes.at(-1)).toBe('PUT leases');
});

test('an interrupt while it waits for a run whose Lease was deleted leaves everything as it was, also for the next run', async () => {
  const { cluster, writes } = await server();
  await deploy(await program(configMap('a', { x: '1' })), cluster, options, () => {});
  const leases = await cluster.resourceOf('coordination.k8s.io/v1', 'Lease');
  const list = () => cluster.list(leases, { namespace: 'fieldwise-system' });
  const [{ metadata }] = (await list()) as [{ readonly metadata: Readonly<Record<'name' | 'uid' | 'resourceVersion', string>> }];
  const { name, ...preconditions } = metadata;
  const address = { resource: leases, namespace: 'fieldwise-system', name };
  await cluster.delete(address, { ...preconditions, propagationPolicy: 'Background' });
  writes.length = 0;
  const interrupt = new AbortController();
  const two = await program(configMap('a', { x: '2' }));
  const { result, events } = await reported(
    (host) => deploy(two, cluster, { ...options, signal: interrupt.signal }, host),
    ({ event }) => event === 'waiting-for-lock' && interrupt.abort(),
  );
  expect(events).toContainEqual({ event: 'waiting-for-lock', stack: 'web', timeoutSeconds: 15, leaseDurationSeconds: 15 });
  expect(result).toMatchObject({ ok: false, exitCode: 130 });
  expect(writes).toEqual(['PATCH leases', 'DELETE leases']);
  expect(await list()).toEqual([]);
});

test('an interrupt lets the object at hand end, skips the others, and records what was done', async () => {
  const { cluster, writes } = await server();
  const two = await program(configMap('a', { x: '1' }), configMap('b', { x: '1' }));
  const interrupt = new AbortController();
  const first = await reported(
    (host) => deploy(two, cluster, { ...options, signal: interrupt.signal }, host),
    ({ event }) => event === 'object' && interrupt.abort(),
  );
  expect(first.outcomes).toEqual(['created ConfigMap default/a', 'skipped ConfigMap default/b']);
  expect(first.result).toMatchObject({ ok: false, exitCode: 130 });
  expect(writes.slice(-2)).toEqual(['PUT configmaps', 'PUT leases']);
  const second = await reported((host) => deploy(two, cluster, options, host));
  expect(second).toMatchObject({
    outcomes: ['unchanged ConfigMap default/a', 'created ConfigMap default/b'],
    result: { ok: true },
  });
});

test('an interrupt before the first change refuses the run', async () => {
  const { cluster, writes } = await server();
  const { outcomes, order, result } = await reported(async (host) =>
    deploy(await program(configMap('a', { x: '1' })), cluster, { ...options, signal: AbortSignal.abort() }, host),
  );
  expect(outcomes).toEqual(['skipped ConfigMap default/a']);
  expect(order).toEqual(['started', 'refused', 'object', 'summary']);
  expect(result).toMatchObject({ ok: false, exitCode: 130 });
  expect(writes).toEqual([]);
});

test('a field that a program has removed in place since the last deploy is reported as released', async () => {
  const { cluster } = await server();
  const assembly = await program(configMap('a', { x: '1', y: '1' }));
  await deploy(assembly, cluster, options, () => {});
  Object.assign(assembly.objects[0]?.[0] ?? {}, { data: { x: '1' } });
  const { events } = await reported((host) => deploy(assembly, cluster, options, host));
  expect(events[1]).toMatchObject({ object: 'ConfigMap default/a', released: [{ field: '.data.y', change: 'removed', oldValue: '1' }] });
});
