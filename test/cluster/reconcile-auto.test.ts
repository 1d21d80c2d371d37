import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { ref } from '../harness/cluster.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { poll } from '../harness/poll.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { startReviewServer } from '../harness/review-server.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('auto');
const { cluster, app, namespace } = testEnvironment;
const proxy = await testEnvironment.proxy();
const isEmbedded = inject('server').from === 'embedded';

const group = `${app}.example.com`;
const admission = 'admissionregistration.k8s.io';
await testEnvironment.crd(crdOf(group, 'Booth', { spec: { type: 'object', properties: { size: { type: 'integer' } } } }));
await cluster.patch('test', ref('v1', 'Namespace', namespace), { metadata: { labels: { team: 'red' } } });

const names = Array.from({ length: 20 }, (_, index) => `b-${String(index).padStart(2, '0')}`);
const booth = (name: string, size = 1) => ({ ...ref(`${group}/v1`, 'Booth', name, namespace), spec: { size } });
const declared = (size?: (name: string) => number) => names.map((name) => own(booth(name, size?.(name))));

/** The objects that reviews were about, as `UPDATE name`. */
let reviews: string[] = [];
/** The change that the webhook asks for. */
let change: (request: { readonly name: string; readonly operation: string }) => object | undefined = () => undefined;
const reviewServer = await startReviewServer(({ request: { uid, operation, name } }) => {
  if (/^b-|^probe-/.test(name)) reviews.push(`${operation} ${name}`); // not inventories and locks
  const patch = change({ name, operation });
  if (patch === undefined) return { uid, allowed: true };
  return { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify([patch])).toString('base64') };
});
testEnvironment.onCleanup(() => reviewServer.stop());

let project: Project;
let configured: ResponseBody[] = [];

beforeAll(async () => {
  project = testEnvironment.program({ main: declared() });
  await deployed(project);
  expect((await deployed(project)).sent).toEqual([]);
});

afterEach(async () => {
  proxy.onRequest = () => undefined;
  proxy.onResponse = () => undefined;
  for (const object of configured) await cluster.remove(object);
  configured = [];
});

/** The names of the objects that a deploy sends a PATCH for. */
async function deployed(which: Project, args: readonly string[] = []) {
  proxy.requests.length = 0;
  reviews = [];
  const report = await which.deploy(args, { kubeconfig: proxy.kubeconfig });
  expect(report.exitCode, String(report)).toBe(0);
  const ofObjects = ({ method, path }: { method: string; path: string }) =>
    method === 'PATCH' && !/\/secrets\/fieldwise-history|\/leases\/|\.default\./.test(path);
  const sent = proxy.requests.filter(ofObjects).map(({ path }) => path.split('/').at(-1) as string);
  return { report, sent: [...new Set(sent)].sort() };
}

async function configure(...objects: readonly ResponseBody[]): Promise<void> {
  for (const object of objects) {
    configured.unshift(object);
    await cluster.create('test', object);
  }
}

const ourNamespace = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
const rule = { operations: ['*'], apiGroups: [group], apiVersions: ['*'], resources: ['booths'] };

const webhookOf = (name: string, change: object) => ({
  name: `${name}.example.com`,
  clientConfig: reviewServer.clientConfig,
  namespaceSelector: ourNamespace,
  rules: [rule],
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  ...change,
});

const configuration = (kind: string, name: string, webhook: object) => ({
  ...ref(`${admission}/v1`, kind, `${app}-${name}`),
  webhooks: [webhookOf(name, webhook)],
});

