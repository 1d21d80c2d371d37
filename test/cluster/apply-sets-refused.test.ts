import { describe, expect, test } from 'vitest';
import {
  groupKinds,
  groupResources,
  idLabel,
  idOf,
  makeSet,
  namespaces,
  parentOf,
  partOf,
  tooling,
  withLabel,
} from '../harness/apply-set.js';
import type { ObjectRef } from '../harness/cluster.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const environment = await TestEnvironment.create('apply-sets-refused');
const { cluster } = environment;

const config = (name: string): ObjectRef => ({ ...environment.ref('v1', 'ConfigMap', name), data: { k: '1' } });
const secret = (name: string) => environment.ref('v1', 'Secret', name);
const member = config('member');
const hostile = '\u001b[31m\u202e'.padEnd(5000, 'x');

const project = environment.program({ main: [own(member)] });
await cluster.apply('kubectl', withLabel(member, idOf(secret('good'))));
await project.deploy(['--yes']);

async function refused(of: Project, parent: string, ...args: string[]) {
  const version = await cluster.resourceVersion(member);
  const result = await of.run(['adopt', '--from-applyset', parent, '--yes', ...args]);
  expect(await cluster.resourceVersion(member)).toBe(version);
  return result;
}

describe('a parent that is not one, or that lies, refuses the takeover, and nothing is changed', () => {
  test.each<[name: string, parent: ObjectRef | undefined, says: string, code: string]>([
    ['missing', undefined, 'it does not exist', 'applyset-unknown'],
    ['without-id', { ...secret('without-id') }, `it has no label ${idLabel}`, 'applyset-unknown'],
    [
      'with-the-id-of-another',
      parentOf(secret('with-the-id-of-another'), {}, idOf(secret('good'))),
      'but its name, namespace',
      'applyset-invalid',
    ],
    ['of-kpt', parentOf(secret('of-kpt'), { [tooling]: 'kpt/v1.0.0' }), 'The ApplySet belongs to kpt/v1.0.0', 'applyset-of-other-tool'],
    [
      'of-a-name-like-it',
      parentOf(secret('of-a-name-like-it'), { [tooling]: 'kubectl-x/v1' }),
      'belongs to kubectl-x',
      'applyset-of-other-tool',
    ],
    ['of-nobody', parentOf(secret('of-nobody'), { [tooling]: undefined }), `it has no annotation ${tooling}`, 'applyset-invalid'],
    ['without-kinds', parentOf(secret('without-kinds'), { [groupKinds]: undefined }), `no annotation ${groupKinds}`, 'applyset-invalid'],
    ['with-empty-kinds', parentOf(secret('with-empty-kinds'), { [groupKinds]: 'ConfigMap,,' }), 'has an empty name', 'applyset-invalid'],
    [
      'with-empty-resources',
      parentOf(secret('with-empty-resources'), { [groupKinds]: undefined, [groupResources]: ',' }),
      'has an empty name',
      'applyset-invalid',
    ],
    ['with-a-path', parentOf(secret('with-a-path'), { [namespaces]: '../../secrets' }), 'which is not a namespace', 'applyset-invalid'],
    ['with-hostile-text', parentOf(secret('with-hostile-text'), { [namespaces]: hostile }), '<U+001B>[31m<U+202E>', 'applyset-invalid'],
  ])('%s', async (name, parent, says, code) => {
    if (parent !== undefined) await cluster.apply('kubectl-applyset', parent);
    const version = parent && (await cluster.resourceVersion(parent));
    const { exitCode, stderr } = await refused(project, name);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`[${code}]`)]);
    expect(stderr).toContain(says);
    expect(stderr).not.toContain('\u001b[31m');
    if (parent !== undefined) expect(await cluster.resourceVersion(parent)).toBe(version);
  });

  test.each([
    ['deployments.apps/x', 'applyset-unknown'],
    ['gadgets.gone.example.com/x', 'kind-unknown'],
    ['secrets/', 'applyset-unknown'],
    ['/x', 'applyset-unknown'],
    ['secrets/a/b', 'applyset-unknown'],
    ['', 'applyset-unknown'],
  ])('named %j', async (parent, code) => {
    const { exitCode, stderr } = await refused(project, parent);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`[${code}]`)]);
  });

  test('of a kind of the server itself that kubectl does not accept', async () => {
    const account = environment.ref('v1', 'ServiceAccount', 'account');
    await cluster.apply('kubectl-applyset', parentOf(account));
    const { exitCode, stderr } = await refused(project, 'serviceaccounts/account');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[applyset-invalid]')]);
  });

  test('in the namespace of another set with the same name', async () => {
    await cluster.apply('kubectl-applyset', parentOf(secret('here')));
    const { exitCode, stderr } = await refused(project, 'here', '-n', 'default');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[applyset-unknown]')]);
  });
});

