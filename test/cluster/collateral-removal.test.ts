import { describe, expect, test } from 'vitest';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('vanishing');
const quick = { environment: { FIELDWISE_POLICY: '{"wait":false}' } }; // no controller makes a Deployment ready here

const ref = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
const deployment = (name: string, containers: readonly string[]) => ({
  ...ref(name),
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: containers.map((container) => ({ name: container, image: 'registry.example.com/a:1' })) },
    },
  },
});
const stacks = (name: string, containers: readonly string[]) => ({ main: [own(deployment(name, containers))] });
const policyOf = (container: string) => `.spec.template.spec.containers[name="${container}"].imagePullPolicy`;

/** Somebody updates a field inside of a container that we introduced. */
const updateInside = (name: string, container: string) => {
  const spec = { template: { spec: { containers: [{ name: container, imagePullPolicy: 'Never' }] } } };
  return testEnvironment.cluster.patch('tuner', ref(name), { spec }, 'strategic');
};
const containersOf = async (name: string) =>
  (await testEnvironment.cluster.get(ref(name))).spec.template.spec.containers.map((container: { name: string }) => container.name);

test('a dropped list item in which somebody updated a field: asked for by name, and reported', async () => {
  const project = testEnvironment.program(stacks('asked', ['api', 'log']), quick);
  await project.deploy();
  await updateInside('asked', 'log');
  project.write({ 'main.ts': testEnvironment.text(stacks('asked', ['api'])), 'fieldwise.yaml': 'app: main.ts\nprune: true\n' });
  const refused = await project.deploy();
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(policyOf('log'));
  expect(refused.stderr).toMatch(/tuner \(Update\).*confirmation-needed/s);
  expect(await containersOf('asked')).toEqual(['api', 'log']);

  const report = await project.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only().collateral).toMatchObject([{ field: policyOf('log'), oldValue: 'Never', from: 'tuner', operation: 'Update' }]);
  expect(await containersOf('asked')).toEqual(['api']);
  expect(Object.keys(await testEnvironment.cluster.owners(ref('asked')))).toEqual([project.manager('main')]);
});

test('after a run that was killed before its apply it is asked for again', async () => {
  const project = testEnvironment.program(stacks('killed', ['api', 'log']), quick);
  await project.deploy();
  await updateInside('killed', 'log');
  project.write({ 'main.ts': testEnvironment.text(stacks('killed', ['api'])) });
  const killed = await testEnvironment.killRun(
    (options) => project.run(['deploy', '--yes'], options),
    ({ method, path, status }) => method !== 'GET' && path.includes('/configmaps/') && status < 300,
  );
  expect(killed).toBe(true);
  const refused = await project.deploy();
  expect(refused.exitCode, String(refused)).toBe(2);
  expect(refused.stderr).toContain(policyOf('log'));
  expect(await containersOf('killed')).toEqual(['api', 'log']);
});

describe('a saved plan with a dropped list item in which somebody updated a field', () => {
  const saved = async (name: string) => {
    const project = testEnvironment.program(stacks(name, ['api', 'log']), quick);
    await project.deploy();
    await updateInside(name, 'log');
    project.write({ 'main.ts': testEnvironment.text(stacks(name, ['api'])) });
    const planned = await project.run(['diff', '--output-file', 'plan=plan.json']);
    expect(planned.exitCode, planned.stderr).toBe(0);
    expect(planned.stdout).toContain('tuner');
    return project;
  };

  test('is done as approved, without a further question', async () => {
    const project = await saved('approved');
    const report = await project.deploy(['--plan', 'plan.json']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().collateral).toMatchObject([{ field: policyOf('log'), oldValue: 'Never', from: 'tuner', operation: 'Update' }]);
    expect(await containersOf('approved')).toEqual(['api']);
  });

  test('is refused where more would go along than was seen', async () => {
    const project = await saved('more');
    const spec = { template: { spec: { containers: [{ name: 'log', stdin: true }] } } };
    await testEnvironment.cluster.patch('late', ref('more'), { spec }, 'strategic');
    const report = await project.deploy(['--plan', 'plan.json']);
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.summary.errors).toMatchObject([{ code: 'plan-outdated', message: expect.stringContaining('name="log"') }]);
    expect(await containersOf('more')).toEqual(['api', 'log']);
  });
});

test('nobody else is in it, or an applier who owns the item: nothing is asked, and no field of others is removed', async () => {
  const project = testEnvironment.program(stacks('quiet', ['api', 'log', 'old']), quick);
  await project.deploy();
  await updateInside('quiet', 'api'); // stays declared
  const { spec } = deployment('quiet', ['log']);
  await testEnvironment.cluster.apply('sidecar', {
    ...ref('quiet'),
    spec: { template: { spec: { containers: spec.template.spec.containers } } },
  });
  project.write({ 'main.ts': testEnvironment.text(stacks('quiet', ['api'])) });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only().collateral).toBeUndefined();
  expect(await containersOf('quiet')).toEqual(['api', 'log']);
  const owners = await testEnvironment.cluster.owners(ref('quiet'));
  expect(owners.sidecar).toContain('.spec.template.spec.containers[name="log"].image');
  expect(owners['tuner (Update)']).toEqual([policyOf('api')]);
});

test('an intent that changes and drops no item needs one GET and one PATCH', async () => {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program(stacks('plain', ['api']), quick);
  await project.deploy();
  project.write({ 'main.ts': testEnvironment.text(stacks('plain', ['api', 'log'])) });
  await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(proxy.requestsFor('plain').map(({ method }) => method)).toEqual(['GET', 'PATCH']);
});

test('somebody writes inside after the question and before the apply: nothing is changed', async () => {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program(stacks('raced', ['api', 'log']), quick);
  await project.deploy();
  project.write({ 'main.ts': testEnvironment.text(stacks('raced', ['api'])) });
  let written = false;
  proxy.onRequest = async ({ method, path }) => {
    if (written || method !== 'PATCH' || !path.endsWith('/raced')) return undefined;
    written = true;
    await updateInside('raced', 'log');
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(written).toBe(true);
  expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'collateral-removal' } });
  expect(await containersOf('raced')).toEqual(['api', 'log']);
});

test.each(['prune', 'destroy'])(
  'a share released whole (%s) takes along what others updated in its items: asked for, and reported',
  async (verb) => {
    const name = `whole-${verb}`;
    await testEnvironment.cluster.apply('owner', deployment(name, ['api']));
    const added = { ...ref(name), spec: { template: { spec: deployment(name, ['log']).spec.template.spec } } };
    const project = testEnvironment.program({ main: [share(added)] }, quick);
    await project.deploy();
    await updateInside(name, 'log');
    project.write({ 'main.ts': testEnvironment.text({ main: [] }), 'fieldwise.yaml': 'app: main.ts\nprune: true\n' });
    const refused = await project.run([verb === 'prune' ? 'deploy' : 'destroy', '-o', 'json']);
    expect(refused.exitCode, refused.stderr).toBe(2);
    if (verb === 'prune') expect(refused.stderr).toContain(policyOf('log'));
    expect(await containersOf(name)).toHaveLength(2);

    const report = await (verb === 'prune' ? project.deploy(['--yes']) : project.destroy());
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({ result: 'released' });
    expect(report.only().collateral).toMatchObject([{ field: policyOf('log'), oldValue: 'Never', from: 'tuner', operation: 'Update' }]);
    expect(await containersOf(name)).toEqual(['api']);
    expect(Object.keys(await testEnvironment.cluster.owners(ref(name)))).toEqual(['owner']);
  },
);