/** Configures a webhook, and waits until the server asks another one that is configured after it. */
async function configureWebhook(kind: string, webhook: object): Promise<void> {
  const probe = {
    rules: [{ ...rule, apiGroups: [''], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { probe: nextProbe() } },
  };
  await configure(configuration(kind, 'tested', webhook), configuration(kind, 'probe', probe));
  await poll('the server asks webhooks', async () => {
    reviews = [];
    await cluster.apply('test', probeObject());
    return reviews.length > 0;
  });
}

let probes = 0;

/** Returns another label for the object that shows when a configuration is in effect; that from before may still be. */
function nextProbe(): string {
  probes += 1;
  return `p-${probes}`;
}

const probeObject = () => {
  const object = ref('v1', 'ConfigMap', `probe-${probes}`, namespace);
  return { ...object, metadata: { ...object.metadata, labels: { probe: `p-${probes}` } } };
};

const unlessConfigured = { rules: [{ ...rule, resources: ['nothing'] }] };

async function labelTwo(): Promise<void> {
  for (const name of ['b-03', 'b-04']) await cluster.patch('them', booth(name), { metadata: { labels: { color: 'green' } } });
}

describe.each(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'])('%s', (kind) => {
  test.each<{ title: string; webhook: object; sent: readonly string[]; asked?: readonly string[] }>([
    { title: 'of the kind', webhook: {}, sent: names },
    { title: 'of everything', webhook: { rules: [{ ...rule, apiGroups: ['*'], resources: ['*'] }] }, sent: names },
    { title: 'of everything and its subresources', webhook: { rules: [{ ...rule, resources: ['*/*'] }] }, sent: names },
    { title: 'of any subresource', webhook: { rules: [{ ...rule, resources: ['booths/*'] }] }, sent: names },
    { title: 'of one subresource', webhook: { rules: [{ ...rule, resources: ['booths/status'] }] }, sent: [] },
    { title: 'of another resource', webhook: unlessConfigured, sent: [] },
    { title: 'of another group', webhook: { rules: [{ ...rule, apiGroups: ['other.example.com', 'apps', ''] }] }, sent: [] },
    { title: 'of the second of two rules', webhook: { rules: [...unlessConfigured.rules, rule] }, sent: names },
    { title: 'of updates', webhook: { rules: [{ ...rule, operations: ['UPDATE'] }] }, sent: names },
    { title: 'of creations and deletions', webhook: { rules: [{ ...rule, operations: ['CREATE', 'DELETE'] }] }, sent: [] },
    { title: 'of namespaced objects', webhook: { rules: [{ ...rule, scope: 'Namespaced' }] }, sent: names },
    { title: 'of objects outside of namespaces', webhook: { rules: [{ ...rule, scope: 'Cluster' }] }, sent: [] },
    // No version but v1 exists; the server compares others only if it converts between them.
    { title: 'of another version, or an equivalent one', webhook: { rules: [{ ...rule, apiVersions: ['v2'] }] }, sent: names, asked: [] },
    { title: 'of exactly another version', webhook: { rules: [{ ...rule, apiVersions: ['v2'] }], matchPolicy: 'Exact' }, sent: [] },
    { title: 'of exactly this version', webhook: { rules: [{ ...rule, apiVersions: ['v1'] }], matchPolicy: 'Exact' }, sent: names },
    { title: 'of namespaces with a label', webhook: { namespaceSelector: { matchLabels: { team: 'red' } } }, sent: names },
    { title: 'of namespaces with another label', webhook: { namespaceSelector: { matchLabels: { team: 'blue' } } }, sent: [] },
    {
      title: 'of all namespaces but ours',
      webhook: {
        namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [namespace] }] },
      },
      sent: [],
    },
    {
      title: 'of namespaces without a label',
      webhook: { namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] } },
      sent: [],
    },
    {
      title: 'of objects with a label, which two have',
      webhook: { objectSelector: { matchLabels: { color: 'green' } } },
      sent: ['b-03', 'b-04'],
    },
    {
      title: 'under a condition, which the deploy does not evaluate',
      webhook: { matchConditions: [{ name: 'never', expression: 'false' }] },
      sent: names,
      asked: [],
    },
  ])('$title', async ({ webhook, sent, asked = sent }) => {
    await labelTwo();
    await configureWebhook(kind, webhook);
    const { report, sent: found } = await deployed(project);
    expect(found).toEqual(sent);
    expect(report.summary.reconciled).toEqual({ mode: 'auto', sent: sent.length, provedUnchanged: names.length - sent.length });
    expect([...new Set(reviews)].sort()).toEqual(asked.map((name) => `UPDATE ${name}`));
    // What was left out would not have been seen either.
    await deployed(project, ['--reconcile', 'full']);
    expect([...new Set(reviews)].sort()).toEqual(asked.map((name) => `UPDATE ${name}`));
  });
});

/** A rule of a policy; `matchConditions` and expressions aside, policies match as webhooks do. */
const policyOf = (kind: string, name: string, constraints: object, content: object = {}) => ({
  ...ref(`${admission}/v1`, kind, `${app}-${name}`),
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: { namespaceSelector: ourNamespace, resourceRules: [policyRule], ...constraints },
    ...(kind === 'ValidatingAdmissionPolicy'
      ? { validations: [{ expression: 'false', message: `seen by ${name}` }] }
      : {
          reinvocationPolicy: 'Never',
          mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
        }),
    ...content,
  },
});

