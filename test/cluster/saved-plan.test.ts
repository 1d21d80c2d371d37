import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { type Declared, own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('saved-plan');

const { config } = configMapHelpers(testEnvironment);
const ref = (name: string, kind = 'ConfigMap') => testEnvironment.ref('v1', kind, name);
const secret = (name: string, password: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { password } });
const dataOf = async (name: string) => (await testEnvironment.cluster.get(ref(name))).data;

/** A project whose plan is saved: one object changes, one is created, one is deleted, one field is taken by force. */
async function planned(name: string) {
  const kept = `${name}-kept`;
  const project = testEnvironment.program({
    main: [
      own(config(kept, { a: '1', taken: '1' })),
      own(config(`${name}-goes`, { a: '1' })),
      own(secret(`${name}-secret`, 'before-s3cret')),
    ],
  });
  expect((await project.deploy()).exitCode).toBe(0);
  await testEnvironment.cluster.apply('them', { ...ref(kept), data: { taken: '9' } }, { force: true });
  const after = [
    own(config(kept, { a: '2', taken: '1' })),
    own(config(`${name}-new`, { a: '1' })),
    own(secret(`${name}-secret`, 'after-s3cret')),
  ];
  project.write({ 'main.ts': testEnvironment.text({ main: after }) });
  const { exitCode, stdout, stderr } = await project.run(['diff', '--output-file', 'plan=plan.json']);
  expect(exitCode, stdout + stderr).toBe(0);
  return { project, kept, names: { kept, goes: `${name}-goes`, fresh: `${name}-new`, secret: `${name}-secret` } };
}

test('is done as approved, with what it deletes and takes, without a further question', async () => {
  const { project, names } = await planned('done');
  // Churn that the plan does not touch.
  await testEnvironment.cluster.patch('them', ref(names.kept), { data: { other: '1' }, metadata: { labels: { churn: 'x' } } });
  const report = await project.deploy(['--plan', 'plan.json']);
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only(names.kept).forcedConflicts).toEqual([expect.objectContaining({ field: '.data.taken', from: 'them' })]);
  expect(report.only(names.goes).result).toBe('deleted');
  expect(await dataOf(names.kept)).toEqual({ a: '2', taken: '1', other: '1' });
  for (const value of ['before-s3cret', 'after-s3cret']) {
    for (const text of [value, Buffer.from(value).toString('base64')]) expect(project.read('plan.json')).not.toContain(text);
  }
});

interface Move {
  readonly what: string;
  readonly move: (names: { kept: string; goes: string; fresh: string; secret: string }) => Promise<unknown>;
  readonly named: RegExp;
}

test.each<Move>([
  {
    what: 'a value',
    move: ({ kept }) => testEnvironment.cluster.patch('them', ref(kept), { data: { a: '7' } }),
    named: /\.data\.a: planned to change it from "1" to "2"/,
  },
  {
    what: 'an owner',
    move: ({ kept }) => testEnvironment.cluster.apply('others', { ...ref(kept), data: { taken: '9' } }, { force: true }),
    named: /\.data\.taken: planned to take it from them \(Apply\), from .* to .*, now/,
  },
  {
    what: 'an object that appeared',
    move: ({ fresh }) => testEnvironment.cluster.apply('them', { ...ref(fresh), data: { b: '1' } }),
    named: /planned create, now update/,
  },
  { what: 'an object that vanished', move: ({ kept }) => testEnvironment.cluster.remove(ref(kept)), named: /planned update, now create/ },
  {
    what: 'the value of a Secret',
    move: ({ secret }) => testEnvironment.cluster.patch('them', ref(secret, 'Secret'), { data: { password: 'bW92ZWQ=' } }),
    named: /\.data\.password: planned to change it from "\*\*\*" to "\*\*\*"/,
  },
  {
    what: 'something of a Secret, whose values are not in the plan',
    move: ({ secret }) => testEnvironment.cluster.patch('them', ref(secret, 'Secret'), { metadata: { labels: { moved: 'x' } } }),
    named: /written since, so the values of \.data\.password may have changed/,
  },
])('is refused where $what has moved, and nothing is changed', async ({ what, move, named }) => {
  const { project, names } = await planned(what.replaceAll(/\W+/g, '-').toLowerCase());
  await move(names);
  const versions = async () =>
    Promise.all(
      [names.kept, names.goes, names.fresh].map(async (name) => (await testEnvironment.cluster.find(ref(name)))?.metadata.resourceVersion),
    );
  const before = await versions();
  const report = await project.deploy(['--plan', 'plan.json']);
  expect(report.exitCode).toBe(4);
  expect(report.summary.errors).toEqual([expect.objectContaining({ code: 'plan-outdated', message: expect.stringMatching(named) })]);
  // Three that are declared, and one that would go.
  expect(report.objects.map(({ result }) => result)).toEqual(['skipped', 'skipped', 'skipped', 'skipped']);
  expect(String(report)).not.toContain('bW92ZWQ=');
  expect(await versions()).toEqual(before);
});

