import type { PlannedObject } from 'fieldwise/deploy';
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { ref } from '../../harness/cluster.js';
import { crdOf } from '../../harness/crd.js';
import { eventsOf } from '../../harness/events.js';
import { own, share } from '../../harness/program-text.js';
import type { Project } from '../../harness/project.js';
import { TestEnvironment } from '../../harness/test-environment.js';

// Ten things that users of other tools suffer, each with the reports that tell of it; here none of them can happen unseen.

const testEnvironment = await TestEnvironment.create('pains');
const group = `${testEnvironment.namespace}.example.com`;

const at = (apiVersion: string, kind: string, name: string, rest: ResponseBody = {}): ResponseBody => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});
const config = (name: string, data: object) => at('v1', 'ConfigMap', name, { data });
const configRef = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const labels = (name: string) => ({ app: name });
const container = { name: 'main', image: 'registry.example.com/a:1' };
const deployment = (name: string, spec: object = {}) =>
  at('apps/v1', 'Deployment', name, {
    spec: {
      selector: { matchLabels: labels(name) },
      template: { metadata: { labels: labels(name) }, spec: { containers: [container] } },
      ...spec,
    },
  });
const deploymentRef = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
const owners = (object: ResponseBody) => testEnvironment.cluster.owners(object);
const live = (object: ResponseBody): Promise<ResponseBody> => testEnvironment.cluster.get(object);
const edit = (project: Project, stacks: Parameters<typeof testEnvironment.text>[0]) =>
  project.write({ 'main.ts': testEnvironment.text(stacks) });

async function planOf(
  project: Project,
  args: readonly string[] = [],
): Promise<{ objects: PlannedObject[]; exitCode: number; text: string }> {
  const { events, exitCode, stdout, stderr } = await project.run(['diff', '-o', 'json', ...args]);
  return { objects: eventsOf(events, 'plan'), exitCode, text: stdout + stderr };
}

const fieldOf = (object: PlannedObject | undefined, path: string) => object?.fields.find(({ field }) => field === path);

describe('1. fields stuck after moving from client-side to server-side apply: an Update manager still co-owns them', () => {
  test('the plan and the report name the Update manager that keeps a field, so it stays with everybody knowing', async () => {
    await testEnvironment.cluster.create('kubectl-client-side-apply', { ...configRef('moved'), data: { keep: '1', drop: '1' } });
    const project = testEnvironment.program({ main: [own(config('moved', { keep: '1', drop: '1' }))] });
    const first = fieldOf((await planOf(project)).objects[0], '.data.drop');
    expect(first).toMatchObject({ change: 'co-own', owners: [{ manager: 'kubectl-client-side-apply', operation: 'Update' }] });
    expect((await project.deploy()).only()).toMatchObject({
      adopted: { owners: [expect.stringContaining('kubectl-client-side-apply')] },
    });

    edit(project, { main: [own(config('moved', { keep: '1' }))] });
    const dropped = fieldOf((await planOf(project)).objects[0], '.data.drop');
    expect(dropped).toMatchObject({ change: 'kept', owners: [{ manager: 'kubectl-client-side-apply', operation: 'Update' }] });
    await project.deploy();
    expect((await live(configRef('moved'))).data).toEqual({ keep: '1', drop: '1' });
    expect((await owners(configRef('moved')))['kubectl-client-side-apply (Update)']).toContain('.data.drop');
  });
});

