import { describe, expect, test } from 'vitest';
import { type Declared, own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('own');

const config = (name: string, data: object = { ours: 'here' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const isThere = async (name: string) => (await testEnvironment.cluster.find(ref(name))) !== undefined;

describe('what is there already', () => {
  test.each([
    { deleteExisting: false, destroyed: 'released', left: { theirs: 'here' } },
    { deleteExisting: true, destroyed: 'deleted', left: undefined },
  ])('is reported; deleteExisting: $deleteExisting → destroy: $destroyed', async ({ deleteExisting, destroyed, left }) => {
    const name = `existing-${deleteExisting}`;
    await testEnvironment.cluster.create('kubectl-create', { ...ref(name), data: { theirs: 'here' } });
    const project = testEnvironment.program({ main: [own(config(name), { deleteExisting })] });
    const report = await project.deploy();
    expect(report.only()).toMatchObject({ adopted: { owners: [expect.stringContaining('kubectl-create')] } });
    expect(report.summary.adopted).toBe(1);
    // Adopted once: the next deploy finds what it knows.
    expect((await project.deploy()).only().adopted).toBeUndefined();
    expect((await project.destroy()).only().result).toBe(destroyed);
    expect((await testEnvironment.cluster.find(ref(name)))?.data).toEqual(left);
  });

  test('what our own apply made is not adopted, though something on the way repeated it and only the second answer came', async () => {
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = ({ method, path }) => (method === 'PATCH' && path.endsWith('/repeated') ? 'duplicate' : undefined);
    const project = testEnvironment.program({ main: [own(config('repeated'))] });
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.only()).toMatchObject({ result: 'created' });
    expect(report.only().adopted).toBeUndefined();
    expect((await project.destroy()).only().result).toBe('deleted');
  });

  test('a field of another value is taken on first contact and reported', async () => {
    await testEnvironment.cluster.create('kubectl-create', { ...ref('taken'), data: { ours: 'before' } });
    const report = await testEnvironment.program({ main: [own(config('taken'))] }).deploy(['--yes']);
    expect(report.only().forcedConflicts).toMatchObject([
      { field: '.data.ours', oldValue: 'before', newValue: 'here', from: 'kubectl-create' },
    ]);
  });
});

describe('what the stack no longer declares', () => {
  const names = (prefix: string) => ['a', 'b', 'c'].map((letter) => `${prefix}-${letter}`);
  const declared = (list: readonly string[]): Record<string, readonly Declared[]> => ({ main: list.map((name) => own(config(name))) });

  test.each([
    { how: 'no flag', args: [], setting: '', going: 1, exitCode: 2, gone: false },
    { how: '--yes', args: ['--yes'], setting: '', going: 1, exitCode: 0, gone: true },
    { how: '--prune', args: ['--prune'], setting: '', going: 1, exitCode: 0, gone: true },
    { how: 'prune: true', args: [], setting: 'prune: true\n', going: 1, exitCode: 0, gone: true },
    { how: 'prune: true, more than half', args: [], setting: 'prune: true\n', going: 2, exitCode: 2, gone: false },
    { how: '--prune, more than half', args: ['--prune'], setting: '', going: 2, exitCode: 2, gone: false },
    { how: '--yes, more than half', args: ['--yes'], setting: '', going: 2, exitCode: 0, gone: true },
  ])('$how: exit code $exitCode, gone: $gone', async ({ how, args, setting, going, exitCode, gone }) => {
    const all = names(`prune-${how.replaceAll(/\W+/g, '-')}`);
    const project = testEnvironment.program(declared(all));
    project.write({ 'fieldwise.yaml': `app: main.ts\n${setting}` });
    await project.deploy();
    project.write({ 'main.ts': testEnvironment.text(declared(all.slice(going))) });
    const report = await project.deploy(args);
    expect(report.exitCode, String(report)).toBe(exitCode);
    for (const name of all.slice(0, going)) expect(await isThere(name)).toBe(!gone);
    for (const name of all.slice(going)) expect(await isThere(name)).toBe(true);
    if (gone) expect(report.objects.filter(({ result }) => result === 'deleted')).toHaveLength(going);
    else expect(report.stderr).toMatch(/confirmation-needed/);
  });

  test('is deleted with uid precondition and propagation policy, and only if it is the same object', async () => {
    const proxy = await testEnvironment.proxy();
    const all = names('uid');
    const project = testEnvironment.program(declared(all), { kubeconfig: proxy.kubeconfig });
    await project.deploy();
    const { uid } = (await testEnvironment.cluster.get(ref('uid-a'))).metadata;
    await testEnvironment.cluster.remove(ref('uid-b'));
    await testEnvironment.cluster.apply('another', { ...ref('uid-b'), data: { other: 'object' } });
    project.write({ 'main.ts': testEnvironment.text(declared(['uid-c'])) });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only('uid-a').result).toBe('deleted');
    expect(report.only('uid-b').result).toBe('absent');
    expect((await testEnvironment.cluster.get(ref('uid-b'))).data).toEqual({ other: 'object' });
    const deletion = proxy.requestsFor('uid-a').find(({ method }) => method === 'DELETE');
    expect(deletion?.body).toMatchObject({ preconditions: { uid } });
    expect(deletion?.body.propagationPolicy ?? deletion?.query.get('propagationPolicy')).toBe('Background');
  });

  test('a share is released and the object stays', async () => {
    await testEnvironment.cluster.apply('owner', { ...ref('shared'), data: { theirs: 'here' } });
    const project = testEnvironment.program({ main: [own(config('kept')), share(config('shared'))] });
    await project.deploy();
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('kept'))] }) });
    expect((await project.deploy(['--yes'])).only('shared').result).toBe('released');
    expect((await testEnvironment.cluster.get(ref('shared'))).data).toEqual({ theirs: 'here' });
  });

  test('is there no more: nothing to delete', async () => {
    const project = testEnvironment.program(declared(names('missing')));
    await project.deploy();
    await testEnvironment.cluster.remove(ref('missing-a'));
    project.write({ 'main.ts': testEnvironment.text(declared(names('missing').slice(1))) });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only('missing-a').result).toBe('absent');
  });
});

