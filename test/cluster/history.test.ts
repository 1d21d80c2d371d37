import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
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
  const result = await project.run(['history', '-o', 'json']);
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

test('a deploy from a working tree with changes that are not committed says so beside the commit', async () => {
  const project = projectOf('uncommitted');
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: project.directory });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message=a');
  await deployed(project);
  declare(project, 'uncommitted', { a: '2' });
  await deployed(project);
  const [second, first] = await revisionsOf(project);
  expect([first, second]).toMatchObject([{ commit }, { commit, uncommittedChanges: true }]);
  expect(first).not.toHaveProperty('uncommittedChanges');
  const { stdout } = await project.run(['history']);
  expect(stdout).toContain('  0123456789ab, with uncommitted changes  main ');
  const { events } = await project.run(['list', '-o', 'json']);
  expect(events).toContainEqual(expect.objectContaining({ last: expect.objectContaining({ revision: 2, uncommittedChanges: true }) }));
  const rollback = await project.run(['rollback', '--yes']);
  expect(rollback.stdout).toContain(`commit ${commit}, with uncommitted changes)`);
});

test('files that Fieldwise writes into the tree are no such changes', async () => {
  const project = testEnvironment.program({ main: [own(config('written-a'))] }, { environment: { GITHUB_SHA: '', CI_COMMIT_SHA: '' } });
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: project.directory, encoding: 'utf8' });
  project.write({ '.gitignore': 'node_modules/\n' });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message=a');
  expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
  const words = ['--plan', 'plan.json', '--output-file', 'report=report.json', '--output-file', 'markdown=deploy.md'];
  await deployed(project, ...words);
  expect(git('status', '--porcelain').split('\n').sort()).toEqual(['', '?? deploy.md', '?? dist/', '?? plan.json', '?? report.json']);
  const [revision] = await revisionsOf(project);
  expect(revision).toMatchObject({ commit: git('rev-parse', 'HEAD').trim() });
  expect(revision).not.toHaveProperty('uncommittedChanges');
});

test('a rollback shows the commit and the message of the revision to which it went back, not those of the checkout', async () => {
  const project = testEnvironment.program({ main: [own(config('back-a'))] }, { environment: { GITHUB_SHA: '', CI_COMMIT_SHA: '' } });
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: project.directory, encoding: 'utf8' }).trim();
  project.write({ '.gitignore': 'node_modules/\n' });
  git('init', '--quiet');
  const commits: string[] = [];
  for (const message of ['Blue', 'Red']) {
    declare(project, 'back', { color: message });
    git('add', '.');
    git('commit', '--quiet', `--message=${message}`);
    commits.push(git('rev-parse', 'HEAD'));
    await deployed(project);
  }
  expect((await project.run(['rollback', '--yes'])).exitCode).toBe(0);
  const again = await project.run(['rollback', '3', '--yes']);
  expect(again.stdout).toMatch(/back to revision 3 \(succeeded, [^,]+, by [^,]+, rollback to 1\)/);
  const [third, second, first] = (await project.run(['history'])).stdout.trimEnd().split('\n').slice(1);
  const blue = commits[0]?.slice(0, 12) as string;
  const red = commits[1]?.slice(0, 12) as string;
  expect(first).toMatch(new RegExp(`^ +1 .* ${blue} .*; "Blue"$`));
  expect(second).toMatch(new RegExp(`^ +2 .* ${red} .*; "Red"$`));
  expect(third).toMatch(new RegExp(`^ +3\\* .* ${blue} .*; rollback to 1; "Blue"$`));
  expect(third).not.toContain(red);
  const [revision] = await revisionsOf(project);
  expect(revision).toMatchObject({ revision: 3, rollbackTo: 1, commit: commits[1], subject: 'Red' });
});

test('where Git fails, it is not known whether there were such changes', async () => {
  const project = projectOf('unasked');
  mkdirSync(join(project.directory, '.git')); // no repository
  await deployed(project);
  expect(await revisionsOf(project)).toMatchObject([{ commit, uncommittedChanges: 'unknown' }]);
  expect((await project.run(['history'])).stdout).toContain('  0123456789ab, uncommitted changes not known  main ');
  const { events } = await project.run(['list', '-o', 'json']);
  const last = expect.objectContaining({ revision: 1, uncommittedChanges: 'unknown' });
  expect(events).toContainEqual(expect.objectContaining({ last }));
  declare(project, 'unasked', { a: '2' });
  await deployed(project);
  const rollback = await project.run(['rollback', '--yes']);
  expect(rollback.stdout).toContain(`commit ${commit}, uncommitted changes not known)`);
});

