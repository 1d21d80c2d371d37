import type { ChildProcess } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { poll } from '../harness/poll.js';
import { own } from '../harness/program-text.js';
import type { Project, Report } from '../harness/project.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('lost-lock');
const { config, placed, ref } = configMapHelpers(testEnvironment);

/** A program with a stack of ConfigMaps that have one value, in the order of their names. */
function program(name: string, value: string, suffixes: readonly string[]): Project {
  const objects = suffixes.map((suffix) => own({ ...config(`${name}-${suffix}`), data: { v: value } }));
  const environment = { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` };
  return testEnvironment.program({ main: objects }, { environment });
}

/** A run in a process of its own, whose requests pass a proxy. */
interface SlowRun {
  /** Resolves once the process is stopped, or its requests are held, at the chosen request, which has not reached the server. */
  readonly reached: Promise<void>;
  /** Lets it go on. Returns a function that returns the writes which the run has sent since then, without attempts to renew its lock. */
  goOn(): () => readonly string[];
  readonly ended: Promise<Report>;
}

type Cause = 'suspended' | 'cut off';

/** Starts a command that is suspended (SIGSTOP) or cut off from the server at the request that `isIt` finds. */
async function startSlowly(
  project: Project,
  verb: 'deploy' | 'destroy',
  cause: Cause,
  isIt: (request: ProxiedRequest) => boolean,
): Promise<SlowRun> {
  const proxy = await testEnvironment.proxy();
  let child: ChildProcess | undefined;
  let held = false;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    proxy.onRequest = async (request) => {
      if (!held && isIt(request)) {
        held = true;
        if (cause === 'suspended') child?.kill('SIGSTOP');
        resolve();
      }
      if (held) await released;
      return undefined;
    };
  });
  const ended = project[verb](['--yes', '--concurrency', '1', '--timeout', '5', '--outdir', 'out/slow'], {
    kubeconfig: proxy.kubeconfig,
    asProcess: true,
    onStart: (started) => {
      child = started;
      testEnvironment.onCleanup(() => started.kill('SIGKILL'));
    },
  });
  return {
    reached,
    ended,
    goOn() {
      const before = proxy.requests.length;
      child?.kill('SIGCONT');
      release();
      return () =>
        proxy.requests
          .slice(before)
          .flatMap(({ method, path }) => (method === 'GET' || path.includes('/leases/') ? [] : [`${method} ${path}`]));
    },
  };
}

const names = ['a', 'b', 'c', 'd'];
const isApplyOf = (name: string) => (request: ProxiedRequest) => request.method === 'PATCH' && request.path.endsWith(`/${name}`);
const isFirstDeletion = ({ method, path }: ProxiedRequest) => method === 'DELETE' && path.includes('/configmaps/');

async function values(name: string, suffixes: readonly string[]): Promise<Record<string, string | undefined>> {
  const found = await Promise.all(suffixes.map((suffix) => testEnvironment.cluster.find(ref(`${name}-${suffix}`))));
  return Object.fromEntries(suffixes.map((suffix, index) => [suffix, found[index]?.data?.v]));
}

// Each waits for the whole duration of a Lease, so all run at once.
describe.concurrent.each<Cause>(['suspended', 'cut off'])('a run that is %s until a newer run has ended writes nothing more', (cause) => {
  const id = cause === 'suspended' ? 's' : 'c';

  test('a deploy: the apply in flight has no known outcome, and the others are skipped', async () => {
    const name = `${id}-deploy`;
    await program(name, 'first', names).deploy();
    await waitForNextSecond(); // Times of managedFields have seconds: else the run cannot prove that it has updated something.
    const older = await startSlowly(program(name, 'older', names), 'deploy', cause, isApplyOf(`${name}-b`));
    await older.reached;
    const newer = await program(name, 'newer', names).deploy();
    expect(newer.exitCode, String(newer)).toBe(0);
    const late = older.goOn();
    const report = await older.ended;
    expect(late(), String(report)).toEqual([]);
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.summary.errors).toMatchObject([
      { code: 'lock-lost', message: expect.stringContaining('another run took it over, and has ended') },
    ]);
    expect(report.only(`${name}-a`)).toMatchObject({ result: 'updated' });
    expect(report.only(`${name}-b`)).toMatchObject({
      result: 'failed',
      error: { code: 'lock-lost' },
      reason: expect.stringMatching(/^perhaps applied: /),
    });
    for (const suffix of ['c', 'd']) expect(report.only(`${name}-${suffix}`)).toMatchObject({ result: 'skipped' });
    const { b: _, ...others } = await values(name, names);
    expect(others).toEqual({ a: 'newer', c: 'newer', d: 'newer' });
    const again = await program(name, 'newer', names).deploy();
    expect(again.exitCode, String(again)).toBe(0);
    expect(await values(name, names)).toEqual({ a: 'newer', b: 'newer', c: 'newer', d: 'newer' });
  });

  test('a deploy: an object that it creates late is known to the newer run, which does not declare it', { timeout: 120_000 }, async () => {
    const name = `${id}-create`;
    await program(name, 'first', names).deploy();
    const older = await startSlowly(program(name, 'older', [...names, 'e']), 'deploy', cause, isApplyOf(`${name}-e`));
    await older.reached;
    const newer = program(name, 'newer', names);
    const ended = newer.deploy();
    // The newer run has the lock by now, and the object is absent.
    const isTaken = async () => (await values(name, ['a'])).a === 'newer';
    await poll('the newer run has applied its objects', isTaken, 60);
    expect(await testEnvironment.cluster.find(ref(`${name}-e`))).toBeUndefined();
    // Long after it has removed what is there.
    await setTimeout(5_000);
    older.goOn();
    const report = await ended;
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only(`${name}-e`), String(report)).toMatchObject({ result: 'deleted' });
    expect((await older.ended).only(`${name}-e`)).toMatchObject({ result: 'failed', error: { code: 'outcome-unknown' } });
    expect(await testEnvironment.cluster.find(ref(`${name}-e`))).toBeUndefined();
  });

  test('a deploy: what it applies late to an object that a run in between has dropped, or deleted, is removed, too', {
    timeout: 180_000,
  }, async () => {
    const name = `${id}-dropped`;
    await testEnvironment.cluster.create('somebody', placed(`${name}-a`, { theirs: '1' }));
    await program(name, 'first', ['a', 'b']).deploy();
    const older = await startSlowly(program(name, 'older', ['a', 'b', 'e']), 'deploy', cause, isApplyOf(`${name}-a`));
    await older.reached;
    // The object existed before the stack, which therefore only releases it.
    const ended = program(name, 'newer', ['b']).deploy(['--yes']);
    const isReleased = async () => (await values(name, ['a'])).a === undefined;
    await poll('the newer run has released it', isReleased, 60);
    older.goOn();
    const report = await ended;
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only(`${name}-a`), String(report)).toMatchObject({ result: 'released' });
    await older.ended;
    const left = await testEnvironment.cluster.get(ref(`${name}-a`));
    expect(left.data).toEqual({ theirs: '1' });
    expect(left.metadata.managedFields?.map(({ manager }: { manager: string }) => manager)).toEqual(['somebody']);
  });

  test('a deploy that prunes: the deletion in flight is refused, because the newer run has written the object', {
    timeout: 60_000,
  }, async () => {
    const name = `${id}-prune`;
    await program(name, 'first', [...names, 'x', 'y', 'z']).deploy();
    const older = await startSlowly(program(name, 'older', names), 'deploy', cause, isFirstDeletion);
    await older.reached;
    const newer = await program(name, 'newer', [...names, 'x', 'y', 'z']).deploy();
    expect(newer.exitCode, String(newer)).toBe(0);
    const late = older.goOn();
    const report = await older.ended;
    expect(late(), String(report)).toEqual([]);
    expect(report.exitCode, String(report)).toBe(4);
    const removals = report.objects.filter(({ object }) => /-[xyz]$/.test(object)).map(({ result }) => result);
    expect(removals, String(report)).toEqual(['skipped', 'skipped', 'skipped']);
    expect(await values(name, ['x', 'y', 'z'])).toEqual({ x: 'newer', y: 'newer', z: 'newer' });
  });

  test('a destroy', async () => {
    const name = `${id}-destroy`;
    await program(name, 'first', names).deploy();
    const older = await startSlowly(program(name, 'first', names), 'destroy', cause, isFirstDeletion);
    await older.reached;
    const newer = await program(name, 'newer', names).deploy();
    expect(newer.exitCode, String(newer)).toBe(0);
    const late = older.goOn();
    const report = await older.ended;
    expect(late(), String(report)).toEqual([]);
    expect(report.exitCode, String(report)).toBe(4);
    expect(await values(name, names)).toEqual({ a: 'newer', b: 'newer', c: 'newer', d: 'newer' });
    expect((await program(name, 'newer', names).deploy()).objects.map(({ result }) => result)).toEqual(names.map(() => 'unchanged'));
  });

  test('a first deploy, whose Lease a destroy has deleted meanwhile', async () => {
    const name = `${id}-first`;
    const older = await startSlowly(program(name, 'older', names), 'deploy', cause, isApplyOf(`${name}-a`));
    await older.reached;
    const newer = await program(name, 'newer', names).destroy();
    expect(newer.exitCode, String(newer)).toBe(0);
    const late = older.goOn();
    const report = await older.ended;
    expect(late(), String(report)).toEqual([]);
    expect(report.summary.errors, String(report)).toMatchObject([
      { code: 'lock-lost', message: expect.stringContaining('its Lease is gone, so that another run may have taken it and ended') },
    ]);
    const { a: _, ...others } = await values(name, names);
    expect(others).toEqual({});
  });
});
