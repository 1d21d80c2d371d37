import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { nthWrite, TestEnvironment } from '../harness/test-environment.js';
import { watchObject } from '../harness/watch.js';

const testEnvironment = await TestEnvironment.create('adopt-from');

const { ref, config, live, owners, edit } = configMapHelpers(testEnvironment);

async function adopt(project: Project, args: readonly string[], options: Parameters<Project['run']>[1] = {}) {
  const result = await project.run(['adopt', '--yes', '-o', 'json', ...args], options);
  return {
    ...result,
    adopted: result.events.filter(({ event }) => event === 'adoption'),
    deletable: result.events.filter(({ event }) => event === 'deletable').map(({ object }) => object),
  };
}

/** A shared object of which stack `a` has two fields; `b` now declares the first of them with the same value. */
async function shared(name: string, others: Record<string, readonly Declared[]> = {}): Promise<Project> {
  await testEnvironment.cluster.apply('owner', { ...ref(name), data: { theirs: '1' } });
  const a = [share(config(name, { x: '1', y: '1' }))];
  const project = testEnvironment.program({ a });
  await deployed(project);
  edit(project, { a, b: [share(config(name, { x: '1' }))], ...others });
  await project.run(['synth']);
  return project;
}

test('the new owner owns the fields that both declare, the previous owner the rest; it is told which ones its program still declares', async () => {
  const project = await shared('plain');
  const { exitCode, adopted, stderr } = await adopt(project, ['b', '--from', 'stack:a']);
  const [a, b] = [project.manager('a'), project.manager('b')];
  expect(exitCode, stderr).toBe(0);
  expect(adopted).toMatchObject([{ transfers: [{ from: a, fields: ['.data.x'] }], to: b, stillDeclared: ['.data.x'] }]);
  expect(await owners('plain')).toEqual({ [a]: ['.data.y'], [b]: ['.data.x'], owner: ['.data.theirs'] });
  // Without the field in the previous owner's program, its next deploy changes nothing of it.
  edit(project, { a: [share(config('plain', { y: '1' }))], b: [share(config('plain', { x: '1' }))] });
  await deployed(project, '--yes');
  expect(await owners('plain')).toEqual({ [a]: ['.data.y'], [b]: ['.data.x'], owner: ['.data.theirs'] });
  expect((await live('plain')).data).toEqual({ x: '1', y: '1', theirs: '1' });
});

test('a stack that was not deployed since its rename hands nothing over; what the refusal says does it', async () => {
  const project = await shared('not-yet-renamed');
  const renamed = testEnvironment.text({
    c: [share(config('not-yet-renamed', { x: '1', y: '1' }))],
    b: [share(config('not-yet-renamed', { x: '1' }))],
  });
  const former = project.manager('a');
  project.write({ 'main.ts': renamed.replace('"c")', '"c", { renamedFrom: "a" })') });
  const before = await owners('not-yet-renamed');
  const refused = await adopt(project, ['b', '--from', 'stack:c', 'ConfigMap/not-yet-renamed', '.data.x']);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringMatching(/the cluster has it as .*\[handoff-before-rename\]/)]);
  expect(refused.stderr).toContain(`\`--from manager:${former}\``);
  expect(await owners('not-yet-renamed')).toEqual(before);
  await deployed(project, 'c');
  const { exitCode, adopted } = await adopt(project, ['b', '--from', 'stack:c', 'ConfigMap/not-yet-renamed', '.data.x']);
  expect([exitCode, adopted]).toMatchObject([0, [{ transfers: [{ fields: ['.data.x'] }] }]]);
});