test('where Git fails and no CI service names the commit, the history says why there is none', async () => {
  const project = testEnvironment.program({ main: [own(config('unnamed-a'))] }, { environment: { GITHUB_SHA: '', CI_COMMIT_SHA: '' } });
  mkdirSync(join(project.directory, '.git'));
  await deployed(project);
  const [revision] = await revisionsOf(project);
  expect(revision).toMatchObject({ uncommittedChanges: 'unknown' });
  expect(revision).not.toHaveProperty('commit');
  expect((await project.run(['history'])).stdout).toContain('  unknown, because Git failed  main ');
});

test('a deploy records who, when, from which commit and with which result; an unchanged one records nothing and reads once', async () => {
  const proxy = await testEnvironment.proxy();
  const project = projectOf('recorded', '', proxy.kubeconfig);
  await deployed(project);
  const forHistory = () =>
    proxy.requests.filter(({ path }) => /fieldwise-history|\/secrets$|selfsubjectreviews/.test(path)).map(({ method }) => method);
  expect(forHistory().sort()).toEqual(['GET', 'PATCH', 'PATCH', 'POST']);
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
    /^REVISION {2}DEPLOYED +RESULT +RUN +COMMIT +STACK +BY +OBJECTS\n +2\* .* succeeded {2}[0-9a-f]{8} {2}0123456789ab {2}main .* 1 updated\n +1 /,
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
    const done = await project.run(['rollback', '--yes', '-o', 'json']);
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
    const diff = await project.run(['diff', '--to-revision', '1', '-o', 'json']);
    expect(diff.exitCode, diff.stderr).toBe(0);
    expect(eventsOf(diff.events, 'plan').map(({ action }) => action)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  });
});

describe('Secrets that others wrote', () => {
  test('a Secret of another with the name of the history: it stays as it is, and the next name is used', async () => {
    const project = projectOf('taken');
    await project.run(['synth']);
    const name = historyName(project.manager('main'));
    await cluster.create('them', { ...secret(name), type: 'Opaque', stringData: { their: 'value' } } as never);
    const before = await cluster.get(secret(name));
    const report = await deployed(project);
    expect(warningsOf(report)).toEqual(['history-unknown']);
    expect((await project.run(['history'])).stderr).toContain('[history-unknown]');
    expect(await secretsOf(project)).toEqual(['', '-2', '-2.0']);
    expect((await project.destroy()).exitCode).toBe(0);
    expect(await cluster.get(secret(name))).toEqual(before);
    expect(await secretsOf(project)).toEqual(['']);
  });

  test('a Secret of another with the name of a part is left out, and stays', async () => {
    const project = projectOf('part');
    await project.run(['synth']);
    const name = slotName(historyName(project.manager('main')), 0);
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
    const live = await cluster.get(secret(slotName(historyName(project.manager('main')), 0)));
    const part = change(Buffer.from(live.data.part, 'base64'));
    await cluster.patch('them', live as never, { data: { part: part.toString('base64') } });
    const refused = await project.run(['diff', '--to-revision', '1']);
    expect(refused).toMatchObject({ exitCode: 4, stdout: '' });
    expect(refused.stderr).toContain(`${slotName(historyName(project.manager('main')), 0)} is not used`);
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
    const refused = await project.run([
      'rollback',
      '1',
      '--yes',
      '--trust-history',
      historyName(project.manager('main')),
      '--allow',
      '*/*',
    ]);
    expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('Revision 1 of stack main is not used') });
  });
});

