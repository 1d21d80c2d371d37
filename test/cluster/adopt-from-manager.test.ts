import { expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('adopt-manager');
const { ref, config, live, owners, edit } = configMapHelpers(testEnvironment);
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const argo = 'argocd-controller (Update)';

/** A sync of Argo CD without server-side apply. */
const updated = (name: string, data: object, manager = 'argocd-controller') =>
  testEnvironment.cluster.create(manager, { ...ref(name), data });

async function adopt(project: Project, ...args: string[]) {
  const result = await project.run(['adopt', '--yes', '-o', 'json', ...args]);
  return {
    ...result,
    adopted: result.events.filter(({ event }) => event === 'adoption'),
    record: result.events.find(({ event }) => event === 'record')?.file as string,
  };
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

test.each(['argocd-controller', 'manager:argocd-controller'])(
  'from %s, which updates, before the first deploy: the fields move, and no value',
  async (from) => {
    const name = `updater-${from.length}`;
    await updated(name, { b: '2', k: '1' });
    const project = testEnvironment.program({ main: [share(config(name, { b: '2' }))] });
    const { exitCode, adopted, stderr } = await adopt(project, '--from', from);
    expect([exitCode, adopted], stderr).toMatchObject([0, [{ transfers: [{ from: argo, fields: ['.data.b'] }], result: 'adopted' }]]);
    expect(await owners(name)).toEqual({ [project.manager('main')]: ['.data.b'], [argo]: ['.data.k'] });
    expect((await live(name)).data).toEqual({ b: '2', k: '1' });
    const again = await adopt(project, '--from', from);
    expect([again.exitCode, again.adopted]).toEqual([0, []]);
  },
);

test('from a name that owns nothing: the owners of the declared fields are named, before and after a deploy', async () => {
  await updated('misspelled', { a: '1', k: '1' });
  await testEnvironment.cluster.apply('undeclared', { ...ref('misspelled'), data: { z: '1' } });
  const project = testEnvironment.program({ main: [share(config('misspelled', { a: '1' }))] });
  const from = ['adopt', '--yes', '--from', 'argocd-controler'];
  const sentence = 'argocd-controler owns none of the declared fields. Other owners of these are argocd-controller.\n';
  const before = await project.run(from);
  expect([before.exitCode, before.stdout]).toEqual([0, expect.stringMatching(new RegExp(`^${sentence}.*\nnothing to adopt\n$`))]);
  await deployed(project);
  expect((await project.run(from)).stdout).toBe(`${sentence}nothing to adopt\n`);
  const { events } = await adopt(project, '--from', 'argocd-controler', '--from', 'argocd-controller');
  expect(events).toContainEqual({ event: 'absent-owners', names: ['argocd-controler'], others: [] });
  const alone = testEnvironment.program({ main: [own(config('alone', { a: '1' }))] });
  await deployed(alone);
  const nobody = 'argocd-controler owns none of the declared fields. Nobody else owns one of them.\nnothing to adopt\n';
  expect((await alone.run(from)).stdout).toBe(nobody);
});

test('limited to a field and to an object; another applier keeps what it applies', async () => {
  for (const name of ['limited', 'beside']) await updated(name, { a: '1', b: '2' });
  await testEnvironment.cluster.apply('another-applier', { ...ref('limited'), data: { b: '2' } });
  const data = { a: '1', b: '2' };
  const project = testEnvironment.program({ main: [share(config('limited', data)), share(config('beside', data))] });
  const version = await testEnvironment.cluster.resourceVersion(ref('beside'));
  const { exitCode, stderr } = await adopt(project, 'main', 'ConfigMap/limited', '.data.b', '--from', 'argocd-controller');
  expect(exitCode, stderr).toBe(0);
  expect(await owners('limited')).toEqual({
    [project.manager('main')]: ['.data.a', '.data.b'],
    'another-applier': ['.data.b'],
    [argo]: ['.data.a'],
  });
  expect(await testEnvironment.cluster.resourceVersion(ref('beside'))).toBe(version);
});

test('without --from, objects and fields limit it, too', async () => {
  for (const name of ['kept', 'taken']) await updated(name, { a: '1', b: '2' }, 'kubectl-edit');
  const data = { a: '1', b: '2' };
  const project = testEnvironment.program({ main: [share(config('kept', data)), share(config('taken', data))] });
  await deployed(project);
  expect((await adopt(project, 'ConfigMap/taken', '.data.b')).exitCode).toBe(0);
  expect((await owners('taken'))['kubectl-edit (Update)']).toEqual(['.data.a']);
  expect((await owners('kept'))['kubectl-edit (Update)']).toEqual(['.data.a', '.data.b']);
});

test('from kubectl, whichever command wrote it; not from others', async () => {
  await updated('every', { a: '1', b: '2', c: '3', k: '1' }, 'kubectl-client-side-apply');
  await testEnvironment.cluster.apply('kubectl', { ...ref('every'), data: { a: '1' } });
  await testEnvironment.cluster.apply('other', { ...ref('every'), data: { c: '3' } });
  const project = testEnvironment.program({ main: [share(config('every', { a: '1', b: '2', c: '3' }))] });
  const { exitCode, stderr } = await adopt(project, '--from', 'kubectl');
  expect(exitCode, stderr).toBe(0);
  expect(await owners('every')).toEqual({
    [project.manager('main')]: ['.data.a', '.data.b', '.data.c'],
    'kubectl-client-side-apply (Update)': ['.data.k'],
    other: ['.data.c'],
  });
});

test('the annotation of client-side apply loses only the named field, and --undo returns it', async () => {
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'noted' }, data: { a: '1', b: '2' } };
  const metadata = { ...ref('noted').metadata, annotations: { [annotation]: JSON.stringify(applied) } };
  await testEnvironment.cluster.create('kubectl-client-side-apply', { ...applied, metadata });
  const project = testEnvironment.program({ main: [share(config('noted', { a: '1', b: '2' }))] });
  const { exitCode, record, stderr } = await adopt(project, '.data.b', '--from', 'kubectl');
  expect(exitCode, stderr).toBe(0);
  const lastApplied = async () => JSON.parse((await live('noted')).metadata.annotations[annotation]).data;
  expect(await lastApplied()).toEqual({ a: '1' });
  expect((await project.run(['adopt', '--undo', record])).exitCode).toBe(0);
  expect(await lastApplied()).toEqual({ a: '1', b: '2' });
  expect((await owners('noted'))['kubectl-client-side-apply (Update)']).toContain('.data.b');
});

