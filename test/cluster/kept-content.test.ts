import { expect, test } from 'vitest';
import type { Answered } from '../harness/api-client.js';
import { ref } from '../harness/cluster.js';
import { Ground } from '../harness/ground.js';
import { own, share } from '../harness/program-text.js';

const ground = await Ground.fresh('kept-content');

/** A namespace of the program, and an object in it. */
function place(name: string) {
  const namespace = ref('v1', 'Namespace', `${ground.namespace}-${name}`);
  ground.removeNamespaceLater(namespace.metadata.name);
  const settings = { ...ref('v1', 'ConfigMap', 'settings', namespace.metadata.name), data: { a: '1' } };
  const standing = async () => {
    const live = await ground.cluster.find(namespace);
    return live !== undefined && live.metadata.deletionTimestamp === undefined && (await ground.cluster.find(settings)) !== undefined;
  };
  return { namespace, settings, standing };
}

const kept = {
  result: 'released',
  reason: expect.stringMatching(/not deleted: it contains ConfigMap \S*settings, which does not belong to this stack/),
};

test('a program drops a namespace and still declares what is in it: the namespace stays, and so does the object', async () => {
  const { namespace, settings, standing } = place('declared');
  const project = ground.program({ main: [own(namespace), own(settings)] });
  expect((await project.deploy()).exitCode).toBe(0);
  project.write({ 'main.ts': ground.text({ main: [own(settings)] }) });
  const plan = (await project.run(['diff', '--json'])).events.find(({ object }) => object?.startsWith('Namespace'));
  expect(plan).toMatchObject({ action: 'release', reason: kept.reason });
  const report = await project.deploy(['--yes']);
  expect(report.only('Namespace')).toMatchObject(kept);
  expect(await standing()).toBe(true);
});

test('a namespace with an object that its stack retains stays', async () => {
  const { namespace, settings, standing } = place('retained');
  const project = ground.program({ main: [own(namespace), own(settings, { retain: true })] });
  await project.deploy();
  const report = await project.destroy();
  expect(report.only('settings').result).toBe('retained');
  expect(report.only('Namespace')).toMatchObject(kept);
  expect(await standing()).toBe(true);
});

test('a namespace with an object that is released, because others apply to it, stays', async () => {
  const { namespace, settings, standing } = place('released');
  const project = ground.program({ main: [own(namespace), own(settings)] });
  await project.deploy();
  await ground.cluster.apply('them', { ...settings, data: { theirs: '1' } });
  const report = await project.destroy();
  expect(report.only('settings').result).toBe('released');
  expect(report.only('Namespace')).toMatchObject(kept);
  expect(await standing()).toBe(true);
});

test('a namespace with an object that the stack only shares stays', async () => {
  const { namespace, settings, standing } = place('shared');
  const project = ground.program({ main: [own(namespace)] });
  await project.deploy();
  await ground.cluster.apply('them', settings);
  project.write({ 'main.ts': ground.text({ main: [own(namespace), share({ ...settings, data: { ours: '1' } })] }) });
  await project.deploy();
  const report = await project.destroy();
  expect(report.only('settings').result).toBe('released');
  expect(report.only('Namespace')).toMatchObject(kept);
  expect(await standing()).toBe(true);
});

test('kinds that go while it is looked for content do not hinder', async () => {
  const { namespace, settings, standing } = place('going');
  const proxy = await ground.proxy();
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
  const project = ground.program({ main: [own(namespace), own(settings, { retain: true })] });
  await project.deploy();
  const report = await project.destroy([], { kubeconfig: proxy.kubeconfig });
  expect(proxy.requests.map(({ path, status }) => `${path} ${status}`)).toEqual(
    expect.arrayContaining(['/apis/ghosts.example.com/v1 404', `/api/v1/namespaces/${namespace.metadata.name}/ghosts 404`]),
  );
  expect(report.only('Namespace')).toMatchObject(kept);
  expect(await standing()).toBe(true);
});

/** An answer of discovery with one more member. */
function listing(served: Answered, member: string, more: object) {
  return { status: 200, body: { ...served, [member]: [...served[member], more] } };
}
