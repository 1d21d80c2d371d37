import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { ref as refOf } from '../harness/cluster.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('inventory');

const { config, ref } = configMapHelpers(testEnvironment);
const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: { a: 'MQ==' } });
const secretRef = (name: string) => testEnvironment.ref('v1', 'Secret', name);

/** Stacks as `fieldwise list` shows them. */
async function listed(project: Project, app: string): Promise<ResponseBody[]> {
  return (await project.run(['list', '-o', 'json'])).events.filter((stack) => stack.app === app);
}

test('by default it lives in fieldwise-system, which is made first and stays', async () => {
  const system = refOf('v1', 'Namespace', 'fieldwise-system');
  expect(await testEnvironment.cluster.find(system)).toBeUndefined();
  testEnvironment.removeNamespaceLater('fieldwise-system');
  const project = testEnvironment.program({ main: [own(config('default-place'))] }, { environment: { FIELDWISE_INVENTORY_NAMESPACE: '' } });
  expect((await project.deploy()).exitCode).toBe(0);
  expect(await testEnvironment.cluster.list('v1', 'ConfigMap', 'fieldwise-system')).toHaveLength(1);
  await project.destroy();
  expect(await testEnvironment.cluster.list('v1', 'ConfigMap', 'fieldwise-system')).toHaveLength(0);
  expect(await testEnvironment.cluster.find(system)).toBeDefined();
});

test('an unchanged deploy does not write it', async () => {
  const proxy = await testEnvironment.proxy();
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'still' }, spec: { ports: [{ port: 80 }] } };
  const project = testEnvironment.program({ main: [own(config('still')), own(secret('still')), own(service)] });
  const written = async (flags: readonly string[]) => {
    proxy.requests.length = 0;
    const report = await project.deploy(flags, { kubeconfig: proxy.kubeconfig });
    expect(report.exitCode, String(report)).toBe(0);
    return proxy.requests.filter(({ method, path }) => ['PATCH', 'PUT'].includes(method) && /\/configmaps\/.*\.default\./.test(path))
      .length;
  };
  expect(await written([])).toBe(3); // before and after, and that there is a history
  expect(await written([])).toBe(0);
  expect(await written(['--reconcile', 'changed'])).toBe(1); // the schemas
  expect(await written(['--reconcile', 'changed'])).toBe(0);
});

