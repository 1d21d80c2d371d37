import { expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('by-manager');

const { placed, ref } = configMapHelpers(testEnvironment);
const dataOf = async (name: string) => (await testEnvironment.cluster.get(ref(name))).data;
const foreign = (manager: string, name: string, data: object) =>
  testEnvironment.cluster.apply(manager, placed(name, data), { force: true });
const byManager = { force: ['kubectl*'], yield: ['hpa'], fail: ['team-*'], otherwise: 'force' };

const deployment = (name: string, image: string) => ({
  ...testEnvironment.ref('apps/v1', 'Deployment', name),
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          { name: 'api', image },
          { name: 'log', image },
        ],
      },
    },
  },
});

test.each(['app', 'stack', 'intent', 'field'])('each manager is met with its own policy, given at %s', async (level) => {
  const name = `levels-${level}`;
  const declared = own(
    placed(name, { a: 'ours', b: 'ours', c: 'ours' }),
    {
      intent: { conflicts: byManager },
      field: { conflicts: 'fail', fields: { data: { conflicts: byManager } } },
    }[level],
  );
  const project = testEnvironment.program({ main: [declared] });
  const text = testEnvironment.text({ main: [declared] });
  const policy = JSON.stringify({ policy: { conflicts: byManager } });
  if (level === 'app') project.write({ 'main.ts': text.replace('new App()', `new App(${policy})`) });
  if (level === 'stack') project.write({ 'main.ts': text.replace('"main")', `"main", ${policy})`) });
  await project.deploy();
  await foreign('hpa', name, { a: 'theirs' });
  await foreign('kubectl-client', name, { b: 'theirs' });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only().yielded).toMatchObject([{ field: '.data.a', from: 'hpa', value: 'theirs' }]);
  expect(report.only().forcedConflicts).toMatchObject([{ field: '.data.b', from: 'kubectl-client', oldValue: 'theirs' }]);
  expect(await dataOf(name)).toEqual({ a: 'theirs', b: 'ours', c: 'ours' });
  const manager = project.manager('main');
  expect(await testEnvironment.cluster.owners(ref(name))).toEqual({ [manager]: ['.data.b', '.data.c'], hpa: ['.data.a'] });

  await foreign('team-b', name, { c: 'theirs' });
  const refused = await project.deploy();
  expect(refused.exitCode).toBe(5);
  expect(refused.only().conflicts).toMatchObject([{ field: '.data.c', from: 'team-b' }]);
  expect(await dataOf(name)).toEqual({ a: 'theirs', b: 'ours', c: 'theirs' });
});

test('one field, two owners: who yields it to one takes it from neither', async () => {
  const project = testEnvironment.program({ main: [own(placed('both', { a: 'ours' }), { conflicts: byManager })] });
  await project.deploy();
  await foreign('hpa', 'both', { a: 'theirs' });
  await testEnvironment.cluster.apply('kubectl', placed('both', { a: 'theirs' }));
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only()).toMatchObject({ forcedConflicts: [], yielded: [{ field: '.data.a' }, { field: '.data.a' }] });
  expect(await testEnvironment.cluster.owners(ref('both'))).toMatchObject({ hpa: ['.data.a'], kubectl: ['.data.a'] });
});

test('a policy at one list item by its key: that item yields, the other is taken', async () => {
  const fields = { 'spec.template.spec.containers[name=log].image': { conflicts: { yield: ['rollout'], otherwise: 'fail' } } };
  const quick = { environment: { FIELDWISE_POLICY: '{"wait":false}' } }; // no controller makes a Deployment ready here
  const project = testEnvironment.program({ main: [own(deployment('items', 'api:1'), { fields })] }, quick);
  await project.deploy();
  const { spec } = deployment('items', 'api:9');
  await testEnvironment.cluster.apply('rollout', { ...testEnvironment.ref('apps/v1', 'Deployment', 'items'), spec }, { force: true });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(deployment('items', 'api:2'), { fields })] }) });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  const image = (name: string) => `.spec.template.spec.containers[name="${name}"].image`;
  expect(report.only().yielded).toMatchObject([{ field: image('log'), from: 'rollout' }]);
  expect(report.only().forcedConflicts).toMatchObject([{ field: image('api'), from: 'rollout' }]);
  const live = await testEnvironment.cluster.get(testEnvironment.ref('apps/v1', 'Deployment', 'items'));
  expect(live.spec.template.spec.containers.map((container: { image: string }) => container.image)).toEqual(['api:2', 'api:9']);
  const owners = await testEnvironment.cluster.owners(testEnvironment.ref('apps/v1', 'Deployment', 'items'));
  expect(owners[project.manager('main')]).toContain(image('api'));
  expect(owners[project.manager('main')]).not.toContain(image('log'));
  expect(owners.rollout).toContain(image('log'));
});

test('the owner releases a field between the refusal and the read: it is not left out, so it is not removed', async () => {
  const proxy = await testEnvironment.proxy();
  const declared = (a: string) => ({ main: [own(placed('let-go', { a, b: 'ours' }), { conflicts: byManager })] });
  const project = testEnvironment.program(declared('1'), { kubeconfig: proxy.kubeconfig });
  await project.deploy();
  await testEnvironment.cluster.apply('hpa', placed('let-go', { a: '1' })); // both own it now, and ours is about to change
  let released = false;
  proxy.onRequest = async ({ method, path }) => {
    if (released || method !== 'GET' || !path.endsWith('/let-go')) return undefined;
    released = true;
    await testEnvironment.cluster.apply('hpa', ref('let-go'));
    return undefined;
  };
  project.write({ 'main.ts': testEnvironment.text(declared('2')) });
  const report = await project.deploy();
  expect(released).toBe(true);
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only()).toMatchObject({ forcedConflicts: [], yielded: [] });
  expect(await dataOf('let-go')).toEqual({ a: '2', b: 'ours' });
});

test('a manager under fail takes a field before the forced pass: nothing is forced', async () => {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: [own(placed('guarded', { a: 'ours', b: 'ours' }), { conflicts: byManager })] });
  await project.deploy();
  await foreign('kubectl', 'guarded', { a: 'theirs' });
  let written = false;
  proxy.onRequest = async ({ method, path, query }) => {
    if (written || method !== 'PATCH' || !path.endsWith('/guarded') || query.get('force') !== 'true') return undefined;
    written = true;
    await foreign('team-a', 'guarded', { b: 'theirs' });
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(written).toBe(true);
  expect(report.exitCode).toBe(5);
  expect(report.only()).toMatchObject({ result: 'conflict', forcedConflicts: [], conflicts: [{ field: '.data.b', from: 'team-a' }] });
  expect(await dataOf('guarded')).toEqual({ a: 'theirs', b: 'theirs' });
});