describe('forged labels', () => {
  test('on an object of somebody else: the takeover is refused and names it', async () => {
    const foreign = config('foreign');
    const id = await makeSet(environment, secret('forged'), [config('forged')]);
    await cluster.create('somebody', withLabel(foreign, id));
    const forged = environment.program({ main: [own(config('forged'))] });
    expect((await forged.deploy(['--yes'])).exitCode).toBe(0);
    const { exitCode, stderr } = await refused(forged, 'forged');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`ConfigMap ${environment.namespace}/foreign (not declared)`)]);
    const version = await cluster.resourceVersion(foreign);
    expect((await forged.run(['adopt', '--from-applyset', 'forged', '--yes', '--leave-undeclared'])).exitCode).toBe(0);
    expect(await cluster.resourceVersion(foreign)).toBe(version);
  });

  test('of another set: the object keeps label and owners, and the stack does not get the right to delete it', async () => {
    const mine = config('in-mine');
    const theirs = config('in-theirs');
    await makeSet(environment, secret('mine'), [mine]);
    const other = await makeSet(environment, secret('theirs'), [theirs]);
    const both = environment.program({ main: [own(mine), own(theirs)] });
    expect((await both.deploy(['--yes'])).exitCode).toBe(0);
    const { exitCode, events } = await both.run(['adopt', '--from-applyset', 'mine', '-o', 'json', '--yes', '--with-deletion']);
    expect([exitCode, events.filter(({ event }) => event === 'deletable' || event === 'pruned-elsewhere')]).toMatchObject([
      0,
      [
        { object: `ConfigMap ${environment.namespace}/in-theirs`, code: 'in-applyset' },
        { object: `ConfigMap ${environment.namespace}/in-mine` },
      ],
    ]);
    expect(await cluster.owners(theirs)).toMatchObject({ kubectl: ['.data.k', `.metadata.labels.${partOf}`] });
    expect((await cluster.get(theirs)).metadata.labels).toEqual({ [partOf]: other });
  });
});

test('a member that the program only shares has nobody who answers for its life: refused, or left as it is', async () => {
  await makeSet(environment, secret('shared'), [config('shared'), config('owned')]);
  const shares = environment.program({ main: [share(config('shared')), own(config('owned'))] });
  expect((await shares.deploy(['--yes'])).exitCode).toBe(0);
  const { exitCode, stderr } = await refused(shares, 'shared');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('/shared (only shared)')]);
  const version = await cluster.resourceVersion(config('shared'));
  const left = await shares.run(['adopt', '--from-applyset', 'shared', '--leave-undeclared', '-o', 'json', '--yes']);
  expect([left.exitCode, left.events.filter(({ event }) => event === 'adoption')]).toMatchObject([
    0,
    [{ object: `ConfigMap ${environment.namespace}/owned` }],
  ]);
  expect(await cluster.resourceVersion(config('shared'))).toBe(version);
});

test('a program that declares the label would return each object to the set: refused', async () => {
  const declares = environment.program({ main: [own(withLabel(config('declared'), 'applyset-x-v1'))] });
  const { exitCode, stderr } = await refused(declares, 'anything');
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/ConfigMap \S+\/declared, .*main\.ts:4.*\[applyset-label-declared\]/)]);
});

test('adopt alone does not give the right to delete an object that a set or kapp still prunes, and says why', async () => {
  await makeSet(environment, secret('alone'), [config('alone')]);
  const alone = environment.program({ main: [own(config('alone'))] });
  expect((await alone.deploy(['--yes'])).exitCode).toBe(0);
  const { exitCode, events } = await alone.run(['adopt', '--from', 'kubectl', '-o', 'json', '--yes', '--with-deletion']);
  expect([exitCode, events.map(({ event }) => event)]).toEqual([0, ['record', 'pruned-elsewhere', 'adoption']]);
  expect(Object.values((await alone.destroy()).results)).toEqual(['released']);
});

test('an empty set has nothing to take over, and stays open', async () => {
  await cluster.apply('kubectl-applyset', parentOf(secret('empty'), { [groupKinds]: '' }));
  const version = await cluster.resourceVersion(secret('empty'));
  const { exitCode, stdout } = await environment.program({ main: [] }).run(['adopt', '--from-applyset', 'empty', '--yes']);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/\nnothing to adopt\n$/)]);
  expect(await cluster.resourceVersion(secret('empty'))).toBe(version);
});

