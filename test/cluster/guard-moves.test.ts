import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../src/util/json.js';
import { ref as refOf } from '../harness/cluster.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { poll } from '../harness/poll.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** Plans and commands that move fields say which guards of other stacks will stop their user. */
const testEnvironment = await TestEnvironment.create('guard-moves');
const { cluster, app } = testEnvironment;
const { ref, config, edit } = configMapHelpers(testEnvironment);
// Runs after the guards are removed. A real server still denies for a moment what they denied.
testEnvironment.onCleanup(() =>
  poll('nothing guards the objects', () =>
    cluster.remove(ref('renamed')).then(
      () => true,
      (error: unknown) => !String(error).includes('ValidatingAdmissionPolicy'),
    ),
  ),
);

/** Applies the guard of stacks for a deployer that nobody is, and which therefore stops everybody. */
async function guard(project: Project, ...stacks: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await project.run([
    'guard',
    ...stacks,
    '--deployer',
    'nobody',
    '--deny',
    '--break-glass',
    'nobodies',
  ]);
  expect(exitCode, stderr).toBe(0);
  const objects = parseAllDocuments(stdout).map((document) => document.toJS());
  for (const object of objects) {
    testEnvironment.removeLater(object);
    await cluster.apply('administrator', object);
  }
  return objects[0].metadata.name;
}

const warningOf = (policy: string, manager: string, what: string) => `The guard ${policy} of ${manager} denies ${what} by `;

test('a rename, in its plan', async () => {
  const name = `${app}-rename`;
  const text = (stack: string, options: object, data: object) =>
    testEnvironment
      .text({ [stack]: [own(config('renamed', data))] })
      .replace('new App()', `new App(${JSON.stringify({ name })})`)
      .replace(`"${stack}")`, `"${stack}", ${JSON.stringify(options)})`);
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': text('old', {}, { color: 'blue', size: '1' }) });
  await deployed(project);
  const manager = project.manager('old');
  const policy = await guard(project);
  project.write({ 'main.ts': text('fresh', { renamedFrom: 'old' }, { color: 'blue', size: '1' }) });
  const plan = await project.run(['diff']);
  const warning = warningOf(policy, manager, `later changes of .data.color, .data.size of ConfigMap ${testEnvironment.namespace}/renamed`);
  expect(plan.stderr).toContain(warning);
  expect(plan.stderr).toContain('[guarded-by-another-stack]');
  // Without dry runs, the plan cannot see the denial itself.
  project.write({ 'main.ts': text('fresh', { renamedFrom: 'old' }, { color: 'red', size: '1' }) });
  const readOnly = await project.run(['diff', '--read-only']);
  expect(readOnly.stderr).toContain(
    warningOf(policy, manager, `the change of .data.color of ConfigMap ${testEnvironment.namespace}/renamed`),
  );
});

test('a rename, where another has taken the only field of the former name', async () => {
  const name = `${app}-taken`;
  const text = (stack: string, options: object) =>
    testEnvironment
      .text({ [stack]: [own(config('taken', { color: 'blue' }))] })
      .replace('new App()', `new App(${JSON.stringify({ name })})`)
      .replace(`"${stack}")`, `"${stack}", ${JSON.stringify(options)})`);
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': text('old', {}) });
  await deployed(project);
  const manager = project.manager('old');
  const policy = await guard(project);
  // A server takes up a guard after a moment, and denies the change until the guard is removed again.
  const binding = refOf('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', policy);
  const found = await cluster.get(binding);
  await cluster.remove(binding);
  await poll('the change is allowed', () =>
    cluster.patch('kubectl-edit', ref('taken'), { data: { color: 'red' } }).then(
      () => true,
      () => false,
    ),
  );
  const { resourceVersion: _, uid: __, creationTimestamp: ___, managedFields: ____, ...metadata } = found.metadata as JsonObject;
  await cluster.apply('administrator', { ...found, metadata } as never);
  project.write({ 'main.ts': text('fresh', { renamedFrom: 'old' }) });
  const { stderr } = await project.run(['diff', '--read-only']);
  expect(stderr).toContain(warningOf(policy, manager, `the change of .data.color of ConfigMap ${testEnvironment.namespace}/taken`));
});