/** Replaces the declarations of revision 1, as somebody who may write Secrets in the namespace of the inventories can. */
async function forge(project: Project, change: (content: ResponseBody) => unknown): Promise<void> {
  const { createHash } = await import('node:crypto');
  const { gunzipSync } = await import('node:zlib');
  const manager = project.manager('main');
  const [list, slot] = [await cluster.get(secret(historyName(manager))), await cluster.get(secret(slotName(historyName(manager), 0)))];
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

test.each([
  [400, 'BadRequest'],
  [403, 'Forbidden'],
  [422, 'Invalid'],
])('a hostile text of the server with %d in place of a revision or a key is printable, and has a next step', async (code, reason) => {
  const proxy = await testEnvironment.proxy();
  const hostile = `no\u001b[31m\u202e \u0085\nwarning: all is well [fine]\n${'x'.repeat(10_000)}`;
  const project = testEnvironment.program(
    { main: [own({ ...secret(`hostile-${code}`), data: { a: 'YQ==' } })] },
    { kubeconfig: proxy.kubeconfig },
  );
  proxy.onRequest = ({ path, method }) =>
    /\/secrets\/fieldwise-(history|digest|key)|\/secrets$/.test(path) && (method === 'PATCH' || code === 403)
      ? { status: code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: hostile } }
      : undefined;
  const run = await project.run(['deploy', '--yes']);
  expect(run.exitCode, run.stderr).toBe(0);
  const output = run.stderr + run.stdout;
  expect(output).toContain('[revision-not-recorded]');
  expect(output).toContain('<U+001B>[31m<U+202E>');
  expect([...output].filter((character) => '\u001b\u202e\u0085'.includes(character))).toEqual([]);
  expect(output).not.toMatch(/^warning: all is well/m);
  const { events } = await project.run(['deploy', '-o', 'json', '--yes']);
  const warnings = events.filter(({ event }) => event === 'warning');
  expect(warnings.map(({ code: one }) => one)).toContain('revision-not-recorded');
  for (const { next } of warnings) expect(next).toMatch(/\w/);
});

test('rbac --read-only --history grants what reads the history, by name, and nothing that writes or lists Secrets', async () => {
  const project = projectOf('readers');
  for (const a of ['1', '2']) {
    declare(project, 'readers', { a });
    await deployed(project);
  }
  const rulesOf = async (...flags: string[]) => {
    const printed = await project.run(['rbac', '--read-only', ...flags]);
    const roles = parseAllDocuments(printed.stdout).map((document) => document.toJS() as ResponseBody);
    return roles.filter(({ kind }) => kind === 'Role').flatMap(({ rules }) => rules as ResponseBody[]);
  };
  const [without, rules] = [await rulesOf(), await rulesOf('--history')];
  expect(without.filter(({ resources }) => resources.includes('secrets'))).toEqual([]);
  const ofSecrets = rules.filter(({ resources }) => resources.includes('secrets'));
  expect(ofSecrets).toMatchObject([{ verbs: ['get'], resourceNames: expect.arrayContaining([historyName(project.manager('main'))]) }]);
  const [few, kubeconfig] = [await testEnvironment.account('few-readers', without), await testEnvironment.account('readers', rules)];
  expect(await project.run(['history'], { kubeconfig: few })).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('[history-forbidden]'),
  });
  const listed = await project.run(['history'], { kubeconfig });
  expect(listed.stdout).toMatch(/ 2\* .*\n +1 /);
  const diff = await project.run(['diff', '--read-only', '--to-revision', '1'], { kubeconfig });
  expect(diff.exitCode, diff.stderr).toBe(0);
  expect(diff.stdout).toContain('.data.a: "2" → "1"');
  const refused = await project.run(['rollback', '--yes'], { kubeconfig });
  expect(refused.exitCode, refused.stdout).not.toBe(0);
  expect((await cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'readers-a'))).data).toEqual({ a: '2' });
  expect(await project.run(['rbac', '--history'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('[flag-without-use]') });
});

