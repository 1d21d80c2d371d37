import { describe, expect, test } from 'vitest';
import type { PlannedObject } from '../../src/deploy/index.js';
import { historyName, slotName } from '../../src/engine/history/history-secrets.js';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { Report } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('rollback');
const { cluster } = testEnvironment;
const { config, edit, live, placed } = configMapHelpers(testEnvironment);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const secretRef = (name: string) => testEnvironment.ref('v1', 'Secret', name);
const secret = (name: string, data: Record<string, string>, more: object = {}) =>
  own({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
    ...more,
  });

/** Deploys the versions of a program one after another. */
async function versions(...all: readonly (readonly Declared[])[]): Promise<Project> {
  const project = testEnvironment.program({ main: all[0] ?? [] });
  for (const declarations of all) {
    edit(project, { main: declarations });
    await deployed(project, '--yes');
  }
  return project;
}

async function rolledBack(project: Project, ...args: readonly string[]): Promise<Report> {
  const report = new Report(await project.run(['rollback', '-o', 'json', '--yes', ...args]));
  expect(report.exitCode, String(report)).toBe(0);
  return report;
}

const plansOf = ({ result }: Report) =>
  Object.fromEntries((eventsOf(result.events, 'plan') as unknown as PlannedObject[]).map(({ name, action }) => [name, action]));
const messagesOf = ({ events }: { readonly events: readonly ResponseBody[] }) =>
  events.filter(({ code }) => code === 'values-kept').map(({ message }) => message as string);

test('a rollback after a foreign change names the change and its author, and takes back only what the stack declares', async () => {
  const project = await versions(
    [own(config('shared', { color: 'red', size: '1' })), own(config('gone'))],
    [own(config('shared', { color: 'blue', size: '1' })), own(config('fresh'))],
  );
  await cluster.apply('editor', placed('shared', { color: 'green', theirs: 'kept' }), { force: true });
  const shown = await project.run(['diff', '--to-revision', '1']);
  expect(shown.stdout).toMatch(/force +\.data\.color: .*"green" → "red".*editor/);
  const report = await rolledBack(project, '1');
  expect(report.result.events.filter(({ event }) => event === 'rollback')).toMatchObject([{ from: { revision: 2 }, to: { revision: 1 } }]);
  expect(eventsOf(report.result.events, 'drift')).toMatchObject([
    { name: 'shared', fields: [{ field: '.data.color', declared: 'blue', live: 'green', owners: [{ manager: 'editor' }] }] },
  ]);
  expect(plansOf(report)).toEqual({ shared: 'update', gone: 'create', fresh: 'delete' });
  expect(report.only('shared').forcedConflicts).toMatchObject([{ field: '.data.color', from: 'editor' }]);
  expect((await live('shared')).data).toEqual({ color: 'red', size: '1', theirs: 'kept' });
  expect(await cluster.find(testEnvironment.ref('v1', 'ConfigMap', 'fresh'))).toBeUndefined();
  expect((await live('gone')).data).toEqual({ a: '1' });
  const history = await project.run(['history', '-o', 'json']);
  expect(history.events).toMatchObject([{ revision: 3, rollbackTo: 1, result: 'succeeded' }, { revision: 2 }, { revision: 1 }]);
  expect(history.events[0]?.digest).toBe(history.events[2]?.digest);
  const forward = await deployed(project, '--yes');
  expect(forward.only('fresh').result).toBe('created');
  expect((await live('shared')).data).toMatchObject({ color: 'blue', theirs: 'kept' });
});

