import { describe, expect, test } from 'vitest';
import { connect, undoForcedConflicts } from '../../src/entry/deploy.js';
import { deployed } from '../harness/config-map-helpers.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('overwritten');
const proxy = await testEnvironment.proxy();

const ref = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
const deployment = (name: string, spec: object = {}, container: object = {}) => ({
  ...ref(name),
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'api', image: 'registry.example.com/a:1', ...container }] },
    },
    ...spec,
  },
});
const program = (object: object, policy?: object) => ({ main: [own(object, policy)] });
/** The body that `kubectl scale` sends. */
const scale = (name: string, replicas: number) =>
  testEnvironment.cluster.patch('kubectl', ref(name), { spec: { replicas } }, 'merge', 'scale');
/** The status that the controller of Deployments writes when it has scaled. */
const report = (name: string, replicas: number) =>
  testEnvironment.cluster.patch('kube-controller-manager', ref(name), { status: { replicas, observedGeneration: 2 } }, 'merge', 'status');

/** Nobody declares the replicas, somebody scales, the controller does it, and then the program declares 3. */
async function scaled(name: string) {
  const project = testEnvironment.program(program(deployment(name)));
  await deployed(project);
  await scale(name, 5);
  await report(name, 5);
  expect(await testEnvironment.cluster.owners(ref(name))).not.toHaveProperty(['kubectl (Update, scale)']);
  project.write({ 'main.ts': testEnvironment.text(program(deployment(name, { replicas: 3 }))) });
  return project;
}

describe('replicas that were scaled without leaving an owner', () => {
  test('are in the record of the deploy that changes them, as in its plan', async () => {
    const project = await scaled('text');
    expect((await project.run(['diff'])).stdout).toContain('change    .spec.replicas: 5 → 3\n');
    const { stdout } = await project.run(['deploy', '--output-file', 'report=report.json']);
    expect(stdout).toContain('    changed .spec.replicas: 5 → 3, which had no owner\n');
    const [object] = JSON.parse(project.read('report.json')).objects;
    expect(object).toMatchObject({ result: 'updated', forcedConflicts: [] });
    expect(object.overwritten).toEqual([{ field: '.spec.replicas', oldValue: 5, newValue: 3 }]);
    expect((await deployed(project)).only().overwritten).toBeUndefined();
  });

  test('scaled again between the read and the apply: the record has the value that was there', async () => {
    const project = await scaled('raced');
    let written = false;
    proxy.onRequest = async ({ method, path }) => {
      if (written || method !== 'PATCH' || !path.includes('/deployments/raced')) return undefined;
      written = true;
      await scale('raced', 7);
      await report('raced', 7);
      return undefined;
    };
    const { exitCode, objects } = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onRequest = () => undefined;
    expect([exitCode, objects[0]?.overwritten]).toEqual([0, [{ field: '.spec.replicas', oldValue: 7, newValue: 3 }]]);
  });

  test('where the stack declares them the server records the scaler, and they are taken from it', async () => {
    const project = testEnvironment.program(program(deployment('declared', { replicas: 3 })));
    await deployed(project);
    await scale('declared', 5);
    const report = await project.deploy(['--output-file', 'report=report.json']);
    const { forcedConflicts, overwritten } = report.only();
    expect(forcedConflicts).toMatchObject([{ field: '.spec.replicas', oldValue: 5, newValue: 3, from: 'kubectl', subresource: 'scale' }]);
    expect(overwritten).toBeUndefined();

    const cluster = await connect({ kubeconfig: testEnvironment.kubeconfig });
    const undone = await undoForcedConflicts(JSON.parse(project.read('report.json')), cluster).finally(() => cluster.close());
    expect(undone).toMatchObject([
      { field: '.spec.replicas', to: 'kubectl', undone: false, reason: 'it belongs to the subresource scale' },
    ]);
    expect((await testEnvironment.cluster.get(ref('declared'))).spec.replicas).toBe(3);
  });
});

test('defaults that an intent comes to declare otherwise, also in items of a list; not what is equal, new or the own', async () => {
  const project = testEnvironment.program(program(deployment('defaults', { minReadySeconds: 5 })));
  await deployed(project);
  const object = deployment(
    'defaults',
    { minReadySeconds: 6, revisionHistoryLimit: 3, progressDeadlineSeconds: 600, paused: true },
    { imagePullPolicy: 'Always', terminationMessagePath: '/dev/termination-log' },
  );
  project.write({ 'main.ts': testEnvironment.text(program(object)) });
  expect((await deployed(project)).only().overwritten).toEqual([
    { field: '.spec.revisionHistoryLimit', oldValue: 10, newValue: 3 },
    { field: '.spec.template.spec.containers[name="api"].imagePullPolicy', oldValue: 'IfNotPresent', newValue: 'Always' },
  ]);
});

test('of a share that joins an object of somebody else', async () => {
  await testEnvironment.cluster.apply('them', deployment('shared'));
  const project = testEnvironment.program({ main: [share({ ...ref('shared'), spec: { revisionHistoryLimit: 3 } })] });
  expect((await deployed(project)).only()).toMatchObject({
    forcedConflicts: [],
    overwritten: [{ field: '.spec.revisionHistoryLimit', oldValue: 10, newValue: 3 }],
  });
});

describe('an unchanged intent, of which somebody took a field and let it go again, so that nobody owns its value', () => {
  const names = ['one', 'two', 'three'];
  const lost = async (prefix: string, ...args: string[]) => {
    const project = testEnvironment.program({ main: names.map((name) => own(deployment(`${prefix}-${name}`, { replicas: 3 }))) });
    await deployed(project, ...args);
    await deployed(project, ...args);
    const drifted = ref(`${prefix}-two`);
    await testEnvironment.cluster.apply('them', { ...drifted, spec: { replicas: 7 } }, { force: true });
    await testEnvironment.cluster.apply('them', drifted);
    expect((await testEnvironment.cluster.get(drifted)).spec.replicas).toBe(1); // the default
    await waitForNextSecond();
    const patched: string[] = [];
    proxy.onRequest = async ({ method, path }) => {
      if (/\/deployments\b/.test(path)) patched.push(method);
      return undefined;
    };
    const result = await project.deploy(args, { kubeconfig: proxy.kubeconfig });
    proxy.onRequest = () => undefined;
    expect((await testEnvironment.cluster.get(drifted)).spec.replicas).toBe(3);
    return { object: result.only(`${prefix}-two`), patched };
  };

  test('under `reconcile: changed` its object was read anyway, and the record has the value', async () => {
    const { object, patched } = await lost('listed', '--reconcile', 'changed');
    expect(object.overwritten).toEqual([{ field: '.spec.replicas', oldValue: 1, newValue: 3 }]);
    expect(patched.filter((method) => method === 'PATCH')).toHaveLength(1);
  });

  test('else it is not read before its one PATCH, and the record does not guess', async () => {
    const { object, patched } = await lost('unread');
    expect(object.overwritten).toBeUndefined();
    expect(object.result).toBe('updated');
    expect(patched).toEqual(['PATCH', 'PATCH', 'PATCH']);
  });
});