test('without an answer: the preview is printed, and nothing is changed', async () => {
  await makeSet(environment, secret('good'), []);
  const { exitCode, stdout, stderr } = await project.run(['adopt', '--from-applyset', 'good']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[confirmation-needed]')]);
  expect(stdout).toContain(`ConfigMap ${environment.namespace}/member leaves it, to stack main\n`);
  expect((await cluster.get(secret('good'))).metadata.annotations[tooling]).toBe('kubectl/v1.32.4');
});

test('credentials that may not list a recorded kind, or not patch a member, are reported', async () => {
  await makeSet(environment, secret('rights'), [config('rights')]);
  const restricted = environment.program({ main: [own(config('rights'))] });
  expect((await restricted.deploy(['--yes'])).exitCode).toBe(0);
  const all = { apiGroups: ['', 'coordination.k8s.io'], resources: ['secrets', 'leases'], verbs: ['*'] };
  const blind = await environment.account('blind', [all, { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'patch'] }]);
  const options = { kubeconfig: blind, environment: { FIELDWISE_INVENTORY_NAMESPACE: environment.namespace } };
  const version = await cluster.resourceVersion(secret('rights'));
  const unread = await restricted.run(['adopt', '--from-applyset', 'rights', '--yes'], options);
  expect([unread.exitCode, unread.stderr]).toEqual([4, expect.stringContaining('cannot list resource "configmaps"')]);
  expect(await cluster.resourceVersion(secret('rights'))).toBe(version);

  const reader = await environment.account('reader', [all, { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]);
  const unwritten = await restricted.run(['adopt', '--from-applyset', 'rights', '-o', 'json', '--yes'], { ...options, kubeconfig: reader });
  expect([unwritten.exitCode, unwritten.events.filter(({ event }) => event === 'member')]).toMatchObject([
    4,
    [{ result: 'failed', error: { code: 'forbidden' } }],
  ]);
  expect((await cluster.get(config('rights'))).metadata.labels).toEqual({ [partOf]: idOf(secret('rights')) });
  expect((await cluster.get(secret('rights'))).metadata.annotations).toMatchObject({ [groupKinds]: 'ConfigMap' });
});

test.each([
  [['--from-applyset', 'x', '--from', 'kubectl'], '--from has no effect with --from-applyset'],
  [['--from-applyset', 'x', '--stale'], '--from-applyset has no effect with --stale'],
  [['--from-applyset', 'x', '--undo', 'r.json'], '--from-applyset has no effect with --undo'],
  [['--leave-undeclared'], '--leave-undeclared has no effect with an adoption of fields'],
])('%j: a flag without use is refused', async (words, says) => {
  const { exitCode, stderr } = await project.run(['adopt', ...words]);
  expect([exitCode, stderr]).toEqual([2, `error: ${says}. Leave one of them out. [flag-without-use]\n`]);
});

describe('objects of kapp are recognized and explained only', () => {
  const labels = { 'kapp.k14s.io/app': '1700000000000000000' };
  const ofKapp = { ...config('kapp'), metadata: { ...config('kapp').metadata, labels, annotations: { 'kapp.k14s.io/identity': 'v1;x' } } };

  test('by diff, deploy, adopt and doctor; none of them changes what kapp has recorded', async () => {
    await cluster.create('kapp', ofKapp);
    const adopting = environment.program({ main: [own(config('kapp'))] });
    const planned = await adopting.run(['diff']);
    expect(planned.stdout).toContain('it also belongs to the kapp app 1700000000000000000, whose tool deletes it');
    expect((await adopting.deploy(['--yes'])).only().warnings).toEqual([expect.stringContaining('the kapp app 1700000000000000000')]);
    const adopted = await adopting.run(['adopt', '--from', 'kapp', '--yes', '--with-deletion']);
    expect([adopted.exitCode, adopted.stderr]).toEqual([0, expect.stringContaining('[in-kapp-app]')]);
    expect(adopted.stdout).not.toContain('right to delete');
    const checked = await adopting.run(['doctor', '--objects', '-o', 'json']);
    expect(checked.events).toMatchObject([
      { code: 'in-kapp-app', isError: false },
      { diagnostics: 1, errors: 0 },
    ]);
    const { metadata } = await cluster.get(ofKapp);
    expect([metadata.labels, metadata.annotations]).toEqual([labels, ofKapp.metadata.annotations]);
  });

  test('a share of such an object is as it should be', async () => {
    const sharing = environment.program({ main: [share({ ...config('kapp'), data: { more: '1' } })] });
    expect((await sharing.deploy(['--yes'])).only().warnings).toEqual([]);
  });
});
