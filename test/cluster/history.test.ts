import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { historyName, slotName } from '../../src/engine/history/history-secrets.js';
import type { ListedRevision } from '../../src/inspect/history/history.js';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('history');
const { cluster } = testEnvironment;
const { config, edit } = configMapHelpers(testEnvironment);
const commit = '0123456789abcdef0123456789abcdef01234567';

const projectOf = (name: string, yaml = '', kubeconfig?: string) => {
  const project = testEnvironment.program(
    { main: [own(config(`${name}-a`))] },
    { environment: { GITHUB_SHA: commit }, ...(kubeconfig ? { kubeconfig } : {}) },
  );
  project.write({ 'fieldwise.yaml': `app: main.ts\n${yaml}` });
  return project;
};
const declare = (project: Project, name: string, data: object) => edit(project, { main: [own(config(`${name}-a`, data))] });

async function revisionsOf(project: Project): Promise<ListedRevision[]> {
  const result = await project.run(['history', '--json']);
  expect(result.exitCode, result.stderr).toBe(0);
  return result.events.filter(({ event }) => event === 'revision') as unknown as ListedRevision[];
}

/** The names of the Secrets of the history of a project, without the common part. */
async function secretsOf(project: Project): Promise<string[]> {
  const name = historyName(project.manager('main'));
  const all = await cluster.list('v1', 'Secret', testEnvironment.namespace);
  return all
    .map(({ metadata }) => metadata.name as string)
    .filter((one) => one.startsWith(name))
    .map((one) => one.slice(name.length))
    .sort();
}

const warningsOf = (report: { readonly result: { readonly events: readonly ResponseBody[] } }) =>
  report.result.events.filter(({ event }) => event === 'warning').map(({ code }) => code);
const secret = (name: string) => testEnvironment.ref('v1', 'Secret', name);

test('a deploy records who, when, from which commit and with which result; an unchanged one records nothing and reads once', async () => {
  const proxy = await testEnvironment.proxy();
  const project = projectOf('recorded', '', proxy.kubeconfig);
  await deployed(project);
  const forHistory = () =>
    proxy.requests.filter(({ path }) => /fieldwise-history|\/secrets$|selfsubjectreviews/.test(path)).map(({ method }) => method);
  expect(forHistory().sort()).toEqual(['GET', 'POST', 'POST', 'POST']);
  proxy.requests.length = 0;
  await deployed(project);
  await deployed(project, '--reconcile', 'changed');
  expect(forHistory()).toEqual(['GET', 'GET']);
  declare(project, 'recorded', { a: '2' });
  await waitForNextSecond(); // a change within the second of the last one cannot be proved
  await deployed(project);
  const [second, first, ...others] = await revisionsOf(project);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ revision: 1, result: 'succeeded', counts: { created: 1 }, commit, current: false, stored: true });
  expect(second).toMatchObject({ revision: 2, result: 'succeeded', counts: { updated: 1 }, commit, current: true, stored: true });
  expect(second?.by).toMatch(/./);
  expect(second?.digest).not.toBe(first?.digest);
  expect(Date.parse(second?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.at ?? ''));
  const table = await project.run(['history']);
  expect(table.stdout).toMatch(
    /^REVISION {2}DEPLOYED +RESULT +COMMIT +STACK +BY +OBJECTS\n +2\* .* succeeded {2}0123456789ab {2}main .* 1 updated\n +1 /,
  );
});

test('a partly failed deploy is recorded as failed, and its repetition as succeeded', async () => {
  const project = projectOf('partly');
  const wrong = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'partly' }, spec: { ports: [{ port: 70_000 }] } };
  edit(project, { main: [own(config('partly-a')), own(wrong)] });
  expect((await project.deploy()).exitCode).toBe(4);
  declare(project, 'partly', { a: '1' });
  await deployed(project);
  expect((await revisionsOf(project)).map(({ result, counts }) => [result, counts])).toEqual([
    ['succeeded', { unchanged: 1, absent: 1 }],
    ['failed', { created: 1, failed: 1 }],
  ]);
});

test('destroy removes the history, and history: false records none', async () => {
  const project = projectOf('destroyed');
  await deployed(project);
  expect(await secretsOf(project)).toEqual(['', '.0']);
  expect((await project.destroy()).exitCode).toBe(0);
  expect(await secretsOf(project)).toEqual([]);
  project.write({ 'fieldwise.yaml': 'app: main.ts\nhistory: false\n' });
  await deployed(project);
  expect(await secretsOf(project)).toEqual([]);
  expect((await project.run(['history'])).stdout).toBe('no revisions\n');
});

