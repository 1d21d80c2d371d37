import type { PlannedObject } from 'fieldwise/deploy';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ResponseBody } from '../harness/api-client.js';
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
async function deployerOf(name: string, project: Project): Promise<string> {
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
  const deployed = await project.deploy(['--no-wait']);
  expect(deployed.exitCode, String(deployed)).toBe(0);
});
