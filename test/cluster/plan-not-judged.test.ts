import { readFileSync } from 'node:fs';
import type { PlannedObject } from 'fieldwise/deploy';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ResponseBody } from '../harness/api-client.js';
import { bindingOf, policyOf } from '../harness/bound-policy.js';
import { ref } from '../harness/cluster.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

/* Dry runs that are refused because of what an earlier step of the same run creates or changes, and those that are refused for other reasons. */

const testEnvironment = await TestEnvironment.create('not-judged');
const { app, cluster, namespace } = testEnvironment;
const rbac = 'rbac.authorization.k8s.io';

const role = (name: string, rules: readonly object[] = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]) => ({
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: { name },
  rules,
});
const roleBinding = (name: string, to: string) => ({
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: rbac, kind: 'Role', name: to },
  subjects: [{ kind: 'User', name: 'someone', apiGroup: rbac }],
});
const pod = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'registry.example.com/c:1' }], ...spec },
});
const priorityClass = (name: string) => ({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value: 1000 });

/** The account with exactly the rights that `fieldwise rbac` prints for a program. */
async function deployerOf(program: string, project: Project): Promise<string> {
  const name = `user-of-${program}`;
  const kubeconfig = await testEnvironment.account(name, []);
  const printed = await project.run(['rbac', '--subject', `sa:${namespace}/${name}`]);
  expect(printed.exitCode, printed.stderr).toBe(0);
  for (const document of parseAllDocuments(printed.stdout)) {
    const manifest = document.toJS() as ResponseBody;
    const named = { ...manifest, metadata: { ...manifest.metadata, name: `${app}-${name}` } };
    if (named.roleRef) named.roleRef = { ...named.roleRef, name: named.metadata.name };
    if (named.metadata.namespace !== namespace) testEnvironment.removeLater(named);
    await cluster.create('test', named);
  }
  return kubeconfig;
}

async function planOf(project: Project, options: { readonly kubeconfig?: string } = {}, args: readonly string[] = []) {
  const { events, exitCode, stdout, stderr } = await project.run(['diff', '-o', 'json', ...args], options);
  const plans = eventsOf(events, 'plan') as readonly PlannedObject[];
  return { exitCode, said: stdout + stderr, plans, of: (kind: string) => plans.find((one) => one.kind === kind)!, summary: events.at(-1) };
}

const bindings = { apiGroups: [rbac], resources: ['rolebindings'], verbs: ['get', 'create', 'patch'] };

const inOneStack = (...objects: readonly object[]): Record<string, readonly Declared[]> => ({ main: objects.map((object) => own(object)) });

test('fb01: a Role and a RoleBinding to it, by the printed rights', async () => {
  const project = testEnvironment.program(inOneStack(role('reader'), roleBinding('reader', 'reader')));
  const kubeconfig = await deployerOf('fb01', project);
  const plan = await planOf(project, { kubeconfig }, ['--output-file', 'plan=plan.json']);
  expect(plan.exitCode, plan.said).toBe(0);
  expect(plan.of('Role')).toMatchObject({ action: 'create', source: 'server' });
  expect(plan.of('Role').notJudged).toBeUndefined();
  expect(plan.of('RoleBinding')).toMatchObject({
    action: 'create',
    source: 'schema',
    reason: `not judged by the server, because this deploy creates Role ${namespace}/reader first`,
    notJudged: {
      changedFirst: [{ kind: 'Role', name: 'reader', stack: 'main', action: 'create' }],
      refusal: { code: 'not-found', message: expect.stringContaining('"reader" not found') },
    },
  });
  expect(plan.summary).toMatchObject({ counts: { create: 2 }, notJudged: 1, differs: true, exitCode: 0 });
  expect((await project.run(['diff', '--exit-code'], { kubeconfig })).exitCode).toBe(1);
  const { stdout } = await project.run(['diff'], { kubeconfig });
  expect(stdout).toContain('[main, schema]  not judged by the server, because this deploy creates Role');
  expect(stdout).toMatch(/plan: 2 create; 1 not judged by the server\n$/);

  const deployed = await project.deploy(['--plan', 'plan.json'], { kubeconfig });
  expect(deployed.exitCode, String(deployed)).toBe(0);
  expect(Object.values(deployed.results)).toEqual(['created', 'created']);
  const again = await planOf(project, { kubeconfig }, ['--exit-code']);
  expect([again.exitCode, again.summary.notJudged], again.said).toEqual([0, 0]);
});

