import { describe, expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own, share } from '../harness/program-text.js';
import type { Report } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';
import { watchObject } from '../harness/watch.js';

// What `npm run campaign -- pairs` has found: two changes of one program, or of a program and somebody else, meet on one object.
const testEnvironment = await TestEnvironment.create('two-deeds');
const { cluster } = testEnvironment;
const { ref, placed, config, live, owners, edit } = configMapHelpers(testEnvironment);

async function program(before: Record<string, readonly Declared[]>, after: Record<string, readonly Declared[]>) {
  const project = testEnvironment.program(before);
  await deployed(project);
  return { project, change: () => edit(project, after) };
}

/** The rows of the plan for the object, as `stack change field`. */
async function planned(project: ReturnType<typeof testEnvironment.program>) {
  const { events } = await project.run(['diff', '-o', 'json']);
  return eventsOf(events, 'plan').flatMap(({ stack, fields }) => fields.map(({ field, change }) => `${stack} ${change} ${field}`));
}

/** What the record says of released fields, in the same form. */
const released = ({ objects }: Report) =>
  objects.flatMap(({ stack, released: fields = [] }) => fields.map(({ field, change }) => `${stack} ${change} ${field}`));

describe('a whole object moves to another stack with a new value', () => {
  const moved = (name: string) => ({ web: [], next: [own(config(name, { a: '2', b: '1' }))] });
  const whole = (name: string) => ({ web: [own(config(name, { a: '1', b: '1' }))], next: [] });

  test('of its own: no question, although nothing else is declared in the old stack', async () => {
    const { project, change } = await program(whole('alone'), moved('alone'));
    change();
    const report = await deployed(project);
    expect(report.objects.find(({ stack }) => stack === 'next')).toMatchObject({ movedFrom: 'web' });
    expect((await live('alone')).data).toEqual({ a: '2', b: '1' });
    expect(await owners('alone')).toEqual({ [project.manager('next')]: ['.data.a', '.data.b'] });
  });

  test('of somebody else, too: plan and deploy ask before the first write', async () => {
    const { project, change } = await program(whole('shared'), moved('shared'));
    await cluster.apply('them', placed('shared', { a: '1' }));
    change();
    const { events } = await project.run(['diff', '-o', 'json']);
    expect(eventsOf(events, 'plan').find(({ stack }) => stack === 'next')?.reason).toContain('a deploy asks whether to force fields');
    const version = await cluster.resourceVersion(ref('shared'));
    const asked = await project.run(['deploy']);
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('/shared .data.a of them')]);
    expect(asked.stderr).not.toContain('stack web');
    expect(await cluster.resourceVersion(ref('shared'))).toBe(version);
    await deployed(project, '--yes');
    expect((await live('shared')).data).toEqual({ a: '2', b: '1' });
  });
});

describe.each(['force', 'yield', 'fail'] as const)('a whole object moves with a new value under %s', (conflicts) => {
  test.each([
    { strategy: 'server-side', moved: 'own', after: own },
    { strategy: 'server-side', moved: 'share', after: share },
    { strategy: 'dynamic', moved: 'own', after: own },
  ] as const)(
    '$strategy, to $moved: the stack that gives it up is yielded nothing and stops nothing',
    async ({ strategy, moved, after }) => {
      const name = `${conflicts}-${strategy}-${moved}`;
      const policy = { conflicts, strategy };
      const before = { web: [own(config(name, { a: '1', b: '1' }), policy)], next: [] };
      const { project, change } = await program(before, { web: [], next: [after(config(name, { a: '2', b: '1' }), policy)] });
      change();
      const rows = await planned(project);
      expect(rows.filter((row) => /yield|removed|conflict/.test(row))).toEqual([]);
      const watched = await watchObject(cluster, ref(name));
      const report = await deployed(project, '--yes');
      const end = await live(name);
      await watched.until(({ object }) => object.metadata.resourceVersion === end.metadata.resourceVersion);
      watched.stop();
      expect(report.objects.flatMap(({ yielded }) => yielded)).toEqual([]);
      for (const { object } of watched.events) expect(object.data).toEqual({ a: expect.stringMatching(/[12]/), b: '1' });
      expect(end.data).toEqual({ a: '2', b: '1' });
      const version = await cluster.resourceVersion(ref(name));
      await deployed(project);
      expect(await cluster.resourceVersion(ref(name))).toBe(version);
    },
  );

  test('what somebody else owns is decided by the policy', async () => {
    const name = `${conflicts}-others`;
    const before = { web: [own(config(name, { a: '1', b: '1' }), { conflicts })], next: [] };
    const { project, change } = await program(before, { web: [], next: [own(config(name, { a: '2', b: '1' }), { conflicts })] });
    await cluster.apply('them', placed(name, { a: '1' }));
    change();
    const report = await project.deploy(['--yes']);
    expect([report.exitCode, (await live(name)).data.a]).toEqual(conflicts === 'fail' ? [5, '1'] : [0, conflicts === 'force' ? '2' : '1']);
  });
});

