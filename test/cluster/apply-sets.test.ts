import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  groupKinds,
  idLabel,
  idOf,
  kubectlApplySet,
  makeSet,
  namespaces,
  parentOf,
  partOf,
  tooling,
  withLabel,
} from '../harness/apply-set.js';
import type { ObjectRef } from '../harness/cluster.js';
import { own } from '../harness/program-text.js';
import type { Project, ProjectRunOptions } from '../harness/project.js';
import { nthWrite, TestEnvironment } from '../harness/test-environment.js';

const environment = await TestEnvironment.create('apply-sets');
const { cluster } = environment;

const config = (name: string, data: object = { k: '1' }, labels: object = {}): ObjectRef => ({
  ...environment.ref('v1', 'ConfigMap', name),
  metadata: { name, namespace: environment.namespace, ...(Object.keys(labels).length > 0 ? { labels } : {}) },
  data,
});
const secret = (name: string) => environment.ref('v1', 'Secret', name);
const labelsOf = async (object: ObjectRef) => (await cluster.get(object)).metadata.labels ?? {};
const annotationsOf = async (object: ObjectRef) => (await cluster.get(object)).metadata.annotations ?? {};

async function deployed(objects: readonly ObjectRef[], policy?: object): Promise<Project> {
  const project = environment.program({ main: objects.map((object) => own(object, policy)) });
  const report = await project.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(0);
  return project;
}

async function takeOver(project: Project, parent: string, args: readonly string[] = [], options: ProjectRunOptions = {}) {
  const result = await project.run(['adopt', '--from-applyset', parent, '-o', 'json', '--yes', ...args], options);
  const of = (name: string) => result.events.filter(({ event }) => event === name);
  return { ...result, of, record: of('record')[0]?.file as string };
}

const closed = { [tooling]: 'fieldwise/v1', [groupKinds]: '', [namespaces]: '' };

test('the members lose the label, the parent its record, and the stack owns its fields alone and may delete them', async () => {
  const members = [config('a', { k: '1', theirs: '1' }, { team: 'x' }), config('b')];
  const id = await makeSet(environment, secret('whole'), members);
  const project = await deployed([config('a', { k: '1' }, { team: 'x' }), config('b')]);
  const { exitCode, stderr, of } = await takeOver(project, 'whole', ['--with-deletion']);
  expect(exitCode, stderr).toBe(0);
  const names = ['a', 'b'].map((name) => `ConfigMap ${environment.namespace}/${name}`);
  expect(of('applyset')).toMatchObject([{ id, members: names.map((object) => ({ object, stack: 'main' })), remaining: [], unserved: [] }]);
  expect(of('member')).toMatchObject(names.map((object) => ({ object, result: 'left' })));
  expect([await labelsOf(config('a')), await labelsOf(config('b'))]).toEqual([{ team: 'x' }, {}]);
  expect(await annotationsOf(secret('whole'))).toEqual(closed);
  expect(await cluster.owners(config('a'))).toEqual({
    [project.manager('main')]: ['.data.k', '.metadata.labels.team'],
    kubectl: ['.data.theirs'],
  });
  expect(await cluster.owners(config('b'))).toEqual({ [project.manager('main')]: ['.data.k'] });
  // kubectl still applies a field of `a`, so only `b` can be deleted.
  expect(of('deletable')).toMatchObject([{ object: names[1] }]);
  expect(of('retained')).toMatchObject([{ object: names[0], by: ['kubectl'] }]);
  const destroyed = await project.destroy();
  expect(destroyed.results).toEqual({ [names[0] as string]: 'released', [names[1] as string]: 'deleted' });
  expect((await cluster.get(config('a'))).data).toEqual({ theirs: '1' });
});