test('values of Secrets are in no revision; a rollback keeps and names them, and says which have changed', async () => {
  const labels = (version: string) => ({ metadata: { name: 'login', labels: { version } } });
  const project = await versions(
    [secret('login', { user: 'one', 'pass.word': 'first-password' }, labels('1'))],
    [secret('login', { user: 'one', 'pass.word': 'second-password' }, labels('2'))],
  );
  const manager = project.manager('main');
  const { gunzipSync } = await import('node:zlib');
  for (const name of [historyName(manager), slotName(historyName(manager), 0), slotName(historyName(manager), 1)]) {
    const { data } = await cluster.get(secretRef(name));
    const content = data.part ? gunzipSync(Buffer.from(data.part, 'base64')) : Buffer.from(data.revisions, 'base64');
    for (const value of ['first-password', 'second-password', 'one']) {
      expect(content.includes(base64(value))).toBe(false);
      expect(content.includes(value)).toBe(false);
    }
  }
  const report = await rolledBack(project);
  expect(messagesOf(report.result)).toEqual([
    `Secret ${testEnvironment.namespace}/login keeps the values of .data.user, .data.pass.word, which revision 1 does not contain; changed since that revision: .data.pass.word`,
  ]);
  const after = await cluster.get(secretRef('login'));
  expect(after.data).toEqual({ user: base64('one'), 'pass.word': base64('second-password') });
  expect(after.metadata.labels).toEqual({ version: '1' });
  const entry = after.metadata.managedFields.find((one: ResponseBody) => one.manager === manager);
  expect(Object.keys(entry.fieldsV1['f:data'])).toEqual(expect.arrayContaining(['f:user', 'f:pass.word']));
  expect((await deployed(project)).only().result).not.toBe('failed');
  expect((await cluster.get(secretRef('login'))).data['pass.word']).toBe(base64('second-password'));
});

test('a value that another manager has taken since is not declared, and stays', async () => {
  const project = await versions(
    [secret('rotated', { a: '1', b: '1' }, { metadata: { name: 'rotated', labels: { version: '1' } } })],
    [secret('rotated', { a: '1', b: '1' }, { metadata: { name: 'rotated', labels: { version: '2' } } })],
  );
  await cluster.apply('rotator', { ...secretRef('rotated'), data: { b: base64('theirs') } } as never, { force: true });
  const report = await rolledBack(project);
  expect(messagesOf(report.result)[0]).toMatch(
    /keeps the values of \.data\.a, .*left as it is in \.data\.b, which the stack does not own$/,
  );
  const after = await cluster.get(secretRef('rotated'));
  expect(after.data).toEqual({ a: base64('1'), b: base64('theirs') });
  expect(after.metadata.labels).toEqual({ version: '1' });
});

test('values of stringData and of references are kept, too', async () => {
  const project = testEnvironment.project(
    {
      'fieldwise.yaml': 'app: main.ts\n',
      'main.ts': `import { App, fromEnv, Stack } from 'fieldwise';
const main = new Stack(new App(), 'main');
const metadata = { name: 'text', labels: { version: process.env.PROGRAM_VERSION! } };
main.own({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { plain: 'plain-1', token: fromEnv('TOKEN') } } as never);
`,
    },
    {},
  );
  for (const version of ['1', '2']) {
    const report = await project.deploy([], { environment: { PROGRAM_VERSION: version, TOKEN: 'token-1' } });
    expect(report.exitCode, String(report)).toBe(0);
  }
  const report = new Report(
    await project.run(['rollback', '-o', 'json', '--yes'], { environment: { PROGRAM_VERSION: '2', TOKEN: 'other' } }),
  );
  expect(report.exitCode, String(report)).toBe(0);
  expect(messagesOf(report.result)[0]).not.toContain('changed since');
  const after = await cluster.get(secretRef('text'));
  expect(after.data).toEqual({ plain: base64('plain-1'), token: base64('token-1') });
  expect(after.metadata.labels).toEqual({ version: '1' });
  const forward = await project.deploy([], { environment: { PROGRAM_VERSION: '3', TOKEN: 'token-3' } });
  expect(forward.exitCode, String(forward)).toBe(0);
  expect((await cluster.get(secretRef('text'))).data).toEqual({ plain: base64('plain-1'), token: base64('token-3') });
});

test('a Secret that no longer exists is named and left out, and what depends on it goes back', async () => {
  const project = await versions([secret('lost', { a: '1' }), own(config('beside', { a: '1' }))], [own(config('beside', { a: '2' }))]);
  expect(await cluster.find(secretRef('lost'))).toBeUndefined();
  const report = await rolledBack(project);
  expect(messagesOf(report.result)[0]).toContain(
    'lost does not exist and is left out, because revision 1 does not contain the values of .data.a',
  );
  expect(await cluster.find(secretRef('lost'))).toBeUndefined();
  expect((await live('beside')).data).toEqual({ a: '1' });
});

