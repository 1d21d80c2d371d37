import { describe, expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { type Declared, own, share } from '../harness/program-text.js';
import { type Project, Report } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

/* An object is deleted and made again after the last deploy. The plan that has seen the new one is a plan for the new one. */

const testEnvironment = await TestEnvironment.create('new-objects');
const { cluster } = testEnvironment;
const { config, edit } = configMapHelpers(testEnvironment);
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const dataOf = async (name: string) => (await cluster.find(ref(name)))?.data;

const make = (name: string, data: object) => cluster.apply('them', { ...ref(name), data });
async function makeAgain(name: string, data: object): Promise<void> {
  await cluster.remove(ref(name));
  await make(name, data);
}

/** A project whose declaration is deployed, with an object of others where it shares one. */
async function deployed(name: string, declaration: Declared): Promise<Project> {
  if (declaration.lifecycle === 'share') await make(name, { theirs: '1' });
  const project = testEnvironment.program({ main: [declaration] });
  expect((await project.deploy()).exitCode).toBe(0);
  return project;
}

async function planOf(project: Project, name: string) {
  const { exitCode, stdout, stderr, events } = await project.run(['diff', '-o', 'json', '--output-file', 'plan=plan.json']);
  expect(exitCode, stdout + stderr).toBe(0);
  return eventsOf(events, 'plan').find((event) => event.name === name);
}

const isApply = ({ method, path, query }: ProxiedRequest, name: string) =>
  method === 'PATCH' && !query.get('dryRun') && path.endsWith(`/${name}`);

describe.each([
  { how: 'share', declare: (object: object) => share(object), note: 'rejoined' },
  { how: 'share-fail', declare: (object: object) => share(object, { ifAbsent: 'fail' }), note: 'rejoined' },
  { how: 'share-create', declare: (object: object) => share(object, { ifAbsent: 'create' }), note: 'rejoined' },
  { how: 'own', declare: (object: object) => own(object), note: 'adopts' },
] as const)('an object of $how that was made again', ({ how, declare, note }) => {
  test.each([
    { intent: 'the same', q: '1' },
    { intent: 'another', q: '2' },
  ])('is deployed as planned, with $intent intent, and then unchanged', async ({ intent, q }) => {
    const name = `${how}-${intent === 'another' ? 'other' : 'same'}`;
    const project = await deployed(name, declare(config(name, { q: '1' })));
    await makeAgain(name, { theirs: '2' });
    edit(project, { main: [declare(config(name, { q }))] });
    const planned = await planOf(project, name);
    expect(planned).toMatchObject({ action: 'update', [note]: expect.anything(), uid: (await cluster.get(ref(name))).metadata.uid });
    const report = await project.deploy(['--plan', 'plan.json']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only(name)).toMatchObject({ result: 'updated', rejoined: true });
    expect(await dataOf(name)).toEqual({ theirs: '2', q });
    expect((await project.deploy()).only(name).result).toBe('unchanged');
  });

  test('is not touched where it is made again once more, after the plan or after its check', async () => {
    const name = `${how}-twice`;
    const project = await deployed(name, declare(config(name, { q: '1' })));
    await makeAgain(name, { theirs: '2' });
    edit(project, { main: [declare(config(name, { q: '2' }))] });
    await planOf(project, name);
    await makeAgain(name, { theirs: '3' });
    const refused = await project.deploy(['--plan', 'plan.json']);
    expect([refused.exitCode, refused.summary.errors]).toMatchObject([4, [{ code: 'plan-outdated' }]]);
    expect(refused.only(name).result).toBe('skipped');

    await planOf(project, name);
    const proxy = await testEnvironment.proxy();
    let moved = false;
    proxy.onRequest = async (request) => {
      if (moved || !isApply(request, name)) return undefined;
      moved = true;
      await makeAgain(name, { theirs: '4' });
      return undefined;
    };
    const raced = await project.deploy(['--plan', 'plan.json'], { kubeconfig: proxy.kubeconfig });
    expect([moved, raced.exitCode, raced.only(name)]).toMatchObject([true, 4, { result: 'failed', error: { code: 'plan-outdated' } }]);
    expect(await dataOf(name)).toEqual({ theirs: '4' });
    await planOf(project, name);
    expect((await project.deploy(['--plan', 'plan.json'])).only(name).result).toBe('updated');
    expect(await dataOf(name)).toEqual({ theirs: '4', q: '2' });
  });

  test('goes back by a rollback, which a second one does not repeat', async () => {
    const name = `${how}-rollback`;
    const project = await deployed(name, declare(config(name, { q: '1' })));
    edit(project, { main: [declare(config(name, { q: '2' }))] });
    expect((await project.deploy()).exitCode).toBe(0);
    await makeAgain(name, { theirs: '2' });
    const report = new Report(await project.run(['rollback', '1', '-o', 'json', '--yes']));
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only(name)).toMatchObject({ result: 'updated', rejoined: true });
    expect(await dataOf(name)).toEqual({ theirs: '2', q: '1' });
    expect((await project.run(['rollback', '1', '-o', 'json', '--yes'])).exitCode).toBe(0);
  });
});

