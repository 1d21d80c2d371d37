import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/util/json.js';
import { bindingOf, policyOf } from '../harness/bound-policy.js';
import { ref } from '../harness/cluster.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { crdOf } from '../harness/crd.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** The policies of a cluster, which decide on a plan without it. */
const testEnvironment = await TestEnvironment.create('snapshot-policies');
const { namespace } = testEnvironment;
const group = `${namespace}.example.com`;
const { config } = configMapHelpers(testEnvironment);
const documents = (...list: readonly object[]) => list.map((each) => JSON.stringify(each)).join('\n---\n');
const says = (message: string, expression: string): JsonObject => ({ validations: [{ expression, message }] });
/**
 * Parameters of a built-in kind that no other file has: a real server goes on with what it knew of a built-in kind once no policy has such
 * parameters any more. Source: observed.
 */
const ofRevisions = { paramKind: { apiVersion: 'apps/v1', kind: 'ControllerRevision' } };
const revision = (name: string, more: object) => ({
  ...testEnvironment.ref('apps/v1', 'ControllerRevision', name),
  revision: 1,
  data: {},
  ...more,
});
const nameOf = (short: string) => `${namespace}-${short}`;

/** Declares a policy of the objects with the label of a case, and a binding in the namespace of the test. */
async function declare(short: string, spec: JsonObject, binding: JsonObject = {}): Promise<void> {
  const name = nameOf(short);
  const bound = { validationActions: ['Deny'], ...binding };
  for (const object of [policyOf(name, short, spec), bindingOf(name, name, namespace, bound)]) {
    const { apiVersion, kind } = object as { apiVersion: string; kind: string };
    testEnvironment.removeLater(ref(apiVersion, kind, name));
    await testEnvironment.cluster.create('them', object as never);
  }
}

const labeled = (short: string, data: Record<string, string>) => {
  const { metadata, ...object } = config(short, data);
  return { ...object, metadata: { ...metadata, labels: { case: short } } };
};

/** Takes a snapshot of a program before it is deployed, and plans on it. */
async function offline(object: object, ...flags: readonly string[]) {
  const project = testEnvironment.program({ main: [own(object)] });
  const taken = await project.run(['snapshot']);
  expect(taken.exitCode, taken.stderr).toBe(0);
  const run = await project.run(['diff', '--offline', ...flags]);
  return { ...run, project, taken, file: project.read('fieldwise-snapshot.json') };
}

