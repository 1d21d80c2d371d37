import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own, share } from '../harness/program-text.js';
import { nthWrite, TestEnvironment } from '../harness/test-environment.js';
import { watchObject } from '../harness/watch.js';

const testEnvironment = await TestEnvironment.create('transfer-from');

const { ref, config, live, owners, edit } = configMapHelpers(testEnvironment);

/** Stack `a` owns an object with two fields, of which it gives the first to `b`. */
async function given(name: string, b: (from: string) => readonly Declared[], before = own(config(name, { x: '1', y: '1' }))) {
  const project = testEnvironment.program({ a: [before] });
  await deployed(project);
  const a = project.manager('a');
  edit(project, { a: [{ ...before, object: config(name, { y: '1' }) }], b: b(a) });
  await project.run(['synth']);
  return { project, a, b: project.manager('b') };
}

const sharing =
  (name: string, value = '1') =>
  (from: string) => [share(config(name, { x: value }), { transferFrom: { from } })];

test('a deploy that asks names the transfers that would fail first', async () => {
  const { project, a } = await given('fails-anyway', sharing('fails-anyway', '2'), own(config('fails-anyway', { x: '1', y: '1' })));
  edit(project, { a: [own(config('beside', {}))], b: sharing('fails-anyway', '2')(a) });
  const { exitCode, events } = await project.run(['deploy', '-o', 'json']);
  expect(exitCode).toBe(2);
  const told = events.filter(({ event }) => event === 'warning' || event === 'refused');
  expect(told).toMatchObject([
    {
      code: 'handoff-value-differs',
      message: expect.stringMatching(/^ConfigMap \S+\/fails-anyway of stack b would fail: The new owner declares other values/),
      next: expect.stringContaining('Declare the present values'),
    },
    { error: { code: 'confirmation-needed' } },
  ]);
});

test('one deploy of both: the new owner comes first, though the previous owner owns the object', async () => {
  const { project, a, b } = await given('both', sharing('both'));
  const watched = await watchObject(testEnvironment.cluster, ref('both'));
  const report = await deployed(project);
  expect(report.objects.map(({ stack, result, transferred }) => [stack, result, transferred])).toEqual([
    ['b', 'updated', { from: a, fields: ['.data.x'] }],
    ['a', expect.stringMatching(/unchanged|updated|applied/), undefined],
  ]);
  expect(await owners('both')).toEqual({ [a]: ['.data.y'], [b]: ['.data.x'] });
  await watched.until(({ object }: ResponseBody) => object.metadata.managedFields.length === 2);
  watched.stop();
  for (const { object } of watched.events) expect(object.data).toEqual({ x: '1', y: '1' });
  const again = await deployed(project);
  expect(again.objects.map(({ result }) => result)).toEqual(['unchanged', 'unchanged']);
});

test('the program of docs/adopt.md', async () => {
  const text = readFileSync(fileURLToPath(new URL('../../docs/adopt.md', import.meta.url)), 'utf8');
  const program = /<!-- recipe: transfer-from -->\n```ts\n([\s\S]*?)```/.exec(text)?.[1] as string;
  const moved = /team\.share.*\n/.exec(program)?.[0] as string;
  const earlier = program.replace(moved, '').replace("region: 'north'", "region: 'north', theme: 'dark'");
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': earlier });
  await deployed(project);
  project.write({ 'main.ts': program });
  await project.run(['synth']);
  const [base, team] = [project.manager('base'), project.manager('team')];
  const { events } = await project.run(['diff', '-o', 'json']);
  expect(eventsOf(events, 'plan')).toMatchObject([
    { stack: 'base', action: 'unchanged', fields: [{ field: '.data.region', change: 'same' }] },
    { stack: 'team', action: 'update', transferred: { from: base, fields: ['.data.theme'] } },
  ]);
  await deployed(project);
  expect(await owners('settings')).toEqual({ [base]: ['.data.region'], [team]: ['.data.theme'] });
  expect((await project.run(['diff'])).exitCode).toBe(0);
});

