import { describe, expect, test } from 'vitest';
import { historyName, slotName } from '../../src/engine/history/history-secrets.js';
import type { ListedRevision } from '../../src/inspect/history/history.js';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('runs');
const { cluster } = testEnvironment;
const { placed, edit } = configMapHelpers(testEnvironment);
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);

async function revisionsOf(project: Project): Promise<readonly ListedRevision[]> {
  const { events, exitCode, stderr } = await project.run(['history', '-o', 'json']);
  expect(exitCode, stderr).toBe(0);
  return events.filter(({ event }) => event === 'revision') as unknown as ListedRevision[];
}

/** The run that recorded a revision of a stack. */
async function runOf(project: Project, stack: string, revision: number): Promise<string> {
  const found = (await revisionsOf(project)).find((one) => one.stack === stack && one.revision === revision);
  expect(found?.run).toMatch(/^[0-9a-f]{8}$/);
  return found?.run as string;
}

const dataOf = async (...names: readonly string[]) =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await cluster.find(ref(name)))?.data?.v] as const)));

async function next(project: Project, stacks: Parameters<typeof edit>[1]): Promise<void> {
  edit(project, stacks);
  await waitForNextSecond(); // a change within the second of the last one cannot be proved
  await deployed(project, '--yes');
}

test('all stacks of a run go back at once, in one run; a stack that did not exist then is named and stays', async () => {
  const values = (a: string, b: string) => ({ a: [own(placed('whole-a', { v: a }))], b: [own(placed('whole-b', { v: b }))] });
  const project = testEnvironment.program(values('1', '1'));
  await deployed(project);
  await next(project, { ...values('2', '2'), c: [own(placed('whole-c', { v: '2' }))] });
  await next(project, { ...values('3', '2'), c: [own(placed('whole-c', { v: '2' }))] });
  const first = await runOf(project, 'a', 1);
  const second = await runOf(project, 'a', 2);
  expect(await runOf(project, 'b', 1)).toBe(first);
  expect([await runOf(project, 'b', 2), await runOf(project, 'c', 1)]).toEqual([second, second]);
  expect(await runOf(project, 'a', 3)).not.toBe(second);

  const third = await runOf(project, 'a', 3);
  expect(await project.run(['completion', 'runs'])).toMatchObject({ exitCode: 0, stderr: '', stdout: `${third}\n${second}\n${first}\n` });
  const unread = await project.run(['completion', 'runs'], { kubeconfig: await testEnvironment.account('nobody', []) });
  expect(unread).toMatchObject({ exitCode: 0, stderr: '', stdout: '' });

  const refused = await project.run(['rollback', '--run', first]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr.match(/confirmation required/g)).toHaveLength(1);
  expect(await dataOf('whole-a', 'whole-b', 'whole-c')).toEqual({ 'whole-a': '3', 'whole-b': '2', 'whole-c': '2' });

  const back = await project.run(['rollback', '--run', first, '--yes', '-o', 'json']);
  expect(back.exitCode, back.stderr).toBe(0);
  expect(back.events.filter(({ code }) => code === 'stack-stays').map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Stack c does not go back to run/),
  ]);
  expect(await dataOf('whole-a', 'whole-b', 'whole-c')).toEqual({ 'whole-a': '1', 'whole-b': '1', 'whole-c': '2' });
  const [a, b] = ['a', 'b'].map(async (stack) => (await revisionsOf(project)).find((one) => one.stack === stack));
  expect(await a).toMatchObject({ revision: 4, rollbackTo: 1 });
  expect(await b).toMatchObject({ revision: 3, rollbackTo: 1, run: (await a)?.run });

  // Stack b has no revision of the third run: it was as the second one had left it.
  expect((await project.run(['rollback', '--run', await runOf(project, 'a', 3), '--yes'])).exitCode).toBe(0);
  expect(await dataOf('whole-a', 'whole-b')).toEqual({ 'whole-a': '3', 'whole-b': '2' });
});

test('an object that moved between stacks goes back with them, and is not created again', async () => {
  const moving = (v: string) => own(placed('moving', { v }));
  const project = testEnvironment.program({ a: [moving('1')], b: [own(placed('moving-b', { v: '1' }))] });
  await deployed(project);
  const { uid } = (await cluster.get(ref('moving'))).metadata;
  await next(project, { a: [own(placed('moving-a', { v: '2' }))], b: [own(placed('moving-b', { v: '2' })), moving('2')] });
  const back = await project.run(['rollback', '--run', await runOf(project, 'a', 1), '--yes']);
  expect(back.exitCode, back.stderr + back.stdout).toBe(0);
  const live = await cluster.get(ref('moving'));
  expect(live).toMatchObject({ metadata: { uid }, data: { v: '1' } });
  expect(Object.keys(await cluster.owners(ref('moving')))).toEqual([project.manager('a')]);
  expect(await cluster.find(ref('moving-a'))).toBeUndefined();
  const { events } = await project.run(['list', '-o', 'json']);
  expect(events.filter(({ app }) => app === project.manager('a').split('/')[1]).map(({ owned }) => owned)).toEqual([1, 1]);
});

