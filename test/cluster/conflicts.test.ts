import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('conflicts');

const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'api', image: 'registry.example.com/api:1' }] } },
  },
});
const beside = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-beside` }, data: { a: '1' } });
const ref = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
const replicas = async (name: string) => (await testEnvironment.cluster.get(ref(name))).spec.replicas;

if (!testEnvironment.kubectl) process.stderr.write('there is no kubectl: the scale is sent straight to the API\n');

/** The input of a person at a terminal. */
async function scale(name: string, count: number): Promise<void> {
  if (!testEnvironment.kubectl) {
    await testEnvironment.cluster.patch('kubectl', ref(name), { spec: { replicas: count } }, 'merge', 'scale');
    return;
  }
  const args = [
    '--kubeconfig',
    testEnvironment.kubeconfig,
    '-n',
    testEnvironment.namespace,
    'scale',
    `deployment/${name}`,
    `--replicas=${count}`,
  ];
  await promisify(execFile)(testEnvironment.kubectl, args);
}

const fromKubectl = { field: '.spec.replicas', oldValue: 5, newValue: 2, from: 'kubectl', operation: 'Update', subresource: 'scale' };

const leftToKubectl = { field: '.spec.replicas', value: 5, declared: 2, from: 'kubectl', operation: 'Update', subresource: 'scale' };

describe('somebody scales to 5, the program declares 2', () => {
  test.each([
    { policy: 'force', level: 'the default', exitCode: 0, live: 2, shown: { result: 'updated', forcedConflicts: [fromKubectl] } },
    { policy: 'fail', level: 'intent', exitCode: 5, live: 5, shown: { result: 'conflict', forcedConflicts: [], conflicts: [fromKubectl] } },
    { policy: 'fail', level: 'field', exitCode: 5, live: 5, shown: { result: 'conflict', forcedConflicts: [], conflicts: [fromKubectl] } },
    { policy: 'fail', level: 'configuration', exitCode: 5, live: 5, shown: { result: 'conflict', conflicts: [fromKubectl] } },
    { policy: 'yield', level: 'intent', exitCode: 0, live: 5, shown: { forcedConflicts: [], yielded: [leftToKubectl] } },
    { policy: 'yield', level: 'field', exitCode: 0, live: 5, shown: { forcedConflicts: [], yielded: [leftToKubectl] } },
  ])('$policy, given at $level → $live, exit code $exitCode', async ({ policy, level, exitCode, live, shown }) => {
    const name = `${policy}-${level.replaceAll(' ', '-')}`;
    const given: Record<string, object> = { intent: { conflicts: policy }, field: { fields: { 'spec.replicas': { conflicts: policy } } } };
    const project = testEnvironment.program({ main: [own(deployment(name), given[level]), own(beside(name))] });
    if (level === 'configuration') project.write({ 'fieldwise.yaml': `app: main.ts\npolicy:\n  conflicts: ${policy}\n` });
    expect((await project.deploy()).exitCode).toBe(0);
    await scale(name, 5);
    const before = await testEnvironment.cluster.resourceVersion(ref(name));

    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(exitCode);
    expect(report.only(`${testEnvironment.namespace}/${name}`.split('/')[1])).toMatchObject(shown);
    expect(report.only('ConfigMap').result).toBe('unchanged');
    expect(await replicas(name)).toBe(live);
    if (policy === 'fail') expect(await testEnvironment.cluster.resourceVersion(ref(name))).toBe(before);
    const owners = await testEnvironment.cluster.owners(ref(name));
    expect(owners[project.manager('main')]?.includes('.spec.replicas')).toBe(policy === 'force');
    expect(Object.keys(owners).includes('kubectl (Update, scale)')).toBe(policy !== 'force');
  });
});

test('for people the conflict names field, old value, loser, construct and line', async () => {
  const project = testEnvironment.program({ main: [own(deployment('told'), { conflicts: 'fail' })] });
  await project.deploy();
  await scale('told', 5);
  const { exitCode, stdout } = await project.run(['deploy']);
  expect(exitCode).toBe(5);
  expect(stdout).toMatch(/\.spec\.replicas: 5 → 2, from kubectl/);
  expect(stdout).toMatch(/main\/own-Deployment-told \(main\.ts:4/);
});

test('a yielded field that its holder has released is ours again', async () => {
  const project = testEnvironment.program({ main: [own(deployment('back'), { fields: { 'spec.replicas': { conflicts: 'yield' } } })] });
  await project.deploy();
  await testEnvironment.cluster.apply('scaler', { ...ref('back'), spec: { replicas: 7 } }, { force: true });
  await project.deploy();
  expect(await replicas('back')).toBe(7);
  await testEnvironment.cluster.apply('scaler', ref('back')); // the empty intent: the scaler releases it
  await project.deploy();
  expect(await replicas('back')).toBe(2);
  expect((await testEnvironment.cluster.owners(ref('back')))[project.manager('main')]).toContain('.spec.replicas');
});

test('one field fails and another would be forced: nothing of the object is forced', async () => {
  const config = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mixed' }, data });
  const project = testEnvironment.program({ main: [own(config({ a: '1', b: '1' }), { fields: { 'data.b': { conflicts: 'fail' } } })] });
  await project.deploy();
  await testEnvironment.cluster.apply(
    'them',
    { ...testEnvironment.ref('v1', 'ConfigMap', 'mixed'), data: { a: '9', b: '9' } },
    { force: true },
  );
  const report = await project.deploy();
  expect(report.exitCode).toBe(5);
  expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'mixed'))).data).toEqual({ a: '9', b: '9' });
});

test('two stacks of one app that declare different values: the later takes, and says from which stack', async () => {
  const config = (value: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ours' }, data: { a: value } });
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-two` } };
  const first = testEnvironment.program({ first: [own(config('1'))] }, app);
  const second = testEnvironment.program({ second: [share(config('2'))] }, app);
  await first.deploy();
  const report = await second.deploy(['--yes']);
  expect(report.only().forcedConflicts).toMatchObject([{ field: '.data.a', oldValue: '1', newValue: '2', from: first.manager('first') }]);
});