describe('a saved plan', () => {
  const saved = async (name: string) => {
    const made = await given(name, sharing(name));
    const planned = await made.project.run(['diff', '--output-file', 'plan=plan.json']);
    expect(planned.exitCode, planned.stderr).toBe(0);
    return made;
  };

  test('hands over what it shows', async () => {
    const { project, a, b } = await saved('plan-kept');
    const report = await project.deploy(['--plan', 'plan.json']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.objects.find(({ stack }) => stack === 'b')?.transferred).toEqual({ from: a, fields: ['.data.x'] });
    expect(await owners('plan-kept')).toEqual({ [a]: ['.data.y'], [b]: ['.data.x'] });
  });

  test('is refused where the field has another value or another owner by now', async () => {
    const { project, a } = await saved('plan-moved');
    await testEnvironment.cluster.apply('somebody', { ...ref('plan-moved'), data: { x: '7' } }, { force: true });
    const report = await project.deploy(['--plan', 'plan.json']);
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.summary.errors).toMatchObject([{ code: 'plan-outdated', message: expect.stringContaining('.data.x') }]);
    expect(await owners('plan-moved')).toEqual({ [a]: ['.data.y'], somebody: ['.data.x'] });
  });
});

test('only the new owner, then only the previous owner', async () => {
  const { project, a, b } = await given('one-by-one', sharing('one-by-one'));
  await deployed(project, 'b');
  expect(await owners('one-by-one')).toEqual({ [a]: ['.data.y'], [b]: ['.data.x'] });
  await deployed(project, 'a');
  expect(await owners('one-by-one')).toEqual({ [a]: ['.data.y'], [b]: ['.data.x'] });
  expect((await live('one-by-one')).data).toEqual({ x: '1', y: '1' });
});

