import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Assembly } from '../../../src/assembly/types.js';
import { confirmDeploy, questionsOf } from '../../../src/deploy/deploy/confirm-deploy.js';
import { deploy } from '../../../src/deploy/deploy/deploy.js';
import { prepareDeploy } from '../../../src/deploy/deploy/prepare-deploy.js';
import { startDeploy } from '../../../src/deploy/deploy/start-deploy.js';
import { destroy } from '../../../src/deploy/destroy/destroy.js';
import type { DeployEvent } from '../../../src/engine/report/events.js';
import { Cleanup } from '../../../src/engine/run/cleanup.js';
import type { RunOptions } from '../../../src/engine/run/options.js';
import { prepareRun } from '../../../src/engine/run/prepare-run.js';
import { readAssembly } from '../../../src/entry/deploy.js';
import { EmbeddedApiServer } from '../../../src/entry/embedded.js';
import { inProcessClient } from '../../../src/entry/in-process.js';
import { App, Stack } from '../../../src/entry/index.js';
import type { ClusterClient } from '../../../src/kubernetes/index.js';

const directory = mkdtempSync(join(tmpdir(), 'fieldwise-run-'));
afterAll(() => rmSync(directory, { recursive: true }));

const configMap = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
let count = 0;

/** Synthesizes a program of one stack. */
async function program(...objects: readonly object[]): Promise<Assembly> {
  const app = new App({ name: 'shop', outdir: join(directory, String(count++)) });
  const stack = new Stack(app, 'web', { namespace: 'default' });
  for (const object of objects) stack.own(object as Parameters<Stack['own']>[0]);
  app.synth();
  return readAssembly(app.outdir);
}

async function server(): Promise<ClusterClient> {
  return inProcessClient(await EmbeddedApiServer.start({ port: false }));
}

const options: RunOptions = { wait: false, yes: true, confirm: async () => true, deletionTimeoutSeconds: 0 };

/** Runs a verb and returns what it reported: the outcomes by object, and the names of its events in their order. */
async function reported(run: (host: (event: DeployEvent) => void) => Promise<unknown>) {
  const events: DeployEvent[] = [];
  const error = await run((event) => events.push(event)).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  const outcomes = events.flatMap((event) => (event.event === 'object' ? [`${event.result} ${event.object}`] : []));
  return { error, outcomes, order: events.map(({ event }) => event) };
}

const dataOf = async (cluster: ClusterClient, name: string) => {
  const resource = await cluster.resourceOf('v1', 'ConfigMap');
  return (await cluster.tryGet({ resource, namespace: 'default', name }))?.data;
};

test('prepareRun: a run is frozen, has the chosen stacks and their steps, and sends nothing', async () => {
  const assembly = await program(configMap('a', { x: '1' }), configMap('b', { x: '1' }));
  const silent = new Proxy({} as ClusterClient, { get: (_, name) => () => Promise.reject(new Error(`${String(name)} was called`)) });
  const run = prepareRun(assembly, silent, { stacks: ['web'] });
  expect(Object.isFrozen(run)).toBe(true);
  expect(run.stacks.map(({ name }) => name)).toEqual(['web']);
  expect(run.declared.map(({ intent }) => intent.name)).toEqual(['a', 'b']);
  expect(() => prepareRun(assembly, silent, { stacks: ['other'] })).toThrow('declares no stack other');
});

test('deploy: creates, leaves alone, changes and removes', async () => {
  const cluster = await server();
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

test('deploy: a no changes nothing, reports every object as skipped, and gives up the locks', async () => {
  const cluster = await server();
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
  const cluster = await server();
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

test('destroy: deletes what the stack owns, and finds nothing the second time', async () => {
  const cluster = await server();
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

test('destroy: an unknown stack is refused before anything is reported', async () => {
  const one = await program(configMap('a', { x: '1' }));
  const unknown = await reported(async (host) => destroy(one.manifest, await server(), { ...options, stacks: ['other'] }, host));
  expect(unknown).toMatchObject({ error: { code: 'stack-unknown' }, order: [] });
});

test('Cleanup: gives up the last thing first, and each once', async () => {
  const ended: string[] = [];
  const cleanup = new Cleanup();
  cleanup.add(() => void ended.push('lock'));
  cleanup.add(async () => void ended.push('watch'));
  await cleanup.run();
  await cleanup.run();
  expect(ended).toEqual(['watch', 'lock']);
});