describe('what a rollback leaves out is not undeclared in the revision that it records', () => {
  const of = (kind: string) => (name: string) => `left-${kind}-${name}`;
  test.each<[string, (object: object) => Declared]>([
    ['own', (object) => own(object)],
    ['share', (object) => share(object, { ifAbsent: 'create', conflicts: 'force' })],
    ['dynamic', (object) => own(object, { strategy: 'dynamic' })],
  ])('%s: a Secret that did not exist, and a key of another', async (kind, declare) => {
    const name = of(kind);
    const secrets = [declare(secret(name('db'), { password: 'p' }).object), declare(secret(name('api'), { token: 't', url: 'u' }).object)];
    const colored = (color: string) => [own(config(name('cm'), { color })), ...secrets];
    const project = await versions(colored('red'), colored('blue'));
    await cluster.remove(secretRef(name('db')));
    await cluster.patch('vault', secretRef(name('api')), { data: { token: base64('theirs') } });
    const first = await rolledBack(project);
    expect(messagesOf(first.result)).toEqual([
      expect.stringContaining(`${name('db')} does not exist and is left out`),
      expect.stringContaining(`${name('api')} is left as it is in .data.token`),
    ]);
    expect((await cluster.get(secretRef(name('api')))).data).toEqual({ token: base64('theirs'), url: base64('u') });
    for (const color of ['blue', 'green']) {
      edit(project, { main: colored(color) });
      await deployed(project, '--yes');
    }
    const [db, api] = [await cluster.get(secretRef(name('db'))), await cluster.get(secretRef(name('api')))];
    expect(api.data).toEqual({ token: base64('t'), url: base64('u') });
    const second = await rolledBack(project, '3');
    expect(plansOf(second)).toMatchObject({ [name('cm')]: 'update', [name('db')]: 'unchanged', [name('api')]: 'unchanged' });
    expect(messagesOf(second.result)).toEqual([
      expect.stringContaining(`${name('db')} keeps the values of .data.password`),
      expect.stringContaining(`${name('api')} keeps the values of .data.token, .data.url`),
    ]);
    expect((await live(name('cm'))).data).toEqual({ color: 'red' });
    expect(await cluster.get(secretRef(name('db')))).toMatchObject({ metadata: { uid: db.metadata.uid }, data: db.data });
    expect((await cluster.get(secretRef(name('api')))).data).toEqual(api.data);
    await deployed(project, '--yes');
    expect((await cluster.get(secretRef(name('api')))).data).toEqual(api.data);
  });
});

test('a rollback names what others have changed in Secrets, and who', async () => {
  const secrets = [
    secret('seen', { taken: '1', co: '1', gone: '1', mine: '1' }),
    secret('deleted', { a: '1' }),
    secret('left', { a: '1' }),
  ];
  const colored = (color: string) => [own(config('seen-color', { color })), ...secrets];
  const project = await versions(colored('red'), colored('blue'));
  await cluster.patch('vault', secretRef('seen'), { data: { taken: base64('theirs'), gone: null } });
  await cluster.remove(secretRef('deleted'));
  const shown = eventsOf((await project.run(['drift', '-o', 'json'])).events, 'drift');
  const report = await rolledBack(project);
  const reported = eventsOf(report.result.events, 'drift');
  expect(reported).toEqual(shown);
  expect(reported).toMatchObject([
    {
      name: 'seen',
      state: 'drifted',
      fields: [
        { field: '.data.taken', drift: 'changed', declared: '***', live: '***', owners: [{ manager: 'vault', time: expect.any(String) }] },
        { field: '.data.gone', drift: 'removed', declared: '***' },
      ],
    },
    { name: 'deleted', state: 'absent' },
  ]);
  expect(JSON.stringify(reported)).not.toContain(base64('theirs'));
  expect(messagesOf(report.result)[0]).toMatch(
    /seen is left as it is in \.data\.taken, which the stack does not own; .*seen is left without \.data\.gone, whose values revision 1 does/,
  );
});