test('a declared value that differs from the live one is refused, also where both own the field', async () => {
  await updated('differs', { b: '2' });
  const project = testEnvironment.program({ main: [share(config('differs', { b: '3' }))] });
  const version = await testEnvironment.cluster.resourceVersion(ref('differs'));
  const refused = await adopt(project, '--from', 'argocd-controller');
  expect([refused.exitCode, refused.stderr]).toEqual([5, expect.stringMatching(/\.data\.b.*\[handoff-value-differs\]/s)]);
  expect(await testEnvironment.cluster.resourceVersion(ref('differs'))).toBe(version);
  edit(project, { main: [share(config('differs', { b: '2' }))] });
  await deployed(project);
  edit(project, { main: [share(config('differs', { b: '3' }))] });
  const coOwned = await testEnvironment.cluster.resourceVersion(ref('differs'));
  expect((await adopt(project, '--from', 'argocd-controller')).exitCode).toBe(5);
  expect(await testEnvironment.cluster.resourceVersion(ref('differs'))).toBe(coOwned);
});

test('without an answer nothing is written; the preview shows what would move', async () => {
  await updated('asked', { b: '2', k: '1' });
  const project = testEnvironment.program({ main: [own(config('asked', { b: '2' }))] });
  const version = await testEnvironment.cluster.resourceVersion(ref('asked'));
  const { exitCode, stdout, stderr } = await project.run(['adopt', '--from', 'argocd-controller']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[confirmation-needed]')]);
  expect(stdout).toContain(`  from ${argo}\n    .data.b\n`);
  expect(stdout).not.toContain('.data.k');
  expect(await testEnvironment.cluster.resourceVersion(ref('asked'))).toBe(version);
});

test('what a manager owns through a subresource stays with it, and the command does not say that it owns nothing', async () => {
  const at = testEnvironment.ref('apps/v1', 'Deployment', 'scaled');
  const labels = { app: 'scaled' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'a:1' }] } };
  await testEnvironment.cluster.create('maker', { ...at, spec: { selector: { matchLabels: labels }, template, replicas: 1 } });
  await testEnvironment.cluster.patch('autoscaler', at, { spec: { replicas: 4 } }, 'merge', 'scale');
  const declared = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'scaled' }, spec: { replicas: 4 } };
  const project = testEnvironment.program({ main: [share(declared)] });
  const version = await testEnvironment.cluster.resourceVersion(at);
  const { exitCode, stderr } = await adopt(project, 'Deployment/scaled', '.spec.replicas', '--from', 'manager:autoscaler');
  expect([exitCode, oneLine(stderr)]).toEqual([
    2,
    expect.stringMatching(
      /autoscaler owns \.spec\.replicas through the subresource scale.*Nothing was changed.*\[transfer-from-subresource\]/,
    ),
  ]);
  expect(await testEnvironment.cluster.resourceVersion(at)).toBe(version);
});

