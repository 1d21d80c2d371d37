import { describe, expect, test } from 'vitest';
import { crdOf } from '../harness/crd.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** Definitions in the directory of policies: their rules decide on a plan before anybody upgrades the definition in the cluster. */
const testEnvironment = await TestEnvironment.create('diff-definitions');
const group = `${testEnvironment.namespace}.example.com`;
const definition = 'limits.'.concat(group);

const properties = { size: { type: 'integer' }, class: { type: 'string' } };
const rulesOf = (...rules: readonly (readonly [rule: string, message: string])[]) => ({
  type: 'object',
  properties,
  'x-kubernetes-validations': rules.map(([rule, message]) => ({ rule, message })),
});
const crd = (spec: object) => crdOf(group, 'Limit', { spec });
await testEnvironment.crd(crd(rulesOf(['self.size <= 5', 'at most five'])));

const limit = (name: string, spec: object) => ({ apiVersion: `${group}/v1`, kind: 'Limit', metadata: { name }, spec });
const documents = (...list: readonly object[]) => list.map((each) => JSON.stringify(each)).join('\n---\n');
const formats = ['json=plan.json', 'sarif=plan.sarif', 'markdown=plan.md', 'junit=plan.xml'].flatMap((each) => ['--output-file', each]);

interface Plan {
  readonly event: string;
  readonly action: string;
  readonly error?: { readonly code: string };
  readonly judgments?: readonly object[];
}

function project(object: object, ...policies: readonly object[]) {
  const made = testEnvironment.program({ main: [own(object)] });
  made.write({ 'policies/all.yaml': documents(...policies) });
  return made;
}

async function diff(made: ReturnType<typeof project>, ...flags: readonly string[]) {
  const run = await made.run(['diff', '--admission', 'policies', '--output-file', 'html=plan.html', ...formats, ...flags]);
  const plans = () =>
    made
      .read('plan.json')
      .split('\n')
      .map((line) => JSON.parse(line || '{}') as Plan);
  return { ...run, plan: () => plans().find(({ event }) => event === 'plan') as Plan };
}

