import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ResponseBody } from '../harness/api-client.js';
import { type ObjectRef, ref } from '../harness/cluster.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('guardcheck');
const { cluster, namespace } = testEnvironment;
const { placed, edit } = configMapHelpers(testEnvironment);

/** Prints the guards of a project and applies them. */
async function guard(project: Project, ...words: readonly string[]): Promise<void> {
  const printed = await project.run(['guard', ...words, '--deployer', 'alice']);
  expect(printed.exitCode, printed.stderr).toBe(0);
  for (const document of parseAllDocuments(printed.stdout)) {
    const manifest = document.toJS();
    await cluster.apply('admin', manifest);
    testEnvironment.onCleanup(() => cluster.remove(manifest));
  }
}

test('a guard that does not cover what its stack declares now is named by guard --check and by doctor', async () => {
  const project = testEnvironment.program({ web: [own(placed('guarded', { a: '1' }))], other: [own(placed('open', { a: '1' }))] });
  const checked = (...words: readonly string[]) => project.run(['guard', '--check', ...words]);
  expect(await checked()).toMatchObject({ exitCode: 0, stdout: 'no stack of the program has a guard\n' });
  expect(await checked('web')).toMatchObject({ exitCode: 1, stdout: 'stack web has no guard in the cluster\n' });
  await guard(project, 'web');
  expect(await checked()).toMatchObject({ exitCode: 0, stdout: 'the guard of stack web covers what it declares\n' });

  edit(project, { web: [own(placed('guarded', { fresh: '1' }))], other: [own(placed('open', { a: '1' }))] });
  const stale = await checked();
  expect(stale.exitCode).toBe(1);
  expect(stale.stdout).toBe(
    [
      `the guard of stack web does not cover .data.fresh of ConfigMap ${namespace}/guarded`,
      `the guard of stack web still covers .data.a of ConfigMap ${namespace}/guarded, which it does not declare`,
      '',
    ].join('\n'),
  );
  const inJson = await project.run(['guard', '--check', '-o', 'json']);
  const of = (field: string) => [{ object: `ConfigMap ${namespace}/guarded`, fields: [field] }];
  expect([inJson.exitCode, inJson.events]).toEqual([
    1,
    [
      {
        ...{ event: 'guard', stack: 'web', state: 'stale', uncovered: of('.data.fresh'), left: of('.data.a'), altered: [] },
        printedFor: { subjects: ['alice'] },
      },
      { event: 'guard', stack: 'other', state: 'none', uncovered: [], left: [], altered: [] },
    ],
  ]);
  expect(await project.run(['guard', '-o', 'json'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('[flag-without-use]') });
  const { events, exitCode } = await project.run(['doctor', '-o', 'json']);
  expect(exitCode).toBe(4);
  expect(events.filter(({ check }) => check === 'guard')).toMatchObject([
    { ok: false, detail: expect.stringContaining('does not cover .data.fresh') },
    { ok: false, detail: expect.stringContaining('still covers .data.a') },
  ]);
});

describe('a guard that somebody has changed', () => {
  const policy = 'ValidatingAdmissionPolicy';
  const binding = 'ValidatingAdmissionPolicyBinding';
  const deployed = ref('apps/v1', 'Deployment', 'guarded', namespace);
  const template = { metadata: { labels: { app: 'guarded' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const project = testEnvironment.program({
    web: [own({ ...deployed, spec: { replicas: 1, selector: { matchLabels: { app: 'guarded' } }, template } } as never)],
  });
  let manifests: readonly (ObjectRef & { spec: ResponseBody })[] = [];

  beforeAll(async () => {
    const printed = await project.run([
      'guard',
      'web',
      '--deny',
      '--deployer',
      'alice',
      '--deployer',
      'group:deployers',
      '--break-glass',
      'helpers',
    ]);
    expect(printed.exitCode, printed.stderr).toBe(0);
    manifests = parseAllDocuments(printed.stdout).map((document) => document.toJS());
    for (const manifest of manifests) testEnvironment.onCleanup(() => cluster.remove(manifest));
  });

  beforeEach(async () => {
    for (const manifest of manifests) {
      if (await cluster.find(manifest)) await cluster.remove(manifest);
      await cluster.apply('admin', manifest);
    }
    expect(await project.run(['guard', '--check'])).toMatchObject({
      exitCode: 0,
      stdout: 'the guard of stack web covers what it declares\n',
    });
  });

  const printedOf = (kind: string, isScale = false) =>
    manifests.find((one) => one.kind === kind && one.metadata.name.includes('-scale.') === isScale) as (typeof manifests)[number];
  const narrowed = (list: readonly object[]) => [...list, { name: 'never', expression: 'false' }];
  const everything = (list: readonly object[]) => list.map((one) => ({ ...one, expression: 'true' }));

  const withoutFields = (variable: { readonly name: string }) =>
    variable.name.startsWith('changed') ? { ...variable, expression: "[''].filter(field, field != '')" } : variable;

  const rows: readonly (readonly [what: string, kind: string, change: (spec: ResponseBody) => object, field: string])[] = [
    ['failures are ignored', policy, () => ({ failurePolicy: 'Ignore' }), 'failurePolicy'],
    ['each validation is true', policy, ({ validations }) => ({ validations: everything(validations) }), 'validations'],
    ['one validation less', policy, ({ validations }) => ({ validations: validations.slice(1) }), 'validations'],
    ['a condition more', policy, ({ matchConditions }) => ({ matchConditions: narrowed(matchConditions) }), 'matchConditions'],
    [
      'a user more',
      policy,
      ({ matchConditions: [first, second, ...others] }) => ({
        matchConditions: [first, { ...second, expression: second.expression.replace("['alice']", "['alice', 'mallory']") }, ...others],
      }),
      'matchConditions',
    ],
    ['no field that counts as changed', policy, ({ variables }) => ({ variables: variables.map(withoutFields) }), 'variables'],
    [
      'labels of objects',
      policy,
      ({ matchConstraints }) => ({ matchConstraints: { ...matchConstraints, objectSelector: { matchLabels: { guarded: 'yes' } } } }),
      'matchConstraints',
    ],
    [
      'excluded resources',
      policy,
      ({ matchConstraints }) => ({ matchConstraints: { ...matchConstraints, excludeResourceRules: matchConstraints.resourceRules } }),
      'matchConstraints',
    ],
    ['only a record of violations', binding, () => ({ validationActions: ['Audit'] }), 'validationActions'],
    ['only a warning, where it was printed with --deny', binding, () => ({ validationActions: ['Warn', 'Audit'] }), 'validationActions'],
    [
      'another namespace',
      binding,
      () => ({ matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'elsewhere' } } } }),
      'matchResources',
    ],
  ];

  test.each(rows)('%s', async (_, kind, change, field) => {
    const manifest = printedOf(kind);
    await cluster.patch('somebody', manifest, { spec: change(manifest.spec) }, 'merge');
    const { exitCode, stdout } = await project.run(['guard', '--check']);
    const where = `.spec.${field} of ${kind} ${manifest.metadata.name}`;
    expect([exitCode, stdout]).toEqual([1, `the guard of stack web has been changed: ${where}\n`]);
    const doctor = await project.run(['doctor', '-o', 'json']);
    expect(doctor.events.filter(({ check }) => check === 'guard')).toMatchObject([{ ok: false, detail: expect.stringContaining(where) }]);
  });

  test.each([policy, binding])('a %s of the scale subresource is gone', async (kind) => {
    const manifest = printedOf(kind, true);
    await cluster.remove(manifest);
    const { exitCode, stdout } = await project.run(['guard', '--check']);
    expect([exitCode, stdout]).toEqual([1, `the guard of stack web lacks the ${kind} ${manifest.metadata.name}\n`]);
  });

  test('all bindings are gone', async () => {
    const bindings = manifests.filter(({ kind }) => kind === binding);
    for (const one of bindings) await cluster.remove(one);
    const { exitCode, stdout } = await project.run(['guard', '--check']);
    expect(exitCode).toBe(1);
    for (const { metadata } of bindings) expect(stdout).toContain(`the guard of stack web lacks the ${binding} ${metadata.name}\n`);
  });

  test('what decides nothing is no change: texts, what a server adds, an empty selector, more actions', async () => {
    const { spec, ...both } = printedOf(policy);
    const validations = spec.validations.map((one: object) => ({ ...one, message: 'no', messageExpression: null }));
    await cluster.patch('somebody', both as ObjectRef, { spec: { validations } }, 'merge');
    const changed = { matchResources: { objectSelector: {} }, validationActions: ['Deny', 'Audit'] };
    await cluster.patch('somebody', printedOf(binding), { spec: changed }, 'merge');
    expect(await project.run(['guard', '--check'])).toMatchObject({ exitCode: 0 });
  });
});

test('where fieldwise.yaml says that there are guards, their loss is seen', async () => {
  const project = testEnvironment.program({ web: [own(placed('lost', { a: '1' }))], other: [own(placed('lost-too', { a: '1' }))] });
  project.write({ 'fieldwise.yaml': 'app: main.ts\nguard:\n  deployers: [alice]\n' });
  const lost =
    'no stack of the program has a guard in the cluster, although fieldwise.yaml has `guard`: they were deleted, or never applied';
  const check = () => project.run(['guard', '--check']);
  const printed = await project.run(['guard', 'web']);
  const manifests = parseAllDocuments(printed.stdout).map((document) => document.toJS());
  for (const manifest of manifests) await cluster.apply('admin', manifest);
  expect(await check()).toMatchObject({ exitCode: 0, stdout: 'the guard of stack web covers what it declares\n' });
  for (const manifest of manifests) await cluster.remove(manifest);
  expect(await check()).toMatchObject({ exitCode: 1, stdout: `${lost}\n`, stderr: expect.stringContaining("fieldwise guard 'web'") });
  const { events, exitCode } = await project.run(['doctor', '-o', 'json']);
  expect(exitCode).toBe(4);
  expect(events.filter(({ check: name }) => name === 'guard')).toMatchObject([{ ok: false, detail: expect.stringContaining(lost) }]);
});
