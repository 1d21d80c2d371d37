import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { connect, deploy, destroy, plan, readAssembly } from '../../src/entry/deploy.js';
import type { ResponseBody } from '../harness/api-client.js';
import { removeAtOnce } from '../harness/cleanup.js';
import { type ObjectRef, ref } from '../harness/cluster.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('rights');
const group = 'rbac.authorization.k8s.io';
const clusterRole = ref(`${group}/v1`, 'ClusterRole', `${testEnvironment.app}-lister`);
const { config } = configMapHelpers(testEnvironment);
const foreignRole = ref(`${group}/v1`, 'ClusterRole', `${testEnvironment.app}-foreign`);
testEnvironment.removeLater(foreignRole);
await testEnvironment.cluster.create('them', { ...foreignRole, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] });
const podsRule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

const project = testEnvironment.program({
  main: [
    own({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ name: 'http', port: 80 }] } }),
    own(config('kept'), { retain: true }),
    share(config('shared')),
    share(config('made'), { ifAbsent: 'create' }),
    own({ apiVersion: `${group}/v1`, kind: 'Role', metadata: { name: 'reader' }, rules: [podsRule] }),
    own({
      apiVersion: `${group}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'viewers' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: foreignRole.metadata.name },
      subjects: [{ apiGroup: group, kind: 'User', name: 'somebody' }],
    }),
    own({ ...clusterRole, rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }] }),
  ],
});
project.write({ 'fieldwise.yaml': 'app: main.ts\nhistory: false\n' }); // history.test.ts has the rights for histories

const isOfSystem = ({ metadata }: ResponseBody) => metadata.namespace === 'kube-system';

/** The objects that `fieldwise rbac` prints, without the optional ones in kube-system. */
async function printed(args: readonly string[] = []): Promise<ResponseBody[]> {
  return (await allPrinted(args)).filter((object) => !isOfSystem(object));
}

async function allPrinted(args: readonly string[] = []): Promise<ResponseBody[]> {
  const result = await project.run(['rbac', ...args]);
  expect(result.exitCode, result.stderr).toBe(0);
  return parseAllDocuments(result.stdout).map((document) => document.toJS());
}

const rulesFor = (manifests: readonly ResponseBody[], kind: string): ResponseBody[] =>
  manifests.find((one) => one.kind === kind && !isOfSystem(one))?.rules ?? [];

/** An account of its own with these rules: of a Role in the namespace, and of a ClusterRole. */
async function subject(name: string, manifests: readonly ResponseBody[]): Promise<string> {
  const wide = `${testEnvironment.app}-${name}`;
  const objects = [ref(`${group}/v1`, 'ClusterRole', wide), ref(`${group}/v1`, 'ClusterRoleBinding', wide)];
  for (const object of objects) testEnvironment.removeLater(object);
  await testEnvironment.cluster.create('test', { ...objects[0]!, rules: rulesFor(manifests, 'ClusterRole') });
  await testEnvironment.cluster.create('test', {
    ...objects[1]!,
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: wide },
    subjects: [{ kind: 'ServiceAccount', name, namespace: testEnvironment.namespace }],
  });
  return testEnvironment.account(name, rulesFor(manifests, 'Role'));
}

/** diff, deploy and destroy by an account; everything that went wrong, in the server's words. */
async function troubles(kubeconfig: string): Promise<string[]> {
  const cluster = await connect({ kubeconfig, namespace: testEnvironment.namespace });
  const options = { inventoryNamespace: testEnvironment.namespace, wait: false, confirm: async () => true };
  const assembly = await readAssembly(`${project.directory}/dist`);
  const said: string[] = [];
  try {
    const { objects } = await plan(assembly, cluster, options);
    for (const { action, reason } of objects) if (action === 'blocked') said.push(`blocked: ${reason}`);
    for (const run of [deploy, destroy]) {
      const { summary, ...report } = await run(assembly, cluster, options);
      if (summary.exitCode !== 0) said.push(JSON.stringify(report), JSON.stringify(summary));
    }
  } catch (error) {
    said.push(String(error));
  } finally {
    cluster.close();
  }
  return said;
}

let manifests: ResponseBody[];
let lease: string;
const leaseObject = () => testEnvironment.ref('coordination.k8s.io/v1', 'Lease', lease);

beforeAll(async () => {
  manifests = await printed();
  lease = rulesFor(manifests, 'Role').find(({ resources, resourceNames }) => resources[0] === 'leases' && resourceNames).resourceNames[0];
});
afterAll(reset);

/** Nothing of the program is there but the object that it shares, and a lock that a run left behind and gave up. */
async function reset(): Promise<void> {
  const names = ['kept', 'made', 'shared', lease].map((name) => testEnvironment.ref('v1', 'ConfigMap', name));
  const others = [
    testEnvironment.ref('v1', 'Service', 'web'),
    testEnvironment.ref(`${group}/v1`, 'Role', 'reader'),
    testEnvironment.ref(`${group}/v1`, 'RoleBinding', 'viewers'),
    leaseObject(),
    clusterRole,
  ];
  for (const object of [...names, ...others]) await removeAtOnce(testEnvironment.cluster, object);
  await testEnvironment.cluster.create('them', { ...testEnvironment.ref('v1', 'ConfigMap', 'shared'), data: { theirs: 'x' } });
}

/** The same rules without one verb of one. */
function without(kind: string, index: number, verb: string): ResponseBody[] {
  return manifests.map((manifest) =>
    manifest.kind !== kind
      ? manifest
      : {
          ...manifest,
          rules: manifest.rules.flatMap((rule: ResponseBody, at: number) => {
            const verbs = rule.verbs.filter((one: string) => at !== index || one !== verb);
            return verbs.length === 0 ? [] : [{ ...rule, verbs }];
          }),
        },
  );
}

describe('fieldwise rbac', () => {
  test('names objects wherever the server can check names, and says the same each time', async () => {
    expect(await printed()).toEqual(manifests);
    expect(manifests.map(({ kind }) => kind)).toEqual(['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']);
    const rules = rulesFor(manifests, 'Role');
    const unnamed = rules.filter(({ resourceNames }) => resourceNames === undefined);
    expect(unnamed).toEqual([{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }, podsRule]);
    const verbsOf = (name: string) => rules.flatMap(({ resourceNames = [], verbs }) => (resourceNames.includes(name) ? verbs : []));
    expect(verbsOf('shared')).toEqual(['get', 'patch']);
    expect(verbsOf('kept')).not.toContain('delete');
    expect(verbsOf(foreignRole.metadata.name)).toEqual(['bind']);
    expect(manifests[3]!.subjects).toEqual([{ kind: 'ServiceAccount', name: 'fieldwise', namespace: testEnvironment.namespace }]);
    expect((await printed(['--subject', 'alice']))[3]!.subjects).toEqual([{ apiGroup: group, kind: 'User', name: 'alice' }]);
    expect((await printed(['--subject', 'group:ops']))[3]!.subjects).toEqual([{ apiGroup: group, kind: 'Group', name: 'ops' }]);
  });

  test('diff, deploy and destroy succeed with these rights, and with nothing less', { timeout: 600_000 }, async () => {
    await reset();
    expect(await troubles(await subject('complete', manifests))).toEqual([]);
    const needless: string[] = [];
    const cuts = manifests.flatMap(({ kind, rules = [] }) =>
      rules.flatMap((rule: ResponseBody, index: number) => rule.verbs.map((verb: string) => ({ kind, index, verb, rule }))),
    );
    expect(cuts.length).toBeGreaterThan(20);
    for (const [number, { kind, index, verb, rule }] of cuts.entries()) {
      if (rule.resources[0] === 'namespaces') continue; // Optional: the last test.
      await reset();
      const said = (await troubles(await subject(`cut-${number}`, without(kind, index, verb)))).join('\n');
      // The rights for its records are asked for before they are needed.
      const told = said.includes(`cannot ${verb} `) || said.includes(`may not ${verb} `) || said.includes('attempting to grant');
      // A lock that cannot be released expires: the next run only waits longer.
      const locked =
        verb === 'delete' && rule.resources[0] === 'leases' && (await testEnvironment.cluster.find(leaseObject())) !== undefined;
      if (!told && !locked) needless.push(`${verb} of ${JSON.stringify(rule)}: ${said.slice(0, 2000)}`);
    }
    expect(needless).toEqual([]);
  });

  test('the inventory is read by name where the answer to its creation was lost', async () => {
    await reset();
    const inventory = testEnvironment.ref('v1', 'ConfigMap', lease);
    await testEnvironment.cluster.create('them', inventory); // without the label that an inventory is found by
    const code = async (name: string, rights: readonly ResponseBody[]) => (await troubles(await subject(name, rights))).join('\n');
    expect(await code('reads', manifests)).toContain('inventory-contended');
    const rules = rulesFor(manifests, 'Role');
    const index = rules.findIndex(({ resources, resourceNames }) => resources[0] === 'configmaps' && resourceNames?.includes(lease));
    await reset();
    await testEnvironment.cluster.create('them', inventory);
    expect(await code('does-not-read', without('Role', index, 'get'))).toContain('may not get ');
  });

  test('with --read-only, diff succeeds and nothing can be changed', async () => {
    await reset();
    const readOnly = await printed(['--read-only']);
    for (const rule of readOnly.flatMap(({ rules = [] }) => rules)) expect(['get', 'list']).toEqual(expect.arrayContaining(rule.verbs));
    const kubeconfig = await subject('reader', readOnly);
    const diff = await project.run(['diff', '-o', 'json'], { kubeconfig });
    expect(diff.exitCode, diff.stdout + diff.stderr).toBe(0);
    expect(eventsOf(diff.events, 'plan').filter(({ action }) => action === 'blocked')).toEqual([]);
    expect(eventsOf(diff.events, 'warning').filter(({ code }) => code === 'policies-not-read')).toEqual([]);
    const doctor = await project.run(['doctor', '-o', 'json'], { kubeconfig });
    expect(doctor.events.filter(({ check, notRead }) => check === 'guard' && notRead)).toEqual([]);
    expect((await project.run(['guard', '--check'], { kubeconfig })).exitCode).toBe(0);
    const before = await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'shared'));
    expect((await project.deploy(['--yes'], { kubeconfig })).exitCode).not.toBe(0);
    expect(await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'shared'))).toEqual(before);
    expect(await testEnvironment.cluster.find(testEnvironment.ref('v1', 'Service', 'web'))).toBeUndefined();
  });

  describe('with --read-only, before the rights name what a pull request adds', () => {
    const names = ['old', 'new', 'target'].map((name) => testEnvironment.ref('v1', 'Service', `pr-${name}`));
    const [old, added, foreign] = names as [ObjectRef, ObjectRef, ObjectRef];
    // Inventories stand in the same namespace, so ConfigMaps could be listed.
    const service = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels: { app: name } },
      spec: { ports: [{ name: 'http', port: 80 }] },
    });
    const target = { ...foreign, spec: { ports: [{ port: 80, name: 'http' }] } };
    let accounts = 0;
    const one = testEnvironment.program({ main: [own(service('pr-old'))] });

    async function planned(flags: readonly string[] = ['--read-only']) {
      const manifests = (await one.run(['rbac', ...flags.filter((flag) => flag === '--read-only')])).stdout;
      const rules = parseAllDocuments(manifests).map((document) => document.toJS());
      one.write({
        'main.ts': testEnvironment.text({ main: [own(service('pr-old')), own(service('pr-new')), share(service('pr-target'))] }),
      });
      const kubeconfig = await subject(
        `pr-${++accounts}`,
        rules.filter((object) => !isOfSystem(object)),
      );
      return one.run(['diff', '-o', 'json', ...flags, '--output-file', 'plan=plan.json'], { kubeconfig });
    }

    beforeEach(async () => {
      for (const object of names) await removeAtOnce(testEnvironment.cluster, object);
      one.write({ 'main.ts': testEnvironment.text({ main: [own(service('pr-old'))] }) });
      expect((await one.deploy()).exitCode).toBe(0);
    });
    afterEach(() => one.destroy());

    test('it is planned and told, and the deploy of the plan creates it and shares', async () => {
      await testEnvironment.cluster.create('them', target);
      const { events, exitCode, stdout } = await planned();
      expect(exitCode, stdout).toBe(0);
      expect(eventsOf(events, 'plan').map(({ name, action, notRead }) => [name, action, notRead])).toEqual([
        [old.metadata.name, 'unchanged', undefined],
        [added.metadata.name, 'create', true],
        [target.metadata.name, 'wait', true],
      ]);
      expect(eventsOf(events, 'plan')[1]?.reason).toContain('not read, because these credentials may not read it');
      expect(eventsOf(events, 'warning').filter(({ code }) => code === 'objects-not-read')).toMatchObject([
        { message: expect.stringContaining('pr-new and 1 other new object'), next: expect.stringContaining('fieldwise rbac') },
      ]);
      const deployed = await one.deploy(['--plan', 'plan.json']);
      expect(deployed.exitCode, String(deployed)).toBe(0);
      expect(deployed.objects.map(({ result }) => result).sort()).toEqual(['created', 'unchanged', 'updated']);
    });

    test('an object that somebody has made is not taken: the deploy of the plan says that the plan could not read it', async () => {
      await testEnvironment.cluster.create('them', { ...target, metadata: added.metadata });
      await testEnvironment.cluster.create('them', target);
      expect((await planned()).exitCode).toBe(0);
      const { summary } = await one.deploy(['--plan', 'plan.json']);
      expect(summary.errors).toMatchObject([
        { code: 'plan-outdated', message: expect.stringContaining('planned create, now update, and the plan could not read it') },
      ]);
    });

    test('a deploy whose rights do not name it says that, and not that the plan is outdated', async () => {
      await testEnvironment.cluster.create('them', target);
      const rules = parseAllDocuments((await one.run(['rbac'])).stdout).map((document) => document.toJS());
      expect((await planned()).exitCode).toBe(0);
      const kubeconfig = await subject(
        `pr-${++accounts}`,
        rules.filter((object) => !isOfSystem(object)),
      );
      const { summary } = await one.deploy(['--plan', 'plan.json'], { kubeconfig });
      expect(summary.errors).toMatchObject([{ code: 'forbidden', next: expect.stringContaining('fieldwise rbac') }]);
    });

    test('without --read-only it is blocked: a deploy with these credentials would fail', async () => {
      const { events, exitCode } = await planned([]);
      expect([exitCode, eventsOf(events, 'plan')[1]]).toMatchObject([4, { action: 'blocked', error: { code: 'forbidden' } }]);
    });
  });

  test('what is no longer declared is in it, too, as long as the inventory knows it', async () => {
    await reset();
    const one = testEnvironment.program({ main: [own(config('first')), own(config('second'))] });
    await one.deploy();
    one.write({ 'main.ts': testEnvironment.text({ main: [own(config('first'))] }) });
    const { stdout } = await one.run(['rbac']);
    const rules = rulesFor(
      parseAllDocuments(stdout).map((document) => document.toJS()),
      'Role',
    );
    expect(rules.find(({ resourceNames }) => resourceNames?.includes('second')).verbs).toEqual(['get', 'patch', 'delete']);
  });

  test('with --no-causes it leaves out what only the causes of unreadiness need', async () => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    const spec = { selector: { matchLabels: { app: 'web' } }, template };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
    const waiting = testEnvironment.program({ main: [own(deployment, { wait: true })] });
    const resources = async (args: readonly string[]) => {
      const manifests = parseAllDocuments((await waiting.run(['rbac', ...args])).stdout).map((document) => document.toJS());
      return new Set(rulesFor(manifests, 'Role').flatMap((rule) => rule.resources as string[]));
    };
    const [all, without] = [await resources([]), await resources(['--no-causes'])];
    expect([...all].filter((resource) => !without.has(resource)).sort()).toEqual(['events', 'pods', 'pods/log', 'replicasets']);
    expect([...without]).toContain('deployments');
  });

  test('an invalid subject is reported', async () => {
    const { exitCode, stderr } = await project.run(['rbac', '--subject', 'sa:nobody']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('sa:NAMESPACE/NAME')]);
  });

  test('the uids that bind a plan to its cluster may always be read', async () => {
    await reset();
    for (const args of [[], ['--read-only']]) {
      const all = await allPrinted(args);
      const system = all.filter(isOfSystem);
      expect(system.map(({ kind }) => kind)).toEqual(['Role', 'RoleBinding']);
      const read = (name: string) => ({ apiGroups: [''], resources: ['namespaces'], resourceNames: [name], verbs: ['get'] });
      expect(system[0]?.rules).toEqual([read('kube-system')]);
      expect(rulesFor(all, 'Role')).toContainEqual(read(testEnvironment.namespace));
      const name = `binds${args.length}`;
      const kubeconfig = await subject(name, all);
      const role = `${testEnvironment.app}-${name}`;
      const meta = { metadata: { name: role, namespace: 'kube-system' } };
      const objects = [
        { apiVersion: `${group}/v1`, kind: 'Role', ...meta, rules: system[0]?.rules },
        {
          apiVersion: `${group}/v1`,
          kind: 'RoleBinding',
          ...meta,
          roleRef: { apiGroup: group, kind: 'Role', name: role },
          subjects: [{ kind: 'ServiceAccount', name, namespace: testEnvironment.namespace }],
        },
      ];
      for (const object of objects) {
        testEnvironment.removeLater(object);
        await testEnvironment.cluster.create('test', object);
      }
      const diff = await project.run(['diff', '-o', 'json', '--output-file', 'plan=plan.json', ...args], { kubeconfig });
      expect(diff.exitCode, diff.stdout + diff.stderr).toBe(0);
      expect(Object.keys(JSON.parse(project.read('plan.json')).cluster).sort()).toEqual(['inventoryUid', 'server', 'uid']);
      expect(diff.events.filter(({ code }) => code === 'bound-to-no-cluster')).toEqual([]);
    }
  });
});