test('a stack hands nothing over to itself', async () => {
  const project = await shared('itself');
  const before = await owners('itself');
  for (const from of ['stack:a', `manager:${project.manager('a')}`]) {
    const { exitCode, stderr } = await adopt(project, ['a', '--from', from]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[handoff-to-itself]')]);
  }
  expect(await owners('itself')).toEqual(before);
});

test('limited to paths and to an object', async () => {
  const data = { x: '1', y: '1' };
  const stacks = { a: [share(config('one', data)), share(config('two', data))] };
  for (const name of ['one', 'two']) await testEnvironment.cluster.apply('owner', { ...ref(name), data: { theirs: '1' } });
  const project = testEnvironment.program(stacks);
  await deployed(project);
  edit(project, { ...stacks, b: stacks.a });
  const { exitCode } = await adopt(project, ['b', '--from', 'stack:a', 'ConfigMap/one', '.data.y']);
  const [a, b] = [project.manager('a'), project.manager('b')];
  expect(exitCode).toBe(0);
  expect(await owners('one')).toMatchObject({ [a]: ['.data.x'], [b]: ['.data.x', '.data.y'] });
  // An object that is not named is not touched, though stack b declares it.
  expect(await owners('two')).toEqual({ [a]: ['.data.x', '.data.y'], owner: ['.data.theirs'] });
});

test('in every state that a watch sees, the field has its value and an owner', async () => {
  const project = await shared('watched');
  const watched = await watchObject(testEnvironment.cluster, ref('watched'));
  expect((await adopt(project, ['b', '--from', 'stack:a'])).exitCode).toBe(0);
  const [a, b] = [project.manager('a'), project.manager('b')];
  const ownersOfX = ({ object }: ResponseBody) =>
    object.metadata.managedFields
      .filter(({ fieldsV1 }: ResponseBody) => fieldsV1['f:data']?.['f:x'] !== undefined)
      .map(({ manager }: ResponseBody) => manager)
      .sort();
  await watched.until((event) => String(ownersOfX(event)) === b);
  watched.stop();
  expect(watched.events.map(ownersOfX)).toEqual([[a], [a, b], [b]]);
  for (const { object } of watched.events) expect(object.data).toEqual({ x: '1', y: '1', theirs: '1' });
});

test('of an object that the previous owner owned: the new owner owns it, and the previous owner’s next deploy does not delete it', async () => {
  const object = config('life', { x: '1' });
  const project = testEnvironment.program({ a: [own(object)] });
  await deployed(project);
  const { uid } = (await live('life')).metadata;
  edit(project, { a: [], b: [own(object)] });
  const { exitCode, adopted, deletable } = await adopt(project, ['b', '--from', 'stack:a']);
  expect([exitCode, adopted]).toMatchObject([0, [{ transfers: [{ fields: ['.data.x'] }] }]]);
  expect(adopted[0]?.stillDeclared).toBeUndefined();
  expect(deletable).toEqual([`ConfigMap ${testEnvironment.namespace}/life`]);
  await deployed(project, '--yes', '--prune');
  expect((await live('life')).metadata.uid).toBe(uid);
  expect(await owners('life')).toEqual({ [project.manager('b')]: ['.data.x'] });
  expect((await project.destroy(['b'])).results).toEqual({ [`ConfigMap ${testEnvironment.namespace}/life`]: 'deleted' });
});

test('of an object that the previous owner had only adopted: nobody gets the right to delete it, and nothing claims that', async () => {
  await testEnvironment.cluster.create('them', { ...ref('adopted'), data: { theirs: '1' } });
  const object = config('adopted', { x: '1' });
  const project = testEnvironment.program({ a: [own(object)] });
  await deployed(project);
  edit(project, { a: [], b: [own(object)] });
  const plan = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan').find(({ stack }) => stack === 'a');
  expect(plan).toMatchObject({ action: 'release', reason: 'stack b owns it now' });
  const { exitCode, adopted, deletable } = await adopt(project, ['b', '--from', 'stack:a']);
  expect([exitCode, adopted, deletable]).toMatchObject([0, [{ transfers: [{ fields: ['.data.x'] }] }], []]);
  await deployed(project, '--yes');
  expect((await project.destroy(['b'])).only()).toMatchObject({
    result: 'released',
    reason: expect.stringContaining('it existed before this stack'),
  });
});

test('a previous owner of another app is named by its field manager, and any other name is refused', async () => {
  await testEnvironment.cluster.apply('owner', { ...ref('named'), data: { theirs: '1' } });
  const previousOwner = testEnvironment.program({ a: [share(config('named', { x: '1' }))] });
  await deployed(previousOwner);
  const project = testEnvironment.program({ b: [share(config('named', { x: '1' }))] });
  const manager = previousOwner.manager('a');
  for (const from of [manager, manager.replace('fieldwise/', '')]) {
    const { exitCode, stderr } = await project.run(['adopt', '--yes', 'b', '--from', `stack:${from}`]);
    const next = `For a stack of another app or instance, name its field manager: \`--from manager:${manager}\`. [stack-unknown]`;
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(next)]);
  }
  expect((await project.run(['adopt', '--yes', 'b', '--from', `manager:${manager}`])).exitCode).toBe(0);
  expect((await owners('named'))[manager]).toBeUndefined();
});