describe('refused, with nothing changed', () => {
  test('the previous owner alone, before the new owner has the fields', async () => {
    const { project } = await given('alone', sharing('alone'));
    const before = await testEnvironment.cluster.resourceVersion(ref('alone'));
    const { exitCode, stderr } = await project.run(['deploy', 'a', '--yes']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[handoff-pending]')]);
    expect(await testEnvironment.cluster.resourceVersion(ref('alone'))).toBe(before);
  });

  test('where a value differs: the previous owner keeps its fields, too', async () => {
    const { project, a } = await given('differs', sharing('differs', '2'));
    const before = await testEnvironment.cluster.resourceVersion(ref('differs'));
    const report = await project.deploy(['--yes']);
    expect(report.objects).toMatchObject([
      { stack: 'b', result: 'failed', error: { code: 'handoff-value-differs', message: expect.stringContaining('.data.x') } },
      { stack: 'a', result: 'skipped', reason: expect.stringContaining('the new owner of its fields') },
    ]);
    expect(await testEnvironment.cluster.resourceVersion(ref('differs'))).toBe(before);
    expect(await owners('differs')).toEqual({ [a]: ['.data.x', '.data.y'] });
  });

  test('a field that the intent does not declare', async () => {
    const { project } = await given('undeclared', (from) => [
      share(config('undeclared', { x: '1' }), { transferFrom: { from, fields: ['data.z'] } }),
    ]);
    const { exitCode, stderr } = await project.run(['deploy', '--yes']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[handoff-not-declared]')]);
  });
});

test('only the named fields, from any field manager; what its policy says holds for the others', async () => {
  await testEnvironment.cluster.apply('other-tool', { ...ref('foreign'), data: { x: '1', y: '1', z: '1' } });
  const transferFrom = { from: 'other-tool', fields: ['data.x'] };
  const project = testEnvironment.program({ b: [share(config('foreign', { x: '1', y: '1', z: '2' }), { transferFrom })] });
  await deployed(project, '--yes');
  expect(await owners('foreign')).toEqual({ 'other-tool': ['.data.y'], [project.manager('b')]: ['.data.x', '.data.y', '.data.z'] });
});

test('plan and record name no owner from whom the same deploy transfers the field', async () => {
  await testEnvironment.cluster.apply('old-tool', { ...ref('told'), data: { alone: '1', both: '1', left: '1' } });
  await testEnvironment.cluster.apply('stays', { ...ref('told'), data: { both: '1' } });
  const transferFrom = { from: 'old-tool', fields: ['data.alone', 'data.both'] };
  const project = testEnvironment.program({ b: [own(config('told', { alone: '1', both: '1', left: '1' }), { transferFrom })] });
  const rows = (fields: readonly { field: string; change: string; owners?: readonly { manager: string }[] }[] = []) =>
    fields.map(({ field, change, owners: others = [] }) => [field, change, ...others.map(({ manager }) => manager)]);
  const plan = await project.run(['diff', '-o', 'json']);
  expect(rows(eventsOf(plan.events, 'plan')[0]?.fields)).toEqual([
    ['.data.alone', 'same'],
    ['.data.both', 'co-own', 'stays'],
    ['.data.left', 'co-own', 'old-tool'],
  ]);
  const report = await deployed(project, '--yes');
  expect(report.only().transferred).toEqual({ from: 'old-tool', fields: ['.data.alone', '.data.both'] });
  expect(rows(report.only().changed)).toEqual([
    ['.data.both', 'co-own', 'stays'],
    ['.data.left', 'co-own', 'old-tool'],
  ]);
});

test('fields that the program still declares in the previous owner’s stack stay with both, deploy after deploy', async () => {
  const { project, a, b } = await given('still', sharing('still'));
  edit(project, { a: [own(config('still', { x: '1', y: '1' }))], b: sharing('still')(a) });
  await deployed(project);
  expect(await owners('still')).toEqual({ [a]: ['.data.x', '.data.y'], [b]: ['.data.x'] });
});

describe('an object that goes over whole', () => {
  const whole = async (name: string) => {
    const project = testEnvironment.program({ a: [own(config(name, { x: '1' }))] });
    await deployed(project);
    const { uid } = (await live(name)).metadata;
    edit(project, { a: [], b: [own(config(name, { x: '1' }), { transferFrom: { from: project.manager('a') } })] });
    return { project, uid };
  };

  test.each([[[] as string[]], [['b']]])('by a deploy of %j: it stays, and the new owner has the right to delete it', async (stacks) => {
    const name = `whole-${stacks.length}`;
    const { project, uid } = await whole(name);
    const { result } = await deployed(project, ...stacks);
    expect(eventsOf(result.events, 'warning').filter(({ code }) => code === 'revision-not-recorded')).toEqual([]);
    expect((await project.run(['history', 'b', '-o', 'json'])).events).toMatchObject([{ event: 'revision', stack: 'b', revision: 1 }]);
    await deployed(project, '--yes', '--prune');
    expect((await live(name)).metadata.uid).toBe(uid);
    expect(await owners(name)).toEqual({ [project.manager('b')]: ['.data.x'] });
    expect((await project.destroy(['b'])).results).toEqual({ [`ConfigMap ${testEnvironment.namespace}/${name}`]: 'deleted' });
  });

  test('the previous owner alone is refused', async () => {
    const { project, uid } = await whole('whole-alone');
    const { exitCode, stderr } = await project.run(['deploy', 'a', '--yes', '--prune']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[handoff-pending]')]);
    expect((await live('whole-alone')).metadata.uid).toBe(uid);
  });

  // Written in this order: the inventory, a dry run, the apply, the hand-over, both inventories.
  test.each([4, 5])(
    'killed at write %i of the new owner’s deploy: the previous owner deletes nothing, and the next run finishes it',
    async (n) => {
      const name = `killed-${n}`;
      const { project, uid } = await whole(name);
      expect(await testEnvironment.killRun((options) => project.run(['deploy', 'b'], options), nthWrite(n))).toBe(true);
      await project.run(['deploy', 'a', '--yes', '--prune']);
      expect((await live(name)).metadata.uid).toBe(uid);
      expect((await live(name)).data).toEqual({ x: '1' });
      await deployed(project, '--yes');
      expect(await owners(name)).toEqual({ [project.manager('b')]: ['.data.x'] });
      expect((await project.destroy(['b'])).only().result).toBe('deleted');
    },
  );
});

describe('handoff-unproved', () => {
  const previousOwner = 'other-tool';
  const declared = (name: string, data: object, policy: object) => [share(config(name, data), { ...policy, conflicts: 'yield' })];

  test('a field that is left to the previous owner by policy does not hold back one that is taken over', async () => {
    await testEnvironment.cluster.apply(previousOwner, { ...ref('limited'), data: { x: '1', y: '1' } });
    const project = testEnvironment.program({
      b: declared('limited', { x: '1', y: 'ours' }, { transferFrom: { from: previousOwner, fields: ['data.x'] } }),
    });
    expect((await deployed(project)).only()).toMatchObject({
      yielded: [{ field: '.data.y', from: previousOwner }],
      transferred: { from: previousOwner, fields: ['.data.x'] },
    });
    expect(await owners('limited')).toEqual({ [previousOwner]: ['.data.y'], [project.manager('b')]: ['.data.x'] });
  });

  test('a value that the previous owner changes in between holds the object back; following the error’s advice helps', async () => {
    const of = (x: string) => ({ ...ref('changed'), data: { x, y: '1' } });
    await testEnvironment.cluster.apply(previousOwner, of('1'));
    const project = testEnvironment.program({ b: declared('changed', { x: '1', y: '1' }, { transferFrom: { from: previousOwner } }) });
    const proxy = await testEnvironment.proxy();
    let changed = false;
    proxy.onRequest = async ({ method, path, query }) => {
      if (changed || method !== 'PATCH' || !path.endsWith('/changed') || query.has('dryRun')) return undefined;
      changed = true;
      await testEnvironment.cluster.apply(previousOwner, of('theirs'));
      return undefined;
    };
    const refused = await project.run(['deploy'], { kubeconfig: proxy.kubeconfig });
    expect(refused.exitCode).toBe(4);
    expect(refused.stdout).toContain(
      'If a policy `yield` leaves a field to the previous owner, declare its present value, and run again. [handoff-unproved]',
    );
    expect((await owners('changed'))[previousOwner]).toEqual(['.data.x', '.data.y']);
    edit(project, { b: declared('changed', { x: 'theirs', y: '1' }, { transferFrom: { from: previousOwner } }) });
    expect((await deployed(project)).only().transferred).toEqual({ from: previousOwner, fields: ['.data.x', '.data.y'] });
    expect(await owners('changed')).toEqual({ [project.manager('b')]: ['.data.x', '.data.y'] });
  });
});

/** The rename of stack `old`, and an object of it that gives a field away in the same deploy. */
describe.each([
  ['its former name', 'old'],
  ['its new name', 'fresh'],
  ['its stack', undefined],
  ['its former field manager', 'manager'],
] as const)('a previous owner that is renamed in the same deploy, named by %s', (what, from) => {
  test('gives its fields away without a change of a value', async () => {
    const name = `renamed-${what.replaceAll(' ', '-')}`;
    const deployment = (replicas?: number) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        ...(replicas === undefined ? {} : { replicas }),
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
      },
    });
    const project = testEnvironment.program({ old: [own(deployment(7), { wait: false })] });
    await deployed(project);
    const former = project.manager('old');
    const replicas = { ...testEnvironment.ref('apps/v1', 'Deployment', name), spec: { replicas: 7 } };
    const policy = { transferFrom: { from: from === 'manager' ? former : (from ?? 'of the stack') }, wait: false };
    const text = testEnvironment
      .text({ fresh: [own(deployment(), { wait: false })], scaler: [share(replicas, policy)] })
      .replace('"fresh")', '"fresh", { renamedFrom: "old" })')
      .replace('"of the stack"', 'stack_fresh');
    project.write({ 'main.ts': text });
    const ref = testEnvironment.ref('apps/v1', 'Deployment', name);
    const { generation } = (await testEnvironment.cluster.get(ref)).metadata;
    const planned = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan');
    expect(planned).toMatchObject([
      { stack: 'fresh', action: 'update' },
      { stack: 'scaler', action: 'update', transferred: { from: former, fields: ['.spec.replicas'] } },
    ]);
    expect(
      planned.flatMap(({ fields }) => fields.filter(({ change }: { change: string }) => !['same', 'co-own'].includes(change))),
    ).toEqual([]);
    const { objects } = await deployed(project);
    expect(objects).toMatchObject([
      { stack: 'scaler', result: 'updated', transferred: { from: former, fields: ['.spec.replicas'] } },
      { stack: 'fresh', result: 'updated' },
    ]);
    expect(objects.flatMap(({ released = [] }) => released)).toEqual([]);
    expect(await testEnvironment.cluster.get(ref)).toMatchObject({ metadata: { generation }, spec: { replicas: 7 } });
    const owned = await testEnvironment.cluster.owners(ref);
    expect(owned[project.manager('scaler')]).toEqual(['.spec.replicas']);
    expect(Object.keys(owned).sort()).toEqual([project.manager('fresh'), project.manager('scaler')].sort());
    const again = await deployed(project);
    expect(again.objects.map(({ result }) => result)).toEqual(['unchanged', 'unchanged']);
  });
});