test('a value of the new object is taken only where the plan shows it', async () => {
  const project = await deployed('taken', share(config('taken', { q: '1' })));
  await makeAgain('taken', { q: '9' });
  expect(await planOf(project, 'taken')).toMatchObject({ fields: [{ field: '.data.q', change: 'force', oldValue: '9', newValue: '1' }] });
  const report = await project.deploy(['--plan', 'plan.json']);
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only('taken').forcedConflicts).toMatchObject([{ field: '.data.q', from: 'them', oldValue: '9', newValue: '1' }]);
});

test('the text and the Markdown of a plan say that the share is of the new object', async () => {
  const project = await deployed('said', share(config('said', { q: '1' })));
  await makeAgain('said', { theirs: '2' });
  for (const format of [[], ['-o', 'markdown']]) {
    expect((await project.run(['diff', ...format])).stdout).toContain('shared with the new object of this name');
  }
});

test('a plan that waits for the new object shares it when it comes, and forces nothing of it', async () => {
  const project = await deployed('late', share(config('late', { q: '1' })));
  const other = await deployed('late-forced', share(config('late-forced', { q: '1' })));
  for (const [name, each, data] of [
    ['late', project, { theirs: '2' }],
    ['late-forced', other, { q: '9' }],
  ] as const) {
    await cluster.remove(ref(name));
    expect(await planOf(each, name)).toMatchObject({ action: 'wait' });
    const proxy = await testEnvironment.proxy();
    let reads = 0;
    proxy.onRequest = async ({ method, path }) => {
      // The plan is checked by one read or two; whoever reads again waits.
      if (method === 'GET' && path.endsWith(`/${name}`) && ++reads === 3) await make(name, data);
      return undefined;
    };
    const report = await each.deploy(['--plan', 'plan.json', '--timeout', '20'], { kubeconfig: proxy.kubeconfig });
    if (name === 'late') expect([report.exitCode, report.only(name)], String(report)).toMatchObject([0, { rejoined: true }]);
    else expect([report.exitCode, report.only(name)]).toMatchObject([4, { result: 'failed', error: { code: 'plan-outdated' } }]);
    expect(await dataOf(name)).toEqual(name === 'late' ? { theirs: '2', q: '1' } : { q: '9' });
  }
});

test('an object that the plan itself makes again is shared by its other stacks', async () => {
  const immutable = (data: object) => ({ ...config('remade', data), immutable: true });
  const stacks = (a: string) => ({
    main: [own(config('gone', { a: '1' })), own(immutable({ a }), { replace: true })],
    next: [share(config('gone', { b: '1' })), share({ ...config('remade', {}), metadata: { name: 'remade', labels: { b: '1' } } })],
  });
  const project = testEnvironment.program(stacks('1'));
  expect((await project.deploy()).exitCode).toBe(0);
  await cluster.remove(ref('gone'));
  await cluster.apply(project.manager('next'), ref('remade'));
  edit(project, stacks('2'));
  const shown = await project.run(['diff', '-o', 'json', '--output-file', 'plan=plan.json']);
  expect(eventsOf(shown.events, 'plan').map(({ stack, name, action }) => [stack, name, action])).toEqual([
    ['main', 'gone', 'create'],
    ['main', 'remade', 'recreate'],
    ['next', 'gone', 'update'],
    ['next', 'remade', 'update'],
  ]);
  const report = await project.deploy(['--plan', 'plan.json']);
  expect(report.exitCode, String(report)).toBe(0);
  expect(await dataOf('gone')).toEqual({ a: '1', b: '1' });
  expect((await cluster.get(ref('remade'))).metadata.labels).toMatchObject({ b: '1' });
});

test('a shared object that the stack owns from now on is no new one', async () => {
  const project = await deployed('owned-later', share(config('owned-later', { q: '1' })));
  edit(project, { main: [own(config('owned-later', { q: '1' }))] });
  const planned = await planOf(project, 'owned-later');
  expect([planned?.adopts, planned?.rejoined]).toEqual([expect.anything(), undefined]);
  const report = (await project.deploy(['--plan', 'plan.json'])).only('owned-later');
  expect([report.adopted, report.rejoined]).toEqual([expect.anything(), undefined]);
});
