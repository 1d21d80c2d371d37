import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { ref } from '../harness/cluster.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('kept-content');

/** A namespace of the program, and an object in it. */
function place(name: string) {
  const namespace = ref('v1', 'Namespace', `${testEnvironment.namespace}-${name}`);
  testEnvironment.removeNamespaceLater(namespace.metadata.name);
  const settings = { ...ref('v1', 'ConfigMap', 'settings', namespace.metadata.name), data: { a: '1' } };
  const standing = async () => {
    const live = await testEnvironment.cluster.find(namespace);
    return (
      live !== undefined && live.metadata.deletionTimestamp === undefined && (await testEnvironment.cluster.find(settings)) !== undefined
    );
  };
  return { namespace, settings, standing };
}

const kept = {
  result: 'released',
  reason: expect.stringMatching(/not deleted: it contains ConfigMap \S*settings, which does not belong to this stack/),
};

test('a program drops a namespace and still declares what is in it: the namespace stays, and so does the object', async () => {
  const { namespace, settings, standing } = place('declared');
  const project = testEnvironment.program({ main: [own(namespace), own(settings)] });
  expect((await project.deploy()).exitCode).toBe(0);
  project.write({ 'main.ts': testEnvironment.text({ main: [own(settings)] }) });
  const plan = (await project.run(['diff', '-o', 'json'])).events.find(({ object }) => object?.startsWith('Namespace'));
  expect(plan).toMatchObject({ action: 'release', reason: kept.reason });
  const report = await project.deploy(['--yes']);
  expect(report.only('Namespace')).toMatchObject(kept);
  expect(await standing()).toBe(true);
});

test('a namespace with an object that its stack retains stays', async () => {
  const { namespace, settings, standing } = place('retained');
  const project = testEnvironment.program({ main: [own(namespace), own(settings, { retain: true })] });
  await project.deploy();
  const report = await project.destroy();
  expect(report.only('settings').result).toBe('retained');
  expect(report.only('Namespace')).toMatchObject(kept);
  expect(await standing()).toBe(true);
});

test('a namespace with an object that is released, because others apply to it, stays', async () => {
  const { namespace, settings, standing } = place('released');
  const project = testEnvironment.program({ main: [own(namespace), own(settings)] });
  await project.deploy();
  await testEnvironment.cluster.apply('them', { ...settings, data: { theirs: '1' } });
  const report = await project.destroy();
  expect(report.only('settings').result).toBe('released');
  expect(report.only('Namespace')).toMatchObject(kept);
  expect(await standing()).toBe(true);
});

test('a namespace with an object that the stack only shares stays', async () => {
  const { namespace, settings, standing } = place('shared');
  const project = testEnvironment.program({ main: [own(namespace)] });
  await project.deploy();
  await testEnvironment.cluster.apply('them', settings);
  project.write({ 'main.ts': testEnvironment.text({ main: [own(namespace), share({ ...settings, data: { ours: '1' } })] }) });
  await project.deploy();
  const report = await project.destroy();
  expect(report.only('settings').result).toBe('released');
  expect(report.only('Namespace')).toMatchObject(kept);
  expect(await standing()).toBe(true);
});

test('kinds that go while it is looked for content do not hinder', async () => {
  const { namespace, settings, standing } = place('going');
  const proxy = await testEnvironment.proxy();
  const version = { groupVersion: 'ghosts.example.com/v1', version: 'v1' };
  const ghost = { name: 'ghosts.example.com', versions: [version], preferredVersion: version };
  const ghosts = { name: 'ghosts', kind: 'Ghost', namespaced: true, verbs: ['list'], singularName: 'ghost' };
  const served = (path: string) => proxy.upstream.call('GET', path);
  proxy.onRequest = async ({ path }) => {
    if (path === '/api') return { status: 200, body: await served(path) }; // as a server without aggregated discovery
    if (path === '/apis') return listing(await served(path), 'groups', ghost);
    if (path === '/api/v1') return listing(await served(path), 'resources', ghosts);
    return undefined;
  };
  const project = testEnvironment.program({ main: [own(namespace), own(settings, { retain: true })] });
  await project.deploy();
  const report = await project.destroy([], { kubeconfig: proxy.kubeconfig });
  expect(proxy.requests.map(({ path, status }) => `${path} ${status}`)).toEqual(
    expect.arrayContaining(['/apis/ghosts.example.com/v1 404', `/api/v1/namespaces/${namespace.metadata.name}/ghosts 404`]),
  );
  expect(report.only('Namespace')).toMatchObject(kept);
  expect(await standing()).toBe(true);
});

