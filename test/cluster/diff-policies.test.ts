import { describe, expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** Admission policies that decide on a plan before anything is sent. */
const testEnvironment = await TestEnvironment.create('diff-policies');
const { config } = configMapHelpers(testEnvironment);

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
const documents = (...list: readonly object[]) => `${list.map((each) => JSON.stringify(each)).join('\n---\n')}\n`;
const apiVersion = 'admissionregistration.k8s.io/v1';
const policy = (name: string, spec: object) => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: { matchConstraints: { resourceRules: [rule] }, ...spec },
});
const binding = (name: string, action: string, spec: object = {}) => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName: name, validationActions: [action], ...spec },
});
const says = (message: string, expression: string) => ({ validations: [{ expression, message }] });
const bound = (name: string, action: string, spec: object, more: object = {}) => [policy(name, spec), binding(name, action, more)];

async function plannedBy(text: string, data: Record<string, string>, flags: readonly string[] = []) {
  const project = testEnvironment.program({ main: [own(config('one', data))] });
  project.write({ 'policies/all.yaml': text });
  const files = [
    '--output-file',
    'json=plan.json',
    '--output-file',
    'sarif=plan.sarif',
    '--output-file',
    'markdown=plan.md',
    '--output-file',
    'junit=plan.xml',
  ];
  const run = await project.run(['diff', '--admission', 'policies', ...files, ...flags]);
  return { ...run, project };
}

type Plan = { readonly event: string; readonly action: string; readonly judgments?: readonly object[] };
const planIn = (text: string): Plan =>
  text
    .split('\n')
    .map((line) => JSON.parse(line || '{}') as Plan)
    .find(({ event }) => event === 'plan') as Plan;