const bindingOf = (kind: string, name: string, matchResources?: object) => ({
  ...ref(`${admission}/v1`, `${kind}Binding`, `${app}-${name}`),
  spec: {
    policyName: `${app}-${name}`,
    ...(kind === 'ValidatingAdmissionPolicy' ? { validationActions: ['Warn'] } : {}),
    ...(matchResources ? { matchResources } : {}),
  },
});

const policyRule = { operations: ['CREATE', 'UPDATE'], apiGroups: [group], apiVersions: ['*'], resources: ['booths'] };
const elsewhere = { ...policyRule, resources: ['nothing'] };

interface PolicyRow {
  readonly title: string;
  readonly constraints?: object;
  readonly binding?: object | false;
  readonly content?: object;
  readonly sent: readonly string[];
  /** The objects that a validating policy warns of; default: those that are sent. */
  readonly warned?: readonly string[];
}

const policyRows: readonly PolicyRow[] = [
  { title: 'of the kind', sent: names },
  { title: 'without a binding', binding: false, sent: [] },
  { title: 'of another kind', constraints: { resourceRules: [elsewhere] }, sent: [] },
  { title: 'of the kind, whose binding is of another', binding: { resourceRules: [elsewhere] }, sent: [] },
  { title: 'of the kind, whose binding is of it, too', binding: { resourceRules: [policyRule] }, sent: names },
  {
    title: 'of two objects by name',
    constraints: { resourceRules: [{ ...policyRule, resourceNames: ['b-05', 'b-06'] }] },
    sent: ['b-05', 'b-06'],
  },
  {
    title: 'of two objects by name, whose binding names one of them',
    constraints: { resourceRules: [{ ...policyRule, resourceNames: ['b-05', 'b-06'] }] },
    binding: { resourceRules: [{ ...policyRule, resourceNames: ['b-06', 'b-07'] }] },
    sent: ['b-06'],
  },
  { title: 'that excludes the kind', constraints: { excludeResourceRules: [policyRule] }, sent: [] },
  { title: 'whose binding excludes the kind', binding: { excludeResourceRules: [policyRule] }, sent: [] },
  {
    title: 'that excludes an object by name, which is not evaluated',
    constraints: { excludeResourceRules: [{ ...policyRule, resourceNames: ['b-05'] }] },
    sent: names,
    warned: names.filter((name) => name !== 'b-05'),
  },
  { title: 'that excludes creations', constraints: { excludeResourceRules: [{ ...policyRule, operations: ['CREATE'] }] }, sent: names },
  { title: 'of namespaces with another label', constraints: { namespaceSelector: { matchLabels: { team: 'blue' } } }, sent: [] },
  { title: 'whose binding is of namespaces with a label', binding: { namespaceSelector: { matchLabels: { team: 'red' } } }, sent: names },
  {
    title: 'whose binding is of namespaces with another label',
    binding: { namespaceSelector: { matchLabels: { team: 'blue' } } },
    sent: [],
  },
  {
    title: 'whose binding is of objects with a label',
    binding: { objectSelector: { matchExpressions: [{ key: 'color', operator: 'Exists' }] } },
    sent: ['b-03', 'b-04'],
  },
  {
    title: 'under a condition, which the deploy does not evaluate',
    content: { matchConditions: [{ name: 'never', expression: 'false' }] },
    sent: names,
    warned: [],
  },
];

if (isEmbedded) console.log('MutatingAdmissionPolicies are tested only on the real server: the embedded one refuses them');
const mutating = isEmbedded ? [] : ['MutatingAdmissionPolicy'];

describe.each([...mutating, 'ValidatingAdmissionPolicy'])('%s', (kind) => {
  test.each(policyRows)('$title', async ({ constraints = {}, binding, content, sent, warned: expected = sent }) => {
    await labelTwo();
    const name = `tested-${nextProbe()}`;
    const warned = (report: Awaited<ReturnType<Project['deploy']>>) =>
      report.objects.filter(({ warnings }) => warnings.some((text) => text.includes(`seen by ${name}`))).map((object) => object.name);
    await configure(policyOf(kind, name, constraints, content));
    if (binding !== false) await configure(bindingOf(kind, name, binding));
    const evaluates = kind === 'ValidatingAdmissionPolicy';
    if (evaluates) await configureProbe(kind);
    const { report, sent: found } = await deployed(project);
    expect(found).toEqual(sent);
    if (evaluates) expect(warned(report).sort()).toEqual(expected);
    // What was left out would not have been seen either.
    const full = await deployed(project, ['--reconcile', 'full']);
    if (evaluates) expect(warned(full.report).sort()).toEqual(expected);
  });
});