test('a plan of equal values is the same for all of them, and a rotated reference is deployed as it is', async () => {
  const project = testEnvironment.program({});
  const text = (label: string) => `import { App, fromEnv, Stack } from 'fieldwise';
const stack = new Stack(new App(), 'main');
stack.own({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'rotated', labels: { label: '${label}' } }, stringData: { pin: fromEnv('PIN') } });
`;
  const run = (args: readonly string[], PIN: string) => project.run(args, { environment: { PIN } });
  project.write({ 'main.ts': text('a') });
  expect((await run(['deploy', '--yes'], '1111')).exitCode).toBe(0);
  project.write({ 'main.ts': text('b') });
  expect((await run(['diff', '--output-file', 'plan=one.json'], '2222')).exitCode).toBe(0);
  expect((await run(['diff', '--output-file', 'plan=two.json'], '3333')).exitCode).toBe(0);
  expect(project.read('one.json')).toBe(project.read('two.json'));
  const deployed = await run(['deploy', '--plan', 'one.json'], '4444');
  expect(deployed.exitCode, deployed.stderr).toBe(0);
  expect((await testEnvironment.cluster.get(ref('rotated', 'Secret'))).data).toEqual({ pin: Buffer.from('4444').toString('base64') });
});

test('is refused for another program and for other stacks', async () => {
  const { project, names } = await planned('another');
  const other = await project.deploy(['--plan', 'plan.json', 'main', 'else']);
  expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('[plan-of-another]')]);
  project.write({ 'main.ts': testEnvironment.text({ main: [own(config(names.kept, { a: '3' }))] }) });
  const changed = await project.deploy(['--plan', 'plan.json']);
  expect([changed.exitCode, changed.stderr]).toEqual([2, expect.stringContaining('[plan-of-another]')]);
  project.write({ 'plan.json': '{"fieldwise": 1}' });
  const damaged = await project.deploy(['--plan', 'plan.json']);
  expect([damaged.exitCode, damaged.stderr]).toEqual([2, expect.stringContaining('[plan-invalid]')]);
  expect(damaged.stderr).toContain('it is of an older version of Fieldwise');
});

test.each([
  { what: 'a new owner', method: 'them', code: 'plan-outdated' },
  { what: 'a deletion', method: 'remove', code: 'plan-outdated' },
])('an object that moves between check and apply ($what) stops alone', async ({ method, code }) => {
  const { project, names } = await planned(`race-${method}`);
  const proxy = await testEnvironment.proxy();
  let moved = false;
  proxy.onRequest = async ({ method: verb, path, query }) => {
    if (moved || verb !== 'PATCH' || query.get('dryRun') || !path.endsWith(names.kept)) return undefined;
    moved = true;
    if (method === 'remove') await testEnvironment.cluster.remove(ref(names.kept));
    else await testEnvironment.cluster.apply('late', { ...ref(names.kept), data: { a: '8' } }, { force: true });
    return undefined;
  };
  const report = await project.deploy(['--plan', 'plan.json'], { kubeconfig: proxy.kubeconfig });
  expect(moved).toBe(true);
  expect(report.exitCode, String(report)).toBe(4);
  expect(report.only(names.kept)).toMatchObject({ result: 'failed', error: { code } });
  expect(report.only(names.fresh).result).toBe('created');
  const live: ResponseBody = await testEnvironment.cluster.find(ref(names.kept));
  if (method === 'remove') expect(live).toBeUndefined();
  else expect(live.data).toEqual({ a: '8', taken: '9' });
});

