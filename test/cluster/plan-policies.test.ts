import type { PlannedAction } from 'fieldwise/deploy';
import { describe, expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('plan-policies');
const { config, ref, live, edit } = configMapHelpers(testEnvironment);

const theirs = (name: string, data: object) => testEnvironment.cluster.create('them', { ...ref(name), data });

/** Both kinds of plans of an object; neither writes anything. */
async function planned(project: Project, name: string) {
  const plans = [];
  for (const args of [[], ['--read-only']]) {
    const { events, exitCode } = await project.run(['diff', '-o', 'json', ...args]);
    const { action, reason, error } = eventsOf(events, 'plan').find((event) => event.name === name)!;
    plans.push({ action, reason, error, exitCode });
  }
  const [byServer, bySchema] = plans;
  expect(bySchema).toEqual(byServer);
  return byServer as NonNullable<typeof byServer>;
}

interface Case {
  readonly what: string;
  /** The live and the deployed object before the program declares `next`. */
  readonly made?: object;
  readonly first?: (name: string) => Declared;
  readonly next: (name: string, policy: object) => Declared | undefined;
  readonly policy: 'ifPresent' | 'releases';
  readonly code: string;
  /** The plan under `ask`. */
  readonly action: PlannedAction;
}

const cases: readonly Case[] = [
  {
    what: 'an owned object that is there',
    made: { a: '1' },
    next: (name, policy) => own(config(name, { a: '1' }), policy),
    policy: 'ifPresent',
    code: 'object-already-exists',
    action: 'update',
  },
  {
    what: 'a field of an owned object',
    first: (name) => own(config(name, { a: '1', b: '2' })),
    next: (name, policy) => own(config(name, { a: '1' }), policy),
    policy: 'releases',
    code: 'release-refused',
    action: 'update',
  },
  {
    what: 'a field of a share',
    made: { theirs: '1' },
    first: (name) => share(config(name, { a: '1', b: '2' })),
    next: (name, policy) => share(config(name, { a: '1' }), policy),
    policy: 'releases',
    code: 'release-refused',
    action: 'update',
  },
  {
    what: 'a whole share',
    made: { theirs: '1' },
    first: (name) => share(config(name, { b: '2' })),
    next: () => undefined,
    policy: 'releases',
    code: 'release-refused',
    action: 'release',
  },
];

describe.each(cases)('$what', ({ what, made, first, next, policy, code, action }) => {
  const prepare = async (value: string) => {
    const name = `${what.replaceAll(' ', '-')}-${value}`;
    const beside = own(config(`${name}-beside`, {}));
    if (made) await theirs(name, made);
    const before = first?.(name);
    const project = testEnvironment.program({ main: before ? [beside, { ...before, policy: { [policy]: value } }] : [beside] });
    await deployed(project, '--yes');
    const declared = next(name, { [policy]: value });
    edit(project, { main: declared ? [beside, declared] : [beside] });
    return { name, project };
  };

  test(`under ${policy}: fail the plan is blocked as the deploy is refused`, async () => {
    const { name, project } = await prepare('fail');
    const plan = await planned(project, name);
    const before = (await live(name)).metadata.resourceVersion;
    const refused = await project.deploy(['--yes']);
    expect([refused.exitCode, refused.summary.errors.map((error) => error.code)]).toEqual([4, [code]]);
    const { message, next } = refused.summary.errors[0]!;
    expect(plan).toMatchObject({ action: 'blocked', exitCode: 4, error: { code, message, next } });
    expect((await live(name)).metadata.resourceVersion).toBe(before);
  });

  test(`under ${policy}: ask the plan names the question that the deploy asks`, async () => {
    const { name, project } = await prepare('ask');
    const plan = await planned(project, name);
    expect(plan).toMatchObject({ exitCode: 0, reason: expect.stringContaining(`a deploy asks`) });
    expect(plan.reason).toContain(`\`${policy}: ask\``);
    expect(plan.error).toBeUndefined();
    expect(plan.action).toBe(action);
    const refused = await project.deploy();
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('[confirmation-needed]')]);

    const saved = await project.run(['diff', '--output-file', 'plan=plan.json']); // whoever approves the plan has read the question
    expect(saved.stdout).toContain('a deploy asks');
    const report = await deployed(project, '--plan', 'plan.json');
    expect(report.only(name).result).not.toBe('skipped');
  });
});