test('members in other namespaces and without one, of kinds that the record names by resource, and kinds that no longer exist', async () => {
  const other = `${environment.namespace}-other`;
  await cluster.create('test', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
  environment.removeNamespaceLater(other);
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: environment.app }, rules: [] };
  environment.removeLater(role);
  const away = { ...config('away'), metadata: { name: 'away', namespace: other } };
  await makeSet(environment, environment.ref('v1', 'ConfigMap', 'spread'), [away, role], {
    [groupKinds]: undefined,
    'applyset.kubernetes.io/contains-group-resources': 'clusterroles.rbac.authorization.k8s.io,configmaps,gadgets.gone.example.com',
    [namespaces]: other,
  });
  const project = await deployed([away, role]);
  const parent = environment.ref('v1', 'ConfigMap', 'spread');
  const before = await annotationsOf(parent);
  const { exitCode, stderr, of, record } = await takeOver(project, 'configmap/spread');
  expect(exitCode, stderr).toBe(0);
  expect(of('applyset')).toMatchObject([{ unserved: ['gadgets.gone.example.com'] }]);
  expect(of('member').map(({ object }) => object)).toEqual([`ConfigMap ${other}/away`, `ClusterRole ${environment.app}`]);
  expect([await labelsOf(away), await labelsOf(role)]).toEqual([{}, {}]);
  expect(await annotationsOf(parent)).toEqual(closed);
  expect((await project.run(['adopt', '--undo', record])).exitCode).toBe(0);
  expect(await annotationsOf(parent)).toEqual(before);
});

test('a declared member of a kind that the record does not name leaves the set, too', async () => {
  const id = await makeSet(environment, secret('short'), [], { [groupKinds]: 'Service' });
  await cluster.apply('kubectl', withLabel(config('unrecorded'), id));
  const project = await deployed([config('unrecorded')]);
  const { exitCode, of } = await takeOver(project, 'short');
  expect([exitCode, of('member')]).toMatchObject([0, [{ result: 'left' }]]);
  expect(await labelsOf(config('unrecorded'))).toEqual({});
});

test('the parent may be a custom resource of a kind that is marked for it', async () => {
  const group = `${environment.app}.example.com`;
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const crd = (plural: string, kind: string, labels: object) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  await environment.crd(crd('sets', 'Set', { 'applyset.kubernetes.io/is-parent-type': 'true' }));
  await environment.crd(crd('things', 'Thing', {}));
  const [set, thing] = [environment.ref(`${group}/v1`, 'Set', 'custom'), environment.ref(`${group}/v1`, 'Thing', 'custom')];
  await makeSet(environment, set, [config('of-custom')]);
  await cluster.apply('kubectl-applyset', parentOf(thing));
  const project = await deployed([config('of-custom')]);
  expect((await takeOver(project, `things.${group}/custom`)).stderr).toContain('has the label applyset.kubernetes.io/is-parent-type');
  const { exitCode, stderr } = await takeOver(project, `sets.${group}/custom`);
  expect(exitCode, stderr).toBe(0);
  expect([await labelsOf(config('of-custom')), await annotationsOf(set)]).toEqual([{}, closed]);
});

test('members that no stack owns refuse the takeover, and --leave-undeclared leaves them in the set, untouched', async () => {
  const members = ['taken', 'undeclared', 'undeployed'].map((name) => config(name));
  const service = { ...environment.ref('v1', 'Service', 'served'), spec: { ports: [{ port: 80 }] } };
  const id = await makeSet(environment, secret('partial'), [...members, service], { [groupKinds]: 'ConfigMap,Secret,Service' });
  const project = await deployed([config('taken')]);
  project.write({ 'main.ts': environment.text({ main: [own(config('taken')), own(config('undeployed'))] }) });
  const before = await Promise.all([...members, secret('partial')].map((object) => cluster.resourceVersion(object)));
  const refused = await takeOver(project, 'partial');
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('[applyset-incomplete]')]);
  const reasons = [
    { object: `ConfigMap ${environment.namespace}/undeclared`, reason: 'not declared' },
    { object: `ConfigMap ${environment.namespace}/undeployed`, reason: 'not deployed' },
    { object: `Service ${environment.namespace}/served`, reason: 'not declared' },
  ];
  expect(refused.of('applyset')).toMatchObject([{ remaining: reasons }]);
  expect(await Promise.all([...members, secret('partial')].map((object) => cluster.resourceVersion(object)))).toEqual(before);

  const { exitCode, stderr } = await takeOver(project, 'partial', ['--leave-undeclared']);
  expect(exitCode, stderr).toBe(0);
  expect(await labelsOf(config('taken'))).toEqual({});
  expect(await Promise.all(members.slice(1).map((object) => cluster.resourceVersion(object)))).toEqual(before.slice(1, 3));
  expect(await labelsOf(config('undeclared'))).toEqual({ [partOf]: id });
  expect(await annotationsOf(secret('partial'))).toEqual({ ...closed, [groupKinds]: 'ConfigMap,Service' });

  project.write({ 'main.ts': environment.text({ main: [...members, service].map((object) => own(object)) }) });
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  const rest = await takeOver(project, 'partial');
  expect(rest.of('member').map(({ object }) => object)).toEqual(reasons.map(({ object }) => object));
  expect(await annotationsOf(secret('partial'))).toEqual(closed);
});