test('between programs, and from any field manager', async () => {
  await testEnvironment.cluster.apply('other-tool', { ...ref('foreign'), data: { x: '1', y: '1' } });
  const project = testEnvironment.program({ b: [share(config('foreign', { x: '1' }))] });
  expect((await adopt(project, ['b', '--from', 'manager:other-tool'])).exitCode).toBe(0);
  expect(await owners('foreign')).toEqual({ 'other-tool': ['.data.y'], [project.manager('b')]: ['.data.x'] });
  const previousOwner = testEnvironment.program({ a: [share(config('foreign', { z: '1' }))] });
  await deployed(previousOwner);
  edit(project, { b: [share(config('foreign', { x: '1', z: '1' }))] });
  expect((await adopt(project, ['b', '--from', `manager:${previousOwner.manager('a')}`])).exitCode).toBe(0);
  expect(await owners('foreign')).toEqual({ 'other-tool': ['.data.y'], [project.manager('b')]: ['.data.x', '.data.z'] });
});

test('it touches only the object that is named, and no other declaration of the stack', async () => {
  const project = await shared('named-only');
  const b = [share(config('named-only', { x: '1' })), own(config('beside-named', { color: 'blue' })), own(config('never-made', {}))];
  await testEnvironment.cluster.apply('hotfix', { ...ref('beside-named'), data: { color: 'pink' } });
  edit(project, { a: [share(config('named-only', { x: '1', y: '1' }))], b });
  const before = await testEnvironment.cluster.resourceVersion(ref('beside-named'));
  const { exitCode, adopted, events, stderr } = await adopt(project, ['ConfigMap/named-only', '.data.x', 'b', '--from', 'stack:a']);
  expect(exitCode, stderr).toBe(0);
  expect(adopted).toMatchObject([{ transfers: [{ fields: ['.data.x'] }] }]);
  expect(eventsOf(events, 'object').map(({ name }) => name)).toEqual(['named-only']);
  expect(await testEnvironment.cluster.resourceVersion(ref('beside-named'))).toBe(before);
  // Without a name, it touches the objects of which the previous owner has something, and no others.
  const whole = await adopt(project, ['b', '--from', 'stack:a']);
  expect([whole.exitCode, eventsOf(whole.events, 'object')]).toEqual([0, []]);
  expect(await testEnvironment.cluster.resourceVersion(ref('beside-named'))).toBe(before);
});

test('it ends with what another program has to remove', async () => {
  await testEnvironment.cluster.apply('other-tool', { ...ref('of-others'), data: { x: '1', y: '1' } });
  const project = testEnvironment.program({ b: [share(config('of-others', { x: '1' }))] });
  const { exitCode, stderr } = await project.run(['adopt', '--yes', 'b', '--from', 'manager:other-tool']);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain('warning: other-tool is not of this program, and its next apply will own .data.x of ConfigMap ');
});