describe('limits', () => {
  test('keep: the oldest revisions go, with their parts; numbers are not used again', async () => {
    const project = projectOf('kept', 'history: { keep: 2 }\n');
    for (const a of ['1', '2', '3', '4']) {
      declare(project, 'kept', { a });
      await deployed(project);
    }
    expect((await revisionsOf(project)).map(({ revision }) => revision)).toEqual([4, 3]);
    expect(await secretsOf(project)).toHaveLength(3);
  });

  test('maxBytes: a larger revision is recorded without its declarations, and says so', async () => {
    const project = projectOf('large', 'history: { maxBytes: 600 }\n');
    declare(project, 'large', { a: randomBytes(2000).toString('base64') });
    const report = await deployed(project);
    expect(warningsOf(report)).toEqual(['revision-without-body']);
    expect(await revisionsOf(project)).toMatchObject([{ revision: 1, stored: false, bytes: 0 }]);
    const refused = await project.run(['rollback', '1', '--yes']);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('[revision-not-stored]') });
  });

  test('maxBytes: only the declarations of what does not fit go, and a rollback passes over it', async () => {
    const project = projectOf('passed', 'history: { maxBytes: 2000 }\n');
    for (const a of ['1', randomBytes(1000).toString('base64'), randomBytes(1000).toString('base64')]) {
      declare(project, 'passed', { a });
      await deployed(project);
    }
    expect(await revisionsOf(project)).toMatchObject([
      { revision: 3, stored: true },
      { revision: 2, stored: false, result: 'succeeded' },
      { revision: 1, stored: true },
    ]);
    expect(await secretsOf(project)).toHaveLength(3);
    expect((await project.run(['rollback'])).stdout).toContain('passed over, because their declarations are not stored: 2\n');
    const done = await project.run(['rollback', '--yes', '--json']);
    expect(done.events.find(({ event }) => event === 'rollback')).toMatchObject({ to: { revision: 1 }, passedOver: [2] });
    expect(done.exitCode).toBe(0);
  });

  test('a large revision is split into Secrets, and read again', async () => {
    const project = projectOf('split');
    const noise = () => own(config(`split-${randomBytes(4).toString('hex')}`, { a: randomBytes(600_000).toString('base64') }));
    edit(project, { main: [own(config('split-a')), noise(), noise()] });
    await deployed(project);
    const [revision] = await revisionsOf(project);
    expect(revision?.bytes).toBeGreaterThan(1_000_000);
    expect(await secretsOf(project)).toEqual(['', '.0', '.1', '.2']);
    const diff = await project.run(['diff', '--to-revision', '1', '--json']);
    expect(diff.exitCode, diff.stderr).toBe(0);
    expect(eventsOf(diff.events, 'plan').map(({ action }) => action)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  });
});

describe('Secrets that others wrote', () => {
  test('a Secret of another with the name of the history: nothing is recorded, changed or deleted', async () => {
    const project = projectOf('taken');
    await project.run(['synth']);
    const name = historyName(project.manager('main'));
    await cluster.create('them', { ...secret(name), type: 'Opaque', stringData: { their: 'value' } } as never);
    const before = await cluster.get(secret(name));
    const report = await deployed(project);
    expect(warningsOf(report)).toEqual(['revision-not-recorded']);
    expect((await project.run(['history'])).stderr).toContain('[history-damaged]');
    expect((await project.destroy()).exitCode).toBe(0);
    expect(await cluster.get(secret(name))).toEqual(before);
  });

  test('a Secret of another with the name of a part is left out, and stays', async () => {
    const project = projectOf('part');
    await project.run(['synth']);
    const name = slotName(project.manager('main'), 0);
    await cluster.create('them', { ...secret(name), type: 'Opaque' });
    const before = await cluster.get(secret(name));
    await deployed(project);
    expect(await secretsOf(project)).toEqual(['', '.0', '.1']);
    expect((await project.destroy()).exitCode).toBe(0);
    expect(await cluster.get(secret(name))).toEqual(before);
    expect(await secretsOf(project)).toEqual(['.0']);
  });

  test.each([
    ['another byte', (part: Buffer) => Buffer.from(part.map((byte, index) => (index === 40 ? byte ^ 1 : byte)))],
    ['a bomb', () => gzipSync(Buffer.alloc(200 * 2 ** 20))],
    ['no gzip', () => Buffer.from('nothing')],
  ])('a part with %s is refused by name', async (what, change) => {
    const project = projectOf(`damaged-${what.toLowerCase().replaceAll(' ', '-')}`);
    await deployed(project);
    const live = await cluster.get(secret(slotName(project.manager('main'), 0)));
    const part = change(Buffer.from(live.data.part, 'base64'));
    await cluster.patch('them', live as never, { data: { part: part.toString('base64') } });
    const refused = await project.run(['diff', '--to-revision', '1']);
    expect(refused).toMatchObject({ exitCode: 4, stdout: '' });
    expect(refused.stderr).toContain(`${slotName(project.manager('main'), 0)} is not used`);
  });

  test.each<[string, (content: ResponseBody) => unknown]>([
    ['a stack of another name', (body) => ({ ...body, stack: { ...body.stack, name: 'other' } })],
    ['another field manager', (body) => ({ ...body, stack: { ...body.stack, manager: 'them' } })],
    ['another app', (body) => ({ ...body, app: 'other' })],
    ['another object than its intent', (body) => ({ ...body, objects: [{ ...body.objects[0], kind: 'Secret' }] })],
    ['values of what is no Secret', (body) => ({ ...body, omitted: [[0, [{ path: ['data', 'a'] }]]] })],
    ['too much', (body) => ({ ...body, more: 'x'.repeat(80 * 2 ** 20) })],
  ])('a forged revision with %s is refused', async (what, change) => {
    const project = projectOf(`forged-${what.toLowerCase().replaceAll(' ', '-')}`);
    await deployed(project);
    await forge(project, change);
    const refused = await project.run(['rollback', '1', '--yes']);
    expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('Revision 1 of stack main is not used') });
  });
});