test('ad03: a PriorityClass and a Pod of it, with and without dry runs', async () => {
  const high = priorityClass(`${app}-high`);
  testEnvironment.removeLater(high);
  const project = testEnvironment.program(inOneStack(pod('q', { priorityClassName: high.metadata.name }), high));
  const plan = await planOf(project);
  expect(plan.exitCode, plan.said).toBe(0);
  expect(plan.of('Pod')).toMatchObject({
    action: 'create',
    source: 'schema',
    notJudged: { changedFirst: [{ kind: 'PriorityClass' }], refusal: { code: 'admission-denied' } },
  });
  const readOnly = await planOf(project, {}, ['--read-only']);
  expect([readOnly.exitCode, readOnly.summary.counts], readOnly.said).toEqual([0, { create: 2 }]);
  expect(readOnly.of('Pod').reason).toBe(`this deploy creates PriorityClass ${high.metadata.name}`);
  expect(readOnly.of('Pod').notJudged).toBeUndefined();
  // Admission reads classes from a cache, which a new one reaches a moment later: the deploy tries again.
  expect(String(await project.deploy(['--no-wait']))).toContain('"exitCode":0');
});

test('a RuntimeClass and a Pod of it', async () => {
  const runtime = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: `${app}-runtime` }, handler: 'h' };
  testEnvironment.removeLater(runtime);
  const project = testEnvironment.program(inOneStack(runtime, pod('contained', { runtimeClassName: runtime.metadata.name })));
  const plan = await planOf(project);
  expect(plan.exitCode, plan.said).toBe(0);
  expect(plan.of('Pod').notJudged?.changedFirst.map(({ object }) => object)).toEqual([`RuntimeClass ${app}-runtime`]);
});

test('a PriorityClass, and a Pod of it in a Namespace of the same run', async () => {
  const low = priorityClass(`${app}-low`);
  const inner = ref('v1', 'Namespace', `${namespace}-inner`);
  testEnvironment.removeLater(low);
  testEnvironment.removeNamespaceLater(inner.metadata.name);
  const inside = pod('inside', { priorityClassName: low.metadata.name });
  const there = { ...inside, metadata: { name: 'inside', namespace: inner.metadata.name } };
  const existing = {
    ...pod('system', { priorityClassName: 'system-node-critical' }),
    metadata: { name: 'system', namespace: inner.metadata.name },
  };
  const project = testEnvironment.program(inOneStack(inner, low, there, existing));
  for (const args of [[], ['--read-only']]) {
    const plan = await planOf(project, {}, args);
    expect([plan.exitCode, plan.summary.counts, plan.summary.notJudged], plan.said).toEqual([0, { create: 4 }, 0]);
    expect(plan.of('Pod').reason).toBe(`this deploy creates Namespace ${inner.metadata.name}`);
  }
});

test('a Pod of a PriorityClass that the cluster has is planned without dry runs', async () => {
  const middle = priorityClass(`${app}-middle`);
  testEnvironment.removeLater(middle);
  await cluster.create('them', middle as never);
  const plan = await planOf(testEnvironment.program(inOneStack(pod('m', { priorityClassName: middle.metadata.name }))), {}, [
    '--read-only',
  ]);
  expect([plan.exitCode, plan.of('Pod').action], plan.said).toEqual([0, 'create']);
  const none = await planOf(testEnvironment.program(inOneStack(pod('n', { priorityClassName: 'nobody' }))), {}, ['--read-only']);
  expect([none.exitCode, none.of('Pod').error?.code], none.said).toEqual([4, 'admission-denied']);
});