describe('a value of a Secret that moved between stacks goes back with its owner, and is in no moment without one', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const secretRef = (name: string) => testEnvironment.ref('v1', 'Secret', name);
  const secret = (name: string, stringData: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData,
  });
  const other = (stack: string, v = '1') => own(placed(`${stack}-other`, { v }));
  const dataIn = async (name: string) => (await cluster.get(secretRef(name))).data;
  const ownersOf = async (name: string, key: string) => {
    const owners = await cluster.owners(secretRef(name));
    return Object.keys(owners).filter((manager) => JSON.stringify(owners[manager]).includes(key));
  };

  async function movedBack(project: Project, first: string, name: string) {
    const { uid } = (await cluster.get(secretRef(name))).metadata;
    const run = await runOf(project, first, 1);
    const plan = await project.run(['rollback', '--run', run, '-o', 'json']);
    expect(plan.exitCode, plan.stderr).toBe(2);
    const back = await project.run(['rollback', '--run', run, '--yes', '-o', 'json']);
    expect(back.exitCode, back.stderr + back.stdout).toBe(0);
    expect((await cluster.get(secretRef(name))).metadata.uid).toBe(uid);
    return back;
  }

  const orders = [
    { from: 'core', to: 'web', edges: undefined },
    { from: 'web', to: 'core', edges: undefined },
    { from: 'core', to: 'web', edges: 'stack_web.addDependency(stack_core);\n' },
    { from: 'web', to: 'core', edges: 'stack_web.addDependency(stack_core);\n' },
  ];
  test.each(orders)('all of it, from $from to $to ($edges)', async ({ from, to, edges = '' }) => {
    const name = `whole-${from}-${edges === '' ? 'free' : 'after'}`;
    const stacks = (owner: string) => {
      const of = (stack: string) => [other(stack), ...(stack === owner ? [own(secret(name, { password: 'one', user: 'me' }))] : [])];
      return testEnvironment.text({ core: of('core'), web: of('web') }) + edges;
    };
    const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': stacks(from) });
    await deployed(project, '--yes');
    await waitForNextSecond();
    project.write({ 'main.ts': stacks(to) });
    await deployed(project, '--yes');
    expect(await ownersOf(name, 'password')).toEqual([project.manager(to)]);
    const back = await movedBack(project, from, name);
    expect(await dataIn(name)).toEqual({ password: base64('one'), user: base64('me') });
    expect(await ownersOf(name, 'password')).toEqual([project.manager(from)]);
    const reports = back.events.filter(({ event, kind }) => event === 'object' && kind === 'Secret');
    expect(reports.map(({ stack, result, removed = [] }) => [stack, result, removed])).toEqual([
      [from, 'updated', []],
      [to, 'released', []],
    ]);
    expect(JSON.stringify(back.events)).not.toContain(base64('one'));
    project.write({ 'main.ts': testEnvironment.text({ core: [other('core')], web: [other('web')] }) });
    await deployed(project, '--yes');
    expect(await cluster.find(secretRef(name)), 'the right to delete it has come back, too').toBeUndefined();
  });

  const part = (name: string, moved: boolean, value = 'one') => ({
    core: [own(secret(name, { stays: 'here', ...(moved ? {} : { key: 'one' }) }))],
    web: [other('web'), ...(moved ? [share(secret(name, { key: value }))] : [])],
  });

  test('one key, with the value that is in the cluster', async () => {
    const project = testEnvironment.program(part('key', false));
    await deployed(project);
    await next(project, part('key', true, 'two'));
    const back = await movedBack(project, 'core', 'key');
    expect(await dataIn('key')).toEqual({ stays: base64('here'), key: base64('two') });
    expect(await ownersOf('key', 'key')).toEqual([project.manager('core')]);
    expect(back.events.filter(({ code }) => code === 'values-kept').map(({ message }) => message)).toEqual([
      expect.stringMatching(/key keeps the values of \.data\.stays, \.data\.key, .*changed since that revision: \.data\.key$/),
    ]);
  });

  test('a value that somebody else has changed meanwhile stays theirs', async () => {
    const project = testEnvironment.program(part('taken', false));
    await deployed(project);
    await next(project, part('taken', true));
    await cluster.apply('rotator', { ...secretRef('taken'), data: { key: base64('theirs') } }, { force: true });
    await movedBack(project, 'core', 'taken');
    expect(await dataIn('taken')).toEqual({ stays: base64('here'), key: base64('theirs') });
    expect(await ownersOf('taken', 'key')).toEqual(['rotator']);
  });

  test('a value that the other stack keeps stays with it', async () => {
    const project = testEnvironment.program(part('kept', false));
    await deployed(project);
    await next(project, part('kept', true));
    await next(project, { ...part('kept', true), web: [other('web', '2'), share(secret('kept', { key: 'one' }))] });
    const back = await project.run(['rollback', '--run', await runOf(project, 'core', 2), '--yes']);
    expect(back.exitCode, back.stderr + back.stdout).toBe(0);
    expect(await ownersOf('kept', 'key')).toEqual([project.manager('web')]);
  });

  test('without the right to read it, nothing goes back', async () => {
    const project = testEnvironment.program(part('unread', false));
    await deployed(project);
    await next(project, part('unread', true));
    const histories = ['core', 'web'].map((stack) => historyName(project.manager(stack)));
    const kubeconfig = await testEnvironment.account('unread', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'patch'] },
      {
        apiGroups: [''],
        resources: ['secrets'],
        verbs: ['get'],
        resourceNames: histories.flatMap((name) => [name, ...[0, 1, 2, 3].map((slot) => slotName(name, slot))]),
      },
    ]);
    const back = await project.run(['rollback', '--run', await runOf(project, 'core', 1), '--yes'], { kubeconfig });
    expect([back.exitCode, back.stderr]).toEqual([4, expect.stringMatching(/secrets "unread" is forbidden/)]);
    expect(await ownersOf('unread', 'key')).toEqual([project.manager('web')]);
  });
});