describe('an interrupted takeover is continued', () => {
  // The writes: Fieldwise as tool, two labels, the record of the parent, the owners of two objects, the inventory.
  test.each([1, 2, 3, 4, 5, 6, 7])('after write %i', async (n) => {
    const set = `killed-${n}`;
    const members = [config(`${set}-a`), config(`${set}-b`)];
    await makeSet(environment, secret(set), members);
    const project = await deployed(members);
    await project.run(['synth']);
    const args = ['adopt', '--from-applyset', set, '--yes', '--with-deletion', '-a', 'dist'];
    expect(await environment.killRun((options) => project.run(args, options), nthWrite(n))).toBe(true);
    const ownedByBoth = await Promise.all(
      members.map(async (member) => partOf in (await labelsOf(member)) && (await annotationsOf(secret(set)))[tooling] !== 'fieldwise/v1'),
    );
    expect(ownedByBoth).toEqual([false, false]);
    const { exitCode, stderr } = await takeOver(project, set, ['--with-deletion']);
    expect(exitCode, stderr).toBe(0);
    expect(await annotationsOf(secret(set))).toEqual(closed);
    for (const member of members) {
      expect(await labelsOf(member)).toEqual({});
      expect(await cluster.owners(member)).toEqual({ [project.manager('main')]: ['.data.k'] });
    }
    expect(Object.values((await project.destroy()).results)).toEqual(['deleted', 'deleted']);
  });
});