test('a ServiceAccount and a Pod of it, where the server looks for it', async () => {
  const proxy = await testEnvironment.proxy();
  const missing = `pods "served" is forbidden: error looking up service account ${namespace}/server: serviceaccount "server" not found`;
  const status = (message: string) => ({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message });
  proxy.onRequest = ({ method, path, query }) =>
    method === 'PATCH' && query.get('dryRun') && path.endsWith('/pods/served') ? { status: 403, body: status(missing) } : undefined;
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'server' } };
  const served = pod('served', { serviceAccountName: 'server' });
  const project = testEnvironment.program(inOneStack(account, served), { kubeconfig: proxy.kubeconfig });
  const plan = await planOf(project);
  expect(plan.exitCode, plan.said).toBe(0);
  expect(plan.of('Pod')).toMatchObject({ action: 'create', notJudged: { changedFirst: [{ kind: 'ServiceAccount', action: 'create' }] } });
  expect((await project.deploy(['--no-wait'])).exitCode).toBe(0);
  const after = await planOf(testEnvironment.program(inOneStack(account, served), { kubeconfig: proxy.kubeconfig }));
  expect(after.of('ServiceAccount').action).not.toBe('blocked');
});

test('an object of another stack counts where its stack comes first', async () => {
  const stacks = { rights: [own(role('other'))], users: [own(roleBinding('other', 'other'))] };
  const project = testEnvironment.program(stacks);
  const text = (end: string) => ({ 'main.ts': `${testEnvironment.text(stacks)}${end}` });
  const kubeconfig = await deployerOf('stacks', project);
  project.write(text('stack_users.addDependency(stack_rights);\n'));
  const plan = await planOf(project, { kubeconfig });
  expect(plan.exitCode, plan.said).toBe(0);
  expect(plan.of('RoleBinding').notJudged?.changedFirst).toMatchObject([{ stack: 'rights', name: 'other' }]);
  project.write(text('stack_rights.addDependency(stack_users);\n'));
  const late = await planOf(project, { kubeconfig });
  expect([late.exitCode, late.of('RoleBinding').action]).toEqual([4, 'blocked']);
});

test('a refusal that nothing of the run can cure is a failure', async () => {
  const spare = role('spare');
  const project = testEnvironment.program(inOneStack(spare, roleBinding('lost', 'nobody')));
  const kubeconfig = await deployerOf('nobody', project);
  // The printed rights let this user bind a role that the program does not declare: without it, the server refuses.
  const few = await deployerOf('few', testEnvironment.program(inOneStack(spare, roleBinding('lost', 'spare'))));
  for (const [user, result] of [
    [few, 'blocked'],
    [kubeconfig, 'create'],
  ] as const) {
    const plan = await planOf(project, { kubeconfig: user });
    expect([plan.of('RoleBinding').action, plan.of('RoleBinding').notJudged, plan.exitCode], plan.said).toEqual([
      result,
      undefined,
      result === 'blocked' ? 4 : 0,
    ]);
  }

  const wrong = { ...pod('wrong'), spec: { containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Sometimes' }] } };
  const invalid = await planOf(testEnvironment.program(inOneStack(role('unrelated'), wrong)));
  expect([invalid.exitCode, invalid.of('Pod').action, invalid.of('Pod').error?.code], invalid.said).toEqual([4, 'blocked', 'invalid']);
});

test('a Role that does not change cures nothing', async () => {
  const project = testEnvironment.program(inOneStack(role('stable')));
  const kubeconfig = await deployerOf('stable', project);
  expect((await project.deploy()).exitCode).toBe(0);
  const missing = roleBinding('stable', 'gone');
  project.write({ 'main.ts': testEnvironment.text(inOneStack(role('stable'), missing)) });
  await cluster.create('test', { ...testEnvironment.ref(`${rbac}/v1`, 'Role', 'may-bind'), rules: [bindings] });
  await cluster.create('test', {
    ...testEnvironment.ref(`${rbac}/v1`, 'RoleBinding', 'may-bind'),
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'may-bind' },
    subjects: [{ kind: 'ServiceAccount', name: 'user-of-stable', namespace }],
  });
  const plan = await planOf(project, { kubeconfig });
  expect([plan.of('Role').action, plan.of('RoleBinding').action, plan.exitCode], plan.said).toEqual(['unchanged', 'blocked', 4]);
});

test('a role that is granted beyond the own rights is blocked, whatever other roles are created', async () => {
  const wide = ref(`${rbac}/v1`, 'ClusterRole', `${app}-wide`);
  testEnvironment.removeLater(wide);
  await cluster.create('them', { ...wide, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] });
  const own = role('harmless');
  const kubeconfig = await deployerOf('granting', testEnvironment.program(inOneStack(own, roleBinding('wide', 'harmless'))));
  const binding = { ...roleBinding('wide', 'wide'), roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: wide.metadata.name } };
  const plan = await planOf(testEnvironment.program(inOneStack(own, binding)), { kubeconfig });
  expect([plan.of('RoleBinding').action, plan.exitCode], plan.said).toEqual(['blocked', 4]);
  expect(plan.of('RoleBinding').error?.message).toContain('not currently held');
});

