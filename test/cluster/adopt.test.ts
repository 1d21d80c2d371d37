import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('adopt');
if (!testEnvironment.kubectl) process.stderr.write('there is no kubectl: tests with kubectl as the other client are left out\n');

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const client = 'kubectl-client-side-apply (Update)';
const config = (name: string, data: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const live = (name: string) => testEnvironment.cluster.get(ref(name));
const owners = (name: string) => testEnvironment.cluster.owners(ref(name));

async function kubectlApply(object: object): Promise<string> {
  const file = join(testEnvironment.directory, 'applied.json');
  writeFileSync(file, JSON.stringify(object));
  const flags = ['--kubeconfig', testEnvironment.kubeconfig, '-n', testEnvironment.namespace, 'apply', '-f', file];
  const { stdout, stderr } = await promisify(execFile)(testEnvironment.kubectl as string, flags);
  return stdout + stderr;
}

/** The managedFields that `kubectl apply` without --server-side leaves behind. */
async function clientSide(object: ResponseBody): Promise<void> {
  const text = `${JSON.stringify(object)}\n`;
  const metadata = {
    ...object.metadata,
    namespace: testEnvironment.namespace,
    annotations: { ...object.metadata.annotations, [annotation]: text },
  };
  await testEnvironment.cluster.create('kubectl-client-side-apply', { ...object, metadata });
}

async function adopt(project: Project, ...args: string[]) {
  const result = await project.run(['adopt', '-o', 'json', '--yes', ...args]);
  const adoptions = result.events.filter(({ event }) => event === 'adoption');
  const record = result.events.find(({ event }) => event === 'record')?.file as string;
  return { ...result, adoptions, record };
}

async function deployed(project: Project): Promise<void> {
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
}

const edit = (project: Project, ...declared: Parameters<TestEnvironment['text']>[0][string]) =>
  project.write({ 'main.ts': testEnvironment.text({ main: declared }) });

test('only what the stack declares moves, no value changes, and the rest stays with its owner', async () => {
  const applied = config('scoped', { a: '1', b: '1', theirs: '1' }, { labels: { team: 'x' } });
  await clientSide(applied);
  const project = testEnvironment.program({ main: [share(config('scoped', { a: '1', b: '1' }))] });
  await deployed(project);
  const before = await live('scoped');
  const { adoptions, exitCode, stderr } = await adopt(project);
  expect(exitCode, stderr).toBe(0);
  expect(adoptions).toMatchObject([
    { result: 'adopted', transfers: [{ from: client, fields: ['.data.a', '.data.b'] }], lastApplied: 'trimmed' },
  ]);
  const after = await live('scoped');
  expect({ ...after.metadata, annotations: 0, managedFields: 0, resourceVersion: 0 }).toEqual({
    ...before.metadata,
    annotations: 0,
    managedFields: 0,
    resourceVersion: 0,
  });
  expect(after.data).toEqual(before.data);
  expect(await owners('scoped')).toEqual({
    [project.manager('main')]: ['.data.a', '.data.b'],
    [client]: ['.data.theirs', `.metadata.annotations.${annotation}`, '.metadata.labels.team'],
  });
  expect(JSON.parse(after.metadata.annotations[annotation])).toEqual(config('scoped', { theirs: '1' }, { labels: { team: 'x' } }));
  expect((await project.deploy()).only().result).not.toBe('created');
  expect((await adopt(project)).adoptions).toEqual([]);
});

test('after it, a dropped field is really gone', async () => {
  await clientSide(config('dropped', { keep: '1', drop: '1' }));
  const project = testEnvironment.program({ main: [own(config('dropped', { keep: '1', drop: '1' }))] });
  await deployed(project);
  expect((await adopt(project)).adoptions).toMatchObject([{ lastApplied: 'removed' }]);
  expect(await owners('dropped')).toEqual({ [project.manager('main')]: ['.data.drop', '.data.keep'] });
  expect((await live('dropped')).metadata.annotations).toBeUndefined();
  edit(project, own(config('dropped', { keep: '1' })));
  await deployed(project);
  expect((await live('dropped')).data).toEqual({ keep: '1' });
});

test('from a manager that is named: an Update manager, or another tool that applies', async () => {
  await testEnvironment.cluster.apply('argocd-controller', { ...ref('named'), data: { a: '1', b: '1', theirs: '1' } });
  await testEnvironment.cluster.patch('script', ref('named'), { data: { c: '1' } });
  const project = testEnvironment.program({ main: [share(config('named', { a: '1', b: '1', c: '1' }))] });
  await deployed(project);
  expect((await adopt(project)).adoptions).toEqual([]);
  const { adoptions } = await adopt(project, '--from', 'argocd-controller', '--from', 'script');
  expect(adoptions[0].transfers).toEqual([
    { from: 'argocd-controller', fields: ['.data.a', '.data.b'] },
    { from: 'script (Update)', fields: ['.data.c'] },
  ]);
  expect(await owners('named')).toEqual({
    [project.manager('main')]: ['.data.a', '.data.b', '.data.c'],
    'argocd-controller': ['.data.theirs'],
  });
});

test('a list item stays theirs as long as they keep something in it', async () => {
  const at = testEnvironment.ref('apps/v1', 'Deployment', 'items');
  const selector = { matchLabels: { app: 'items' } };
  const template = (container: object) => ({ metadata: { labels: { app: 'items' } }, spec: { containers: [container] } });
  const spec = { selector, template: template({ name: 'web', image: 'a:1', env: [{ name: 'OURS', value: '1' }] }) };
  await clientSide({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'items' }, spec });
  const ours = { name: 'web', env: [{ name: 'OURS', value: '1' }] };
  const declared = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'items' } };
  const project = testEnvironment.program({ main: [share({ ...declared, spec: { template: { spec: { containers: [ours] } } } })] });
  await deployed(project);
  expect((await adopt(project)).adoptions[0].transfers).toEqual([
    {
      from: client,
      fields: [
        '.spec.template.spec.containers[name="web"].env[name="OURS"].name',
        '.spec.template.spec.containers[name="web"].env[name="OURS"].value',
      ],
    },
  ]);
  edit(project, share({ ...declared, metadata: { ...declared.metadata, labels: { ours: '1' } } }));
  const report = await project.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(0);
  const [container] = (await testEnvironment.cluster.get(at)).spec.template.spec.containers;
  expect(container).toMatchObject({ name: 'web', image: 'a:1' });
  expect(container.env).toBeUndefined();
});