test('a share that comes to own a guarded field with its value', async () => {
  const project = testEnvironment.program({ a: [own(config('shared', { x: '1' }))] });
  await deployed(project);
  const policy = await guard(project, 'a');
  const other = testEnvironment.program({ main: [share(config('shared', { x: '1' }))] });
  const { stdout, stderr } = await other.run(['diff']);
  expect(stdout).toContain('co-own');
  expect(stderr).toContain(
    warningOf(policy, project.manager('a'), `later changes of .data.x of ConfigMap ${testEnvironment.namespace}/shared`),
  );
});

test('an adoption from a stack, before it begins', async () => {
  const a = [share(config('handed', { x: '1', y: '1' }))];
  await cluster.apply('owner', { ...ref('handed'), data: { theirs: '1' } });
  const project = testEnvironment.program({ a });
  await deployed(project);
  const policy = await guard(project, 'a');
  edit(project, { a, b: [share(config('handed', { x: '1' }))] });
  await project.run(['synth']);
  const { stderr } = await project.run(['adopt', 'b', '--from', 'stack:a', '--yes']);
  expect(stderr).toContain(
    warningOf(policy, project.manager('a'), `later changes of .data.x of ConfigMap ${testEnvironment.namespace}/handed`),
  );
});

test('an adoption, with its preview', async () => {
  await cluster.apply('owner', { ...ref('adopted'), data: { theirs: '1' } });
  const first = testEnvironment.program({ main: [share(config('adopted', { x: '1' }))] });
  await first.run(['synth']);
  const second = testEnvironment.program({ main: [share(config('adopted', { x: '1' }))] });
  await deployed(second);
  await cluster.patch('kubectl-edit', ref('adopted'), { data: { x: '2' } });
  await cluster.patch('kubectl-edit', ref('adopted'), { data: { x: '1' } });
  await deployed(second);
  const policy = await guard(first);
  const { exitCode, stderr } = await second.run(['adopt', '--yes']);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain(
    warningOf(policy, first.manager('main'), `later changes of .data.x of ConfigMap ${testEnvironment.namespace}/adopted`),
  );
});

test('a strict plan on a snapshot, where guards have no objection', async () => {
  const project = testEnvironment.program({ main: [own(config('strict', { x: '1', y: '1' }))] });
  await deployed(project);
  const policy = await guard(project);
  expect((await project.run(['snapshot'])).exitCode).toBe(0);
  expect(project.read('fieldwise-snapshot.json')).toContain(policy);
  const same = await project.run(['diff', '--offline', '--strict']);
  expect([same.exitCode, same.stdout]).toEqual([0, expect.not.stringContaining(policy)]);
  edit(project, { main: [own(config('strict', { x: '2', y: '1' }))] });
  const changed = await project.run(['diff', '--offline', '--strict']);
  expect([changed.exitCode, changed.stdout]).toEqual([4, expect.stringContaining(policy)]);
});

test('nothing is said to a deployer of the guard', async () => {
  const a = [share(config('exempt', { x: '1' }))];
  await cluster.apply('owner', { ...ref('exempt'), data: { theirs: '1' } });
  const project = testEnvironment.program({ a });
  await deployed(project);
  const printed = await project.run(['guard', 'a', '--deployer', 'group:system:authenticated', '--output-file', 'yaml=guard.yaml']);
  expect([printed.exitCode, printed.stdout]).toEqual([0, '']);
  for (const document of parseAllDocuments(project.read('guard.yaml'))) {
    testEnvironment.removeLater(document.toJS());
    await cluster.apply('administrator', document.toJS());
  }
  edit(project, { a, b: [share(config('exempt', { x: '1' }))] });
  await project.run(['synth']);
  const { exitCode, stderr } = await project.run(['adopt', 'b', '--from', 'stack:a', '--yes']);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).not.toContain('guarded-by-another-stack');
});