/** Replaces the declarations of revision 1, as somebody who may write Secrets in the namespace of the inventories can. */
async function forge(project: Project, change: (content: ResponseBody) => unknown): Promise<void> {
  const { createHash } = await import('node:crypto');
  const { gunzipSync } = await import('node:zlib');
  const manager = project.manager('main');
  const [list, slot] = [await cluster.get(secret(historyName(manager))), await cluster.get(secret(slotName(manager, 0)))];
  const body = gzipSync(JSON.stringify(change(JSON.parse(gunzipSync(Buffer.from(slot.data.part, 'base64')).toString()))));
  const revisions = JSON.parse(Buffer.from(list.data.revisions, 'base64').toString());
  Object.assign(revisions.revisions[0].body, { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') });
  await cluster.patch('them', slot as never, { data: { part: body.toString('base64') } });
  await cluster.patch('them', list as never, { data: { revisions: Buffer.from(JSON.stringify(revisions)).toString('base64') } });
}

test('rbac grants the history by name; without these rights, a deploy warns and succeeds', async () => {
  const project = projectOf('rights');
  const rulesOf = async (yaml: string) => {
    project.write({ 'fieldwise.yaml': `app: main.ts\n${yaml}` });
    const printed = await project.run(['rbac']);
    const roles: ResponseBody[] = parseAllDocuments(printed.stdout).map((document) => document.toJS());
    return roles.filter(({ kind }) => kind === 'Role').flatMap(({ rules }) => rules) as ResponseBody[];
  };
  const [without, enough] = [await rulesOf('history: false\n'), await rulesOf('')];
  expect(without.filter(({ resources }) => resources.includes('secrets'))).toEqual([]);
  expect(enough.filter(({ resources, verbs }) => resources.includes('secrets') && verbs.includes('list'))).toEqual([]);
  const few = await project.deploy([], { kubeconfig: await testEnvironment.account('few', without) });
  expect(few.exitCode, String(few)).toBe(0);
  expect(warningsOf(few)).toEqual(['revision-not-recorded']);
  const kubeconfig = await testEnvironment.account('enough', enough);
  declare(project, 'rights', { a: '2' });
  const report = await project.deploy([], { kubeconfig });
  expect([report.exitCode, warningsOf(report)], String(report)).toEqual([0, []]);
  expect(await revisionsOf(project)).toMatchObject([{ by: `system:serviceaccount:${testEnvironment.namespace}:enough` }]);
  expect((await project.destroy([], { kubeconfig })).exitCode).toBe(0);
  expect(await secretsOf(project)).toEqual([]);
});

test('a renamed stack begins a history of its own, and the former one is removed', async () => {
  const project = projectOf('renamed');
  await deployed(project);
  const former = historyName(project.manager('main'));
  const text = testEnvironment.text({ next: [own(config('renamed-a'))] });
  project.write({ 'main.ts': text.replace('new Stack(app, "next")', 'new Stack(app, "next", { renamedFrom: \'main\' })') });
  await deployed(project);
  expect(await revisionsOf(project)).toMatchObject([{ stack: 'next', revision: 1 }]);
  expect(await cluster.find(secret(former))).toBeUndefined();
});