test('what the server only defaulted for kubectl does not hold a list item', async () => {
  const at = testEnvironment.ref('apps/v1', 'Deployment', 'defaulted');
  const containers = ['web', 'side'].map((name) => ({ name, image: 'a:1', ports: [{ containerPort: 80 }] }));
  const object = (count: number) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'defaulted' },
    spec: {
      selector: { matchLabels: { app: 'd' } },
      template: { metadata: { labels: { app: 'd' } }, spec: { containers: containers.slice(0, count) } },
    },
  });
  await clientSide(object(2));
  const project = testEnvironment.program({ main: [own(object(2))] });
  await deployed(project);
  expect((await adopt(project)).adoptions).toMatchObject([{ result: 'adopted', lastApplied: 'removed' }]);
  edit(project, own(object(1)));
  const report = await project.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(0);
  expect((await testEnvironment.cluster.get(at)).spec.template.spec.containers.map(({ name }: ResponseBody) => name)).toEqual(['web']);
});

describe('--undo', () => {
  test('gives the fields and the annotation back', async () => {
    await clientSide(config('undone', { a: '1', theirs: '1' }));
    const project = testEnvironment.program({ main: [share(config('undone', { a: '1' }))] });
    await deployed(project);
    const before = await live('undone');
    const { record } = await adopt(project);
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ fieldwiseAdoption: 1, objects: [{ name: 'undone' }] });
    await testEnvironment.cluster.patch('somebody', ref('undone'), { data: { meanwhile: '1' } });
    const { events, exitCode } = await project.run(['adopt', '--undo', record, '-o', 'json']);
    expect([exitCode, events]).toMatchObject([0, [{ result: 'undone', transfers: [{ to: client, fields: ['.data.a'] }] }]]);
    const after = await live('undone');
    expect(after.metadata.annotations).toEqual(before.metadata.annotations);
    expect(await owners('undone')).toEqual({
      [project.manager('main')]: ['.data.a'],
      [client]: ['.data.a', '.data.theirs', `.metadata.annotations.${annotation}`],
      'somebody (Update)': ['.data.meanwhile'],
    });
    expect((await project.run(['adopt', '--undo', record, '-o', 'json'])).events).toMatchObject([{ result: 'unchanged' }]);
  });

  test('leaves a field that somebody else has taken from the stack since with its new owner', async () => {
    await clientSide(config('taken', { a: '1', b: '1' }));
    const project = testEnvironment.program({ main: [own(config('taken', { a: '1', b: '1' }))] });
    await deployed(project);
    const { record } = await adopt(project);
    await testEnvironment.cluster.patch('alice', ref('taken'), { data: { a: 'alice' } });
    const { events } = await project.run(['adopt', '--undo', record, '-o', 'json']);
    const note = 'not returned, because the stack has lost them since: .data.a to alice (Update)';
    expect(events).toMatchObject([{ result: 'undone', transfers: [{ to: client, fields: ['.data.b'] }], note }]);
    expect(await owners('taken')).toEqual({ [project.manager('main')]: ['.data.b'], [client]: ['.data.b'], 'alice (Update)': ['.data.a'] });
    expect((await live('taken')).metadata.annotations).toBeUndefined();

    await testEnvironment.cluster.apply('bob', { ...ref('taken'), data: { b: 'bob' } }, { force: true });
    expect((await project.run(['adopt', '--undo', record, '-o', 'json'])).events).toMatchObject([{ result: 'unchanged', transfers: [] }]);
    // The map itself, as the server leaves it to a client that writes by update.
    expect((await owners('taken'))[client]).toEqual(['.data']);
  });

  test('recreates an entry that had become empty, and does not restore deleted fields', async () => {
    await clientSide(config('anew', { a: '1', b: '1' }));
    const project = testEnvironment.program({ main: [own(config('anew', { a: '1', b: '1' }))] });
    await deployed(project);
    const { record } = await adopt(project);
    edit(project, own(config('anew', { a: '1' })));
    await deployed(project);
    expect((await project.run(['adopt', '--undo', record])).exitCode).toBe(0);
    expect((await owners('anew'))[client]).toEqual(['.data.a', `.metadata.annotations.${annotation}`]);
    expect((await live('anew')).data).toEqual({ a: '1' });
  });
});