/** An answer of discovery with one more member. */
function listing(served: ResponseBody, member: string, more: object) {
  return { status: 200, body: { ...served, [member]: [...served[member], more] } };
}

describe('what a namespace contains', () => {
  const { cluster } = testEnvironment;

  /** Deploys a program with a namespace, in which somebody makes an object, and destroys it. */
  async function destroyedAround(name: string, objectsIn: (namespace: string) => Promise<unknown>) {
    const { namespace } = place(name);
    const project = testEnvironment.program({ main: [own(namespace)] });
    expect((await project.deploy()).exitCode).toBe(0);
    await objectsIn(namespace.metadata.name);
    const report = await project.destroy(['--timeout', '2']);
    const live = await cluster.find(namespace);
    return { report, stands: live !== undefined && live.metadata.deletionTimestamp === undefined };
  }

  const addresses = { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] };

  test.each([
    [
      'an EndpointSlice',
      'discovery.k8s.io/v1',
      'EndpointSlice',
      { addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }], ports: [] },
    ],
    ['Endpoints', 'v1', 'Endpoints', addresses],
  ])('%s that somebody made by hand', async (_, apiVersion, kind, content) => {
    const { report, stands } = await destroyedAround(kind.toLowerCase(), async (namespace) => [
      await cluster.create('kubectl-create', { ...ref(apiVersion, kind, 'theirs', namespace), ...content }),
    ]);
    expect(report.only('Namespace')).toMatchObject({ result: 'released', reason: expect.stringContaining(`${kind} `) });
    expect(stands).toBe(true);
  });

  test('Endpoints that the controller of Services wrote go with it', async () => {
    const { report, stands } = await destroyedAround('controlled', async (namespace) => [
      await cluster.create('kube-controller-manager', { ...ref('v1', 'Endpoints', 'web', namespace), ...addresses }),
    ]);
    // A real server without controllers does not finish the deletion.
    expect(report.only('Namespace').reason ?? '').not.toContain('Endpoints');
    expect(stands).toBe(false);
  });

  test('an object whose owner stands outside of it', async () => {
    const owner = await cluster.create('test', ref('rbac.authorization.k8s.io/v1', 'ClusterRole', `${testEnvironment.app}-owner`));
    testEnvironment.removeLater(owner);
    const { apiVersion, kind, metadata } = owner;
    const owned = (namespace: string, name: string, uid: string) => ({
      ...ref('v1', 'ConfigMap', name, namespace),
      metadata: { ...ref('v1', 'ConfigMap', name, namespace).metadata, ownerReferences: [{ apiVersion, kind, name: metadata.name, uid }] },
    });
    const { report, stands } = await destroyedAround('owned', async (namespace) => [
      await cluster.create('test', owned(namespace, 'theirs', metadata.uid)),
    ]);
    expect(report.only('Namespace')).toMatchObject({ result: 'released', reason: expect.stringContaining('/theirs') });
    expect(stands).toBe(true);
  });

  test('an object whose owner stands in it is not named', async () => {
    const { report } = await destroyedAround('nested', async (namespace) => {
      const top = await cluster.create('test', ref('v1', 'ConfigMap', 'top', namespace));
      const { apiVersion, kind, metadata } = top;
      const below = ref('v1', 'ConfigMap', 'below', namespace);
      const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
      return [top, await cluster.create('test', { ...below, metadata: { ...below.metadata, ownerReferences } })];
    });
    expect(report.only('Namespace').reason).toContain('/top');
    expect(report.only('Namespace').reason).not.toContain('/below');
  });
});
