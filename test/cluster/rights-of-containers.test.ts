import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ApiClient, type ResponseBody } from '../harness/api-client.js';
import { ref } from '../harness/cluster.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { InterceptionProxy } from '../harness/interception-proxy.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('containers');
const group = `${testEnvironment.app}.example.com`;
const quick = { environment: { FIELDWISE_POLICY: '{"wait":false}' } };

/** An account with just the rights that `fieldwise rbac` prints for it. */
async function accountWith(name: string, project: ReturnType<TestEnvironment['program']>, args: readonly string[]): Promise<string> {
  const kubeconfig = await testEnvironment.account(name, []);
  const printed = await project.run(['rbac', '--subject', `sa:${testEnvironment.namespace}/${name}`, ...args]);
  expect(printed.exitCode, printed.stderr).toBe(0);
  for (const document of parseAllDocuments(printed.stdout)) {
    const manifest = document.toJS() as ResponseBody;
    const named = { ...manifest, metadata: { ...manifest.metadata, name: `${testEnvironment.app}-${name}` } };
    if (named.roleRef) named.roleRef = { ...named.roleRef, name: named.metadata.name };
    if (!named.metadata.namespace) testEnvironment.removeLater(named);
    await testEnvironment.cluster.create('test', named);
  }
  return kubeconfig;
}

/**
 * The server without the kinds of tests that run at the same time: what is deleted with a namespace is looked for in every kind, and the
 * printed rights have no rule for those that were installed after they were printed.
 */
async function withoutOtherTests(kubeconfig: string): Promise<string> {
  const proxy = await InterceptionProxy.start(new ApiClient(kubeconfig), join(testEnvironment.directory, 'without-other-tests.kubeconfig'));
  testEnvironment.onCleanup(() => proxy.stop());
  const isOfOtherTest = ({ metadata }: ResponseBody) => metadata.name.endsWith('.example.com') && metadata.name !== group;
  proxy.onResponse = ({ path }, { body }) => {
    if (path !== '/apis') return undefined;
    expect(body.kind).toBe('APIGroupDiscoveryList');
    return { body: { ...body, items: body.items.filter((item: ResponseBody) => !isOfOtherTest(item)) } };
  };
  return proxy.kubeconfig;
}

const namespace = ref('v1', 'Namespace', `${testEnvironment.namespace}-inner`);
const crd = crdOf(group, 'Crate');
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } };
const crate = { ...testEnvironment.ref(`${group}/v1`, 'Crate', 'first'), spec: {} };

test('the printed rights suffice for a namespace and a definition: declared, proved unchanged, looked into and deleted', async () => {
  testEnvironment.removeNamespaceLater(namespace.metadata.name);
  testEnvironment.removeLater(crd);
  const project = testEnvironment.program({ main: [own(namespace), own(crd), own(crate), own(settings)] }, quick);
  expect((await project.deploy()).exitCode).toBe(0);

  const proving = await accountWith('proving', project, ['--reconcile', 'changed']);
  const prove = () => project.deploy(['--reconcile', 'changed'], { kubeconfig: proving });
  await prove(); // notes the versions that the server's own writes of status have left
  const proved = await prove();
  expect(proved.exitCode, String(proved)).toBe(0);
  expect(proved.objects.map(({ result }) => result)).toEqual(['unchanged', 'unchanged', 'unchanged', 'unchanged']);

  project.write({ 'main.ts': testEnvironment.text({ main: [own(settings)] }) });
  const pruning = await accountWith('pruning', project, []);
  const report = await project.deploy(['--yes'], { kubeconfig: await withoutOtherTests(pruning) });
  expect(report.exitCode, String(report)).toBe(0);
  expect([report.only('Crate').result, report.only('CustomResourceDefinition').result]).toEqual(['deleted', 'deleted']);
  // It was looked into: somebody put the printed rights there.
  expect(report.only('Namespace')).toMatchObject({ result: 'released', reason: expect.stringContaining('Role ') });
});

test('the printed rights suffice for --prune-stacks', async () => {
  const one = [own({ ...settings, metadata: { name: 'stays' } })];
  const two = [own({ ...settings, metadata: { name: 'goes' } })];
  const project = testEnvironment.program({ one, two });
  expect((await project.deploy()).exitCode).toBe(0);
  project.write({ 'main.ts': testEnvironment.text({ one }) });
  const kubeconfig = await accountWith('stacks', project, ['--prune-stacks']);
  const report = await project.deploy(['--prune-stacks', '--yes'], { kubeconfig });
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.only('goes').result).toBe('deleted');
});

test('the printed rights suffice for leaving out unchanged objects; without the optional ones, each is sent', async () => {
  const objects = Array.from({ length: 20 }, (_, index) => ({
    ...testEnvironment.ref('v1', 'ConfigMap', `many-${index}`),
    data: { a: '1' },
  }));
  const project = testEnvironment.program({ main: objects.map((object) => own(object)) });
  expect((await project.deploy()).exitCode).toBe(0);
  const deployedBy = async (name: string, args: readonly string[]) => {
    const report = await project.deploy([], { kubeconfig: await accountWith(name, project, args) });
    expect(report.exitCode, String(report)).toBe(0);
    const because = eventsOf(report.result.events, 'sent-in-full').flatMap(({ seen }) => seen.map(({ seenBy }) => seenBy));
    return { ...report.summary.reconciled, because };
  };
  expect(await deployedBy('leaving-out', [])).toEqual({ mode: 'auto', sent: 0, provedUnchanged: 20, because: [] });
  const because = ['mutatingwebhookconfigurations, which these credentials may not list'];
  expect(await deployedBy('sending', ['--reconcile', 'full'])).toEqual({ mode: 'auto', sent: 20, provedUnchanged: 0, because });
  const { stdout } = await project.run(['rbac']);
  expect(stdout).toContain('`--reconcile full` leaves them out.');
});