describe('an object that is planned to be created', () => {
  /** A saved plan to make one object, and another beside it. */
  async function toCreate(name: string, first: readonly Declared[]) {
    const project = testEnvironment.program({ main: first, next: [own(config(`${name}-next`, { a: '1' }))] });
    expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
    const proxy = await testEnvironment.proxy();
    const deploy = () => project.deploy(['--plan', 'plan.json'], { kubeconfig: proxy.kubeconfig });
    return { project, proxy, deploy };
  }

  const isApply = ({ method, path, query }: ProxiedRequest, name: string) =>
    method === 'PATCH' && !query.get('dryRun') && path.endsWith(`/${name}`);

  test.each([
    { what: 'own', declare: own, theirs: { b: '1' } },
    { what: 'own, with the same value', declare: own, theirs: { a: '1' } },
    { what: 'own, with another value', declare: own, theirs: { a: '2' } },
    { what: 'share', declare: (object: object) => share(object, { ifAbsent: 'create' }), theirs: { b: '1' } },
  ])('is not touched where somebody makes it between check and apply ($what)', async ({ what, declare, theirs }) => {
    const name = what.replaceAll(/\W+/g, '-');
    const { proxy, deploy } = await toCreate(name, [declare(config(name, { a: '1' }))]);
    proxy.onRequest = async (request) => {
      if (isApply(request, name) && !(await testEnvironment.cluster.find(ref(name))))
        await testEnvironment.cluster.apply('them', { ...ref(name), data: theirs });
      return undefined;
    };
    const report = await deploy();
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.only(name)).toMatchObject({ result: 'failed', error: { code: 'plan-outdated' } });
    expect(report.only(`${name}-next`).result).toBe('created');
    expect(await dataOf(name)).toEqual(theirs);
    expect(Object.keys(await testEnvironment.cluster.owners(ref(name)))).toEqual(['them']);
  });

  test.each(['lose', 'truncate'] as const)('is ours where the answer that said so did not come (%s)', async (spoiling) => {
    const name = `unheard-${spoiling}`;
    const { project, proxy, deploy } = await toCreate(name, [own(config(name, { a: '1' }))]);
    let spoiled = false;
    proxy.onResponse = (request) => {
      if (spoiled || !isApply(request, name)) return undefined;
      spoiled = true;
      return spoiling;
    };
    const report = await deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect([spoiled, report.only(name).result, report.only(name).adopted]).toEqual([true, 'created', undefined]);
    expect((await project.destroy()).only(name).result).toBe('deleted');
  });

  test.each(['create', 'wait', 'fail'])('may be made by another stack of the plan (a share with ifAbsent: %s)', async (ifAbsent) => {
    const name = `both-${ifAbsent}`;
    const project = testEnvironment.program({
      main: [own(config(name, { a: '1' }))],
      next: [share(config(name, { b: '1' }), { ifAbsent })],
    });
    expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
    const report = await project.deploy(['--plan', 'plan.json']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(await dataOf(name)).toEqual({ a: '1', b: '1' });
  });
});

test('--prune-stacks is refused: nobody has seen in the plan what it would delete', async () => {
  const one = [own(config('stacks-one', { a: '1' }))];
  const project = testEnvironment.program({ one, two: [own(config('stacks-two', { a: '1' }))] });
  await project.deploy();
  project.write({ 'main.ts': testEnvironment.text({ one }) });
  expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
  const report = await project.deploy(['--plan', 'plan.json', '--prune-stacks']);
  expect([report.exitCode, report.stderr]).toEqual([2, expect.stringMatching(/saved plan does not cover.*flag-without-use/)]);
  expect(await dataOf('stacks-two')).toEqual({ a: '1' });
});

test('a replacement is done as approved, and refused where somebody else has come to own something of the object', async () => {
  const immutable = (name: string, a: string) => ({ ...config(name, { a }), immutable: true });
  const names = ['replaced', 'joined'];
  const declare = (a: string) => testEnvironment.text({ main: names.map((name) => own(immutable(name, a), { replace: true })) });
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': declare('1') });
  await project.deploy();
  project.write({ 'main.ts': declare('2') });
  expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
  await testEnvironment.cluster.apply('them', { ...ref('joined'), immutable: true });
  const refused = await project.deploy(['--plan', 'plan.json']);
  expect(refused.exitCode, String(refused)).toBe(4);
  expect(refused.summary.errors).toEqual([expect.objectContaining({ code: 'plan-outdated' })]);
  expect(await dataOf('replaced')).toEqual({ a: '1' });

  await testEnvironment.cluster.apply('them', ref('joined'));
  const report = await project.deploy(['--plan', 'plan.json']);
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.objects.map(({ result }) => result)).toEqual(['recreated', 'recreated']);
});