describe('2. destroy blocked by required fields', () => {
  const service = at('v1', 'Service', 'required', { spec: { selector: { app: 'a' }, ports: [{ name: 'http', port: 80 }] } });

  test('a share whose fields the object cannot do without: planned as rejected, the rest is destroyed, the ways out are named', async () => {
    await testEnvironment.cluster.apply('owner', {
      ...testEnvironment.ref('v1', 'Service', 'required'),
      spec: { selector: { app: 'a' }, ports: [{ name: 'http', port: 80 }] },
    });
    const other = testEnvironment.program({ main: [share(service), own(config('beside-required', { a: '1' }))] });
    await other.deploy();
    // The owner leaves: from now on nobody but the share holds the ports.
    await testEnvironment.cluster.apply('owner', {
      ...testEnvironment.ref('v1', 'Service', 'required'),
      metadata: { name: 'required', namespace: testEnvironment.namespace, labels: { theirs: 'here' } },
    });
    edit(other, { main: [own(config('beside-required', { a: '1' }))] });
    const planned = (await planOf(other)).objects.find(({ kind }) => kind === 'Service');
    expect(planned, JSON.stringify(planned)).toMatchObject({ action: 'blocked' });

    const report = await other.destroy();
    expect(report.only('beside-required').result).toBe('deleted');
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.only('required')).toMatchObject({
      result: 'failed',
      error: { code: 'release-rejected', next: expect.stringMatching(/another stack declare.*fieldwise adopt.*delete the object/) },
    });
    expect((await live(testEnvironment.ref('v1', 'Service', 'required'))).spec.ports).toHaveLength(1);

    // It stays in mind: the next destroy meets the same.
    expect((await other.destroy()).only('required').error?.code).toBe('release-rejected');

    // One way out: somebody else declares them first.
    await testEnvironment.cluster.apply('owner', {
      ...testEnvironment.ref('v1', 'Service', 'required'),
      spec: { ports: [{ name: 'http', port: 80 }] },
    });
    const finished = await other.destroy();
    expect([finished.exitCode, finished.only('required').result]).toEqual([0, 'released']);
    expect((await other.destroy()).objects).toEqual([]);
  });

  test('an owned object is deleted whole: required fields do not stand in the way', async () => {
    const project = testEnvironment.program({ main: [own(deployment('whole'))] });
    await project.deploy();
    expect((await project.destroy()).only().result).toBe('deleted');
  });
});

describe('3. a patch resource that deletes the object or swallows the fields of everyone', () => {
  test('destroying a share takes its own fields and nothing else', async () => {
    await testEnvironment.cluster.apply('owner', { ...deploymentRef('patched'), spec: deployment('patched').spec });
    await testEnvironment.cluster.patch('operator', deploymentRef('patched'), { metadata: { annotations: { theirs: 'here' } } });
    const before = { owners: await owners(deploymentRef('patched')), uid: (await live(deploymentRef('patched'))).metadata.uid };
    const project = testEnvironment.program({ main: [share(at('apps/v1', 'Deployment', 'patched', { spec: { paused: true } }))] });
    await project.deploy();
    expect((await owners(deploymentRef('patched')))[project.manager('main')]).toEqual(['.spec.paused']);
    expect((await project.destroy()).only().result).toBe('released');
    expect(await owners(deploymentRef('patched'))).toEqual(before.owners);
    const after = await live(deploymentRef('patched'));
    expect([after.metadata.uid, after.spec.paused]).toEqual([before.uid, undefined]);
  });
});