describe('what has moved to another stack of the program is not taken back', () => {
  const deployedAs = async (project: Project, stacks: Record<string, readonly Declared[]>) => {
    edit(project, stacks);
    await deployed(project, '--yes');
  };

  test('an object stays with its new stack, is named, and is in the revision that the rollback records', async () => {
    const project = testEnvironment.program({ main: [own(config('moved'))] });
    await deployedAs(project, { main: [own(config('moved')), own(config('stays', { v: '1' }))], second: [own(config('other'))] });
    await deployedAs(project, {
      main: [own(config('stays', { v: '2' }))],
      second: [own(config('other')), own(config('moved', { a: '2' }))],
    });
    const before = await live('moved');
    for (const number of ['1', '3']) {
      const report = await rolledBack(project, number, 'main');
      expect(report.result.events.filter(({ code }) => code === 'moved-object-left-out')).toMatchObject([
        { message: expect.stringContaining('moved is left out, because stack second declares it now') },
      ]);
      expect(plansOf(report)).toEqual({ stays: number === '1' ? 'update' : 'unchanged' });
    }
    expect(await live('moved')).toEqual(before);
    await deployed(project, '--yes');
    expect(await live('moved')).toEqual(before);
  });

  test('an object that has moved in the program only goes back with its stack', async () => {
    const project = testEnvironment.program({ main: [own(config('unmoved'))] });
    await deployedAs(project, { main: [own(config('unmoved', { v: '1' }))], second: [own(config('unmoved-other'))] });
    await deployedAs(project, { main: [own(config('unmoved', { v: '2' }))], second: [own(config('unmoved-other'))] });
    const moved = { main: [], second: [own(config('unmoved-other')), own(config('unmoved', { v: '3' }))] };
    edit(project, moved);
    expect(plansOf(await rolledBack(project, '1', 'main'))).toEqual({ unmoved: 'update' });
    expect((await live('unmoved')).data).toEqual({ v: '1' });
    await deployedAs(project, moved);
    expect((await live('unmoved')).data).toEqual({ v: '3' });
  });

  test('a field stays with its new stack', async () => {
    const project = testEnvironment.program({ main: [own(config('field'))] });
    await deployedAs(project, { main: [own(config('field', { v: '1', f: '1' }))], second: [own(config('field-other'))] });
    await deployedAs(project, {
      main: [own(config('field', { v: '2' }))],
      second: [own(config('field-other')), share(config('field', { f: '2' }))],
    });
    expect(plansOf(await rolledBack(project, '1', 'main'))).toEqual({ field: 'update' });
    expect((await live('field')).data).toEqual({ v: '1', f: '2' });
    await deployed(project, '--yes');
    expect((await live('field')).data).toEqual({ v: '2', f: '2' });
  });
});