describe('the history of a stack that is destroyed', () => {
  type Change = (project: Project) => Promise<unknown>;
  const slot = (project: Project, index: number) => secret(slotName(historyName(project.manager('main')), index));
  const change = async (ref: ReturnType<typeof secret>, patch: object) => cluster.patch('them', (await cluster.get(ref)) as never, patch);
  const foreignLabel = { metadata: { labels: { 'fieldwise.dev/history': 'theirs' } } };
  const foreignOwner = { data: { owner: Buffer.from('{"app":"theirs"}').toString('base64') } };

  test.each<[string, readonly Change[], string[]]>([
    ['two parts of others', [(p) => change(slot(p, 0), foreignLabel), (p) => change(slot(p, 2), foreignOwner)], ['.0', '.2']],
    ['a list of another', [(p) => change(secret(historyName(p.manager('main'))), foreignOwner)], ['']],
    [
      'a list and a part of another',
      [(p) => change(secret(historyName(p.manager('main'))), foreignOwner), (p) => change(slot(p, 1), foreignOwner)],
      ['', '.1'],
    ],
    ['a list that cannot be read', [(p) => change(secret(historyName(p.manager('main'))), { data: { revisions: 'AAAA' } })], []],
    ['no list', [(p) => cluster.remove(secret(historyName(p.manager('main'))))], []],
    ['a part that was deleted', [(p) => cluster.remove(slot(p, 1))], []],
  ])('%s: what the stack wrote goes, and one warning names the rest', async (what, changes, left) => {
    const project = projectOf(`left-${what.replaceAll(' ', '-')}`);
    for (const a of ['1', '2', '3']) {
      declare(project, `left-${what.replaceAll(' ', '-')}`, { a });
      await deployed(project);
    }
    expect(await secretsOf(project)).toEqual(['', '.0', '.1', '.2']);
    for (const one of changes) await one(project);
    const report = await project.destroy();
    expect([report.exitCode, await secretsOf(project)], String(report)).toEqual([0, left]);
    const warnings = report.result.events.filter(({ event }) => event === 'warning');
    expect(warnings.map(({ code }) => code)).toEqual(left.length > 0 ? ['history-damaged'] : []);
    for (const name of left) expect(warnings[0]?.message).toContain(`${historyName(project.manager('main'))}${name}`);
    if (left.length === 0) return;
    const [command] = /kubectl delete secret [^`]+/.exec(warnings[0]?.next ?? '') ?? [];
    const names = command?.split(' ').slice(5) ?? [];
    expect(command).toContain(`--namespace ${testEnvironment.namespace} `);
    expect(names.sort()).toEqual(left.map((name) => `${historyName(project.manager('main'))}${name}`).sort());
  });

  test('Secrets that may not be deleted are named with a command', async () => {
    const project = projectOf('undeletable');
    await deployed(project);
    const rights = parseAllDocuments((await project.run(['rbac'])).stdout).map((document) => document.toJS() as ResponseBody);
    const rules = rights.filter(({ kind }) => kind === 'Role').flatMap(({ rules }) => rules as ResponseBody[]);
    const fewer = rules.map((rule) =>
      rule.resources.includes('secrets') ? { ...rule, verbs: rule.verbs.filter((verb: string) => verb !== 'delete') } : rule,
    );
    const report = await project.destroy([], { kubeconfig: await testEnvironment.account('undeletable', fewer) });
    expect(report.exitCode, String(report)).toBe(0);
    expect(warningsOf(report)).toContain('history-forbidden');
    expect(await secretsOf(project)).toEqual(['', '.0']);
  });
});

describe('a renamed stack', () => {
  const rename = (project: Project, ...declared: Parameters<typeof own>[0][]) => {
    const text = testEnvironment.text({ next: declared.map((one) => own(one)) });
    project.write({ 'main.ts': text.replace('new Stack(app, "next")', 'new Stack(app, "next", { renamedFrom: \'main\' })') });
  };

  test('goes on with its history, and back to a revision from before', async () => {
    const project = projectOf('renamed');
    await deployed(project);
    declare(project, 'renamed', { a: '2' });
    await deployed(project);
    const former = historyName(project.manager('main'));
    rename(project, config('renamed-a', { a: '2' }));
    await deployed(project);
    const revisions = await revisionsOf(project);
    expect(revisions).toMatchObject([3, 2, 1].map((revision) => ({ stack: 'next', revision, stored: true, commit })));
    expect(revisions[0]?.digest).toBe(revisions[1]?.digest);
    expect(await cluster.find(secret(former))).toBeUndefined();
    expect(await cluster.find(secret(`${former}.0`))).toBeUndefined();
    const back = await project.run(['rollback', '--yes', '-o', 'json']);
    expect(back.exitCode, back.stderr).toBe(0);
    expect(back.events.find(({ event }) => event === 'rollback')).toMatchObject({ from: { revision: 3 }, to: { revision: 1 } });
    const live = await cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'renamed-a'));
    expect(live.data).toEqual({ a: '1' });
    expect(live.metadata.managedFields.map(({ manager }: ResponseBody) => manager)).toEqual([project.manager('next')]);
    expect((await project.destroy()).exitCode).toBe(0);
    expect(await cluster.find(secret(historyName(project.manager('next'))))).toBeUndefined();
  });

  test('lists revisions whose declarations were damaged, without them', async () => {
    const project = projectOf('damaged-before');
    await deployed(project);
    const part = secret(slotName(historyName(project.manager('main')), 0));
    await cluster.patch('them', (await cluster.get(part)) as never, { data: { part: 'AAAA' } });
    rename(project, config('damaged-before-a'));
    const report = await deployed(project);
    expect(warningsOf(report)).toEqual(['history-damaged']);
    expect(await revisionsOf(project)).toMatchObject([
      { revision: 2, stored: true },
      { revision: 1, stored: false },
    ]);
  });
});

describe('a stack that the program no longer declares', () => {
  const removed = async (name: string) => {
    const project = projectOf(name);
    const two = (data: object) => edit(project, { main: [own(config(`${name}-a`))], other: [own(config(`${name}-other`, data))] });
    for (const a of ['1', '2']) {
      two({ a });
      await deployed(project);
    }
    edit(project, { main: [own(config(`${name}-a`))] });
    return project;
  };

  test('shows its history by its name, and by what `list` prints; no deploy removes it', async () => {
    const project = await removed('removed');
    await deployed(project);
    const listed = (await project.run(['list'])).stdout.match(/\S+\/other\n/g)?.map((line) => line.trim()) ?? [];
    const own = listed.find((name) => name.startsWith(`${project.manager('main').split('/')[1]}/`)) as string;
    for (const word of ['other', own]) {
      const result = await project.run(['history', word, '-o', 'json']);
      expect(result.exitCode, result.stderr).toBe(0);
      expect(result.events).toMatchObject([2, 1].map((revision) => ({ stack: 'other', revision, undeclared: true })));
    }
    expect((await project.run(['history', 'main', 'other'])).stdout).toMatch(/ main .*\n.* other .* not declared by this program\n/);
  });

  test('goes back, is shown first, and stays as it is in the next deploy', async () => {
    const project = await removed('restored');
    const shown = await project.run(['diff', '--to-revision', '1', 'other']);
    expect(shown.stdout).toContain('change    .data.a: "2" → "1"');
    const back = await project.run(['rollback', 'other', '--yes']);
    expect(back.exitCode, back.stderr).toBe(0);
    expect(back.stderr).toContain('it does not declare stack other, and leaves it as it is');
    const live = () => cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'restored-other'));
    expect((await live()).data).toEqual({ a: '1' });
    await deployed(project);
    expect((await live()).data).toEqual({ a: '1' });
    expect((await project.run(['history', 'other', '-o', 'json'])).events).toMatchObject([{ revision: 3, rollbackTo: 1 }, {}, {}]);
  });

  test.each([
    ['a stack that never was', ['history', 'never'], 'The program declares no stack never, and the cluster has no history of one'],
    ['a rollback of one that never was', ['rollback', '1', 'never', '--yes'], 'declares no stack never'],
    ['a hostile name', ['history', '../\u001b[31m/x'], 'declares no stack'],
  ])('%s is refused with the ways on', async (_, args, message) => {
    const refused = await projectOf('never').run(args);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(message);
    expect(refused.stderr).toContain('`fieldwise list`');
    expect(refused.stderr).not.toContain('\u001b[31m');
  });

  test('another program shows the history of a stack, and rolls nothing back', async () => {
    const [project, other] = [await removed('theirs'), projectOf('ours')];
    const word = `${project.manager('other').split('/').slice(1, 3).join('/')}/other`;
    await other.run(['synth']);
    const isSameApp = other.manager('main') === project.manager('main');
    expect(isSameApp).toBe(false);
    expect((await other.run(['history', word, '-o', 'json'])).events).toMatchObject([{ stack: word }, { stack: word }]);
    const refused = await other.run(['rollback', word, '--yes']);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('belongs to another program') });
  });
});