describe('an object that the policies do not concern is planned as usual', () => {
  test('an object of the stack itself, a release that changes no value, and an intent that is unchanged', async () => {
    const policy = { ifPresent: 'fail', releases: 'fail' };
    const project = testEnvironment.program({ main: [own(config('quiet', { a: '1', b: '2' }), policy)] });
    expect(await planned(project, 'quiet')).toMatchObject({ action: 'create', exitCode: 0 });
    await deployed(project);
    expect(await planned(project, 'quiet')).toMatchObject({ action: 'unchanged', exitCode: 0 });
    await testEnvironment.cluster.apply('them', { ...ref('quiet'), data: { b: '2' } });
    edit(project, { main: [own(config('quiet', { a: '1' }), policy)] });
    const plan = await planned(project, 'quiet');
    expect(plan).toMatchObject({ action: 'update', exitCode: 0 });
    expect(plan.reason ?? '').not.toContain('asks');
    expect((await deployed(project)).only().released).toMatchObject([{ change: 'kept' }]);
  });

  test('an object that moves here from another stack of the app', async () => {
    const policy = { ifPresent: 'fail', releases: 'fail' };
    const declared = own(config('moved', { a: '1' }), policy);
    const project = testEnvironment.program({ web: [declared], monitoring: [] });
    await deployed(project);
    edit(project, { web: [], monitoring: [declared] });
    const { events, exitCode } = await project.run(['diff', '-o', 'json']);
    const plans = eventsOf(events, 'plan').filter(({ name }) => name === 'moved');
    expect([exitCode, plans.map(({ stack, action }) => [stack, action])]).toEqual([
      0,
      [
        ['web', 'release'],
        ['monitoring', 'update'],
      ],
    ]);
    await deployed(project, '--yes');
    expect((await live('moved')).data).toEqual({ a: '1' });
  });

  test('fields that another stack of the run takes over', async () => {
    const policy = { releases: 'fail' };
    const project = testEnvironment.program({ base: [own(config('taken', { a: '1', b: '1' }), policy)], team: [] });
    await deployed(project);
    const transferFrom = { transferFrom: { from: project.manager('base') } };
    edit(project, { base: [own(config('taken', { a: '1' }), policy)], team: [share(config('taken', { b: '1' }), transferFrom)] });
    expect((await project.run(['diff'])).exitCode).toBe(0);
    await deployed(project, '--yes');
    expect((await live('taken')).data).toEqual({ a: '1', b: '1' });
  });
});

describe('what the refusal of an object that left the program says to do', () => {
  const refusedOf = async (name: string) => {
    await theirs(name, { theirs: '1' });
    const shared = (value: string) => share(config(name, { b: '2' }), { releases: value });
    const beside = own(config(`${name}-beside`, {}));
    const project = testEnvironment.program({ main: [beside, shared('fail')], other: [] });
    await deployed(project);
    edit(project, { main: [beside], other: [] });
    const refused = await project.deploy(['--yes']);
    expect(refused.summary.errors).toMatchObject([
      {
        code: 'release-refused',
        next:
          'Nothing was changed. An object that the program no longer declares keeps the policy of its last deploy: declare the object again with ' +
          '`releases: ask`, deploy, then remove it again; or let another stack declare these fields first.',
      },
    ]);
    return { project, beside, shared };
  };

  test('works: declared again with `releases: ask`, deployed, removed again', async () => {
    const { project, beside, shared } = await refusedOf('asked-instead');
    edit(project, { main: [beside, shared('ask')], other: [] });
    await deployed(project);
    edit(project, { main: [beside], other: [] });
    expect((await project.deploy()).stderr).toContain('asked-instead .data.b: "2", removed');
    expect((await deployed(project, '--yes')).only('asked-instead').result).toBe('released');
    expect((await live('asked-instead')).data).toEqual({ theirs: '1' });
  });

  test('works: another stack declares the fields first', async () => {
    const { project, beside, shared } = await refusedOf('declared-elsewhere');
    edit(project, { main: [beside, shared('fail')], other: [share(config('declared-elsewhere', { b: '2' }))] });
    await deployed(project, 'other');
    edit(project, { main: [beside], other: [share(config('declared-elsewhere', { b: '2' }))] });
    const report = await deployed(project, '--yes');
    expect(report.objects.find(({ name, stack }) => name === 'declared-elsewhere' && stack === 'main')).toMatchObject({
      result: 'released',
      released: [{ field: '.data.b', change: 'kept' }],
    });
  });

  test('destroy asks', async () => {
    const { project } = await refusedOf('destroyed');
    expect((await project.run(['destroy'])).exitCode).toBe(2);
    expect((await project.destroy()).only('destroyed').result).toBe('released');
  });
});