describe('refused, with nothing changed', () => {
  test.each([
    ['a field that is not named', { x: '1', color: 'blue' }, ['.data.x']],
    ['a field of the same object, where none is named', { x: '1', color: 'blue' }, []],
    ['a field that does not exist', { x: '1', fresh: '1' }, ['.data.x']],
  ])('where the apply would change %s', async (what, data, limits) => {
    const name = `changes-${what.replaceAll(/\W+/g, '-')}`;
    const project = await shared(name);
    await testEnvironment.cluster.apply('hotfix', { ...ref(name), data: { color: 'pink' } });
    const a = [share(config(name, { x: '1', y: '1' }))];
    edit(project, { a, b: [share(config(name, data))] });
    const before = await testEnvironment.cluster.resourceVersion(ref(name));
    for (const yes of [[], ['--yes']]) {
      const { exitCode, stderr } = await adopt(project, [...limits, 'b', '--from', 'stack:a', ...yes]);
      const field = 'color' in data ? 'color' : 'fresh';
      expect([exitCode, stderr]).toEqual([
        5,
        expect.stringMatching(new RegExp(`\\.data\\.${field}\\..*\\[handoff-changes-values\\]`, 's')),
      ]);
    }
    expect(await testEnvironment.cluster.resourceVersion(ref(name))).toBe(before);
    // What the refusal says works.
    await deployed(project, 'b', '--yes');
    expect((await adopt(project, [...limits, 'b', '--from', 'stack:a'])).adopted).toMatchObject([{ transfers: [{ fields: ['.data.x'] }] }]);
  });

  test('not where the policy leaves the field to its owner', async () => {
    const project = await shared('yields');
    await testEnvironment.cluster.apply('hotfix', { ...ref('yields'), data: { color: 'pink' } });
    const declared = share(config('yields', { x: '1', color: 'blue' }), { conflicts: 'yield' });
    edit(project, { a: [share(config('yields', { x: '1', y: '1' }))], b: [declared] });
    const { exitCode, adopted, stderr } = await adopt(project, ['b', '--from', 'stack:a']);
    expect([exitCode, adopted], stderr).toMatchObject([0, [{ transfers: [{ fields: ['.data.x'] }] }]]);
    expect((await live('yields')).data).toMatchObject({ x: '1', color: 'pink' });
  });

  test('a field that somebody takes between the check and the apply is not forced', async () => {
    const project = await shared('raced');
    const proxy = await testEnvironment.proxy();
    let stolen = false;
    proxy.onRequest = async ({ method, path, query }) => {
      if (stolen || method !== 'PATCH' || !path.includes('/configmaps/raced') || query.get('dryRun') !== null) return;
      stolen = true;
      await testEnvironment.cluster.patch('thief', ref('raced'), { data: { x: '2' } });
    };
    const { exitCode, stderr } = await adopt(project, ['b', '--from', 'stack:a', '--yes'], { kubeconfig: proxy.kubeconfig });
    expect([stolen, exitCode], stderr).toEqual([true, 4]);
    expect((await live('raced')).data).toMatchObject({ x: '2' });
  });

  test('where a value differs', async () => {
    const project = await shared('differs');
    edit(project, { a: [share(config('differs', { x: '1', y: '1' }))], b: [share(config('differs', { x: '2', y: '1' }))] });
    const before = await testEnvironment.cluster.resourceVersion(ref('differs'));
    const { exitCode, stderr } = await adopt(project, ['b', '--from', 'stack:a']);
    expect([exitCode, stderr]).toEqual([5, expect.stringMatching(/\.data\.x.*\[handoff-value-differs\]/s)]);
    expect(await testEnvironment.cluster.resourceVersion(ref('differs'))).toBe(before);
  });

  test('where the new owner does not declare the field, and where the stack does not exist', async () => {
    const project = await shared('undeclared');
    const before = await testEnvironment.cluster.resourceVersion(ref('undeclared'));
    const undeclared = await adopt(project, ['b', '--from', 'stack:a', '.data.y']);
    expect([undeclared.exitCode, undeclared.stderr]).toEqual([2, expect.stringContaining('[handoff-not-declared]')]);
    expect((await adopt(project, ['b', '--from', 'stack:nobody'])).stderr).toContain('[stack-unknown]');
    expect((await adopt(project, ['nobody', '--from', 'stack:a'])).stderr).toContain('[stack-unknown]');
    expect(await testEnvironment.cluster.resourceVersion(ref('undeclared'))).toBe(before);
  });
});