describe('another client writes during the takeover', () => {
  test('it adds a member again: that one is reported, stays in the record and keeps its owners', async () => {
    const members = [config('again-a'), config('again-b')];
    const id = await makeSet(environment, secret('again'), members);
    const project = await deployed(members);
    const proxy = await environment.proxy();
    let added = false;
    proxy.onResponse = async ({ method, path, body }) => {
      const isRemoval = method === 'PATCH' && path.endsWith('/configmaps/again-a') && JSON.stringify(body).includes('"remove"');
      if (added || !isRemoval) return undefined;
      added = true;
      await cluster.apply('kubectl', withLabel(config('again-a'), id));
      return undefined;
    };
    const { exitCode, of } = await takeOver(project, 'again', ['--with-deletion'], { kubeconfig: proxy.kubeconfig });
    expect(exitCode).toBe(4);
    expect(of('member')).toMatchObject([{ result: 'failed', error: { code: 'applyset-changed' } }, { result: 'left' }]);
    expect(of('adoption')).toHaveLength(1);
    expect(of('deletable')).toMatchObject([{ object: `ConfigMap ${environment.namespace}/again-b` }]);
    expect(await annotationsOf(secret('again'))).toEqual({ ...closed, [groupKinds]: 'ConfigMap' });
    expect(await cluster.owners(config('again-a'))).toMatchObject({ kubectl: ['.data.k', `.metadata.labels.${partOf}`] });
    const rest = await takeOver(project, 'again');
    expect([rest.exitCode, rest.of('member')]).toMatchObject([0, [{ result: 'left' }]]);
    expect(await annotationsOf(secret('again'))).toEqual(closed);
  });

  test('it opens the set again: no field is adopted, and no object can be deleted', async () => {
    await makeSet(environment, secret('opened'), [config('opened')]);
    const project = await deployed([config('opened')]);
    const proxy = await environment.proxy();
    proxy.onResponse = async ({ method, path }) => {
      if (method === 'PATCH' && path.endsWith('/configmaps/opened'))
        await cluster.apply('kubectl-applyset', parentOf(secret('opened')), { force: true });
      return undefined;
    };
    const { exitCode, of, record } = await takeOver(project, 'opened', ['--with-deletion'], { kubeconfig: proxy.kubeconfig });
    expect([exitCode, of('applyset-failed'), of('adoption'), of('deletable')]).toMatchObject([
      4,
      [{ error: { code: 'applyset-changed' } }],
      [],
      [],
    ]);
    expect(await annotationsOf(secret('opened'))).toMatchObject({ [tooling]: 'kubectl/v1.32.4' });
    expect((await project.run(['adopt', '--undo', record])).exitCode).toBe(0);
    expect(await takeOver(project, 'opened', ['--with-deletion'])).toMatchObject({ exitCode: 0 });
    expect([await annotationsOf(secret('opened')), await cluster.owners(config('opened'))]).toEqual([
      closed,
      { [project.manager('main')]: ['.data.k'] },
    ]);
  });

  test.each([
    [
      'the record',
      () => cluster.apply('kubectl-applyset', parentOf(secret('raced'), { [groupKinds]: 'ConfigMap,Service' }), { force: true }),
    ],
    [
      'the parent, which is another object now',
      async () => {
        await cluster.remove(secret('raced'));
        await cluster.apply('kubectl-applyset', parentOf(secret('raced')));
      },
    ],
  ])('it changes %s after the preview: nothing is changed', async (_, write) => {
    await makeSet(environment, secret('raced'), [config('raced')]);
    const project = await deployed([config('raced')]);
    const proxy = await environment.proxy();
    let written = false;
    proxy.onRequest = async ({ method, path }) => {
      if (written || method !== 'PATCH' || !path.endsWith('/secrets/raced')) return undefined;
      written = true;
      await write();
      return undefined;
    };
    const { exitCode, stderr } = await takeOver(project, 'raced', [], { kubeconfig: proxy.kubeconfig });
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('[applyset-changed]')]);
    expect(await labelsOf(config('raced'))).toEqual({ [partOf]: idOf(secret('raced')) });
    expect((await cluster.owners(config('raced'))).kubectl).toEqual(['.data.k', `.metadata.labels.${partOf}`]);
    await cluster.remove(secret('raced'));
  });

  test('it replaces a member: the new object stays as it is', async () => {
    const id = await makeSet(environment, secret('replaced'), [config('replaced')]);
    const project = await deployed([config('replaced')]);
    const proxy = await environment.proxy();
    let written = false;
    proxy.onRequest = async ({ method, path }) => {
      if (written || method !== 'PATCH' || !path.endsWith('/configmaps/replaced')) return undefined;
      written = true;
      await cluster.remove(config('replaced'));
      await cluster.apply('kubectl', withLabel(config('replaced'), id));
      return undefined;
    };
    const { exitCode, of } = await takeOver(project, 'replaced', [], { kubeconfig: proxy.kubeconfig });
    expect([exitCode, of('member')]).toMatchObject([4, [{ result: 'failed', error: { code: 'applyset-changed' } }]]);
    expect(await cluster.owners(config('replaced'))).toEqual({ kubectl: ['.data.k', `.metadata.labels.${partOf}`] });
  });
});

describe('--undo', () => {
  test('returns labels, fields, the record and all owners', async () => {
    const members = [config('undo-a', { k: '1' }, { team: 'x' }), config('undo-b')];
    await makeSet(environment, secret('undo'), members);
    const project = await deployed(members);
    const all = [...members, secret('undo')];
    const state = () =>
      Promise.all(
        all.map(async (object) => {
          const { labels, annotations } = (await cluster.get(object)).metadata;
          return { labels, annotations, owners: await cluster.owners(object) };
        }),
      );
    const before = await state();
    const { record } = await takeOver(project, 'undo', ['--with-deletion']);
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ applySet: { id: idOf(secret('undo')), members: [{}, {}] } });
    const { exitCode, events } = await project.run(['adopt', '--undo', record, '-o', 'json']);
    expect([exitCode, events.filter(({ event }) => event === 'returned')]).toMatchObject([0, all.map(() => ({ result: 'returned' }))]);
    expect(await state()).toEqual(before);
    const again = await project.run(['adopt', '--undo', record, '-o', 'json']);
    expect(again.events.map(({ result }) => result)).toEqual(Array(5).fill('unchanged'));
    await cluster.apply('kubectl-applyset', parentOf(secret('undo'), { [groupKinds]: 'ConfigMap,Service' }));
    expect((await project.run(['adopt', '--undo', record])).exitCode).toBe(0);
    expect(await annotationsOf(secret('undo'))).toMatchObject({ [groupKinds]: 'ConfigMap,Service' });
    expect(Object.values((await project.destroy()).results)).toEqual(['released', 'released']);
  });

  test('leaves what somebody has changed since', async () => {
    const members = ['since-a', 'since-b', 'since-c'].map((name) => config(name));
    await makeSet(environment, secret('since'), members);
    const project = await deployed(members);
    const { record } = await takeOver(project, 'since');
    const [relabeled, replaced] = members as [ObjectRef, ObjectRef, ObjectRef];
    await cluster.patch('somebody', relabeled, { metadata: { labels: { [partOf]: 'applyset-other-v1' } } });
    await cluster.remove(replaced);
    await cluster.create('somebody', replaced);
    await cluster.patch('somebody', secret('since'), { metadata: { annotations: { [tooling]: 'other/v1' } } });
    const { exitCode, events } = await project.run(['adopt', '--undo', record, '-o', 'json']);
    expect([exitCode, events.filter(({ event }) => event === 'returned')]).toMatchObject([
      0,
      [
        { result: 'unchanged', note: 'it is a member of another ApplySet now, applyset-other-v1' },
        { result: 'unchanged', note: 'the object does not exist, or another one has its name' },
        { result: 'returned' },
        { result: 'unchanged', note: 'its record was written since' },
      ],
    ]);
    expect(await labelsOf(replaced)).toEqual({});
    expect(await annotationsOf(secret('since'))).toMatchObject({ [tooling]: 'other/v1', [groupKinds]: '' });
  });
});