describe('one stack at a time, where the previous owner is renamed', () => {
  const renamedPreviousOwner = async (name: string) => {
    const project = testEnvironment.program({ old: [own(config(name, { x: '1', y: '1' }))] });
    await deployed(project);
    const former = project.manager('old');
    const text = testEnvironment.text({ fresh: [own(config(name, { y: '1' }))], b: sharing(name)('old') });
    project.write({ 'main.ts': text.replace('"fresh")', '"fresh", { renamedFrom: "old" })') });
    return { project, former };
  };

  test('the previous owner alone is refused', async () => {
    const { project, former } = await renamedPreviousOwner('renamed-alone');
    const refused = await project.deploy(['fresh']);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('[handoff-pending]')]);
    expect(await owners('renamed-alone')).toEqual({ [former]: ['.data.x', '.data.y'] });
  });

  test('the new owner alone, then the previous one', async () => {
    const { project, former } = await renamedPreviousOwner('renamed-later');
    const report = await deployed(project, 'b');
    expect(report.only()).toMatchObject({ stack: 'b', transferred: { from: former, fields: ['.data.x'] } });
    expect(await owners('renamed-later')).toEqual({ [former]: ['.data.y'], [project.manager('b')]: ['.data.x'] });
    await deployed(project, 'fresh');
    expect(await owners('renamed-later')).toEqual({ [project.manager('fresh')]: ['.data.y'], [project.manager('b')]: ['.data.x'] });
    expect((await live('renamed-later')).data).toEqual({ x: '1', y: '1' });
  });
});