describe('a deploy that is killed', () => {
  const app = (name: string) => ({ environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } });

  /** Kills the deploy at the first request that `at` picks, after the server has done it. */
  async function killedAt(name: string, project: Project, at: (request: { method: string; path: string }) => boolean) {
    expect(await testEnvironment.killRun((options) => project.run(['deploy', '--yes'], options), at)).toBe(true);
    return listed(project, `${testEnvironment.app}-${name}`);
  }

  test('has written what it was about to do, and running it again finishes it', async () => {
    const project = testEnvironment.program({ main: [own(config('resumed-a')), own(config('resumed-b'))] }, app('resumed'));
    const [stack] = await killedAt('resumed', project, ({ method, path }) => method === 'PATCH' && path.includes('/resumed-'));
    expect(stack).toMatchObject({ owned: 2 });
    expect(stack.pending).toBeGreaterThan(0);

    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(await listed(project, `${testEnvironment.app}-resumed`)).toMatchObject([{ owned: 2, pending: 0 }]);
    // The object that the killed run created belongs to the stack: it is deleted, not released.
    const destroyed = await project.destroy();
    expect(destroyed.objects.map(({ result }) => result)).toEqual(['deleted', 'deleted']);
    expect(await testEnvironment.cluster.find(ref('resumed-a'))).toBeUndefined();
  });

  test('leaves nothing behind that the program has dropped since', async () => {
    const project = testEnvironment.program({ main: [own(config('dropped-a')), own(config('dropped-b'))] }, app('dropped'));
    await killedAt('dropped', project, ({ method, path }) => method === 'PATCH' && path.includes('/dropped-'));
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('dropped-c'))] }) });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    for (const name of ['dropped-a', 'dropped-b']) expect(await testEnvironment.cluster.find(ref(name))).toBeUndefined();
    expect(await testEnvironment.cluster.find(ref('dropped-c'))).toBeDefined();
  });

  test('never leads to deleting what somebody else made under a name it had planned', async () => {
    const project = testEnvironment.program({ main: [own(config('planned-a'))] }, app('planned'));
    // Killed after the inventory is written and before the object is.
    await killedAt(
      'planned',
      project,
      ({ method, path }) => method === 'PATCH' && path.includes('/configmaps/') && !path.endsWith('/planned-a'),
    );
    expect(await testEnvironment.cluster.find(ref('planned-a'))).toBeUndefined();
    await testEnvironment.cluster.create('somebody', { ...ref('planned-a'), data: { theirs: 'here' } });
    project.write({ 'main.ts': testEnvironment.text({ main: [own(secret('planned-b'))] }) });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(ref('planned-a'))).data).toEqual({ theirs: 'here' });
    await project.destroy();
    expect((await testEnvironment.cluster.get(ref('planned-a'))).data).toEqual({ theirs: 'here' });
    expect(await testEnvironment.cluster.find(secretRef('planned-b'))).toBeUndefined();
  });

  describe('between its creation and the record, and somebody makes another object under the stack’s field manager', () => {
    const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const quota = (name: string, cpu: string) => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name },
      spec: { hard: { 'limits.cpu': cpu } },
    });

    /** Kills a deploy after the creation, and cuts its lock to a second, so that it counts as dead at once. */
    async function killedAfterCreation(name: string, object: object): Promise<Project> {
      const project = testEnvironment.program({ main: [own(object)] }, app(name));
      const proxy = await testEnvironment.proxy();
      const kill = new AbortController();
      proxy.onResponse = async ({ method, path }) => {
        if (method === 'PATCH' && path.endsWith(`/${name}`)) kill.abort();
        return undefined;
      };
      const { exitCode } = await project.run(['deploy', '--yes'], { kubeconfig: proxy.kubeconfig, signal: kill.signal });
      expect(exitCode).toBe(-1);
      for (const { metadata } of await testEnvironment.cluster.list('coordination.k8s.io/v1', 'Lease', testEnvironment.namespace)) {
        const lease = testEnvironment.ref('coordination.k8s.io/v1', 'Lease', metadata.name);
        await testEnvironment.cluster.patch('test', lease, { spec: { leaseDurationSeconds: 1 } });
      }
      return project;
    }

    test.each<[string, object, object, boolean]>([
      ['more-fields', config('more-fields'), { data: { a: '1', precious: 'p' } }, false],
      ['fewer-fields', config('fewer-fields', { a: '1', b: '1' }), { data: { a: '1' } }, false],
      ['other-values', config('other-values'), { data: { a: 'theirs' } }, false],
      ['the-same', config('the-same'), { data: { a: '1' } }, true],
      ['other-quantity', quota('other-quantity', '1000m'), { spec: { hard: { 'limits.cpu': '2' } } }, false],
      ['too-late', quota('too-late', '1000m'), { spec: { hard: { 'limits.cpu': '1' } } }, false],
    ])('%s: only what may be its own is deleted', async (name, object, theirs, isDeleted) => {
      const project = await killedAfterCreation(name, object);
      const { apiVersion, kind } = object as { apiVersion: string; kind: string };
      const place = testEnvironment.ref(apiVersion, kind, name);
      await testEnvironment.cluster.remove(place);
      await wait(2500);
      await testEnvironment.cluster.apply(project.manager('main'), { ...place, ...theirs });
      project.write({ 'main.ts': testEnvironment.text({ main: [own(config(`${name}-next`))] }) });
      const report = await project.deploy(['--yes']);
      expect(report.exitCode, String(report)).toBe(0);
      expect((await testEnvironment.cluster.find(place)) === undefined, String(report)).toBe(isDeleted);
      if (!isDeleted) expect(report.objects.find((one) => one.name === name)).toMatchObject({ result: 'released' });
    });

    test.each<[string, object]>([
      ['a-secret', { ...secret('a-secret'), stringData: { b: 'x' } }],
      ['other-forms', quota('other-forms', '1000m')],
      [
        'a-deployment',
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'a-deployment', labels: { a: '1' } },
          spec: {
            selector: { matchLabels: { app: 'web' } },
            template: {
              metadata: { labels: { app: 'web' } },
              spec: {
                containers: [
                  {
                    name: 'web',
                    image: 'web:1',
                    ports: [{ containerPort: 80 }],
                    args: ['a', 'b'],
                    env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
                  },
                ],
                volumes: [{ name: 'tmp', emptyDir: {} }],
              },
            },
          },
        },
      ],
    ])('%s of its own is deleted', async (name, object) => {
      const project = await killedAfterCreation(name, object);
      const { apiVersion, kind } = object as { apiVersion: string; kind: string };
      project.write({ 'main.ts': testEnvironment.text({ main: [own(config(`${name}-next`))] }) });
      const report = await project.deploy(['--yes']);
      expect(report.exitCode, String(report)).toBe(0);
      expect(await testEnvironment.cluster.find(testEnvironment.ref(apiVersion, kind, name)), String(report)).toBeUndefined();
    });
  });

  test('in the middle of pruning: running it again finishes that, too', async () => {
    const project = testEnvironment.program(
      { main: [own(config('pruned-a')), own(config('pruned-b')), own(config('pruned-c'))] },
      app('pruned'),
    );
    await project.deploy();
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('pruned-c'))] }) });
    await killedAt('pruned', project, ({ method, path }) => method === 'DELETE' && path.includes('/pruned-'));
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    for (const name of ['pruned-a', 'pruned-b']) expect(await testEnvironment.cluster.find(ref(name))).toBeUndefined();
    expect(await listed(project, `${testEnvironment.app}-pruned`)).toMatchObject([{ owned: 1, pending: 0 }]);
  });
});