describe.runIf(environment.kubectl)('kubectl as the other client', () => {
  const sides: [string, string[]][] = [
    ['client-side', []],
    ['server-side', ['--server-side']],
    ['server-side under another name', ['--server-side', '--field-manager=ci']],
  ];
  test.each(sides)('%s: after the takeover it refuses the set, whatever its directory has, and deletes nothing', async (side, flags) => {
    const set = side.replaceAll(' ', '-');
    const objects = [config(`${set}-a`, { k: '1' }, { team: 'x' }), config(`${set}-b`)];
    expect(await kubectlApplySet(environment, set, objects, flags)).toMatchObject({ code: 0 });
    expect(await labelsOf(secret(set))).toEqual({ [idLabel]: idOf(secret(set)) });
    const project = await deployed(objects);
    expect((await project.deploy()).only(`${environment.namespace}/${set}-a`.split('/')[1]).warnings).toEqual([
      expect.stringContaining(`it also belongs to the ApplySet ${idOf(secret(set))}`),
    ]);
    const { exitCode, stderr, of } = await takeOver(project, set, ['--with-deletion']);
    expect([exitCode, of('deletable').length], stderr).toEqual([0, 2]);
    for (const object of objects) {
      expect(Object.keys(await cluster.owners(object))).toEqual([project.manager('main')]);
      expect(await annotationsOf(object)).toEqual({});
    }
    for (const directory of [objects, objects.slice(1), []]) {
      const { code, output } = await kubectlApplySet(environment, set, directory, flags);
      expect([code, output]).toEqual([1, expect.stringContaining('is managed by tooling "fieldwise" instead of "kubectl"')]);
    }
    expect((await project.deploy()).objects.flatMap(({ warnings }) => warnings)).toEqual([]);

    // Somebody deletes the parent: kubectl makes a new set. It prunes nothing of the stack; what its files have belongs to both again.
    await cluster.remove(secret(set));
    expect(await kubectlApplySet(environment, set, objects.slice(1), flags)).toMatchObject({ code: 0 });
    expect(await cluster.find(config(`${set}-a`))).toBeDefined();
    const reported = (await project.deploy()).objects.filter(({ warnings }) => warnings.length > 0);
    expect(reported.map(({ name }) => name)).toEqual([`${set}-b`]);
    expect(await takeOver(project, set)).toMatchObject({ exitCode: 0 });
    expect(await labelsOf(config(`${set}-b`))).toEqual({});
  });

  test('after the undo, it goes on as before', async () => {
    const objects = [config('resumed-a'), config('resumed-b')];
    await kubectlApplySet(environment, 'resumed', objects, ['--server-side']);
    const project = await deployed(objects);
    const { record } = await takeOver(project, 'resumed');
    expect((await project.run(['adopt', '--undo', record])).exitCode).toBe(0);
    const { code, output } = await kubectlApplySet(environment, 'resumed', objects.slice(1), ['--server-side']);
    expect([code, output]).toEqual([0, expect.stringContaining('configmap/resumed-a pruned')]);
  });
});