test.each([
  { what: 'own to share', before: own, after: share },
  { what: 'share to own', before: share, after: own },
])('from $what: the plan says that the fields are kept, as the record does', async ({ what, before, after }) => {
  const name = what.replaceAll(' ', '-');
  if (before === share) await cluster.apply('them', placed(name, { theirs: '1' }));
  const { project, change } = await program({ web: [before(config(name))], next: [] }, { web: [], next: [after(config(name))] });
  change();
  const rows = await planned(project);
  const report = await deployed(project, '--yes');
  expect(rows.filter((row) => row.startsWith('web'))).toEqual(['web kept .data.a']);
  expect(released(report)).toEqual(['web kept .data.a']);
  expect(await owners(name)).toMatchObject({ [project.manager('next')]: ['.data.a'] });
});

test('one field of a share moves to the owner: the plan says that it is kept, as the record does', async () => {
  const declared = (ofOwner: object, ofShare: object) => ({ web: [own(config('one', ofOwner))], side: [share(config('one', ofShare))] });
  const { project, change } = await program(declared({ a: '1' }, { s: '1', t: '1' }), declared({ a: '1', s: '1' }, { t: '1' }));
  change();
  const rows = await planned(project);
  const report = await deployed(project);
  expect(rows.filter((row) => row.endsWith('.data.s'))).toEqual(['web same .data.s', 'side kept .data.s']);
  expect(released(report)).toEqual(['side kept .data.s']);
  expect((await live('one')).data).toEqual({ a: '1', s: '1', t: '1' });
});

describe.each(['force', 'yield', 'fail'] as const)(
  'one field moves from the owner to a share under %s, without a policy transferFrom',
  (conflicts) => {
    test.each([
      { what: 'equal', value: '7', changes: ['side same .data.s', 'web kept .data.s'], kept: ['web kept .data.s'] },
      { what: 'new', value: '9', changes: ['side force .data.s'], kept: [] },
    ])('with its $what value: it is never without one, and the plan says what the record says', async ({ what, value, changes, kept }) => {
      const name = `given-${conflicts}-${what}`;
      const policy = { conflicts };
      const declared = (ofOwner: object, ofShare: object) => ({
        web: [own(config(name, ofOwner), policy)],
        side: [share(config(name, ofShare), policy)],
      });
      const { project, change } = await program(declared({ a: '1', s: '7' }, { t: '1' }), declared({ a: '1' }, { s: value, t: '1' }));
      change();
      expect((await planned(project)).filter((row) => row.endsWith('.data.s')).sort()).toEqual(changes);
      const watched = await watchObject(cluster, ref(name));
      const report = await deployed(project);
      const end = await live(name);
      await watched.until(({ object }) => object.metadata.resourceVersion === end.metadata.resourceVersion);
      watched.stop();
      for (const { object } of watched.events) expect(['7', value]).toContain(object.data.s);
      expect(released(report)).toEqual(kept);
      expect(await owners(name)).toEqual({ [project.manager('web')]: ['.data.a'], [project.manager('side')]: ['.data.s', '.data.t'] });
      const version = await cluster.resourceVersion(ref(name));
      await deployed(project);
      expect(await cluster.resourceVersion(ref(name))).toBe(version);
    });
  },
);

test('fields that two stacks give each other: each waits for the other, so the owner comes first', async () => {
  const declared = (ofOwner: object, ofShare: object) => ({ web: [own(config('swap', ofOwner))], side: [share(config('swap', ofShare))] });
  const { project, change } = await program(declared({ a: '1', s: '1' }, { t: '1' }), declared({ a: '1', t: '1' }, { s: '1' }));
  change();
  await deployed(project);
  expect((await live('swap')).data).toEqual({ a: '1', s: '1', t: '1' });
});

test('a share that cannot be applied leaves the field with the owner', async () => {
  const declared = (ofOwner: object, ofShare: object, props: object = {}) => ({
    web: [own(config('kept', ofOwner))],
    side: [share({ ...config('kept', ofShare), ...props })],
  });
  const { project, change } = await program(declared({ a: '1', s: '7' }, { t: '1' }), declared({ a: '1' }, { s: '7', 'no key!': '1' }));
  change();
  const report = await project.deploy();
  expect(report.exitCode).not.toBe(0);
  expect((await live('kept')).data).toMatchObject({ a: '1', s: '7' });
});