describe('diff --offline with the policies of the cluster', () => {
  test('decides without a directory, and one of the directory counts instead of its namesake', async () => {
    await declare('size', says('at most one', 'object.data.size() < 2'));
    const { exitCode, stdout, project } = await offline(labeled('size', { a: '1', b: '2' }));
    expect([exitCode, stdout]).toEqual([4, expect.stringMatching(/denies this creation: .*-size: at most one\. Declared by .*main.ts:\d/)]);
    const name = nameOf('size');
    const tried = policyOf(name, 'size', says('at most two', 'object.data.size() < 3'));
    const other = [
      policyOf('other', 'size', says('no b', '!("b" in object.data)')),
      bindingOf('other', 'other', namespace, { validationActions: ['Warn'] }),
    ];
    project.write({ 'policies/all.yaml': documents(tried, ...other) });
    const both = await project.run(['diff', '--offline', '--admission', 'policies']);
    expect([both.exitCode, both.stdout]).toEqual([0, expect.stringContaining('warning of admission policy other: no b.')]);
    // The server denies the same in its dry run, once it has taken up the policy; the plan has the denial once.
    await expect
      .poll(async () => (await project.run(['diff', '-o', 'json'])).stdout, { timeout: 20_000, interval: 200 })
      .toContain('"blocked"');
    project.write({
      'policies/all.yaml': documents(
        policyOf(name, 'size', says('at most one', 'object.data.size() < 2')),
        bindingOf(name, name, namespace, { validationActions: ['Deny'] }),
      ),
    });
    const live = await project.run(['diff', '--admission', 'policies']);
    expect([live.exitCode, live.stdout.split('at most one').length - 1]).toEqual([4, 1]);
  });

  test('knows which parameters there are, by name and by selector', async () => {
    const limit = { ...ofRevisions, ...says('too many', 'object.data.size() <= params.revision') };
    const { metadata } = revision('limits', {});
    await testEnvironment.cluster.apply('them', revision('limits', { metadata: { ...metadata, labels: { limits: 'yes' } } }) as never);
    const selector = {
      matchExpressions: [
        { key: 'limits', operator: 'In', values: ['yes', 'sure'] },
        { key: 'no', operator: 'DoesNotExist' },
      ],
    };
    await declare('named', limit, { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } });
    await declare('selected', limit, { paramRef: { selector, parameterNotFoundAction: 'Deny' } });
    for (const short of ['named', 'selected']) {
      const { exitCode, stdout } = await offline(labeled(short, { a: '1', b: '2' }));
      expect([exitCode, stdout]).toEqual([4, expect.stringContaining(`-${short}: too many`)]);
      expect((await offline(labeled(short, { a: '1' }), '--strict')).exitCode).toBe(0);
    }
    await declare('absent-allowed', limit, { paramRef: { name: 'nobody', parameterNotFoundAction: 'Allow' } });
    expect((await offline(labeled('absent-allowed', { a: '1', b: '2' }), '--strict')).exitCode).toBe(0);
    await declare('absent-denied', limit, { paramRef: { name: 'nobody', parameterNotFoundAction: 'Deny' } });
    const { exitCode, stdout } = await offline(labeled('absent-denied', { a: '1', b: '2' }));
    expect([exitCode, stdout]).toEqual([
      4,
      expect.stringContaining('no params found for policy binding with `Deny` parameterNotFoundAction'),
    ]);
  });

  test('has the definition of parameters of a custom kind', async () => {
    await testEnvironment.crd(crdOf(group, 'Limit', { spec: { type: 'object', properties: { most: { type: 'integer', default: 1 } } } }));
    const limit = { apiVersion: `${group}/v1`, kind: 'Limit', metadata: { name: 'limit', namespace }, spec: {} };
    await testEnvironment.cluster.apply('them', limit);
    const spec = { paramKind: { apiVersion: `${group}/v1`, kind: 'Limit' }, ...says('too many', 'object.data.size() <= params.spec.most') };
    await declare('custom', spec, { paramRef: { name: 'limit', parameterNotFoundAction: 'Deny' } });
    const { exitCode, stdout } = await offline(labeled('custom', { a: '1', b: '2' }));
    expect([exitCode, stdout]).toEqual([4, expect.stringContaining('-custom: too many')]);
  });

  test('reads the labels of the Namespace, and says so where they are not known', async () => {
    const space = ref('v1', 'Namespace', namespace);
    await testEnvironment.cluster.apply('them', { ...space, metadata: { name: namespace, labels: { team: 'red' } } } as never);
    const matchResources = { namespaceSelector: { matchLabels: { team: 'red' } } };
    await declare('team', says('not in red', 'false'), { matchResources });
    const { exitCode, stdout, project, file } = await offline(labeled('team', { a: '1' }));
    expect([exitCode, stdout]).toEqual([4, expect.stringContaining('-team: not in red')]);
    const snapshot = JSON.parse(file) as { objects: { kind: string; metadata: { uid?: string; labels?: object } }[] };
    for (const { kind, metadata } of snapshot.objects)
      if (kind === 'Namespace') for (const name of ['uid', 'labels'] as const) delete metadata[name];
    project.write({ 'fieldwise-snapshot.json': JSON.stringify(snapshot) });
    const unread = await project.run(['diff', '--offline']);
    expect([unread.exitCode, unread.stdout]).toEqual([
      0,
      expect.stringContaining(`-team is not evaluated: it reads Namespace ${namespace}`),
    ]);
    expect((await project.run(['diff', '--offline', '--strict'])).exitCode).toBe(4);
  });

  test('never has a value of a Secret: what reads one is not evaluated', async () => {
    const value = 'planted-s3cret-value';
    const secret = { ...ref('v1', 'Secret', 'keys', namespace), stringData: { key: value } };
    await testEnvironment.cluster.apply('them', secret as never);
    await testEnvironment.cluster.apply('them', revision('copied', { data: { key: `it is ${value}` } }) as never);
    const ofSecrets = { paramKind: { apiVersion: 'v1', kind: 'Secret' } };
    await declare('by-secret', { ...ofSecrets, ...says('m', 'false') }, { paramRef: { name: 'keys', parameterNotFoundAction: 'Allow' } });
    await declare('by-copy', { ...ofRevisions, ...says('m', 'false') }, { paramRef: { name: 'copied', parameterNotFoundAction: 'Allow' } });
    const matchConstraints = { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['secrets'] }] };
    await declare('of-value', { matchConstraints, ...says('m', 'string(object.data.key).size() > 20') });
    await declare('of-label', { matchConstraints, ...says('no label', 'has(object.metadata.labels)') });
    const keys = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { key: value } };
    const main = [own(keys), own(labeled('by-secret', { a: '1' })), own(labeled('by-copy', { a: '1' }))];
    const project = testEnvironment.program({ main });
    expect((await project.run(['snapshot'])).exitCode).toBe(0);
    const file = project.read('fieldwise-snapshot.json');
    for (const text of [value, Buffer.from(value).toString('base64')]) expect(file).not.toContain(text);
    const { stdout, exitCode } = await project.run(['diff', '--offline']);
    expect(exitCode).toBe(4);
    for (const text of [
      '-by-secret is not evaluated: it reads params keys',
      '-by-copy is not evaluated: it reads params copied',
      '-of-value is not evaluated: it reads values of Secret keys',
      '-of-label: no label',
    ])
      expect(stdout).toContain(text);
  });

  test('decides on no value that is masked because it repeats one of a declared Secret', async () => {
    const value = 'declared-s3cret-value';
    await declare('of-copy', { ...says('m', `object.data.a != '${value}'`) });
    const declared = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'declared' }, stringData: { key: value } };
    const project = testEnvironment.program({ main: [own(declared), own(labeled('of-copy', { a: value }))] });
    expect((await project.run(['snapshot'])).exitCode).toBe(0);
    const { stdout } = await project.run(['diff', '--offline', '-o', 'json']);
    expect(stdout).toContain('a value of ConfigMap of-copy that is masked');
    expect(stdout).not.toContain(value);
    expect((await project.run(['diff', '--offline', '--strict'])).exitCode).toBe(4);
  });

  test('says in one line that it may not read the policies, and fails under --strict; so does a snapshot of an older version', async () => {
    await declare('unread', says('m', 'false'));
    const token = await testEnvironment.account('without-policies', [
      { apiGroups: [''], resources: ['configmaps', 'namespaces', 'secrets'], verbs: ['get', 'list'] },
    ]);
    const project = testEnvironment.program({ main: [own(labeled('unread', { a: '1' }))] });
    const taken = await project.run(['snapshot'], { kubeconfig: token });
    const warning =
      'The snapshot has no admission policies of the cluster, because these credentials may not list validatingadmissionpolicies';
    expect([taken.exitCode, taken.stderr]).toEqual([0, expect.stringContaining(warning)]);
    const { exitCode, stderr, stdout } = await project.run(['diff', '--offline']);
    expect([exitCode, stderr.split(warning).length - 1, stdout]).toEqual([0, 1, expect.stringContaining('create    ConfigMap')]);
    const strict = await project.run(['diff', '--offline', '--strict']);
    expect([strict.exitCode, strict.stdout]).toEqual([
      4,
      expect.stringMatching(
        /`--strict` blocks this creation then: all policies of the cluster: the snapshot does not have them\. .*Nothing denies it.*\[admission-not-evaluated\]/,
      ),
    ]);
    const { policies: _, ...older } = JSON.parse(project.read('fieldwise-snapshot.json')) as JsonObject;
    project.write({ 'fieldwise-snapshot.json': JSON.stringify(older) });
    const old = await project.run(['diff', '--offline']);
    expect([old.exitCode, old.stderr]).toEqual([0, expect.stringContaining('because it is of an older version')]);
    expect((await project.run(['diff', '--offline', '--strict'])).exitCode).toBe(4);
  });

  test.each([
    ['no object', []],
    ['no list of parameters', { objects: [] }],
    ['an object without a name', { objects: [{ kind: 'ValidatingAdmissionPolicy' }], params: [] }],
    ['a parameter that is a text', { objects: [], params: ['x'] }],
  ])('refuses a file whose policies are %s', async (_, policies) => {
    const { project, file } = await offline(config('refused', { a: '1' }));
    project.write({ 'fieldwise-snapshot.json': JSON.stringify({ ...(JSON.parse(file) as JsonObject), policies }) });
    const { exitCode, stderr } = await project.run(['diff', '--offline']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[snapshot-invalid]')]);
  });

  test.each([
    ['that does not compile', { validations: [{ expression: 'object.' }] }, 4],
    ['whose validations are a number', { validations: 7 }, 0],
    ['whose validation is null', { validations: [null] }, 0],
    ['without constraints', { validations: [{ expression: 'false' }], matchConstraints: [] }, 4],
    ['whose kind of parameters is a text', { validations: [{ expression: 'false' }], paramKind: 'x' }, 0],
  ])('a policy %s ends no plan', async (_, spec, expected) => {
    const { project, file } = await offline(labeled('odd', { a: '1' }));
    const policy = policyOf('odd', 'odd', spec as JsonObject);
    const policies = { objects: [policy, bindingOf('odd', 'odd', namespace, { validationActions: ['Deny'] })], params: [] };
    project.write({ 'fieldwise-snapshot.json': JSON.stringify({ ...(JSON.parse(file) as JsonObject), policies }) });
    const { exitCode, stdout, stderr } = await project.run(['diff', '--offline']);
    expect([exitCode, stdout], stderr).toEqual([expected, expect.stringContaining('plan: 1 ')]);
  });
});

