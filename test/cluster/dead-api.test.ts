import { describe, expect, test } from 'vitest';
import { ref } from '../harness/cluster.js';
import { deadApi, withDeadApi } from '../harness/dead-api.js';
import { eventsOf } from '../harness/events.js';
import type { InterceptionProxy } from '../harness/interception-proxy.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('dead-api');
const config = { ...testEnvironment.ref('v1', 'ConfigMap', 'settings'), data: { a: '1' } };

const toDeadApi = (proxy: InterceptionProxy) => proxy.requests.filter(({ path }) => path.startsWith(`/apis/${deadApi}`));
const ofLists = (proxy: InterceptionProxy) => proxy.requests.filter(({ path }) => path === '/api' || path === '/apis');

describe.each([
  { server: 'with aggregated discovery', aggregated: true },
  { server: 'without aggregated discovery', aggregated: false },
])('an API whose server is away, on a server $server', ({ aggregated }) => {
  const reason = aggregated ? 'the server behind it does not answer' : 'the server answered 503: service unavailable';

  async function proxyWithDeadApi(): Promise<InterceptionProxy> {
    const proxy = await testEnvironment.proxy();
    withDeadApi(proxy, { aggregated });
    return proxy;
  }

  /** It is asked for its kinds where only that can tell, and again a few times; nobody waits for it as for a server that is away. */
  function expectLittleAsked(proxy: InterceptionProxy): void {
    expect(toDeadApi(proxy).length).toBeLessThanOrEqual(aggregated ? 0 : 14);
    expect(ofLists(proxy).length).toBeGreaterThan(0);
  }

  test('owners of a kind of another group: a warning', async () => {
    await testEnvironment.cluster.apply('test', config, { force: true });
    const proxy = await proxyWithDeadApi();
    const project = testEnvironment.program({ main: [own(config)] }, { kubeconfig: proxy.kubeconfig });
    const { exitCode, stdout, stderr } = await project.run(['owners', 'configmap/settings']);
    expect(stdout).toContain('.data.a: "1"  test');
    expect(stderr).toMatch(
      new RegExp(`^warning: The API ${deadApi} does not answer, so its kinds are unknown: .+\\. \\[api-unavailable\\]\n$`),
    );
    expect(exitCode).toBe(0);
    expectLittleAsked(proxy);
    const json = await project.run(['owners', 'configmap/settings', '-o', 'json']);
    expect(json.events.map(({ event }) => event)).toEqual(['warning', 'owners', 'owners-summary']);
  });

  test('owners of a kind of a named group: nothing is said of others', async () => {
    await testEnvironment.cluster.apply('test', { ...testEnvironment.ref('rbac.authorization.k8s.io/v1', 'Role', 'reader'), rules: [] });
    const proxy = await proxyWithDeadApi();
    const project = testEnvironment.program({ main: [own(config)] }, { kubeconfig: proxy.kubeconfig });
    const { exitCode, stderr } = await project.run(['owners', 'roles.rbac.authorization.k8s.io/reader']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  test('owners of a kind of that group: an error that names it, and what to do', async () => {
    const proxy = await proxyWithDeadApi();
    const project = testEnvironment.program({ main: [own(config)] }, { kubeconfig: proxy.kubeconfig });
    const { exitCode, stderr } = await project.run(['owners', 'things.dead.example.com/one']);
    expect(stderr).toMatch(
      new RegExp(`error: The API ${deadApi} does not answer: .*APIService v1beta1.dead.example.com, .*\\[api-unavailable\\]\n$`),
    );
    expect(exitCode).toBe(4);
  });

  test('doctor --find-orphans: a warning', async () => {
    const proxy = await proxyWithDeadApi();
    const project = testEnvironment.program({ main: [own(config)] }, { kubeconfig: proxy.kubeconfig });
    const { exitCode, stdout, stderr } = await project.run(['doctor', '--find-orphans']);
    expect(stdout).toContain('no orphans');
    expect(stderr).toContain(`warning: ${deadApi} could not be listed: `);
    expect(exitCode).toBe(0);
    expectLittleAsked(proxy);
  });

  test('a deploy to that group changes nothing, and names it: nobody knows which of its kinds have namespaces', async () => {
    const proxy = await proxyWithDeadApi();
    const thing = { ...testEnvironment.ref(deadApi, 'Thing', 'one'), spec: {} };
    const project = testEnvironment.program({ main: [own(config), own(thing)] }, { kubeconfig: proxy.kubeconfig });
    const report = await project.deploy();
    expect(report.results).toEqual({
      [`ConfigMap ${testEnvironment.namespace}/settings`]: 'skipped',
      [`Thing ${testEnvironment.namespace}/one`]: 'skipped',
    });
    const next = expect.stringContaining('APIService v1beta1.dead.example.com');
    expect(report.summary).toMatchObject({ exitCode: 4, errors: [{ code: 'api-unavailable', next }] });
  });

  test('an owned Namespace is not deleted, in the plan and by destroy; --delete foreign deletes it', async () => {
    const namespace = ref('v1', 'Namespace', `${testEnvironment.namespace}-${aggregated}`);
    testEnvironment.removeNamespaceLater(namespace.metadata.name);
    const project = testEnvironment.program({ main: [own(namespace)] });
    await project.deploy();
    const proxy = await proxyWithDeadApi();
    const report = await project.destroy(['--timeout', '3'], { kubeconfig: proxy.kubeconfig });
    expect(report.exitCode).toBe(4);
    expect(report.only('Namespace')).toMatchObject({
      result: 'failed',
      error: {
        code: 'content-unknown',
        message: `It was not deleted, because the content of Namespace ${namespace.metadata.name} is not known: ${deadApi} does not respond (${reason})`,
        next: expect.stringContaining('Restore the server behind the APIService v1beta1.dead.example.com, or delete that APIService'),
      },
    });
    expectLittleAsked(proxy);
    expect((await testEnvironment.cluster.get(namespace)).metadata.deletionTimestamp).toBeUndefined();
    const again = await project.destroy(['--timeout', '0', '--delete', 'foreign'], { kubeconfig: proxy.kubeconfig });
    expect(again.only('Namespace').result).toBe('deleted');
  });
});

test('an API that is away since the last discovery: destroy waits for it no longer than --timeout', async () => {
  const namespace = ref('v1', 'Namespace', `${testEnvironment.namespace}-late`);
  testEnvironment.removeNamespaceLater(namespace.metadata.name);
  const project = testEnvironment.program({ main: [own(namespace)] });
  await project.deploy();
  const proxy = await testEnvironment.proxy();
  proxy.onRequest = ({ path }) =>
    path.endsWith('/leases') && !path.includes(`/${testEnvironment.namespace}/`) ? { status: 503, body: 'away' } : undefined;
  const report = await project.destroy(['--timeout', '6'], { kubeconfig: proxy.kubeconfig }); // without it, ten seconds
  expect(report.only('Namespace').error).toMatchObject({
    code: 'content-unknown',
    message: expect.stringContaining('coordination.k8s.io/v1'),
  });
  const waited = eventsOf(report.result.events, 'retrying').map(({ delaySeconds }) => delaySeconds);
  expect(waited.length).toBeGreaterThan(0);
  expect(waited.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThanOrEqual(6);
});