test.each([
  { what: 'share to own', from: 'side', to: 'web' },
  { what: 'share to share', from: 'side', to: 'other' },
])('the last field of a stack moves from $what, and the new stack fails: it stays', async ({ what, to }) => {
  const name = `last-${what.replaceAll(' ', '-')}`;
  const policy = { conflicts: 'fail' };
  const declared = (image: string, ofSide: object | undefined, ofTo: object) => ({
    web: [own(config(name, { ...(to === 'web' ? ofTo : {}), ...(to === 'web' ? { image } : { a: '1' }) }), policy)],
    side: ofSide ? [share(config(name, ofSide))] : [],
    other: to === 'other' ? [share(config(name, { ...ofTo, image }), policy)] : [],
  });
  const { project, change } = await program(declared('1', { s: '7' }, {}), declared('2', undefined, { s: '7' }));
  await cluster.apply('them', placed(name, { image: 'theirs' }), { force: true });
  change();
  const report = await project.deploy(['--yes']);
  expect([report.exitCode, (await live(name)).data.s]).toEqual([5, '7']);
  expect(report.objects.find(({ stack }) => stack === 'side')).toMatchObject({
    result: 'skipped',
    reason: `stack ${to}, which declares fields of it now, did not succeed`,
  });
  await cluster.apply('them', placed(name, {}));
  await deployed(project, '--yes');
  expect((await live(name)).data).toMatchObject({ image: '2', s: '7' });
  expect((await owners(name))[project.manager('side')]).toBeUndefined();
});

test('transferFrom to a stack of an app that is renamed: the plan shows the transfer, which the deploy does', async () => {
  const text = (app: object, a: object, b: object, policy?: object) =>
    testEnvironment
      .text({ a: [own(config('renamed', a))], b: [share(config('renamed', b), policy)] })
      .replace('new App()', `new App(${JSON.stringify(app)})`);
  const name = `${testEnvironment.app}-renamed`;
  const project = testEnvironment.project({
    'fieldwise.yaml': 'app: main.ts\n',
    'main.ts': text({ name }, { x: '1', y: '1' }, { z: '1' }),
  });
  await deployed(project);
  const former = project.manager('a');
  project.write({
    'main.ts': text(
      { name: `${name}-new`, renamedFrom: name },
      { y: '1' },
      { x: '1', z: '1' },
      { transferFrom: { from: 'a', fields: ['data.x'] } },
    ),
  });
  const { events } = await project.run(['diff', '-o', 'json']);
  const transferred = { from: former, fields: ['.data.x'] };
  expect(eventsOf(events, 'plan').find(({ stack }) => stack === 'b')).toMatchObject({ action: 'update', transferred });
  const report = await deployed(project);
  expect(report.objects.find(({ stack }) => stack === 'b')).toMatchObject({ transferred });
  expect(await owners('renamed')).toEqual({ [project.manager('a')]: ['.data.y'], [project.manager('b')]: ['.data.x', '.data.z'] });
});

test('an object that somebody makes again while it moves is adopted, and not said to have moved with the right to delete it', async () => {
  const { project, change } = await program({ web: [own(config('again'))], next: [] }, { web: [], next: [own(config('again'))] });
  change();
  await cluster.remove(ref('again'));
  await cluster.create('them', placed('again'));
  const report = await deployed(project);
  const ofNext = report.objects.find(({ stack }) => stack === 'next');
  expect(ofNext).toMatchObject({ adopted: { owners: [expect.stringContaining('them')] } });
  expect(ofNext?.movedFrom).toBeUndefined();
  expect((await project.destroy(['next'])).results).toEqual({ [`ConfigMap ${testEnvironment.namespace}/again`]: 'released' });
});

test('an object that a renamed stack makes again has no former manager in the plan, as in the record', async () => {
  const immutable = (value: string) => ({ ...config('fixed', { a: value }), immutable: true });
  const app = { name: `${testEnvironment.app}-fixed` };
  const text = (stack: string, value: string, props: object) =>
    testEnvironment
      .text({ [stack]: [own(immutable(value), { replace: true })] })
      .replace('new App()', `new App(${JSON.stringify(app)})`)
      .replace(`"${stack}")`, `"${stack}", ${JSON.stringify(props)})`);
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': text('old', '1', {}) });
  await deployed(project);
  project.write({ 'main.ts': text('new', '2', { renamedFrom: 'old' }) });
  const plan = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan')[0];
  const report = await deployed(project);
  expect([plan?.action, plan?.renamedFrom]).toEqual(['recreate', undefined]);
  expect([report.only().result, report.only().renamedFrom]).toEqual(['recreated', undefined]);
});
