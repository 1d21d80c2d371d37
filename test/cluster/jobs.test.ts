import { expect, test } from 'vitest';
import { ref } from '../harness/cluster.js';
import { eventsOf } from '../harness/events.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('jobs');

const job = (name: string, image = 'example.com/migrate:1', spec: object = { ttlSecondsAfterFinished: 60 }) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] } }, ...spec },
});
const at = (name: string) => testEnvironment.ref('batch/v1', 'Job', name);
const noWait = { wait: false };

test('a Job that was deleted after it finished is not drift and does not run again; a changed one does', async () => {
  const project = testEnvironment.program({ main: [own(job('migrate'))] });
  expect((await project.deploy(['--no-wait'])).only().result).toBe('created');
  await testEnvironment.cluster.remove(at('migrate'));
  await testEnvironment.cluster.patch('job-controller', at('migrate'), { metadata: { finalizers: null } }).catch(() => undefined);

  const again = await project.deploy();
  expect(again.exitCode, String(again)).toBe(0);
  expect(again.only()).toMatchObject({ result: 'unchanged', reason: expect.stringContaining('ttlSecondsAfterFinished') });
  expect(again.only().readiness).toBeUndefined();
  expect(await testEnvironment.cluster.find(at('migrate'))).toBeUndefined();
  const plan = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan')[0];
  expect(plan).toMatchObject({ action: 'unchanged', reason: expect.stringContaining('ttlSecondsAfterFinished') });
  expect((await project.run(['status', '-o', 'json'])).events[0]).toMatchObject({ state: 'finished' });
  expect((await project.run(['drift', '-o', 'json'])).exitCode).toBe(0);

  project.write({ 'main.ts': testEnvironment.text({ main: [own(job('migrate', 'example.com/migrate:2'))] }) });
  const edited = await project.deploy(['--no-wait']);
  expect(edited.only().result, String(edited)).toBe('created');
  expect((await testEnvironment.cluster.get(at('migrate'))).spec.template.spec.containers[0].image).toBe('example.com/migrate:2');
});

test('a Job without a time to live that is gone is created again', async () => {
  const project = testEnvironment.program({ main: [own(job('lasting', undefined, {}), noWait)] });
  await project.deploy();
  await testEnvironment.cluster.remove(at('lasting'));
  await testEnvironment.cluster.patch('job-controller', at('lasting'), { metadata: { finalizers: null } }).catch(() => undefined);
  expect((await project.deploy()).only().result).toBe('created');
});

test('a Job that others made under its name is met as any object', async () => {
  const project = testEnvironment.program({ main: [own(job('remade'), noWait)] });
  await project.deploy();
  await testEnvironment.cluster.remove(at('remade'));
  await testEnvironment.cluster.patch('job-controller', at('remade'), { metadata: { finalizers: null } }).catch(() => undefined);
  await testEnvironment.cluster.create('somebody', { ...job('remade'), metadata: { ...at('remade').metadata } });
  const report = await project.deploy(['--yes']);
  expect(report.only(), String(report)).toMatchObject({ rejoined: true, adopted: {} });
});

test('a deleted workload says that its pods may still run', async () => {
  const labels = { app: 'web' };
  const web = (name: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'a' }] } } },
  });
  const project = testEnvironment.program({
    main: [own(web('background'), noWait), own(web('orphaned'), { ...noWait, deletePropagation: 'Orphan' })],
  });
  await project.deploy();
  const report = await project.destroy(['--timeout', '0']);
  expect(report.only('background')).toMatchObject({
    result: 'deleted',
    reason: 'its pods may still run: they are deleted in the background',
  });
  expect(report.only('orphaned')).toMatchObject({ result: 'deleted', reason: 'its pods stay' });
});

test('the hint of a released Namespace is a command that works', async () => {
  const namespace = ref('v1', 'Namespace', `${testEnvironment.namespace}-given-up`);
  testEnvironment.removeNamespaceLater(namespace.metadata.name);
  const project = testEnvironment.program({ main: [own(namespace)] });
  await project.deploy();
  await testEnvironment.cluster.apply('somebody', ref('v1', 'ConfigMap', 'theirs', namespace.metadata.name));
  const planned = await project.destroy();
  const { result, reason } = planned.only();
  expect(result).toBe('released');
  expect(reason).toContain(`kubectl delete namespaces ${namespace.metadata.name}\` deletes it`);
  expect(reason).not.toContain('--delete foreign');
});