test('what the schema refuses is a failure, too, where the server could not say it', async () => {
  const binding = { ...roleBinding('senseless', 'sensible'), subjects: [{ kind: 'Robot', name: 'r', apiGroup: rbac }] };
  const project = testEnvironment.program(inOneStack(role('sensible'), binding));
  const plan = await planOf(project, { kubeconfig: await deployerOf('senseless', project) });
  expect([plan.exitCode, plan.of('RoleBinding').action, plan.of('RoleBinding').error?.code], plan.said).toEqual([4, 'blocked', 'invalid']);
  expect(plan.summary.notJudged).toBe(0);
});

test('a policy that the run changes first is not taken as it was', async () => {
  const name = `${app}-colors`;
  const policy = (expression: string) => policyOf(name, name, { validations: [{ expression, message: 'no blue' }] });
  const binding = bindingOf(name, name, namespace, { validationActions: ['Deny'] });
  const objects = [policy("object.data.color != 'blue'"), binding] as ResponseBody[];
  for (const object of objects) {
    testEnvironment.removeLater(object as never);
    await cluster.create('test', object as never);
  }
  const blue = (value: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'blue', labels: { case: name } },
    data: { color: 'blue', value },
  });
  const plain = testEnvironment.program(inOneStack(blue('1')));
  await expect.poll(async () => (await planOf(plain)).of('ConfigMap').error?.code, { timeout: 30_000 }).toBe('admission-denied');
  const stacks = { colors: [own(policy("object.data.color != 'pink'"))], web: [own(blue('1'))] };
  const project = testEnvironment.project({
    'fieldwise.yaml': 'app: main.ts\n',
    'main.ts': `${testEnvironment.text(stacks)}stack_web.addDependency(stack_colors);\n`,
  });
  const plan = await planOf(project);
  expect(plan.exitCode, plan.said).toBe(0);
  expect(plan.of('ConfigMap')).toMatchObject({
    action: 'create',
    notJudged: { changedFirst: [{ kind: 'ValidatingAdmissionPolicy', action: 'update' }] },
    judgments: [{ rule: name, verdict: 'not-evaluated', message: expect.stringContaining('this deploy changes it first') }],
  });
  // Another policy of the cluster denies it all the same.
  const other = [
    policyOf(`${name}-2`, name, { validations: [{ expression: 'false', message: 'never' }] }),
    bindingOf(`${name}-2`, `${name}-2`, namespace, { validationActions: ['Deny'] }),
  ];
  for (const object of other) {
    testEnvironment.removeLater(object as never);
    await cluster.create('test', object as never);
  }
  await expect.poll(async () => (await planOf(project)).of('ConfigMap').action, { timeout: 30_000 }).toBe('blocked');
});