describe('what has moved to a stack from another one of the program stays with it', () => {
  const stays = (report: Report) =>
    report.result.events.filter(({ code }) => code === 'moved-object-stays').map(({ message, next: then }) => `${message} ${then}`);
  const other = (name: string, v = '1') => own(config(name, { v }));

  async function moved(core: readonly Declared[], now: Record<string, readonly Declared[]>) {
    const project = testEnvironment.program({ core, web: [other('stays-web')] });
    await deployed(project);
    edit(project, now);
    await deployed(project, '--yes');
    return project;
  }

  test('an object, whose values no revision has', async () => {
    const project = await moved([secret('to-web', { key: 'one' }), other('stays-core')], {
      core: [other('stays-core')],
      web: [other('stays-web', '2'), secret('to-web', { key: 'two' }), own(config('web-only'))],
    });
    const report = await rolledBack(project, '1', 'web');
    const history = await project.run(['history', 'web', '-o', 'json']);
    const run = history.events.find(({ revision }) => revision === 1)?.run;
    expect(stays(report)).toEqual([
      expect.stringMatching(
        new RegExp(`^Secret .*/to-web stays with stack web: it moved there from stack core after revision 1.*rollback --run ${run}\``),
      ),
    ]);
    expect(plansOf(report)).toEqual({ 'stays-web': 'update', 'to-web': 'unchanged', 'web-only': 'delete' });
    expect((await cluster.get(secretRef('to-web'))).data).toEqual({ key: base64('two') });
    expect(Object.keys(await cluster.owners(secretRef('to-web')))).toEqual([project.manager('web')]);
    const again = await rolledBack(project, '3', 'web');
    expect(plansOf(again)).toEqual({ 'stays-web': 'unchanged', 'to-web': 'unchanged' });
    const diff = await project.run(['diff', 'web', '--to-revision', '1']);
    expect(diff.stdout + diff.stderr).toMatch(/to-web stays with stack web/);
    expect(diff.stdout).not.toMatch(/delete +Secret/);
    const back = await project.run(['rollback', '--run', run, '--yes']);
    expect(back.exitCode, back.stderr).toBe(0);
    expect((await cluster.get(secretRef('to-web'))).data).toEqual({ key: base64('two') });
    expect(Object.keys(await cluster.owners(secretRef('to-web')))).toEqual([project.manager('core')]);
  });

  test('an object of a stack that the program no longer declares', async () => {
    const web = [own(config('from-gone', { v: '2' }))];
    const project = await moved([own(config('from-gone', { v: '1' }))], { core: [], web });
    edit(project, { web });
    const report = await rolledBack(project, '1', 'web');
    expect(stays(report)).toEqual([expect.stringContaining('from-gone stays with stack web: it moved there from stack core')]);
    expect((await live('from-gone')).data).toEqual({ v: '2' });
  });

  test('values of a Secret that the other stack keeps, but not what is new', async () => {
    const project = await moved([secret('some-keys', { here: '1', there: '1' })], {
      core: [secret('some-keys', { here: '1' })],
      web: [other('stays-web'), share(secret('some-keys', { there: '2' }).object), own(config('some-new'))],
    });
    const report = await rolledBack(project, '1', 'web');
    expect(stays(report)).toEqual([expect.stringContaining('.data.there of Secret')]);
    expect(plansOf(report)).toEqual({ 'stays-web': 'unchanged', 'some-keys': 'unchanged', 'some-new': 'delete' });
    expect((await cluster.get(secretRef('some-keys'))).data).toEqual({ here: base64('1'), there: base64('2') });
  });

  test('values of a Secret of which the stack declared others then', async () => {
    const project = testEnvironment.program({
      core: [secret('more-keys', { a: '1', b: '1' })],
      web: [share(secret('more-keys', { c: '1' }).object)],
    });
    await deployed(project);
    edit(project, { core: [secret('more-keys', { a: '1' })], web: [share(secret('more-keys', { b: '1', c: '1', d: '1' }).object)] });
    await deployed(project, '--yes');
    const report = await rolledBack(project, '1', 'web');
    expect(stays(report)).toEqual([expect.stringContaining('.data.b of Secret')]);
    expect((await cluster.get(secretRef('more-keys'))).data).toEqual({ a: base64('1'), b: base64('1'), c: base64('1') });
  });

  test('where the history of the other stack may not be read, the plan says that nothing shows it', async () => {
    const project = await moved([own(config('origin', { v: '1' }))], { core: [], web: [own(config('origin', { v: '2' }))] });
    const name = historyName(project.manager('web'));
    const slots = [0, 1, 2, 3].map((slot) => slotName(name, slot));
    const kubeconfig = await testEnvironment.account('one-stack', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: [name, ...slots] },
    ]);
    const { stderr, exitCode } = await project.run(['rollback', '1', 'web'], { kubeconfig });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /Nothing shows whether what this rollback removes from stack web has moved there from stack core: .*\[history-forbidden\]/,
    );
  });
});

test('after a deploy that was not recorded, the default is the last revision', async () => {
  const project = await versions([own(config('unrecorded', { v: '1' }))], [own(config('unrecorded', { v: '2' }))]);
  edit(project, { main: [own(config('unrecorded', { v: '3' })), own(config('unrecorded-more'))] });
  project.write({ 'fieldwise.yaml': 'app: main.ts\nhistory: false\n' });
  await deployed(project);
  project.write({ 'fieldwise.yaml': 'app: main.ts\n' });
  expect((await project.run(['rollback'])).stdout).toContain(
    'from what a later deploy changed, which this history does not record; the last is revision 2',
  );
  const report = await rolledBack(project);
  expect(report.result.events.filter(({ event }) => event === 'rollback')).toMatchObject([
    { from: { revision: 2 }, to: { revision: 2 }, isNotRecorded: true },
  ]);
  expect((await live('unrecorded')).data).toEqual({ v: '2' });
  expect(await cluster.find(testEnvironment.ref('v1', 'ConfigMap', 'unrecorded-more'))).toBeUndefined();
});