test('earlier versions read the list without runs; a run that the inventory does not know is not shown', async () => {
  const project = testEnvironment.program({ main: [own(placed('known', { v: '1' }))] });
  await deployed(project);
  const secret = testEnvironment.ref('v1', 'Secret', historyName(project.manager('main')));
  const text = async (key: string) => Buffer.from(((await cluster.get(secret)) as ResponseBody).data[key], 'base64').toString('utf8');
  expect(Object.keys(JSON.parse(await text('revisions')).revisions[0])).not.toContain('run');
  expect(JSON.parse(await text('details'))).toEqual({ 1: { run: await runOf(project, 'main', 1) } });
  const forged = Buffer.from(JSON.stringify({ 1: { run: '00000000' } })).toString('base64');
  await cluster.patch('somebody', secret, { data: { details: forged } }, 'merge');
  const [revision, ...others] = await revisionsOf(project);
  expect(others).toEqual([]);
  expect(revision).toMatchObject({ revision: 1, result: 'succeeded' });
  expect(revision?.run).toBeUndefined();
  expect(await project.run(['rollback', '--run', '00000000'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('have no run 00000000'),
  });
});

test('--run with a number or the name of a stack is refused', async () => {
  const project = testEnvironment.program({ main: [own(placed('both', { v: '1' }))] });
  const { exitCode, stderr } = await project.run(['rollback', '3', '--run', '00000000']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('`--run 00000000` rolls back all stacks, and 3 names one');
});

test('a stack whose history somebody has edited keeps the whole run from going back, and nothing is changed', async () => {
  const values = (v: string) => ({ a: [own(placed('edited-a', { v }))], b: [own(placed('edited-b', { v }))] });
  const project = testEnvironment.program(values('1'));
  await deployed(project);
  await next(project, values('2'));
  const first = await runOf(project, 'a', 1);
  const secret = testEnvironment.ref('v1', 'Secret', historyName(project.manager('b')));
  const live = await cluster.get(secret);
  const content = JSON.parse(Buffer.from(live.data.revisions, 'base64').toString());
  const revisions = content.revisions.map((one: ResponseBody) => ({ ...one, by: 'mallory' }));
  await cluster.patch('mallory', secret, {
    data: { revisions: Buffer.from(JSON.stringify({ ...content, revisions })).toString('base64') },
  });
  const { exitCode, stderr } = await project.run(['rollback', '--run', first, '--yes']);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/stack b does not know Secret .*Nothing was changed.*--trust-history.*\[revision-unknown\]/s),
  ]);
  expect(await dataOf('edited-a', 'edited-b')).toEqual({ 'edited-a': '2', 'edited-b': '2' });
});
