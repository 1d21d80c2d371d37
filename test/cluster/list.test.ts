import { expect, test } from 'vitest';
import type { ObservedStack } from '../../src/inspect/observed-stacks.js';
import type { ResponseBody } from '../harness/api-client.js';
import { ref } from '../harness/cluster.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { type Declared, own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('list');
const { cluster, namespace } = testEnvironment;
const { config, edit } = configMapHelpers(testEnvironment);

const projectOf = (name: string, objects: readonly Declared[]) =>
  testEnvironment.program({ main: objects }, { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } });

/** What `list -o json` says of the stack of a project, run in an empty directory: it needs no program. */
async function listed(name: string, kubeconfig?: string): Promise<ObservedStack> {
  const elsewhere = testEnvironment.program({}, kubeconfig === undefined ? {} : { kubeconfig });
  const { events, exitCode, stderr } = await elsewhere.run(['list', '-o', 'json']);
  expect(exitCode, stderr).toBe(0);
  return events.find(({ app }) => app === `${testEnvironment.app}-${name}`) as unknown as ObservedStack;
}

const labels = { app: 'web' };
const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
});

test('each stack has the time, the author and the result of its last deploy, and its health now', async () => {
  const project = projectOf('seen', [own(config('seen-a')), own(config('seen-b'))]);
  await deployed(project);
  const healthy = await listed('seen');
  expect(healthy).toMatchObject({ owned: 2, last: { revision: 1, result: 'succeeded' } });
  expect(healthy.health).toEqual({ state: 'ready', ready: 2, notReady: 0, notKnown: 0, problems: [] });
  const { events } = await project.run(['history', '-o', 'json']);
  expect(healthy.last).toMatchObject({ at: events[0]?.at, by: events[0]?.by });

  await cluster.remove(testEnvironment.ref('v1', 'ConfigMap', 'seen-a'));
  expect((await listed('seen')).health).toMatchObject({
    state: 'not-ready',
    ready: 1,
    problems: [{ object: `ConfigMap ${namespace}/seen-a`, state: 'absent', message: 'it does not exist' }],
  });
  await cluster.create('somebody', testEnvironment.ref('v1', 'ConfigMap', 'seen-a'));
  expect((await listed('seen')).health.problems).toMatchObject([{ name: 'seen-a', state: 'replaced' }]);
});

test('a failed deploy, and a workload whose status says that it is not ready', async () => {
  const wrong = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'wrong' }, spec: { ports: [{ port: 70_000 }] } };
  const project = projectOf('broken', [own(deployment('broken')), own(wrong)]);
  expect((await project.deploy(['--no-wait'])).exitCode).toBe(4);
  const generation = 1;
  const status = { observedGeneration: generation, replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 };
  await cluster.patch('controller', testEnvironment.ref('apps/v1', 'Deployment', 'broken'), { status }, 'merge', 'status');
  const broken = await listed('broken');
  expect(broken.last).toMatchObject({ result: 'failed' });
  expect(broken.health.state).toBe('not-ready');
  expect(broken.health.problems[0]).toMatchObject({ object: `Deployment ${namespace}/broken`, state: 'in-progress' });
  const { stdout } = await project.run(['list']);
  expect(stdout).toMatch(new RegExp(`^not ready .* failed .*${testEnvironment.app}-broken/default/main$`, 'm'));
  expect(stdout).toContain(`  Deployment ${namespace}/broken: in-progress: `);
});

test('what may not be read is not known, and never ready', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hidden' }, data: { a: 'MQ==' } };
  await deployed(projectOf('hidden', [own(config('hidden')), own(secret)]));
  const kubeconfig = await testEnvironment.account('list-reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]);
  const hidden = await listed('hidden', kubeconfig);
  expect(hidden.last).toBeUndefined();
  expect(hidden.historyNotRead).toContain('forbidden');
  expect(hidden.health).toMatchObject({
    state: 'not-known',
    ready: 1,
    notReady: 0,
    notKnown: 1,
    problems: [{ name: 'hidden', kind: 'Secret' }],
  });
});

test('many objects of one kind are one list, also where only their namespace may be listed', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `many-${index}`);
  const other = `${namespace}-other`;
  await cluster.create('test', ref('v1', 'Namespace', other));
  testEnvironment.removeNamespaceLater(other);
  await deployed(
    projectOf(
      'many',
      names.map((name, index) => own({ ...config(name), metadata: { name, ...(index < 10 ? { namespace: other } : {}) } })),
    ),
  );
  const proxy = await testEnvironment.proxy();
  const many = await listed('many', proxy.kubeconfig);
  expect(many.health).toMatchObject({ state: 'ready', ready: 20 });
  const single = () => proxy.requests.filter(({ path }) => /\/configmaps\/many-/.test(path));
  expect(single()).toEqual([]);

  proxy.requests.length = 0;
  proxy.onRequest = ({ path }) => {
    const isWhole = path === '/api/v1/configmaps';
    return isWhole
      ? { status: 403, body: { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' } }
      : undefined;
  };
  expect((await listed('many', proxy.kubeconfig)).health).toMatchObject({ state: 'ready', ready: 20 });
  expect(single()).toEqual([]);
});

test('lists and changes nothing', async () => {
  const project = projectOf('quiet', [own(config('quiet'))]);
  await deployed(project);
  const before: readonly ResponseBody[] = await cluster.list('v1', 'ConfigMap', namespace);
  const proxy = await testEnvironment.proxy();
  await listed('quiet', proxy.kubeconfig);
  expect(proxy.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  expect(await cluster.list('v1', 'ConfigMap', namespace)).toEqual(before);
  edit(project, { main: [] });
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  expect(await listed('quiet')).toBeUndefined();
});

test('a record that is ignored, because its label, its name and its data do not match, is a warning', async () => {
  const project = projectOf('ignored', [own(config('ignored-a'))]);
  await deployed(project);
  const inventories = await cluster.list('v1', 'ConfigMap', namespace);
  const inventory = inventories.find(({ data }) => data?.app === `${testEnvironment.app}-ignored`) as ResponseBody;
  await cluster.patch(
    'somebody',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: inventory.metadata },
    { data: { manager: null } },
    'merge',
  );
  const { exitCode, stderr, stdout } = await project.run(['list']);
  expect([exitCode, stdout.includes('-ignored/')], stderr).toEqual([0, false]);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`${inventory.metadata.name} has the label of an inventory and is ignored`);
});