/** Configures another policy, and waits until it is in effect: those from before are, too. */
async function configureProbe(kind: string): Promise<void> {
  const resourceRules = [{ ...policyRule, apiGroups: [''], resources: ['configmaps'] }];
  const objectSelector = { matchLabels: { probe: nextProbe() } };
  const binding = bindingOf(kind, `probe-${probes}`);
  await configure(policyOf(kind, `probe-${probes}`, { resourceRules, objectSelector }), {
    ...binding,
    spec: { ...binding.spec, validationActions: ['Deny'] },
  });
  await poll('the server evaluates policies', async () => {
    const denied = await cluster.apply('test', probeObject()).catch(String);
    return String(denied).includes(`seen by probe-${probes}`);
  });
}

describe('ResourceQuota', () => {
  const quota = (hard: object, where = namespace) => ({ ...ref('v1', 'ResourceQuota', 'tested', where), spec: { hard } });

  test.each<{ title: string; hard: object; sent: readonly string[] }>([
    { title: 'of the kind', hard: { [`count/booths.${group}`]: '1' }, sent: names },
    { title: 'of the kind among others', hard: { pods: '1', [`count/booths.${group}`]: '100' }, sent: names },
    { title: 'of a kind of the same name in another group', hard: { 'count/booths.other.example.com': '1' }, sent: [] },
    { title: 'of other objects', hard: { configmaps: '100', 'count/deployments.apps': '1' }, sent: [] },
    { title: 'of what pods need', hard: { cpu: '1', 'requests.memory': '1Gi' }, sent: [] },
  ])('$title', async ({ hard, sent }) => {
    await configure(quota(hard));
    // The server accepts all that is unchanged, also beyond the limit.
    expect((await deployed(project)).sent).toEqual(sent);
  });

  test('of the kind in another namespace', async () => {
    const other = `${namespace}-other`;
    await cluster.create('test', ref('v1', 'Namespace', other));
    testEnvironment.removeNamespaceLater(other);
    await configure(quota({ [`count/booths.${group}`]: '1' }, other));
    expect((await deployed(project)).sent).toEqual([]);
  });
});

describe('LimitRange', () => {
  const range = (limit: object) => ({ ...ref('v1', 'LimitRange', 'tested', namespace), spec: { limits: [limit] } });
  const claim = (name: string) => ({
    ...ref('v1', 'PersistentVolumeClaim', name, namespace),
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '5Gi' } } },
  });

  test('of volume claims, which a newer one may refuse', async () => {
    const claims = testEnvironment.program({ main: names.map((name) => own(claim(name))) });
    await deployed(claims, ['--no-wait']);
    expect((await deployed(claims, ['--no-wait'])).sent).toEqual([]);
    await configure(range({ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }));
    proxy.requests.length = 0;
    const { exitCode } = await claims.deploy(['--no-wait'], { kubeconfig: proxy.kubeconfig });
    expect(exitCode).toBe(isEmbedded ? 0 : 4); // the embedded server has no limits of volume claims
    const sent = proxy.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('/persistentvolumeclaims/'));
    expect(new Set(sent.map(({ path }) => path.split('/').at(-1)))).toEqual(new Set(names));
    expect((await deployed(project)).sent).toEqual([]);
  });
});

describe('a webhook that changes what is declared', () => {
  const emptyList = { kind: 'List', apiVersion: 'v1', metadata: {}, items: [] };

  test.each([
    { title: 'is undone once it is gone', isHidden: false },
    // As where it comes after the look at admission, or is deleted before it and still in effect.
    { title: 'and that the look at admission does not see, is undone, too', isHidden: true },
  ])('$title', async ({ isHidden }) => {
    change = ({ name, operation }) =>
      name === 'b-05' && operation === 'UPDATE' ? { op: 'replace', path: '/spec/size', value: 7 } : undefined;
    await configureWebhook('MutatingWebhookConfiguration', {});
    await deployed(project);
    if (isHidden)
      proxy.onRequest = ({ path }) => (path.endsWith('/mutatingwebhookconfigurations') ? { status: 200, body: emptyList } : undefined);
    for (let round = 0; round < 2; round++) await deployed(project);
    expect((await cluster.get(booth('b-05'))).spec).toEqual({ size: 7 });
    proxy.onRequest = () => undefined;
    for (const object of configured) await cluster.remove(object);
    configured = [];
    await poll('the server asks no webhook', async () => {
      reviews = [];
      await cluster.patch('test', booth('b-06'), { metadata: { annotations: { probe: String(Math.random()) } } });
      return reviews.length === 0;
    });
    await deployed(project);
    expect((await cluster.get(booth('b-05'))).spec).toEqual({ size: 1 });
    change = () => undefined;
  });
});