describe('diff --admission', () => {
  test('blocks what a policy denies, in every format, on the line of the program', async () => {
    const text = documents(...bound('size', 'Deny', says('at most one', 'object.data.size() < 2')));
    const { exitCode, stdout, project } = await plannedBy(text, { a: '1', b: '2' });
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/An admission policy denies this creation: size: at most one\. Declared by .*main.ts:\d+:\d+/);
    expect(planIn(project.read('plan.json'))).toMatchObject({
      action: 'blocked',
      judgments: [{ rule: 'size', verdict: 'deny', message: 'at most one', source: 'policy', binding: 'size' }],
    });
    const [run] = JSON.parse(project.read('plan.sarif')).runs;
    expect(run.results).toMatchObject([
      { ruleId: 'admission-denied', level: 'error', locations: [{ physicalLocation: { artifactLocation: { uri: 'main.ts' } } }] },
    ]);
    expect(project.read('plan.md')).toContain('at most one');
    expect(project.read('plan.xml')).toContain('admission-denied');
  });

  test('warns and audits, and blocks nothing', async () => {
    const text = documents(...bound('w', 'Warn', says('be careful', 'false')), ...bound('a', 'Audit', says('be seen', 'false')));
    const { exitCode, stdout, project } = await plannedBy(text, { a: '1' });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('warning of admission policy w: be careful.');
    expect(stdout).toContain('admission policy a audits: be seen.');
    const [run] = JSON.parse(project.read('plan.sarif')).runs;
    expect(run.results.map(({ ruleId }: { ruleId: string }) => ruleId).sort()).toEqual(['admission-audited', 'admission-warned']);
  });

  test.each([
    ['request.userInfo', says('m', 'request.userInfo.username == "x"'), {}],
    ['authorizer', says('m', "authorizer.requestResource.check('delete').allowed()"), {}],
    [
      'params limits',
      { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...says('m', 'params.data.a == "1"') },
      { paramRef: { name: 'limits', parameterNotFoundAction: 'Allow' } },
    ],
  ])('names %s, which nobody knows, and fails under --strict', async (reads, spec, more) => {
    const text = documents(...bound('unknown', 'Deny', spec, more));
    const { exitCode, stdout } = await plannedBy(text, { a: '1' });
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(`admission policy unknown is not evaluated: it reads ${reads}, which a plan does not know.`),
    ]);
    const strict = await plannedBy(text, { a: '1' }, ['--strict']);
    expect([strict.exitCode, strict.stdout]).toEqual([
      4,
      expect.stringContaining(
        `Not all admission policies are evaluated, and \`--strict\` blocks this creation then: unknown: it reads ${reads}, which a plan does not know.`,
      ),
    ]);
    expect(strict.stdout).toMatch(/Nothing denies it: the server decides\..*\[admission-not-evaluated\]/);
    expect(strict.stdout).not.toMatch(/denies this|admission policy unknown is not evaluated/);
    expect(planIn(strict.project.read('plan.json'))).toMatchObject({
      action: 'blocked',
      error: { code: 'admission-not-evaluated' },
      judgments: [{ rule: 'unknown', verdict: 'not-evaluated', blocks: true }],
    });
    expect(strict.project.read('plan.md')).toContain('In a deploy, the server decides by the admission policies and definitions');
  });

  test('a policy that only warns is not said to deny under --strict', async () => {
    const text = documents(...bound('soft', 'Warn', says('m', 'request.userInfo.username == "x"')));
    const { exitCode, stdout } = await plannedBy(text, { a: '1' }, ['--strict']);
    expect([exitCode, stdout]).toEqual([
      4,
      expect.stringContaining('`--strict` blocks this creation then: soft: it reads request.userInfo'),
    ]);
    expect(stdout).not.toContain('denies this');
  });

  test('a denial counts before what is not evaluated, which is still named', async () => {
    const text = documents(
      ...bound('known', 'Deny', says('no', 'false')),
      ...bound('unknown', 'Deny', says('m', 'request.userInfo.username == "x"')),
    );
    const { exitCode, stdout } = await plannedBy(text, { a: '1' }, ['--strict']);
    expect([exitCode, stdout]).toEqual([4, expect.stringContaining('An admission policy denies this creation: known: no.')]);
    expect(stdout).toContain('admission policy unknown is not evaluated: it reads request.userInfo');
  });

  test.each<[string, readonly object[], readonly string[], number]>([
    [
      'a binding of a policy that is not there',
      [...bound('known', 'Deny', says('m', 'true')), binding('typo', 'Deny', { policyName: 'knwon' })],
      [
        'The binding typo names the admission policy knwon, which is not among the policies: nothing is enforced by it.',
        '[bound-policy-missing]',
      ],
      4,
    ],
    [
      'a policy without a binding',
      [policy('alone', says('m', 'false'))],
      ['The admission policy alone has no binding: nothing is enforced by it.', '[policy-not-bound]'],
      0,
    ],
  ])('%s: a warning, and no denial', async (_, objects, warnings, strictly) => {
    const text = documents(...objects);
    const { exitCode, stdout, stderr, project } = await plannedBy(text, { a: '1' });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('plan: 1 create')]);
    for (const warning of warnings) expect(stderr).toContain(warning);
    expect(stderr.match(/warning:/gi)).toHaveLength(1);
    for (const file of ['plan.json', 'plan.md', 'plan.sarif', 'plan.xml'])
      expect(project.read(file)).toContain(/(?<=\[).*(?=\])/.exec(warnings[1] ?? '')?.[0]);
    const strict = await plannedBy(text, { a: '1' }, ['--strict']);
    expect([strict.exitCode, strict.stderr]).toEqual([strictly, expect.stringContaining(warnings[0] as string)]);
    if (strictly > 0) expect(strict.stdout).toContain('`--strict` blocks this creation then: knwon: it is not among the policies.');
  });

  test.each([['nope'], ['missing.yaml']])('a path that does not exist: %s', async (path) => {
    const project = testEnvironment.program({ main: [own(config('one'))] });
    const byFlag = await project.run(['diff', '--admission', path]);
    project.write({ 'fieldwise.yaml': `${project.read('fieldwise.yaml')}\nadmission: ${path}\n` });
    for (const { exitCode, stderr } of [byFlag, await project.run(['diff'])])
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining('Correct the path of `--admission`, or else that of `admission` in fieldwise.yaml.'),
      ]);
  });

  test.each(['--admission=', '--rules='])('%s, as of a variable that is not set, is refused', async (flag) => {
    const { exitCode, stderr } = await testEnvironment.program({ main: [own(config('one'))] }).run(['diff', flag]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Expected the path of a file or directory.')]);
  });

  test('a validation that is not evaluated does not hide one of the same policy that denies; all that is not known is named', async () => {
    const reads = ["request.userInfo.username != 'x'", "authorizer.requestResource.check('delete').allowed()"];
    const validations = [...reads, 'object.data.a == "2"'].map((expression) => ({ expression, message: 'no' }));
    const { exitCode, stdout } = await plannedBy(documents(...bound('partly', 'Deny', { validations })), { a: '1' });
    expect([exitCode, stdout]).toEqual([4, expect.stringContaining('An admission policy denies this creation: partly: no.')]);
    expect(stdout).toContain('admission policy partly is not evaluated: it reads request.userInfo and authorizer');
  });

  test('what only the request of the deploy has is not known', async () => {
    const validations = [{ expression: 'object == null || !has(object.metadata.resourceVersion)' }];
    const { stdout } = await plannedBy(documents(...bound('new', 'Deny', { validations })), { a: '1' });
    expect(stdout).toContain('admission policy new is not evaluated: it reads object.metadata.resourceVersion');
  });

  test.each(['preconditions', 'propagationPolicy'])('the option %s of a deletion is not known', async (option) => {
    const [kept, gone] = [own(config('kept', { a: '1' })), own(config(`gone-${option.toLowerCase()}`, { a: '1' }))];
    const project = testEnvironment.program({ main: [kept, gone] });
    expect((await project.deploy()).exitCode).toBe(0);
    const validations = [{ expression: `object != null || !has(request.options.${option})` }];
    project.write({
      'main.ts': testEnvironment.text({ main: [kept] }),
      'policies/all.yaml': documents(...bound('gone', 'Deny', { validations })),
    });
    const { stdout } = await project.run(['diff', '--admission', 'policies']);
    expect(stdout).toContain(`admission policy gone is not evaluated: it reads request.options.${option}`);
  });

  test('what is not read needs not be known', async () => {
    const text = documents(...bound('known', 'Deny', says('m', 'object.data.a == "1" || request.userInfo.username == "x"')));
    expect((await plannedBy(text, { a: '1' }, ['--strict'])).exitCode).toBe(0);
  });

  test('parameters are documents beside the policies', async () => {
    const params = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'limits', namespace: testEnvironment.namespace },
      data: { most: '1' },
    };
    const spec = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...says('too many', 'object.data.size() <= int(params.data.most)') };
    const text = documents(...bound('limited', 'Deny', spec, { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } }), params);
    const { exitCode, stdout } = await plannedBy(text, { a: '1', b: '2' });
    expect([exitCode, stdout]).toEqual([4, expect.stringContaining('limited: too many')]);
    expect((await plannedBy(text, { a: '1' })).exitCode).toBe(0);
  });

  test('a change is compared with the merged object: the live one, with the fields of others', async () => {
    const project = testEnvironment.program({ main: [own(config('merged', { a: '1' }))] });
    expect((await project.deploy()).exitCode).toBe(0);
    await testEnvironment.cluster.apply('them', { ...testEnvironment.ref('v1', 'ConfigMap', 'merged'), data: { other: 'x' } });
    const spec = says('other is gone, or a is the same', "object.data.other != 'x' || object.data.a == oldObject.data.a");
    project.write({
      'policies/all.yaml': documents(...bound('merged', 'Deny', spec)),
      'fieldwise.yaml': `${project.read('fieldwise.yaml')}\npolicies: policies\n`,
      'main.ts': testEnvironment.text({ main: [own(config('merged', { a: '2' }))] }),
    });
    const { exitCode, stdout, stderr } = await project.run(['diff']);
    expect([exitCode, stdout]).toEqual([4, expect.stringContaining('An admission policy denies this change: merged: other is gone')]);
    expect(stderr).toContain('note: `policies` at fieldwise.yaml:'); // its former name
    expect((await project.run(['diff', '--read-only'])).exitCode).toBe(4);
    expect((await project.run(['snapshot', '--output-file', 'snapshot=snapshot.json'])).exitCode).toBe(0);
    expect((await project.run(['diff', '--offline', '--snapshot', 'snapshot.json'])).exitCode).toBe(4);
  });

  test('a condition that nobody knows matters only where a validation is not true', async () => {
    const condition = { name: 'not-me', expression: "request.userInfo.username != 'me'" };
    const spec = { matchConditions: [condition], ...says('at most one', 'object.data.size() < 2') };
    const text = documents(...bound('conditional', 'Deny', spec));
    const fits = await plannedBy(text, { a: '1' }, ['--strict']);
    expect([fits.exitCode, fits.stdout]).toEqual([0, expect.not.stringContaining('conditional')]);
    const { exitCode, stdout } = await plannedBy(text, { a: '1', b: '2' });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('admission policy conditional is not evaluated')]);
    expect((await plannedBy(text, { a: '1', b: '2' }, ['--strict'])).exitCode).toBe(4);
    const never = { name: 'never', expression: "request.operation == 'CONNECT'" };
    const unmet = documents(...bound('conditional', 'Deny', { ...spec, matchConditions: [condition, never] }));
    expect((await plannedBy(unmet, { a: '1', b: '2' }, ['--strict'])).exitCode).toBe(0);
  });

  test.each([
    ['an expression that does not compile', documents(...bound('wrong', 'Deny', says('m', 'object.'))), /admission-invalid/],
    [
      'a directory without policies',
      documents({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }),
      /There is no ValidatingAdmissionPolicy and no CustomResourceDefinition/,
    ],
    [
      'a mutating policy',
      documents({
        apiVersion,
        kind: 'MutatingAdmissionPolicy',
        metadata: { name: 'm' },
        spec: { mutations: [], matchConstraints: {}, reinvocationPolicy: 'Never' },
      }),
      /does not carry out MutatingAdmissionPolicies/,
    ],
  ])('refuses %s', async (_, text, message) => {
    const { exitCode, stderr } = await plannedBy(text, { a: '1' });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