test('documents without a program go back, too', async () => {
  const project = testEnvironment.project({}, {});
  const document = (color: string) => `apiVersion: v1
kind: ConfigMap
metadata: { name: documents }
data: { color: ${color} }
---
apiVersion: v1
kind: Secret
metadata: { name: documents }
stringData: { token: secret }
`;
  const args = ['-f', 'cm.yaml', '--stack', 'documents'];
  for (const color of ['red', 'blue']) {
    project.write({ 'cm.yaml': document(color) });
    const report = await project.deploy(args);
    expect(report.exitCode, String(report)).toBe(0);
  }
  const diff = await project.run(['diff', ...args, '--to-revision', '1']);
  expect(diff).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('.data.color: "blue" → "red"') });
  const report = new Report(await project.run(['rollback', ...args, '-o', 'json', '--yes']));
  expect(report.exitCode, String(report)).toBe(0);
  expect((await live('documents')).data).toEqual({ color: 'red' });
});

test('a change after the plan refuses the rollback; nothing is overwritten', async () => {
  const proxy = await testEnvironment.proxy();
  const project = await versions(
    [secret('raced', { a: '1' }), own(config('raced', { v: '1' }))],
    [secret('raced', { a: '1' }), own(config('raced', { v: '2' }))],
  );
  let done = false;
  proxy.onRequest = async ({ method, path }) => {
    if (done || method === 'GET' || !path.includes('/leases')) return undefined;
    done = true;
    await cluster.apply('rotator', { ...secretRef('raced'), data: { a: base64('rotated') } } as never, { force: true });
    return undefined;
  };
  const report = new Report(await project.run(['rollback', '-o', 'json', '--yes'], { kubeconfig: proxy.kubeconfig }));
  expect(done).toBe(true);
  expect(report.exitCode, String(report)).not.toBe(0);
  expect(String(report)).toContain('plan-outdated');
  expect((await cluster.get(secretRef('raced'))).data).toEqual({ a: base64('rotated') });
  expect((await live('raced')).data).toEqual({ v: '2' });
});

test('of two rollbacks at once, each ends as a whole: done, locked or outdated', async () => {
  const project = await versions([own(config('twice', { v: '1' }))], [own(config('twice', { v: '2' }))]);
  const runs = await Promise.all([1, 2].map(() => project.run(['rollback', '1', '-o', 'json', '--yes'], { asProcess: true })));
  const codes = runs.map((run) =>
    run.exitCode === 0 ? 'done' : (/"code":"(stack-locked|plan-outdated)"/.exec(run.stdout)?.[1] ?? `${run}`),
  );
  expect(codes).toContain('done');
  for (const code of codes) expect(['done', 'stack-locked', 'plan-outdated']).toContain(code);
  expect((await live('twice')).data).toEqual({ v: '1' });
});

test.each<[string, readonly string[], string]>([
  ['without an earlier revision', [], 'revision-unknown'],
  ['to an unknown revision', ['7'], 'revision-unknown'],
  ['of an unknown stack', ['1', 'other'], 'stack-unknown'],
  ['of a stack by its name alone', ['other'], 'stack-unknown'],
  ['to what is no number', ['zero', 'main'], 'revision-unknown'],
  ['to revision 0', ['0'], 'revision-unknown'],
  ['of a stack, to an unknown revision', ['main', '7'], 'revision-unknown'],
])('a rollback %s is refused', async (_, args, code) => {
  const project = await versions([own(config('refused'))]);
  expect(await project.run(['rollback', ...args, '--yes'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`[${code}]`) });
  await project.destroy();
});

test('a rollback without a yes changes nothing, and one of several stacks needs a name', async () => {
  const project = await versions([own(config('asked', { v: '1' }))], [own(config('asked', { v: '2' }))]);
  expect(await project.run(['rollback'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('[confirmation-needed]') });
  expect((await live('asked')).data).toEqual({ v: '2' });
  edit(project, { main: [own(config('asked', { v: '2' }))], second: [own(config('second'))] });
  await deployed(project);
  expect(await project.run(['rollback', '--yes'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('[revision-of-several-stacks]'),
  });
  await rolledBack(project, 'main');
  expect((await live('asked')).data).toEqual({ v: '1' });
});