test.each([
  [['--from', 'a', '--to', 'b'], 'b --from stack:a'],
  [['--from', 'manager:argocd-controller', '--to', 'b', '--yes'], 'b --yes --from manager:argocd-controller'],
  [['ConfigMap/x', '.data.b', '--to=b', '--from=a', '--delete-shared'], 'b ConfigMap/x .data.b --from stack:a'],
  [['--help'], 'STACK --from OWNER'],
  [[], 'STACK --from OWNER'],
])('handoff %j is refused with the new form', async (words, form) => {
  const project = testEnvironment.program({ b: [] });
  for (const before of [[], ['-q']]) {
    const { exitCode, stdout, stderr } = await project.run([...before, 'handoff', ...words]);
    const command = before.length === 0 ? form : form.replace(/^(\S+)/, '$1 -q');
    expect([exitCode, stdout, oneLine(stderr)]).toEqual([
      2,
      '',
      expect.stringContaining(`Run \`fieldwise adopt ${command}\`. [command-removed]`),
    ]);
  }
});

test('carried out, its answer lost, and somebody wrote in between: perhaps changed, never "not changed"', async () => {
  await updated('doubtful', { b: '2', k: '1' });
  const project = testEnvironment.program({ main: [share(config('doubtful', { b: '2' }))] });
  await deployed(project);
  const proxy = await testEnvironment.proxy();
  let isLost = false;
  proxy.onResponse = async ({ method, path, contentType, query }) => {
    if (isLost || method !== 'PATCH' || !path.endsWith('/doubtful') || !contentType.includes('json-patch') || query.has('dryRun'))
      return undefined;
    isLost = true;
    await testEnvironment.cluster.client.call('PATCH', `/api/v1/namespaces/${testEnvironment.namespace}/configmaps/doubtful`, {
      contentType: 'application/merge-patch+json',
      query: { fieldManager: 'argocd-controller' },
      body: { data: { c: '3' } },
    });
    return 'lose';
  };
  const result = await project.run(['adopt', '--yes', '--from', 'argocd-controller'], { kubeconfig: proxy.kubeconfig });
  const text = oneLine(result.stdout + result.stderr);
  expect([isLost, result.exitCode === 0, text.includes('not changed'), text.includes('[outcome-unknown]')], text).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect((await owners('doubtful'))[argo]).toEqual(['.data.c', '.data.k']);
});