test('Pod Security of a Namespace whose labels the run changes, where the server has it', async () => {
  const secured = `${namespace}-secured`;
  testEnvironment.removeNamespaceLater(secured);
  const space = (level: string) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: secured, labels: { 'pod-security.kubernetes.io/enforce': level } },
  });
  const inside = { ...pod('insecure'), metadata: { name: 'insecure', namespace: secured } };
  const project = testEnvironment.program(inOneStack(space('restricted')));
  expect((await project.deploy()).exitCode).toBe(0);
  project.write({ 'main.ts': testEnvironment.text(inOneStack(space('restricted'), inside)) });
  const refused = await planOf(project);
  if (refused.exitCode === 0) return console.log('not refused: the embedded server has no Pod Security');
  expect([refused.of('Pod').action, refused.of('Pod').error?.code], refused.said).toEqual(['blocked', 'admission-denied']);
  project.write({ 'main.ts': testEnvironment.text(inOneStack(space('privileged'), inside)) });
  const plan = await planOf(project);
  expect(plan.exitCode, plan.said).toBe(0);
  expect(plan.of('Pod')).toMatchObject({
    action: 'create',
    reason: `not judged by the server, because this deploy changes Namespace ${secured} first`,
  });
});

test('a quota that the run raises first, where the server has quotas', async () => {
  const space = `${namespace}-counted`;
  testEnvironment.removeNamespaceLater(space);
  await cluster.create('test', ref('v1', 'Namespace', space));
  const there = (object: ResponseBody) => ({ ...object, metadata: { ...object.metadata, namespace: space } });
  const quota = (hard: string) => ({ ...ref('v1', 'ResourceQuota', 'count', space), spec: { hard: { 'count/services': hard } } });
  await cluster.create('platform', quota('0'));
  await cluster.patch(
    'test',
    quota('0'),
    { status: { hard: { 'count/services': '0' }, used: { 'count/services': '0' } } },
    'merge',
    'status',
  );
  const service = there({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
  const plain = testEnvironment.program(inOneStack(service));
  if (readFileSync(testEnvironment.kubeconfig, 'utf8').includes('fieldwise-embedded'))
    return console.log('not refused: the embedded server has no quotas');
  await expect.poll(async () => (await planOf(plain)).exitCode, { timeout: 30_000 }).toBe(4);
  const plan = await planOf(testEnvironment.program(inOneStack(quota('5'), service)));
  expect(plan.exitCode, plan.said).toBe(0);
  expect(plan.of('Service').notJudged?.changedFirst).toMatchObject([{ kind: 'ResourceQuota', action: 'update' }]);
  // Another quota helps nothing.
  const other = { ...quota('9'), metadata: { name: 'other', namespace: space } };
  expect((await planOf(testEnvironment.program(inOneStack(other, service)))).of('Service').action).toBe('blocked');
});

test('a rule can forbid what the server could not judge, and every format tells it', async () => {
  const project = testEnvironment.program(inOneStack(role('told'), roleBinding('told', 'told')));
  const kubeconfig = await deployerOf('told', project);
  const outputs = ['markdown', 'html', 'sarif', 'junit'];
  const written = await project.run(['diff', ...outputs.flatMap((format) => ['--output-file', `${format}=plan.${format}`])], {
    kubeconfig,
  });
  expect(written.exitCode, written.stderr).toBe(0);
  for (const format of outputs) expect(project.read(`plan.${format}`), format).toMatch(/not judged by the server/);
  expect(project.read('plan.markdown')).toContain('1 object not judged by the server');
  const results = JSON.parse(project.read('plan.sarif')).runs[0].results.filter(({ level }: { level: string }) => level === 'note');
  expect(results).toMatchObject([{ ruleId: 'not-judged', level: 'note', properties: { stack: 'main' } }]);
  project.write({
    'fieldwise.yaml': 'app: main.ts\nrules: rules.ts\n',
    'rules.ts': [
      "import { deny } from 'fieldwise/rules';",
      "export default [deny((change) => change.notJudged?.changedFirst.map(({ object }) => object).join() ?? false, { name: 'judged' })];",
    ].join('\n'),
  });
  const plan = await planOf(project, { kubeconfig });
  expect([plan.exitCode, plan.of('Role').action, plan.of('RoleBinding').error], plan.said).toMatchObject([
    4,
    'create',
    { code: 'rule-denied', message: expect.stringContaining(`judged: Role ${namespace}/told`) },
  ]);
});
