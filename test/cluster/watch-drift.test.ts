import { expect, test } from 'vitest';
import type { DriftEnded, SeenDrift } from '../../src/deploy/index.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('watchdrift');
const { cluster } = testEnvironment;
const { config, live, placed, ref } = configMapHelpers(testEnvironment);

/** Runs `work` as soon as the command opens its watch, before a server on which every watch has expired. */
async function whileWatching(name: string, args: readonly string[], work: () => Promise<void>) {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: [own(config(`${name}-a`)), own(config(`${name}-b`))] }, { kubeconfig: proxy.kubeconfig });
  await deployed(project);
  let watches = 0;
  let working: Promise<void> | undefined;
  proxy.onRequest = ({ query }) => {
    if (query.get('watch') === null) return undefined;
    watches += 1;
    working ??= work();
    return { status: 410, body: { kind: 'Status', apiVersion: 'v1', code: 410, reason: 'Expired', status: 'Failure' } };
  };
  const result = await project.run(args);
  await working;
  expect(watches).toBeGreaterThan(1);
  return result;
}

test('drift --watch reports each change with its author, its end and a deletion, over a watch that has expired', async () => {
  const result = await whileWatching('seen', ['drift', '--watch', '--for', '4', '-o', 'json', '--exit-code'], async () => {
    await cluster.apply('editor', placed('seen-a', { a: 'theirs' }), { force: true });
    await cluster.remove(ref('seen-b'));
  });
  expect(result.exitCode, result.stderr).toBe(1);
  const seen = eventsOf(result.events, 'drift') as unknown as SeenDrift[];
  const of = (name: string) => seen.filter((event) => event.name === name);
  expect(of('seen-a')).toMatchObject([
    { state: 'drifted', by: [{ manager: 'editor', operation: 'Apply' }], fields: [{ field: '.data.a', declared: '1', live: 'theirs' }] },
  ]);
  expect(of('seen-b')).toMatchObject([{ state: 'absent', fields: [] }]);
  expect(Date.parse(seen[0]?.at ?? '')).not.toBeNaN();
  expect(result.events.at(-1)).toEqual({ event: 'watch-summary', objects: 2, drifted: 2, drifting: 2 });
});

test('drift --watch reports changes for people, too', async () => {
  const result = await whileWatching('ended', ['drift', '--watch', '--for', '4'], async () => {
    await cluster.apply('editor', placed('ended-a', { a: 'theirs' }), { force: true });
  });
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.stdout).toMatch(
    /^\S+Z {2}by editor.*\ndrifted +ConfigMap \S+ended-a {2}\[main\]\n +\.data\.a: declared "1", is "theirs", owned by editor/,
  );
  expect(result.stdout).toMatch(/drift: 1 of 2 objects drifted, 1 at the end\n$/);
});

test('drift --watch says if nothing shows who made a change', async () => {
  const result = await whileWatching('unknown', ['drift', '--watch', '--for', '4'], async () => {
    await cluster.remove(ref('unknown-b'));
  });
  expect(result.stdout).toMatch(/^\S+Z {2}author unknown\nabsent +ConfigMap \S+unknown-b /);
});

test.each([
  ['drift', '"state":"drifted"'],
  ['status', '"event":"status"'],
])('%s --watch ends with the reader of its output', async (command, first) => {
  const project = testEnvironment.program({ main: [own(config(`piped-${command}`))] });
  await deployed(project);
  const running = project.runPiped([command, '--watch', '-o', 'json']);
  let version = 0;
  const changes = setInterval(() => {
    version += 1;
    void cluster.apply('editor', placed(`piped-${command}`, { a: `theirs-${version}` }), { force: true });
  }, 300);
  try {
    expect(await running.firstLine).toContain(first);
    running.closeOutput();
    expect(await running.exitCode).toBe(0);
  } finally {
    clearInterval(changes);
  }
});