test('a run whose inventory cannot be written leaves a sign, and the next one calls nothing updated that it may have applied', async () => {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: [own(config('behind', { a: '1' }))] });
  expect((await project.deploy()).exitCode).toBe(0);
  const lease = async () => (await testEnvironment.cluster.list('coordination.k8s.io/v1', 'Lease', testEnvironment.namespace))[0]?.metadata;
  project.write({ 'main.ts': testEnvironment.text({ main: [own(config('behind', { a: '2' }))] }) });
  proxy.onRequest = ({ method, path }) => {
    const isRefused =
      method === 'PUT' && path.includes('/configmaps/') && proxy.requestsFor('behind').some((one) => one.method === 'PATCH');
    return isRefused ? { status: 403, body: { kind: 'Status', code: 403, message: 'not now' } } : undefined;
  };
  const first = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(first.exitCode, String(first)).toBe(4);
  expect((await testEnvironment.cluster.get(ref('behind'))).data).toEqual({ a: '2' });
  expect((await lease())?.annotations).toEqual({ 'fieldwise.dev/inventory-behind': 'true' });
  const second = await project.deploy();
  expect(second.exitCode, String(second)).toBe(0);
  expect(second.only().result).toBe('unchanged');
  expect((await lease())?.annotations).toBeUndefined();
});

test('two deploys of one stack at once: the second waits for the lock and finds everything done; destroy deletes it', async () => {
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-twice` } };
  const project = testEnvironment.program({ main: [own(config('twice-a')), own(config('twice-b'))] }, app);
  const reports = await Promise.all(['out/1', 'out/2'].map((out) => project.deploy(['--outdir', out], { asProcess: true })));
  for (const report of reports) expect(report.exitCode, String(report)).toBe(0);
  const results = reports.map(({ objects }) => objects.map(({ result }) => result).join(' '));
  expect(results.sort()).toEqual(['created created', 'unchanged unchanged']);
  expect(await listed(project, `${testEnvironment.app}-twice`)).toMatchObject([{ owned: 2, pending: 0 }]);

  const destroyed = await Promise.all(['out/1', 'out/2'].map((out) => project.destroy(['--outdir', out], { asProcess: true })));
  for (const report of destroyed) expect(report.exitCode, String(report)).toBe(0);
  expect(destroyed.map(({ objects }) => objects.map(({ result }) => result).join(' ')).sort()).toEqual(['', 'deleted deleted']);
  for (const name of ['twice-a', 'twice-b']) expect(await testEnvironment.cluster.find(ref(name))).toBeUndefined();
  expect(await listed(project, `${testEnvironment.app}-twice`)).toEqual([]);
});