const sentInFull = (report: Awaited<ReturnType<Project['deploy']>>) => eventsOf(report.result.events, 'sent-in-full');
const status = (code: number, reason: string) => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: 'no' },
});

describe('what cannot be looked at counts as seeing everything', () => {
  const lists = [
    ['mutatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    ['validatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    ['mutatingadmissionpolicies', 'mutatingadmissionpolicies'],
    ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicybindings'],
    ['validatingadmissionpolicies', 'validatingadmissionpolicies'],
    ['validatingadmissionpolicybindings', 'validatingadmissionpolicybindings'],
    [`${namespace}/resourcequotas`, 'resourcequotas'],
  ] as const;

  test.each(lists)('%s: 403', async (path, plural) => {
    proxy.onRequest = (request) => (request.path.endsWith(path) ? status(403, 'Forbidden') : undefined);
    const { report, sent } = await deployed(project);
    expect(sent).toEqual(names);
    const seenBy = `${plural}, which these credentials may not list`;
    expect(sentInFull(report)).toEqual([
      { event: 'sent-in-full', seen: [{ apiVersion: `${group}/v1`, kind: 'Booth', seenBy, objects: 20 }] },
    ]);
  });

  test.each([
    { title: 'an error', answer: status(500, 'InternalError') },
    { title: 'a list of something else', answer: { status: 200, body: { kind: 'List', items: 'none' } } },
    { title: 'no list', answer: { status: 200, body: [] } },
    { title: 'no response for five seconds', answer: { respond: () => undefined } },
    { title: 'no JSON', answer: { respond: (response: { end: (text: string) => void }) => response.end('<html>') } },
  ])('$title', async ({ answer }) => {
    proxy.onRequest = ({ path }) => (path.endsWith('/validatingwebhookconfigurations') ? (answer as never) : undefined);
    const { report, sent } = await deployed(project);
    expect(sent).toEqual(names);
    expect(sentInFull(report)[0]?.seen[0]?.seenBy).toBe('validatingwebhookconfigurations, which could not be read');
  });

  test.each<{ title: string; change: (group: ResponseBody) => ResponseBody | undefined; seenBy: string }>([
    {
      title: 'a kind of admission that did not exist when this was written',
      change: (served) => ({
        ...served,
        versions: served.versions.map((version: ResponseBody) => ({
          ...version,
          resources: [
            ...version.resources,
            {
              resource: 'auditingpolicies',
              responseKind: { kind: 'AuditingPolicy' },
              scope: 'Cluster',
              verbs: ['list'],
              singularResource: '',
            },
          ],
        })),
      }),
      seenBy: 'AuditingPolicy, a kind that this version of Fieldwise does not know',
    },
    { title: 'a server without the group', change: () => undefined, seenBy: `the group ${admission}, which the server does not serve` },
    {
      title: 'a group that does not answer',
      change: (served) => ({ ...served, versions: served.versions.map((version: ResponseBody) => ({ ...version, freshness: 'Stale' })) }),
      seenBy: `the group ${admission}, which the server does not serve`,
    },
  ])('$title', async ({ change, seenBy }) => {
    proxy.onResponse = ({ path }, { body }) => {
      if (path !== '/apis' || body.kind !== 'APIGroupDiscoveryList') return undefined;
      const items = body.items.flatMap((item: ResponseBody) => (item.metadata.name === admission ? (change(item) ?? []) : [item]));
      return { body: { ...body, items } };
    };
    const { report, sent } = await deployed(project);
    expect(sent).toEqual(names);
    expect(sentInFull(report)[0]?.seen[0]?.seenBy).toBe(seenBy);
  });

  test('the labels of a namespace, if a selector asks for them', async () => {
    await configureWebhook('ValidatingWebhookConfiguration', { namespaceSelector: { matchLabels: { team: 'blue' } } });
    expect((await deployed(project)).sent).toEqual([]);
    proxy.onRequest = ({ method, path }) =>
      method === 'GET' && path === `/api/v1/namespaces/${namespace}` ? status(403, 'Forbidden') : undefined;
    expect((await deployed(project)).sent).toEqual(names);
  });
});

describe('the reads of a deploy that needs to send nothing', () => {
  const reads = () => proxy.requests.filter(({ method }) => method === 'GET').map(({ path }) => path);

  test('are two of what is served, seven of admission, and those of `changed`', async () => {
    await deployed(project, ['--reconcile', 'changed']);
    const before = reads();
    await deployed(project);
    const more = reads().filter((path) => !before.includes(path));
    expect(more.sort()).toEqual(
      [
        '/api',
        '/apis',
        `/api/v1/namespaces/${namespace}/resourcequotas`,
        ...['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings', 'mutatingwebhookconfigurations'].map(
          (plural) => `/apis/${admission}/v1/${plural}`,
        ),
        ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings', 'validatingwebhookconfigurations'].map(
          (plural) => `/apis/${admission}/v1/${plural}`,
        ),
      ].sort(),
    );
  });

  test.each([{ mode: 'changed' }, { mode: 'full' }])('are none of admission with $mode', async ({ mode }) => {
    await deployed(project, ['--reconcile', mode]);
    expect(reads().filter((path) => path.includes(admission) || path.endsWith('/resourcequotas'))).toEqual([]);
  });

  test('are none of admission for few objects, which are sent', async () => {
    const few = testEnvironment.program({ main: names.slice(0, 19).map((name) => own(booth(`few-${name}`))) });
    await deployed(few);
    expect((await deployed(few)).sent).toHaveLength(19);
    expect(reads().filter((path) => path.includes(admission))).toEqual([]);
  });

  test('are none of admission where all objects are new or edited', async () => {
    const fresh = testEnvironment.program({ main: names.map((name) => own(booth(`fresh-${name}`))) });
    await deployed(fresh);
    expect(reads().filter((path) => path.includes(admission))).toEqual([]);
    fresh.write({ 'main.ts': testEnvironment.text({ main: names.map((name) => own(booth(`fresh-${name}`, 2))) }) });
    expect((await deployed(fresh)).sent).toHaveLength(20);
    expect(reads().filter((path) => path.includes(admission))).toEqual([]);
  });
});