test('status --watch shows all objects, then those whose status changes', async () => {
  const result = await whileWatching('status', ['status', '--watch', '--for', '4', '-o', 'json'], async () => {
    await cluster.apply('editor', placed('status-a', { a: 'theirs' }), { force: true });
  });
  expect(result.exitCode, result.stderr).toBe(0);
  const states = (eventsOf(result.events, 'status') as unknown as (SeenDrift | DriftEnded)[]).map((event) => {
    const { name, state } = event as SeenDrift;
    return `${name} ${state}`;
  });
  expect(states).toEqual(['status-a in-sync', 'status-b in-sync', 'status-a drifted']);
  expect(result.events.at(-1)).toMatchObject({ event: 'status-summary', counts: { drifted: 1, 'in-sync': 1 } });
});

test('drift --strict also shows fields of owned objects that nobody declares; a share shows none', async () => {
  await cluster.create('them', placed('strict-shared', { theirs: '1' }));
  const project = testEnvironment.program({ main: [own(config('strict')), share(config('strict-shared', { ours: '1' }))] });
  await deployed(project);
  expect((await project.run(['drift', '--strict', '--exit-code'])).exitCode).toBe(0);
  await cluster.patch('editor', placed('strict') as never, { data: { extra: 'x' }, metadata: { labels: { theirs: 'yes' } } });
  await cluster.apply('applier', placed('strict', { declared: 'y' }));
  expect((await project.run(['drift', '--exit-code'])).exitCode).toBe(0);
  const strict = await project.run(['drift', '--strict', '--exit-code', '-o', 'json']);
  expect(strict.exitCode).toBe(1);
  const found = eventsOf(strict.events, 'drift') as unknown as SeenDrift[];
  expect(found).toHaveLength(1);
  expect(found[0]?.fields.map(({ field, drift, live: value }) => [field, drift, value]).sort()).toEqual([
    ['.data.extra', 'undeclared', 'x'],
    ['.metadata.labels.theirs', 'undeclared', 'yes'],
  ]);
  expect((await project.run(['drift', '--strict'])).stdout).toContain('.data.extra: not declared, is "x", owned by editor');
  expect((await live('strict')).data).toMatchObject({ extra: 'x', declared: 'y' });
  // A declared field that another has written is drift once, not also a field that nobody declares.
  await cluster.patch('editor', placed('strict') as never, { data: { a: 'theirs' } });
  const both = eventsOf((await project.run(['drift', '--strict', '-o', 'json'])).events, 'drift') as unknown as SeenDrift[];
  expect(both[0]?.fields.map(({ field, drift }) => [field, drift]).sort()).toEqual([
    ['.data.a', 'changed'],
    ['.data.extra', 'undeclared'],
    ['.metadata.labels.theirs', 'undeclared'],
  ]);
});

test('drift --repair takes --no-wait and --timeout', async () => {
  const project = testEnvironment.program({
    main: [own(config('waited'), { waitFor: { field: '.data.ready', equals: 'yes' }, wait: { seconds: 300 } })],
  });
  await project.deploy(['--no-wait']);
  const drift = () => cluster.apply('editor', placed('waited', { a: 'theirs' }), { force: true });
  await drift();
  const repaired = await project.run(['drift', '--repair', '--yes', '--no-wait']);
  expect(repaired.exitCode, repaired.stderr).toBe(0);
  await drift();
  const timedOut = await project.run(['drift', '--repair', '--yes', '--timeout', '1']);
  expect(timedOut.exitCode).toBe(4);
  expect((await live('waited')).data.a).toBe('1');
});

test.each([
  [['drift', '--for', '3'], '--for'],
  [['status', '--for', '3'], '--for'],
  [['drift', '--no-wait'], '--no-wait'],
  [['drift', '--timeout', '3'], '--timeout'],
  [['drift', '--repair', '--strict'], '--strict'],
  [['drift', '--repair', '--watch'], '--watch'],
])('%j is refused', async (args, flag) => {
  const project = testEnvironment.program({ main: [own(config('flags'))] });
  const refused = await project.run(args);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('[flag-without-use]') });
  expect(refused.stderr).toContain(flag);
});
