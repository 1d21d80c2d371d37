import { expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { ref } from '../harness/cluster.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

/* Objects that are planned without a dry run: the policies of the cluster decide on the plan, and webhooks are named. */

const testEnvironment = await TestEnvironment.create('diff-unasked');
const { cluster, app } = testEnvironment;
const { config, edit } = configMapHelpers(testEnvironment);
const group = 'admissionregistration.k8s.io/v1';
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['configmaps', 'services'] };
const labels = { unasked: app };
const labeled = (name: string, data: object, namespace?: string) => ({
  ...config(name, data),
  metadata: { name, labels, ...(namespace === undefined ? {} : { namespace }) },
});

/** A policy over the labeled objects of this file. */
async function declarePolicy(expression: string): Promise<void> {
  const objectSelector = { matchLabels: labels };
  const policy = {
    ...ref(group, 'ValidatingAdmissionPolicy', app),
    spec: {
      matchConstraints: { resourceRules: [rule], objectSelector },
      validations: [{ expression, message: 'version 1.5 is recalled' }],
    },
  };
  const binding = { ...ref(group, 'ValidatingAdmissionPolicyBinding', app), spec: { policyName: app, validationActions: ['Deny'] } };
  for (const each of [policy, binding]) {
    testEnvironment.removeLater(each);
    await cluster.apply('test', each, { force: true });
  }
}

await declarePolicy(
  "request.operation == 'DELETE' ? oldObject.?data.keep.orValue('') != 'yes' : object.?data.version.orValue('') != '1.5'",
);
const denied = `${app}: version 1.5 is recalled`;

const warningsOf = (events: readonly ResponseBody[], code: string) =>
  events.filter((one) => one.event === 'warning' && one.code === code).map(({ message }) => message as string);
const actionsOf = (events: readonly ResponseBody[]) =>
  Object.fromEntries(events.filter(({ event }) => event === 'plan').map(({ name, action, source }) => [name, [action, source]]));

