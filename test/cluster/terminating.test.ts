import { describe, expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { poll } from '../harness/poll.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('terminating');
const { config, ref, live, edit } = configMapHelpers(testEnvironment);

const terminating = { code: 'object-terminating' };
const planOf = async (project: Project, ...args: string[]) => {
  const { events, exitCode } = await project.run(['diff', '-o', 'json', ...args]);
  return { exitCode, plan: eventsOf(events, 'plan')[0] };
};

/** Deletes an object that a finalizer holds, as long as `during` takes. */
async function whileHeld<T>(name: string, during: (release: () => Promise<unknown>) => Promise<T>): Promise<T> {
  const { uid } = (await live(name)).metadata;
  const metadata = { name, namespace: testEnvironment.namespace, uid };
  const hold = (finalizers?: string[]) =>
    testEnvironment.cluster.apply('guard', { ...config(name, {}), metadata: { ...metadata, finalizers } });
  await hold(['example.com/guard']);
  await testEnvironment.cluster.remove(ref(name));
  let isHeld = true;
  const release = async () => {
    isHeld = false;
    await hold();
  };
  return during(release).finally(() => isHeld && release());
}

test('an owned object that is being deleted: the plan is blocked with the code with which the deploy fails', async () => {
  const project = testEnvironment.program({ main: [own(config('held', { a: '1' }))] });
  await deployed(project);
  await whileHeld('held', async () => {
    for (const data of [{ a: '1' }, { a: '2' }]) {
      edit(project, { main: [own(config('held', data))] });
      for (const how of [[], ['--read-only']]) {
        expect(await planOf(project, ...how)).toMatchObject({ exitCode: 4, plan: { action: 'blocked', fields: [], error: terminating } });
      }
    }
    const report = await project.deploy();
    expect([report.exitCode, report.only().error?.code]).toEqual([4, 'object-terminating']);
  });
});

test('what a deploy takes in an object that turns out to be going is reported', async () => {
  const project = testEnvironment.program({ main: [own(config('taken', { a: '1' }))] });
  await deployed(project);
  await testEnvironment.cluster.apply('person', { ...ref('taken'), data: { a: 'theirs' } }, { force: true });
  await whileHeld('taken', async () => {
    const report = await project.deploy(['--yes']);
    expect(report.only()).toMatchObject({
      result: 'failed',
      error: terminating,
      forcedConflicts: [{ field: '.data.a', from: 'person', oldValue: 'theirs' }],
    });
  });
});

test.each([
  { lifecycle: 'own', declare: own },
  { lifecycle: 'share', declare: share },
])('status and drift say that the object of $lifecycle is being deleted', async ({ lifecycle, declare }) => {
  const name = `seen-${lifecycle}`;
  await testEnvironment.cluster.create('them', { ...ref(name), data: { theirs: '1' } });
  const project = testEnvironment.program({ main: [declare(config(name, { a: '1' }))] });
  await deployed(project);
  await whileHeld(name, async () => {
    for (const data of [{ a: '1' }, { a: '2' }]) {
      edit(project, { main: [declare(config(name, data))] });
      const status = await project.run(['status', '-o', 'json']);
      expect(status.events).toMatchObject([{ state: 'terminating', drift: [], pending: [] }, { counts: { terminating: 1 } }]);
      const drift = await project.run(['drift', '-o', 'json', '--exit-code']);
      expect(drift.events).toMatchObject([
        { event: 'drift', state: 'terminating', fields: [] },
        { drifted: 1, fields: 0 },
      ]);
      expect(drift.exitCode).toBe(1);
    }
    const { stdout } = await project.run(['drift']);
    expect(stdout).toContain(`terminating ConfigMap ${testEnvironment.namespace}/${name}  [main]  it is being deleted`);
    const repair = await project.run(['drift', '--repair', '--yes']);
    expect([repair.exitCode, repair.stderr]).toEqual([0, '']);
  });
});

test('with reconcile: changed it is not unchanged, also where the runs before have applied to it', async () => {
  const names = ['proved-x', 'proved-y', 'proved-z'];
  const held = (name: string) => ({ ...config(name, { a: '1' }), metadata: { name, finalizers: ['example.com/guard'] } });
  const project = testEnvironment.program({ main: names.map((name) => own(held(name))) });
  const reconcile = ['--reconcile', 'changed'];
  await deployed(project, ...reconcile);
  await waitForNextSecond();
  await deployed(project, ...reconcile);
  await testEnvironment.cluster.remove(ref('proved-x'));
  for (let run = 0; run < 4; run++) {
    expect((await project.deploy(reconcile)).only('proved-x'), `run ${run}`).toMatchObject({ result: 'failed', error: terminating });
  }
  for (const name of names) await testEnvironment.cluster.patch('test', ref(name), { metadata: { finalizers: null } });
});

describe.each([
  { ifAbsent: 'wait', waitSeconds: 1 },
  { ifAbsent: 'fail', waitSeconds: 1 },
  { ifAbsent: 'create', waitSeconds: 1 },
])('a share under ifAbsent: $ifAbsent of an object that is being deleted', (policy) => {
  const { ifAbsent } = policy;
  const planned =
    ifAbsent === 'wait'
      ? { action: 'wait', reason: 'its object is being deleted; a deploy waits 1 s for another one', fields: [] }
      : { action: 'blocked', fields: [], error: terminating };

  test.each(['that it has applied to', 'that is new to it', 'and that its intent changes'])('%s: plan and deploy say so', async (which) => {
    const name = `${ifAbsent}-${which.replaceAll(' ', '-')}`;
    await testEnvironment.cluster.create('them', { ...ref(name), data: { theirs: '1' } });
    const project = testEnvironment.program({ main: [share(config(name, { a: '1' }), policy)] });
    if (which !== 'that is new to it') await deployed(project);
    await whileHeld(name, async () => {
      if (which === 'and that its intent changes') edit(project, { main: [share(config(name, { a: '2' }), policy)] });
      for (const how of [[], ['--read-only']]) expect((await planOf(project, ...how)).plan).toMatchObject(planned);
      const report = await project.deploy();
      expect(report.exitCode, String(report)).toBe(4);
      expect(report.only()).toMatchObject({ result: 'failed', error: terminating });
      const shown = ifAbsent === 'wait' ? 'still being deleted after 1 s' : 'being deleted';
      expect(report.only().error?.message).toBe(`The object to share is ${shown}`);
    });
  });
});

test('a share joins the object that comes after it, and says what it waits for', async () => {
  await testEnvironment.cluster.create('them', { ...ref('next'), data: { theirs: '1' } });
  const project = testEnvironment.program({ main: [share(config('next', { a: '1' }))] });
  await deployed(project);
  await whileHeld('next', async (release) => {
    const proxy = await testEnvironment.proxy();
    const running = project.run(['deploy'], { kubeconfig: proxy.kubeconfig });
    await poll('the deploy has looked for the object three times', () => proxy.requestsFor('next').length > 2);
    await release();
    await testEnvironment.cluster.create('them', { ...ref('next'), data: { theirs: '2' } });
    const { exitCode, stderr, stdout } = await running;
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('waiting up to 300 s until the shared object, which is being deleted, is replaced by a new one');
    expect(stdout).toContain('shared with the new object of this name');
  });
  expect((await live('next')).data).toEqual({ a: '1', theirs: '2' });
});