describe('what the same deploy declares', () => {
  const text = (...others: readonly object[]) => testEnvironment.text({ main: [...declared(), ...others.map((object) => own(object))] });

  test.each<{ title: string; object: object; sent: readonly string[] }>([
    { title: 'a webhook of the kind', object: configuration('ValidatingWebhookConfiguration', 'ours', {}), sent: names },
    { title: 'a webhook of another kind', object: configuration('ValidatingWebhookConfiguration', 'ours', unlessConfigured), sent: [] },
    {
      title: 'a quota of the kind',
      object: { ...ref('v1', 'ResourceQuota', 'ours', namespace), spec: { hard: { [`count/booths.${group}`]: '100' } } },
      sent: names,
    },
    { title: 'a policy without a binding', object: policyOf('ValidatingAdmissionPolicy', 'ours', {}), sent: [] },
  ])('counts as if it were in effect: $title', async ({ object, sent }) => {
    const with_ = project.read('main.ts');
    try {
      project.write({ 'main.ts': text(object) });
      const { sent: found } = await deployed(project);
      expect(found.filter((name) => name.startsWith('b-'))).toEqual(sent);
    } finally {
      project.write({ 'main.ts': with_ });
      await deployed(project, ['--yes']);
    }
  });

  test('the labels of its Namespace count as unknown in the run that changes them', async () => {
    const place = `${namespace}-labeled`;
    const objects = names.map((name) => own({ ...booth(name), metadata: { name, namespace: place } }));
    const of = (team: string) =>
      testEnvironment.text({ main: [own({ ...ref('v1', 'Namespace', place), metadata: { name: place, labels: { team } } }), ...objects] });
    const labeled = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': of('red') });
    testEnvironment.removeNamespaceLater(place);
    await deployed(labeled);
    await deployed(labeled);
    await configureWebhook('ValidatingWebhookConfiguration', { namespaceSelector: { matchLabels: { team: 'green' } } });
    expect((await deployed(labeled)).sent.filter((name) => name.startsWith('b-'))).toEqual([]);
    labeled.write({ 'main.ts': of('blue') });
    expect((await deployed(labeled)).sent.filter((name) => name.startsWith('b-'))).toEqual(names);
    expect((await deployed(labeled)).sent.filter((name) => name.startsWith('b-'))).toEqual([]);
  });
});