test('a previous owner that nobody knows is one line of warning, and nothing is said once nobody else owns the fields', async () => {
  await testEnvironment.cluster.apply('argocd-controller', { ...ref('unknown-owner'), data: { x: '1', y: '1' } });
  const project = testEnvironment.program({ b: sharing('unknown-owner')('argocd') });
  const warningsOf = async (...args: string[]) =>
    (await project.run([...args, '-o', 'json'])).events
      .filter(({ event }) => event === 'warning')
      .map(({ code, message }) => [code, message]);
  const warning = [
    'previous-owner-unknown',
    expect.stringMatching(/unknown-owner in stack b names argocd, .* owned by argocd-controller$/),
  ];
  expect(await warningsOf('diff')).toEqual([warning]);
  expect(await warningsOf('deploy')).toEqual([warning]);
  edit(project, { b: sharing('unknown-owner')('argocd-controller') });
  expect(await warningsOf('deploy')).toEqual([]);
  edit(project, { b: sharing('unknown-owner')('argocd') });
  expect(await warningsOf('deploy')).toEqual([]);
});

test('an object that is new, and a previous owner that nobody knows', async () => {
  const project = testEnvironment.program({ b: [own(config('new-here', { x: '1' }), { transferFrom: { from: 'argocd' } })] });
  const report = await deployed(project);
  expect(report.result.events.filter(({ event }) => event === 'warning')).toEqual([]);
  expect(report.only().result).toBe('created');
});

test('an object that moves with a new value out of a stack that is renamed in the same deploy', async () => {
  const [moved, stays] = [config('moves-out', { color: 'red' }), config('stays-in', { color: 'red' })];
  const project = testEnvironment.program({ a: [own(moved), own(stays)], b: [own(config('beside-it', { color: 'red' }))] });
  await deployed(project);
  const blue = config('moves-out', { color: 'blue' });
  const text = testEnvironment.text({ a2: [own(stays)], b: [own(blue), own(config('beside-it', { color: 'red' }))] });
  project.write({ 'main.ts': text.replace('"a2")', '"a2", { renamedFrom: "a" })') });
  const planned = await project.run(['diff', '-o', 'json']);
  expect(planned.events.filter(({ event }) => event === 'warning')).toEqual([]);
  const { objects, result } = await deployed(project);
  expect(result.events.filter(({ event }) => event === 'warning')).toEqual([]);
  expect(objects.filter(({ name }) => name === 'moves-out')).toMatchObject([
    { stack: 'b', result: 'updated', movedFrom: 'a2' },
    { stack: 'a2', result: 'released', reason: 'stack b owns it now, with the right to delete it' },
  ]);
  expect((await live('moves-out')).data).toEqual({ color: 'blue' });
  expect(Object.keys(await owners('moves-out'))).toEqual([project.manager('b')]);
  expect((await deployed(project)).objects.map(({ result }) => result)).toEqual(['unchanged', 'unchanged', 'unchanged']);
});