describe('stacks', () => {
  const three = (only: readonly string[]) => Object.fromEntries(only.map((name) => [name, [own(config(`stack-${name}`))]]));

  test('one that the program does not declare is never touched; list shows it, destroy NAME removes it', async () => {
    const project = testEnvironment.program(three(['one', 'two']));
    await project.deploy();
    project.write({ 'main.ts': testEnvironment.text(three(['one'])) });
    const report = await project.deploy(['--yes']);
    expect(report.objects.map(({ stack }) => stack)).toEqual(['one']);
    expect(await isThere('stack-two')).toBe(true);

    const listed = (await project.run(['list', '-o', 'json'])).events.filter(({ app }) => app === report.result.events[0].app);
    expect(listed.map(({ stack, owned }) => [stack, owned])).toEqual([
      ['one', 1],
      ['two', 1],
    ]);

    const destroyed = await project.destroy(['two']);
    expect(destroyed.results).toEqual({ [`ConfigMap ${testEnvironment.namespace}/stack-two`]: 'deleted' });
    expect([await isThere('stack-one'), await isThere('stack-two')]).toEqual([true, false]);
    await project.destroy();
    expect((await project.run(['list', '-o', 'json'])).events.filter(({ app }) => app === report.result.events[0].app)).toEqual([]);
  });

  test('two instances of one program never meet', async () => {
    const project = testEnvironment.program({ main: [own(config('instances'))] });
    await project.deploy([], { environment: { FIELDWISE_INSTANCE: 'staging' } });
    const staging = project.manager('main');
    await project.deploy([], { environment: { FIELDWISE_INSTANCE: 'production' } });
    expect(project.manager('main')).not.toBe(staging);
    expect(Object.keys(await testEnvironment.cluster.owners(ref('instances'))).sort()).toEqual([project.manager('main'), staging].sort());
  });
});

describe('what others depend on', () => {
  test('an owned object with fields of another applier is released, and deleted only on request', async () => {
    const project = testEnvironment.program({ main: [own(config('depended'))] });
    await project.deploy();
    await testEnvironment.cluster.apply('another', { ...ref('depended'), data: { theirs: 'here' } });
    const report = await project.destroy();
    expect(report.only()).toMatchObject({ result: 'released', reason: expect.stringMatching(/another/) });
    expect((await testEnvironment.cluster.get(ref('depended'))).data).toEqual({ theirs: 'here' });

    const other = testEnvironment.program({ main: [own(config('depended-too'))] });
    await other.deploy();
    await testEnvironment.cluster.apply('another', { ...ref('depended-too'), data: { theirs: 'here' } });
    expect((await other.destroy(['--delete', 'shared'])).only().result).toBe('deleted');
  });
});