describe('what a refusal says to do works', () => {
  test.each([
    { who: 'previous-owner', ofPreviousOwner: { strategy: 'dynamic' }, ofNewOwner: {} },
    { who: 'new-owner', ofPreviousOwner: {}, ofNewOwner: { strategy: 'dynamic' } },
    { who: 'both', ofPreviousOwner: { strategy: 'dynamic' }, ofNewOwner: { strategy: 'dynamic' } },
  ])(
    'under the strategy dynamic of the owner ($who): both are deployed, one after the other, and nothing is lost',
    async ({ who, ofPreviousOwner, ofNewOwner }) => {
      const name = `dynamic-${who.toLowerCase()}`;
      const project = testEnvironment.program({ a: [own(config(name, { x: '1', y: '2' }), ofPreviousOwner)], b: [] });
      await deployed(project);
      edit(project, { a: [own(config(name, { x: '1' }), ofPreviousOwner)], b: [share(config(name, { y: '2' }), ofNewOwner)] });
      const refused = await project.run(['adopt', '--yes', 'b', '--from', 'stack:a']);
      expect([refused.exitCode, refused.stderr]).toEqual([
        2,
        expect.stringContaining(
          'Deploy the new owner and then the previous owner without the fields: fields that both declare stay. [handoff-dynamic]',
        ),
      ]);
      await deployed(project, 'b', '--yes');
      expect((await deployed(project, 'a', '--yes')).only().released).toMatchObject([{ field: '.data.y', change: 'kept' }]);
      expect((await live(name)).data).toEqual({ x: '1', y: '2' });
    },
  );

  test('where a value differs: declared as it is, adopted, and changed afterwards', async () => {
    const project = await shared('differs-first', {});
    edit(project, { b: [share(config('differs-first', { x: '2' }))] });
    const from = `manager:${project.manager('a')}`;
    const refused = await project.run(['adopt', '--yes', 'b', '--from', from]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      5,
      expect.stringContaining('change the values afterwards. [handoff-value-differs]'),
    ]);
    edit(project, { b: [share(config('differs-first', { x: '1' }))] });
    expect((await project.run(['adopt', '--yes', 'b', '--from', from])).exitCode).toBe(0);
    edit(project, { b: [share(config('differs-first', { x: '2' }))] });
    expect((await deployed(project)).only().forcedConflicts).toEqual([]);
    expect((await live('differs-first')).data).toEqual({ theirs: '1', x: '2', y: '1' });
  });

  test('the name of a stack without `stack:`, and a stack together with others', async () => {
    const project = await shared('not-named');
    const before = await owners('not-named');
    for (const from of [['a'], ['stack:a', '--from', 'kubectl']]) {
      const { exitCode, stderr } = await adopt(project, ['b', '--from', ...from]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[adopt-from-stack]')]);
      if (from.length === 1) expect(stderr).toContain('Write `--from stack:a` for the stack, or `--from manager:a`');
    }
    expect(await owners('not-named')).toEqual(before);
    expect((await adopt(project, ['b', '--from', 'stack:a'])).exitCode).toBe(0);
    expect((await owners('not-named'))[project.manager('a')]).toEqual(['.data.y']);
  });
});

test('what somebody takes from both before the hand-over stays theirs', async () => {
  const project = await shared('taken');
  const proxy = await testEnvironment.proxy();
  let applied = false;
  proxy.onResponse = ({ method, path, query }) => {
    applied ||= method === 'PATCH' && path.includes('/configmaps/taken') && query.get('dryRun') === null;
  };
  let stolen = false;
  proxy.onRequest = async ({ method, path }) => {
    if (!applied || stolen || method !== 'GET' || !path.includes('/configmaps/taken')) return;
    stolen = true;
    await testEnvironment.cluster.patch('thief', ref('taken'), { data: { x: '2' } });
  };
  const { exitCode, adopted } = await adopt(project, ['b', '--from', 'stack:a'], { kubeconfig: proxy.kubeconfig });
  expect([stolen, exitCode, adopted]).toEqual([true, 0, []]);
  expect(await owners('taken')).toMatchObject({ 'thief (Update)': ['.data.x'], [project.manager('a')]: ['.data.y'] });
  expect((await live('taken')).data).toEqual({ x: '2', y: '1', theirs: '1' });
});

// Written in this order: a dry run, the new owner's inventory, its apply, the inventory, the handoff, both inventories.
test.each([1, 2, 3, 4, 5, 6])('killed at write %i: running it again finishes it', async (n) => {
  const name = `killed-${n}`;
  const object = config(name, { x: '1' });
  const project = testEnvironment.program({ a: [own(object)] });
  await deployed(project);
  const { uid } = (await live(name)).metadata;
  edit(project, { a: [], b: [own(object)] });
  const between = ['b', '--from', 'stack:a'];
  expect(await testEnvironment.killRun((options) => adopt(project, between, options), nthWrite(n))).toBe(true);
  expect((await live(name)).data).toEqual({ x: '1' });
  const { exitCode, stderr } = await adopt(project, between);
  expect(exitCode, stderr).toBe(0);
  expect(await owners(name)).toEqual({ [project.manager('b')]: ['.data.x'] });
  await deployed(project, '--yes', '--prune');
  expect((await live(name)).metadata.uid).toBe(uid);
  expect((await project.destroy(['b'])).only().result).toBe('deleted');
});