test('values of Secrets are masked in the report', async () => {
  const secret = (value: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'masked' }, stringData: { password: value } });
  const project = testEnvironment.program({ main: [own(secret('ours-is-hidden'))] });
  await project.deploy();
  const theirs = Buffer.from('theirs-is-hidden').toString('base64');
  await testEnvironment.cluster.apply(
    'them',
    { ...testEnvironment.ref('v1', 'Secret', 'masked'), data: { password: theirs } },
    { force: true },
  );
  const report = await project.deploy();
  expect(report.only().forcedConflicts).toMatchObject([{ field: '.data.password', from: 'them' }]);
  for (const text of ['ours-is-hidden', 'theirs-is-hidden', theirs, Buffer.from('ours-is-hidden').toString('base64')]) {
    expect(String(report)).not.toContain(text);
  }
});

test('reports a value that both owned alike, and that was taken by an apply whose response was lost', async () => {
  const at = testEnvironment.ref('v1', 'ConfigMap', 'alike');
  const alike = (a: string) => own({ ...at, data: { a } });
  await testEnvironment.cluster.apply('them', { ...at, data: { a: '1' } });
  const project = testEnvironment.program({ main: [alike('1')] });
  expect((await project.deploy()).exitCode).toBe(0);
  project.write({ 'main.ts': testEnvironment.text({ main: [alike('2')] }) });
  const proxy = await testEnvironment.proxy();
  let lost = 0;
  proxy.onResponse = ({ method, path, query }, { status }) => {
    if (lost > 0 || method !== 'PATCH' || !path.endsWith('/alike') || query.has('dryRun') || status !== 200) return undefined;
    lost += 1;
    return 'lose';
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(lost).toBe(1);
  expect(report.only(), String(report)).toMatchObject({
    forcedConflicts: [{ field: '.data.a', from: 'them', oldValue: '1', newValue: '2' }],
  });
});