describe('diff with a server', () => {
  test('has the warnings of policies and other warnings of the server, in every format', async () => {
    await declare('warned', says('look at <this>', '!("a" in object.data)'), { validationActions: ['Warn', 'Audit'] });
    const object = labeled('warned', { a: '1' });
    const deprecated = testEnvironment.ref('batch/v1', 'CronJob', 'warned');
    const nodeSelector = { 'beta.kubernetes.io/arch': 'amd64' };
    const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never', nodeSelector } };
    const job = { ...deprecated, spec: { schedule: '@daily', jobTemplate: { spec: { template } } } };
    const project = testEnvironment.program({ main: [own(object), own(job)] });
    const files = ['json', 'sarif', 'markdown', 'junit'].flatMap((format) => ['--output-file', `${format}=plan.${format}`]);
    const plan = () => project.run(['diff', '--output-file', 'html=plan.html', ...files]);
    // A server takes up a policy after a moment.
    await expect.poll(async () => (await plan()).stdout, { timeout: 20_000, interval: 200 }).toContain('look at');
    const { exitCode, stdout } = await plan();
    const policy = nameOf('warned');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`warning of admission policy ${policy}: look at <this>.`);
    expect(stdout).toMatch(/warning of the server: .*deprecated since v1.14/);
    expect(project.read('plan.json')).toContain(
      JSON.stringify({ rule: policy, binding: policy, verdict: 'warn', message: 'look at <this>', source: 'policy' }),
    );
    expect(project.read('plan.json')).toContain('"warnings":["');
    expect(project.read('plan.sarif')).toMatch(/"ruleId":\s*"admission-warned"/);
    for (const format of ['sarif', 'markdown', 'junit', 'html']) {
      const text = project.read(`plan.${format}`);
      expect(text, format).toContain(policy);
      expect(text, format).toContain('look at');
    }
    for (const format of ['markdown', 'html']) expect(project.read(`plan.${format}`), format).toContain('deprecated since v1.14');
    const deployed = await project.run(['deploy', '--yes']);
    expect([deployed.exitCode, deployed.stdout]).toEqual([0, expect.stringContaining('look at <this>')]);
  });

  test('has a warning once that a directory of policies has, too', async () => {
    await declare('twice', says('once', '!("a" in object.data)'), { validationActions: ['Warn'] });
    const project = testEnvironment.program({ main: [own(labeled('twice', { a: '1' }))] });
    await expect.poll(async () => (await project.run(['diff'])).stdout, { timeout: 20_000, interval: 200 }).toContain('once');
    const name = nameOf('twice');
    const same = [
      policyOf(name, 'twice', says('once', '!("a" in object.data)')),
      bindingOf(name, name, namespace, { validationActions: ['Warn'] }),
    ];
    project.write({ 'policies/all.yaml': documents(...same) });
    const { stdout } = await project.run(['diff', '--admission', 'policies']);
    expect(stdout.split(': once.')).toHaveLength(2);
  });

  test('decides without dry runs, by the policies of the cluster', async () => {
    await declare('read-only', says('no a', '!("a" in object.data)'));
    const project = testEnvironment.program({ main: [own(labeled('read-only', { a: '1' }))] });
    const { exitCode, stdout } = await project.run(['diff', '--read-only']);
    expect([exitCode, stdout]).toEqual([4, expect.stringContaining('-read-only: no a. Declared by')]);
    const few = await testEnvironment.account('few-rights', [
      { apiGroups: [''], resources: ['configmaps', 'namespaces', 'secrets'], verbs: ['get', 'list'] },
    ]);
    const unread = await project.run(['diff', '--read-only'], { kubeconfig: few });
    const warning = 'The admission policies of the cluster are not evaluated, because these credentials may not list';
    expect([unread.exitCode, unread.stderr]).toEqual([0, expect.stringContaining(warning)]);
    const strict = await project.run(['diff', '--read-only', '--strict'], { kubeconfig: few });
    expect([strict.exitCode, strict.stdout]).toEqual([4, expect.stringContaining('these credentials may not list them')]);
  });
});