describe('4. one manager for all apps: deleting one app deletes the shared namespace', () => {
  test('each stack has a manager of its own, and a namespace that another stack declares stays', async () => {
    const namespace = `${testEnvironment.namespace}-shared`;
    testEnvironment.removeNamespaceLater(namespace);
    const object = (label: string) => at('v1', 'Namespace', namespace, { metadata: { name: namespace, labels: { [label]: 'here' } } });
    const one = testEnvironment.program({ main: [own(object('one'))] });
    const two = testEnvironment.program({ main: [own(object('two')), own(config('two', { a: '1' }))] });
    await one.deploy();
    await two.deploy();
    expect(one.manager('main')).not.toBe(two.manager('main'));
    expect((await two.destroy()).only('Namespace').result).toBe('released');
    const left = await live(ref('v1', 'Namespace', namespace));
    expect(left.metadata.deletionTimestamp).toBeUndefined();
    expect(left.metadata.labels).toMatchObject({ one: 'here' });
    expect(left.metadata.labels.two).toBeUndefined();
  });

  test('what others keep in a namespace keeps it', async () => {
    const namespace = `${testEnvironment.namespace}-inhabited`;
    testEnvironment.removeNamespaceLater(namespace);
    const project = testEnvironment.program({ main: [own(at('v1', 'Namespace', namespace))] });
    await project.deploy();
    await testEnvironment.cluster.create('somebody', ref('v1', 'ConfigMap', 'theirs', namespace));
    expect((await project.destroy()).only().result).not.toBe('deleted');
    expect((await live(ref('v1', 'Namespace', namespace))).metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('5. replicas dropped from the manifest reset to 1', () => {
  const scaled = deployment('scaled', { replicas: 3 });

  test('where nobody else holds them, the plan says so before it happens', async () => {
    const project = testEnvironment.program({ main: [own(scaled)] });
    await project.deploy();
    edit(project, { main: [own(deployment('scaled'))] });
    const field = fieldOf((await planOf(project)).objects[0], '.spec.replicas');
    expect(field).toMatchObject({ change: 'defaulted', oldValue: 3, newValue: 1 });
  });

  test('handed to an autoscaler under yield first, they stay', async () => {
    const project = testEnvironment.program({
      main: [own(deployment('auto', { replicas: 3 }), { fields: { 'spec.replicas': { conflicts: 'yield' } } })],
    });
    await project.deploy();
    await testEnvironment.cluster.patch('autoscaler', deploymentRef('auto'), { spec: { replicas: 5 } });
    await project.deploy();
    edit(project, { main: [own(deployment('auto'))] });
    await project.deploy();
    expect((await live(deploymentRef('auto'))).spec.replicas).toBe(5);
    expect((await owners(deploymentRef('auto')))['autoscaler (Update)']).toContain('.spec.replicas');
  });
});

describe('6. conflict walls answered by blanket force', () => {
  test('each field has its own policy: one is taken with its old value told, one is left, and fail changes nothing at all', async () => {
    const foreign = () =>
      testEnvironment.cluster.apply('other', { ...configRef('walls'), data: { a: 'theirs', b: 'theirs', c: 'theirs' } });
    await foreign();
    const declared = config('walls', { a: 'ours', b: 'ours' });
    const project = testEnvironment.program({ main: [own(declared, { fields: { 'data.b': { conflicts: 'yield' } } })] });
    const report = await project.deploy(['--yes']);
    expect(report.only().forcedConflicts).toMatchObject([{ field: '.data.a', oldValue: 'theirs', from: 'other' }]);
    expect(report.only().yielded).toMatchObject([{ field: '.data.b', from: 'other' }]);
    expect(await owners(configRef('walls'))).toEqual({ [project.manager('main')]: ['.data.a'], other: ['.data.b', '.data.c'] });

    const strict = testEnvironment.program({
      main: [own(config('walls', { a: 'strict', c: 'strict' }), { fields: { 'data.c': { conflicts: 'fail' } } })],
    });
    const before = await testEnvironment.cluster.resourceVersion(configRef('walls'));
    expect((await strict.deploy()).exitCode).toBe(5);
    expect(await testEnvironment.cluster.resourceVersion(configRef('walls'))).toBe(before);
  });
});

describe('7. diffs that lie: a failed dry-run shown as synced, ownership changes never shown', () => {
  test('a refused dry run is shown as blocked, with an exit code', async () => {
    const wrong = at('v1', 'Service', 'wrong', { spec: { ports: [{ name: 'http', port: 0 }] } });
    const { objects, exitCode, text } = await planOf(testEnvironment.program({ main: [own(wrong)] }));
    expect(objects[0], text).toMatchObject({ action: 'blocked', error: { code: 'invalid' } });
    expect(exitCode).toBe(4);
  });

  test('the same value with one more owner is a change of owners, and is shown', async () => {
    await testEnvironment.cluster.apply('other', { ...configRef('joint'), data: { a: '1' } });
    const { objects } = await planOf(testEnvironment.program({ main: [own(config('joint', { a: '1' }))] }));
    expect(objects[0]?.action).toBe('update');
    expect(fieldOf(objects[0], '.data.a')).toMatchObject({ change: 'co-own', owners: [{ manager: 'other', operation: 'Apply' }] });
  });
});

describe('8. list keys', () => {
  test('a changed port number, which is a list map key, replaces the entry and duplicates no name', async () => {
    const service = (port: number) => at('v1', 'Service', 'ported', { spec: { selector: { app: 'a' }, ports: [{ name: 'http', port }] } });
    const project = testEnvironment.program({ main: [own(service(80))] });
    await project.deploy();
    edit(project, { main: [own(service(8080))] });
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    const { ports } = (await live(testEnvironment.ref('v1', 'Service', 'ported'))).spec;
    expect(ports.map(({ name, port }: ResponseBody) => [name, port])).toEqual([['http', 8080]]);
  });

  test('the same environment variable twice is refused before anything is sent', async () => {
    const env = [
      { name: 'LEVEL', value: 'info' },
      { name: 'LEVEL', value: 'debug' },
    ];
    const template = { metadata: { labels: labels('twice') }, spec: { containers: [{ ...container, env }] } };
    const report = await testEnvironment.program({ main: [own(deployment('twice', { template }))] }).deploy();
    expect(report.exitCode, String(report)).not.toBe(0);
    expect(String(report)).toMatch(/LEVEL/);
    expect(await testEnvironment.cluster.find(deploymentRef('twice'))).toBeUndefined();
  });

  test('an atomic selector of another owner is taken only with its whole old value told', async () => {
    await testEnvironment.cluster.apply('owner', {
      ...testEnvironment.ref('v1', 'Service', 'atomic'),
      spec: { selector: { app: 'a', tier: 'web' }, ports: [{ port: 80 }] },
    });
    const report = await testEnvironment
      .program({ main: [share(at('v1', 'Service', 'atomic', { spec: { selector: { app: 'b' } } }))] })
      .deploy(['--yes']);
    expect(report.only().forcedConflicts).toMatchObject([
      { field: '.spec.selector', oldValue: { app: 'a', tier: 'web' }, newValue: { app: 'b' }, from: 'owner' },
    ]);
  });
});

describe('9. prune accidents and resurrection', () => {
  test('only the very object that the stack made is pruned, and only after a yes', async () => {
    const project = testEnvironment.program({ main: ['a', 'b', 'c'].map((name) => own(config(`prune-${name}`, { ours: 'here' }))) });
    await project.deploy();
    await testEnvironment.cluster.remove(configRef('prune-b'));
    await testEnvironment.cluster.apply('another', { ...configRef('prune-b'), data: { theirs: 'here' } });
    edit(project, { main: [own(config('prune-c', { ours: 'here' }))] });
    expect((await project.deploy()).exitCode).toBe(2);
    expect(await testEnvironment.cluster.find(configRef('prune-a'))).toBeDefined();
    const report = await project.deploy(['--yes']);
    expect([report.only('prune-a').result, report.only('prune-b').result]).toEqual(['deleted', 'absent']);
    expect((await live(configRef('prune-b'))).data).toEqual({ theirs: 'here' });
  });

  test('a shared object that its owner deleted is never made again', async () => {
    await testEnvironment.cluster.apply('owner', { ...configRef('deleted'), data: { theirs: 'here' } });
    const project = testEnvironment.program({ main: [share(config('deleted', { ours: 'here' }), { waitSeconds: 0 })] });
    await project.deploy();
    await testEnvironment.cluster.remove(configRef('deleted'));
    expect((await project.deploy()).only().error?.code).toBe('share-target-missing');
    expect((await project.destroy()).exitCode).toBe(0);
    expect(await testEnvironment.cluster.find(configRef('deleted'))).toBeUndefined();
  });
});

describe('10. no preview before namespace or CRD exist', () => {
  test('both are planned with all their fields, judged by the schema, and the deploy does what the plan said', async () => {
    const namespace = `${testEnvironment.namespace}-planned`;
    testEnvironment.removeNamespaceLater(namespace);
    const properties = { colour: { type: 'string', default: 'white' }, watts: { type: 'integer' } };
    const crd = crdOf(group, 'Lamp', { spec: { type: 'object', properties } });
    testEnvironment.removeCrdLater(crd.metadata.name);
    const lamp = at(`${group}/v1`, 'Lamp', 'desk', { metadata: { name: 'desk', namespace }, spec: { watts: 5 } });
    const project = testEnvironment.program({ main: [own(at('v1', 'Namespace', namespace)), own(crd), own(lamp)] });
    const { objects, exitCode, text } = await planOf(project);
    expect(exitCode, text).toBe(0);
    const planned = objects.find(({ kind }) => kind === 'Lamp');
    expect(planned).toMatchObject({ action: 'create', source: 'schema' });
    expect(fieldOf(planned, '.spec.watts')).toMatchObject({ change: 'set', newValue: 5 });
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    const made = await live(ref(`${group}/v1`, 'Lamp', 'desk', namespace));
    expect(made.spec).toEqual({ colour: 'white', watts: 5 });
    expect(await owners(made)).toEqual({ [project.manager('main')]: ['.spec.watts'] });
  });
});