describe('refused', () => {
  test('without an answer: the preview is printed, nothing is written', async () => {
    await clientSide(config('asked', { a: '1' }));
    const project = testEnvironment.program({ main: [own(config('asked', { a: '1' }))] });
    await deployed(project);
    const version = await testEnvironment.cluster.resourceVersion(ref('asked'));
    const { exitCode, stdout, stderr } = await project.run(['adopt']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[confirmation-needed]')]);
    expect(stdout).toContain(`from ${client}`);
    expect(stdout).toContain('.data.a');
    const deletable = `ConfigMap ${testEnvironment.namespace}/asked: its stack may delete it from now on`;
    expect(stdout).not.toContain(deletable);
    expect((await project.run(['adopt', '--with-deletion'])).stdout).toContain(deletable);
    expect(await testEnvironment.cluster.resourceVersion(ref('asked'))).toBe(version);
  });

  test('from a stack, from a file that is not a record, and for an object that is not deployed', async () => {
    await clientSide(config('early', { a: '1' }));
    const project = testEnvironment.program({ main: [own(config('early', { a: '1' }))] });
    const { events } = await project.run(['adopt', '--yes', '-o', 'json']);
    expect(events).toEqual([{ event: 'not-deployed', object: `ConfigMap ${testEnvironment.namespace}/early` }]);
    expect((await project.run(['adopt', '--from', 'main'])).stderr).toContain('[adopt-from-stack]');
    const { exitCode, stderr } = await project.run(['adopt', '--undo', 'main.ts']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[record-invalid]')]);
  });

  test.each([
    [['main'], 'main has no effect with --undo'],
    [['--from', 'kubectl'], '--from has no effect with --undo'],
    [['--with-deletion'], '--with-deletion has no effect with --undo'],
    [['--stale'], '--undo has no effect with --stale'],
  ])('--undo with %s, which it does not heed', async (words, says) => {
    const project = testEnvironment.program({ main: [] });
    const { exitCode, stderr } = await project.run(['adopt', '--undo', 'record.json', ...words]);
    expect([exitCode, stderr]).toEqual([2, `error: ${says}. Leave one of them out. [flag-without-use]\n`]);
  });

  test('where the record cannot be written, before anything is changed', async () => {
    await clientSide(config('unwritten', { a: '1' }));
    const project = testEnvironment.program({ main: [own(config('unwritten', { a: '1' }))] });
    await deployed(project);
    const version = await testEnvironment.cluster.resourceVersion(ref('unwritten'));
    const { exitCode, stderr } = await project.run(['adopt', '--yes', '--output-file', 'record=main.ts/record.json']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[record-not-written]')]);
    expect(await testEnvironment.cluster.resourceVersion(ref('unwritten'))).toBe(version);
  });
});

test('a write between reading and changing is not lost', async () => {
  await clientSide(config('raced', { a: '1' }));
  const project = testEnvironment.program({ main: [share(config('raced', { a: '1' }))] });
  await deployed(project);
  const proxy = await testEnvironment.proxy();
  let writes = 0;
  proxy.onRequest = async ({ method, path }) => {
    if (method !== 'PATCH' || !path.includes('/configmaps/raced') || ++writes > 1) return;
    await testEnvironment.cluster.patch('racer', ref('raced'), { data: { theirs: '1' } });
  };
  const { exitCode, stderr } = await project.run(['adopt', '--yes'], { kubeconfig: proxy.kubeconfig });
  expect([exitCode, writes], stderr).toEqual([0, 2]);
  expect(await owners('raced')).toEqual({ [project.manager('main')]: ['.data.a'], 'racer (Update)': ['.data.theirs'] });
});

test('owners that change after the preview: nothing is adopted, and what the error says to do helps', async () => {
  await clientSide(config('outrun', { a: '1' }));
  const project = testEnvironment.program({ main: [share(config('outrun', { a: '1' }))] });
  await deployed(project);
  const proxy = await testEnvironment.proxy();
  let written = false;
  proxy.onRequest = async ({ method, path }) => {
    if (written || method !== 'PATCH' || !path.includes('/configmaps/outrun')) return;
    written = true;
    await testEnvironment.cluster.patch('kubectl-client-side-apply', ref('outrun'), { data: { a: '2' } });
  };
  const refused = await project.run(['adopt', '--yes'], { kubeconfig: proxy.kubeconfig });
  expect(refused.exitCode).toBe(4);
  expect(refused.stdout).toContain(
    'The owners of the object have changed since the preview. The object was not changed. Run again for a preview with the current ' +
      'owners. If a value has changed, deploy first. [owners-changed]\n',
  );
  expect((await project.run(['adopt', '--yes'])).stdout).toContain('nothing to adopt');
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  expect((await project.run(['adopt', '--yes'])).exitCode).toBe(0);
  const after = await owners('outrun');
  expect([after[project.manager('main')], after[client]]).toEqual([['.data.a'], expect.not.arrayContaining(['.data.a'])]);
});

describe.runIf(testEnvironment.kubectl)('with kubectl apply as the other client', () => {
  test('no field is stuck: applied client-side, deployed, adopted, dropped, gone', async () => {
    await kubectlApply(config('moved', { keep: '1', drop: '1' }));
    const project = testEnvironment.program({ main: [own(config('moved', { keep: '1', drop: '1' }))] });
    await deployed(project);
    expect((await adopt(project)).exitCode).toBe(0);
    edit(project, own(config('moved', { keep: '1' })));
    await deployed(project);
    expect((await live('moved')).data).toEqual({ keep: '1' });
    expect(await owners('moved')).toEqual({ [project.manager('main')]: ['.data.keep'] });
  });

  test('no field is lost: kubectl drops adopted fields from its file, and they stay; fields that it kept are removed', async () => {
    await kubectlApply(config('alternating', { ours: '1', theirs: '1', more: '1' }));
    const project = testEnvironment.program({ main: [share(config('alternating', { ours: '1' }))] });
    await deployed(project);
    await adopt(project);
    await kubectlApply(config('alternating', { theirs: '2' }));
    expect((await live('alternating')).data).toEqual({ ours: '1', theirs: '2' });
    expect((await owners('alternating'))[project.manager('main')]).toEqual(['.data.ours']);
    expect((await project.deploy()).only()).toMatchObject({ forcedConflicts: [], conflicts: [] });
  });

  test('and where it keeps the field in its file, both go on without a fight', async () => {
    const file = config('both', { ours: '1', theirs: '1' });
    await kubectlApply(file);
    const project = testEnvironment.program({ main: [share(config('both', { ours: '1' }))] });
    await deployed(project);
    await adopt(project);
    for (let round = 0; round < 2; round++) {
      await kubectlApply(file);
      expect((await project.deploy()).only()).toMatchObject({ forcedConflicts: [], conflicts: [] });
    }
    expect(await kubectlApply(file)).toContain('unchanged');
    expect((await live('both')).data).toEqual({ ours: '1', theirs: '1' });
    expect((await owners('both'))[project.manager('main')]).toEqual(['.data.ours']);
  });

  test('after everything was adopted, kubectl apply of the same file only brings its annotation back', async () => {
    const file = config('whole', { a: '1' });
    await kubectlApply(file);
    const project = testEnvironment.program({ main: [own(file)] });
    await deployed(project);
    await adopt(project);
    await kubectlApply(file);
    expect((await live('whole')).data).toEqual({ a: '1' });
    expect(await owners('whole')).toEqual({
      [project.manager('main')]: ['.data.a'],
      [client]: [`.metadata.annotations.${annotation}`],
    });
  });
});