describe('diff --admission with CustomResourceDefinitions', () => {
  test('blocks what a rule of the directory denies and one of the cluster allows, in every format, on the line of the program', async () => {
    const made = project(limit('denied', { size: 3 }), crd(rulesOf(['self.size <= 2', 'at most two'])));
    const { exitCode, stdout, plan } = await diff(made);
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(
      /A CustomResourceDefinition denies this creation: limits\..*: spec: Invalid value: at most two\. Declared by .*main.ts:\d+:\d+/,
    );
    expect(plan()).toMatchObject({
      action: 'blocked',
      error: { code: 'definition-denied' },
      judgments: [{ rule: definition, verdict: 'deny', message: 'spec: Invalid value: at most two', source: 'definition', field: '.spec' }],
    });
    const [run] = JSON.parse(made.read('plan.sarif')).runs;
    expect(run.results).toMatchObject([
      { ruleId: 'definition-denied', level: 'error', locations: [{ physicalLocation: { artifactLocation: { uri: 'main.ts' } } }] },
    ]);
    for (const file of ['plan.md', 'plan.xml', 'plan.html']) expect(made.read(file)).toContain('at most two');
  });

  test('a transition rule sees the live object, and the plans without a dry run are judged alike', async () => {
    const transition = rulesOf(['!has(oldSelf.class) || self.class == oldSelf.class', 'class stays']);
    const made = project(limit('changed', { size: 1, class: 'a' }), crd(transition));
    expect((await made.deploy()).exitCode).toBe(0);
    expect((await made.run(['snapshot'])).exitCode).toBe(0);
    expect((await diff(made)).exitCode).toBe(0);
    made.write({ 'main.ts': testEnvironment.text({ main: [own(limit('changed', { size: 1, class: 'b' }))] }) });
    for (const flags of [[], ['--read-only'], ['--offline']]) {
      const { exitCode, stdout } = await diff(made, ...flags);
      expect([exitCode, stdout]).toEqual([
        4,
        expect.stringContaining('denies this change: '.concat(definition, ': spec: Invalid value: class stays')),
      ]);
    }
  });

  test('a value that stays as it is only warns, also of an object that does not change', async () => {
    const made = project(
      limit('stays', { size: 4 }),
      crd({
        ...rulesOf(),
        properties: {
          ...properties,
          size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self <= 2', message: 'at most two' }] },
        },
      }),
    );
    expect((await made.deploy()).exitCode).toBe(0);
    const same = await diff(made);
    const warning = `warning of definition ${definition}: spec.size: Invalid value: 4: at most two.`;
    expect([same.exitCode, same.stdout]).toEqual([0, expect.stringContaining(warning)]);
    const [run] = JSON.parse(made.read('plan.sarif')).runs;
    expect(run.results).toMatchObject([{ ruleId: 'definition-warned' }]);
    expect(made.read('plan.html')).toContain('at most two');
    made.write({ 'main.ts': testEnvironment.text({ main: [own(limit('stays', { size: 4, class: 'a' }))] }) });
    const other = await diff(made, '--strict');
    expect([other.exitCode, other.stdout]).toEqual([0, expect.stringContaining(warning)]);
    made.write({ 'main.ts': testEnvironment.text({ main: [own(limit('stays', { size: 3 }))] }) });
    expect((await diff(made)).exitCode).toBe(4);
  });

  test('a rule that the cluster has too is reported once', async () => {
    const made = project(limit('twice', { size: 9 }), crd(rulesOf(['self.size <= 5', 'at most five'])));
    for (const flags of [[], ['--read-only']]) {
      const { exitCode, stdout, plan } = await diff(made, ...flags);
      expect([exitCode, stdout.split('at most five').length - 1]).toEqual([4, 1]);
      expect([plan().error?.code, plan().judgments]).toEqual(['invalid', undefined]);
    }
  });

  test('its types and bounds count, too, and so does a version that it no longer serves', async () => {
    const bounded = project(
      limit('bounded', { size: 3 }),
      crd({ type: 'object', required: ['class'], properties: { ...properties, size: { type: 'integer', maximum: 2 } } }),
    );
    const { stdout } = await diff(bounded);
    expect(stdout).toContain('2 errors by CustomResourceDefinitions deny this creation: ');
    expect(stdout).toContain('spec.size: Invalid value: 3: spec.size in body should be less than or equal to 2');
    expect(stdout).toContain('spec.class: Required value');
    const next = crd(rulesOf());
    const [version] = next.spec.versions;
    const moved = project(limit('moved', { size: 3 }), { ...next, spec: { ...next.spec, versions: [{ ...version, name: 'v2' }] } });
    const found = await diff(moved);
    expect([found.exitCode, found.stdout]).toEqual([4, expect.stringContaining(`it does not serve apiVersion ${group}/v1`)]);
  });

  test('decides together with policies, and on the objects of others not at all', async () => {
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const rule = { apiGroups: [group], apiVersions: ['v1'], operations: ['*'], resources: ['limits'] };
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'object.spec.size != 3', message: 'not three' }],
    };
    const policy = {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'size', uid: 'as-read', resourceVersion: '7' },
      spec,
    };
    const binding = {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'size', uid: 'as-read', resourceVersion: '7' },
      spec: { policyName: 'size', validationActions: ['Deny'] },
    };
    const asRead = { ...crd(rulesOf(['self.size <= 2', 'at most two'])), status: { storedVersions: ['v1'] } };
    const read = { ...asRead, metadata: { ...asRead.metadata, uid: 'as-read', resourceVersion: '7', generation: 3 } };
    const other = crdOf(group, 'Other', { spec: rulesOf(['false', 'never']) });
    const made = project(limit('both', { size: 3 }), read, other, policy, binding);
    const { stdout, plan } = await diff(made);
    expect(stdout).toContain('2 objections of admission policies and CustomResourceDefinitions deny this creation: ');
    expect(plan().judgments).toMatchObject([{ rule: definition }, { rule: 'size' }]);
    expect(plan().error?.code).toBe('admission-denied');
  });

  test('a plan without a dry run has the rules that the server publishes, where it may not read the definition', async () => {
    const token = await testEnvironment.account('without-definitions', [
      { apiGroups: [group], resources: ['limits'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['configmaps', 'namespaces'], verbs: ['get', 'list'] },
    ]);
    const made = testEnvironment.program({ main: [own(limit('published', { size: 9 }))] });
    expect((await made.run(['snapshot'], { kubeconfig: token })).exitCode).toBe(0);
    for (const flags of [['--read-only'], ['--offline']]) {
      const { exitCode, stdout } = await made.run(['diff', ...flags], { kubeconfig: token });
      expect([exitCode, stdout]).toEqual([4, expect.stringContaining('Invalid value: at most five')]);
    }
  });

  test.each([
    ['a rule that does not compile', crd(rulesOf(['self.', 'm'])), /admission-invalid/],
    [
      'a rule that may cost too much',
      crd({
        type: 'object',
        properties: {
          a: {
            type: 'array',
            items: { type: 'string' },
            'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x.contains(y)))' }],
          },
        },
      }),
      /exceeds budget/,
    ],
    [
      'an object of an unknown kind',
      { apiVersion: `${group}/v1`, kind: 'Unknown', metadata: { name: 'x' } },
      /no definition of kind Unknown/,
    ],
  ])('refuses %s', async (_, document, message) => {
    const made = project(limit('refused', { size: 1 }), crdOf(group, 'Other'), document);
    const { exitCode, stderr } = await diff(made);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(stderr).toContain('policies/all.yaml:3');
  });
});