/** A program that makes its Namespace, with an object that the policy denies and one that it permits. */
function withNamespace(name: string): { readonly project: Project; readonly namespace: string } {
  const namespace = `${app}-${name}`;
  const project = testEnvironment.program({
    main: [
      own({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
      own(labeled('bad', { version: '1.5' }, namespace)),
      own(labeled('good', { version: '1.6' }, namespace)),
    ],
  });
  return { project, namespace };
}

test.each([
  { what: 'diff', flags: [] },
  { what: 'diff --strict', flags: ['--strict'] },
  { what: 'diff --read-only', flags: ['--read-only'] },
])('$what shows what a policy denies in a new Namespace', async ({ what, flags }) => {
  const { project } = withNamespace(what.replaceAll(/\W+/g, '-'));
  const { exitCode, events } = await project.run(['diff', '-o', 'json', ...flags]);
  expect([exitCode, Object.entries(actionsOf(events)).map(([name, actions]) => [name, (actions as readonly unknown[])[0]])]).toEqual([
    4,
    [
      [expect.stringContaining(app), 'create'],
      ['bad', 'blocked'],
      ['good', 'create'],
    ],
  ]);
  expect(events.find(({ name }) => name === 'bad')).toMatchObject({
    source: 'schema',
    error: { code: 'admission-denied', message: expect.stringContaining(denied) },
  });
  const markdown = await project.run(['diff', '-o', 'markdown', ...flags]);
  expect([markdown.exitCode, markdown.stdout]).toEqual([4, expect.stringContaining(denied)]);
  expect(markdown.stdout).not.toContain('blocked 0');
});

test('offline, the policies of the snapshot say the same', async () => {
  const { project } = withNamespace('offline');
  expect((await project.run(['snapshot'])).exitCode).toBe(0);
  const { exitCode, events } = await project.run(['diff', '-o', 'json', '--offline']);
  expect([exitCode, actionsOf(events).bad]).toEqual([4, ['blocked', 'schema']]);
});

test('a deletion and a share of a new object are shown to the policies, too', async () => {
  const gone = labeled('gone', { keep: 'yes' });
  const project = testEnvironment.program({ main: [own(config('kept')), own(gone)] });
  await deployed(project);
  edit(project, {
    main: [own(config('kept')), own(config('joined', { a: '1' }))],
    more: [share(labeled('joined', { version: '1.5' }))],
  });
  const { exitCode, events } = await project.run(['diff', '-o', 'json']);
  const planned = events.filter(({ event }) => event === 'plan').map(({ stack, name, action }) => [stack, name, action]);
  expect([exitCode, planned]).toEqual([
    4,
    [
      ['main', 'kept', 'unchanged'],
      ['main', 'joined', 'create'],
      ['main', 'gone', 'blocked'],
      ['more', 'joined', 'blocked'],
    ],
  ]);
  // The namespace is removed at the end of the file.
  await cluster.patch('test', testEnvironment.ref('v1', 'ConfigMap', 'gone'), { metadata: { labels: { unasked: null } } });
});

test('credentials that may not patch: with the right to list policies they decide, without it the plan says so', async () => {
  const project = testEnvironment.program({ main: [own(labeled('unpatched', { version: '1.4' }))] });
  await deployed(project);
  edit(project, { main: [own(labeled('unpatched', { version: '1.5' }))] });
  const rules = [{ apiGroups: [''], resources: ['configmaps', 'namespaces', 'secrets'], verbs: ['get', 'list'] }];
  const few = await testEnvironment.account('few', rules);
  const blind = await project.run(['diff', '-o', 'json'], { kubeconfig: few });
  expect([blind.exitCode, actionsOf(blind.events)]).toEqual([0, { unpatched: ['update', 'schema'] }]);
  expect(warningsOf(blind.events, 'policies-not-read')).toEqual([expect.stringContaining('may not list validatingadmissionpolicies')]);
  expect(warningsOf(blind.events, 'webhooks-not-asked')).toEqual([
    expect.stringMatching(/about ConfigMap \S+\/unpatched, and these credentials may not list/),
  ]);
  const strict = await project.run(['diff', '--strict'], { kubeconfig: few });
  expect([strict.exitCode, strict.stdout]).toEqual([4, expect.stringContaining('these credentials may not list them')]);

  const lists = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'];
  const role = {
    ...ref('rbac.authorization.k8s.io/v1', 'ClusterRole', app),
    rules: [{ apiGroups: ['admissionregistration.k8s.io'], resources: lists, verbs: ['list'] }],
  };
  const bound = {
    ...ref('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', app),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: app },
    subjects: [{ kind: 'ServiceAccount', name: 'few', namespace: testEnvironment.namespace }],
  };
  for (const each of [role, bound]) {
    testEnvironment.removeLater(each);
    await cluster.create('test', each);
  }
  const seeing = await project.run(['diff'], { kubeconfig: few });
  expect([seeing.exitCode, seeing.stdout]).toEqual([4, expect.stringContaining(denied)]);
});

test('webhooks that may see such objects are named, others are not', async () => {
  const webhook = (name: string, resources: readonly string[], operations: readonly string[]) => ({
    ...ref(group, 'ValidatingWebhookConfiguration', `${app}-${name}`),
    webhooks: [
      {
        name: `${name}.example.com`,
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations, resources }],
        objectSelector: { matchLabels: { ...labels, webhook: 'yes' } },
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: 'https://127.0.0.1:9/none' },
      },
    ],
  });
  for (const each of [
    webhook('sees', ['configmaps'], ['CREATE']),
    webhook('deletes', ['configmaps'], ['DELETE']),
    webhook('others', ['pods'], ['*']),
  ]) {
    testEnvironment.removeLater(each);
    await cluster.create('test', each);
  }
  const namespace = `${app}-webhooks`;
  const project = testEnvironment.program({
    main: [
      own({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
      own({ ...config('seen'), metadata: { name: 'seen', namespace, labels: { ...labels, webhook: 'yes' } } }),
      own({ ...config('unseen'), metadata: { name: 'unseen', namespace } }),
    ],
  });
  const { exitCode, events } = await project.run(['diff', '-o', 'json']);
  expect([exitCode, warningsOf(events, 'webhooks-not-asked')]).toEqual([
    0,
    [
      `ValidatingWebhookConfiguration ${app}-sees was not asked about ConfigMap ${namespace}/seen: without a dry run on the server, nobody knows what it would say`,
    ],
  ]);
});

test('admission is read once a run, and only where an object is planned without a dry run', async () => {
  const proxy = await testEnvironment.proxy();
  const reads: string[] = [];
  proxy.onRequest = ({ method, path }) => {
    const [, resource] = /^\/apis\/admissionregistration\.k8s\.io\/v1\/(\w+)$/.exec(path) ?? [];
    if (method === 'GET' && resource !== undefined) reads.push(resource);
    return undefined;
  };
  const plain = testEnvironment.program({ main: [own(config('plain'))] });
  expect((await plain.run(['diff'], { kubeconfig: proxy.kubeconfig })).exitCode).toBe(0);
  expect(reads).toEqual([]);
  const { project } = withNamespace('counted');
  for (const flags of [[], ['--read-only']]) {
    reads.length = 0;
    await project.run(['diff', ...flags], { kubeconfig: proxy.kubeconfig });
    expect(reads.sort(), String(flags)).toEqual([...new Set(reads)].sort());
    expect(reads).toEqual(
      expect.arrayContaining(['validatingadmissionpolicies', 'validatingadmissionpolicybindings', 'validatingwebhookconfigurations']),
    );
  }
});
