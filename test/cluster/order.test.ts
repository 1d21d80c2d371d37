import { expect, test } from 'vitest';
import { ref as anyRef } from '../harness/cluster.js';
import { crdOf } from '../harness/crd.js';
import type { InterceptionProxy } from '../harness/interception-proxy.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('order');
const group = `${testEnvironment.namespace}.example.com`;

const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const config = (name: string, finalizers?: readonly string[]) => {
  const { metadata, ...rest } = ref(name);
  return { ...rest, metadata: { ...metadata, ...(finalizers ? { finalizers } : {}) }, data: { a: '1' } };
};
const thing = (name: string) => ({
  apiVersion: `${group}/v1`,
  kind: 'Thing',
  metadata: { name, namespace: testEnvironment.namespace },
  spec: {},
});
const crd = crdOf(group, 'Thing');

/** Names in the order of the requests about them, each once. */
const namesOf = (proxy: InterceptionProxy, method: string, names: readonly string[]) => {
  const seen = proxy.requests
    .filter((request) => request.method === method && !request.query.get('dryRun'))
    .map(({ path }) => path.split('/').at(-1) as string);
  return [...new Set(seen)].filter((name) => names.includes(name));
};

/** Declared in the order given; each after the one that `after` names. */
const chained = (names: readonly string[], after: Readonly<Record<string, string>>, held: readonly string[] = []) =>
  [
    "import { App, Stack } from 'fieldwise';",
    'const main = new Stack(new App(), "main");',
    'const all: Record<string, any> = {};',
    ...names.map(
      (name) => `all["${name}"] = main.own(${JSON.stringify(config(name, held.includes(name) ? ['example.com/hold'] : undefined))});`,
    ),
    ...Object.entries(after).map(([name, before]) => `all["${name}"].node.addDependency(all["${before}"]);`),
  ].join('\n');

const listed = async (project: Project) => {
  const { app } = JSON.parse(project.read('dist/manifest.json'));
  return (await project.run(['list', '-o', 'json'])).events.filter((stack) => stack.app === app);
};

// The names sort against the dependencies, and all are of one kind: nothing but what was declared gives the order.
const names = ['one', 'two', 'three'];

test.each(['destroy', 'prune'])('%s goes against the declared dependencies', async (how) => {
  const proxy = await testEnvironment.proxy();
  const [a, b, c] = names.map((name) => `${how}-${name}`) as [string, string, string];
  const text = chained([c, b, a, `${how}-kept`, `${how}-too`, `${how}-still`, `${how}-also`], { [b]: a, [c]: b });
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': text }, { kubeconfig: proxy.kubeconfig });
  const deployed = await project.deploy();
  expect(deployed.exitCode, String(deployed)).toBe(0);
  expect(namesOf(proxy, 'PATCH', [a, b, c])).toEqual([a, b, c]);
  if (how === 'prune') project.write({ 'main.ts': chained([`${how}-kept`, `${how}-too`, `${how}-still`, `${how}-also`], {}) });
  const report = how === 'prune' ? await project.deploy(['--yes']) : await project.destroy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(namesOf(proxy, 'DELETE', [a, b, c])).toEqual([c, b, a]);
});

test('an object that a finalizer holds holds back what it was declared to depend on; the next destroy finishes', async () => {
  const [base, held, free] = ['held-base', 'held-by-finalizer', 'held-on-top'];
  const text = chained([base, held, free], { [held]: base, [free]: held }, [held]);
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': text });
  await project.deploy();
  const report = await project.destroy(['--timeout', '1']);
  expect(report.exitCode, String(report)).toBe(4);
  expect(report.only(free).result).toBe('deleted');
  expect(report.only(held)).toMatchObject({ result: 'failed', error: { code: 'deletion-pending' } });
  expect(report.only(base)).toMatchObject({ result: 'skipped', reason: expect.stringContaining(held) });
  expect((await testEnvironment.cluster.get(ref(base))).metadata.deletionTimestamp).toBeUndefined();
  expect(await listed(project)).toMatchObject([{ owned: 2 }]);

  await testEnvironment.cluster.patch('controller', ref(held), { metadata: { finalizers: null } });
  const finished = await project.destroy();
  expect(finished.exitCode, String(finished)).toBe(0);
  expect([finished.only(held).result, finished.only(base).result]).toEqual(['absent', 'deleted']);
  expect(await listed(project)).toEqual([]);
});

test('what does not depend on an object that a finalizer holds goes on, and the report names who holds what', async () => {
  const hold = { finalizers: ['example.com/hold'] };
  const binding = {
    ...testEnvironment.ref('rbac.authorization.k8s.io/v1', 'RoleBinding', 'beside-binding'),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'beside-role' },
    subjects: [{ kind: 'ServiceAccount', name: 'beside' }],
  };
  const role = { ...testEnvironment.ref('rbac.authorization.k8s.io/v1', 'Role', 'beside-role'), rules: [] };
  const secret = (name: string) => ({ ...testEnvironment.ref('v1', 'Secret', name), stringData: { a: '1' } });
  const backend = { service: { name: 'beside-service', port: { number: 80 } } };
  const tls = [{ hosts: ['example.com'], secretName: 'beside-named' }];
  const ingress = testEnvironment.ref('networking.k8s.io/v1', 'Ingress', 'beside-held');
  const project = testEnvironment.program({
    main: [
      own({ ...ingress, metadata: { ...ingress.metadata, ...hold }, spec: { defaultBackend: backend, tls } }),
      own(secret('beside-named')),
      own(secret('beside-other')),
      own(config('beside')),
      own(role),
      own(binding),
    ],
    other: [own(config('beside-of-another-stack'))],
  });
  expect((await project.deploy()).exitCode).toBe(0);
  const report = await project.destroy(['--timeout', '1']);
  expect(report.exitCode, String(report)).toBe(4);
  expect(report.only('beside-held')).toMatchObject({ result: 'failed', error: { code: 'deletion-pending' } });
  expect(report.only('beside-held').error?.message).toContain('held by example.com/hold');
  expect(report.only('beside-named')).toMatchObject({
    result: 'skipped',
    reason: expect.stringMatching(/beside-held \(held by example.com\/hold\) still exists and may need it; run again when it is deleted/),
  });
  for (const name of ['beside-other', 'beside', 'beside-role', 'beside-binding', 'beside-of-another-stack'])
    expect([name, report.only(name).result]).toEqual([name, 'deleted']);
  await testEnvironment.cluster.patch('controller', ingress, { metadata: { finalizers: null } });
  const finished = await project.destroy();
  expect(finished.exitCode, String(finished)).toBe(0);
  expect(await listed(project)).toEqual([]);
});

test('a finalizer of Kubernetes itself holds back nothing but the place of its object', async () => {
  const claim = {
    ...testEnvironment.ref('v1', 'PersistentVolumeClaim', 'protected'),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const text = [
    "import { App, Stack } from 'fieldwise';",
    'const main = new Stack(new App(), "main");',
    `main.own(${JSON.stringify(claim)}, { wait: false });`,
    `main.own(${JSON.stringify(config('protected-settings'))});`,
    `main.own(${JSON.stringify({ ...testEnvironment.ref('scheduling.k8s.io/v1', 'PriorityClass', `${testEnvironment.namespace}-class`), value: 1, metadata: { name: `${testEnvironment.namespace}-class` } })});`,
  ].join('\n');
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': text });
  const deployed = await project.deploy();
  expect(deployed.exitCode, String(deployed)).toBe(0);
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'protected' } }];
  const pod = testEnvironment.ref('v1', 'Pod', 'user-of-claim');
  await testEnvironment.cluster.create('controller', {
    ...pod,
    spec: { nodeName: 'node', containers: [{ name: 'main', image: 'main' }], volumes },
  });
  const report = await project.destroy(['--timeout', '1']);
  expect(report.only('protected').error?.message, String(report)).toContain('held by kubernetes.io/pvc-protection');
  expect(report.only('PriorityClass').result).toBe('deleted');
  await testEnvironment.cluster.patch('controller', claim, { metadata: { finalizers: null } });
  expect((await project.destroy()).exitCode).toBe(0);
});

test('what does not depend on it does not wait for it', async () => {
  const proxy = await testEnvironment.proxy();
  const ingress = testEnvironment.ref('networking.k8s.io/v1', 'Ingress', 'slow-held');
  const backend = { service: { name: 'none', port: { number: 80 } } };
  const held = { ...ingress, metadata: { ...ingress.metadata, finalizers: ['example.com/hold'] }, spec: { defaultBackend: backend } };
  const project = testEnvironment.program({ main: [own(held), own(config('slow-free'))] }, { kubeconfig: proxy.kubeconfig });
  expect((await project.deploy()).exitCode).toBe(0);
  // The finalizer is removed when the other object is gone: a run that waits for the one first would never come to the other.
  proxy.onResponse = ({ method, path }) => {
    if (method === 'DELETE' && path.endsWith('/slow-free'))
      void testEnvironment.cluster.patch('controller', ingress, { metadata: { finalizers: null } });
  };
  const report = await project.destroy(['--timeout', '60']);
  expect(report.exitCode, String(report)).toBe(0);
  expect(namesOf(proxy, 'DELETE', ['slow-held', 'slow-free'])).toEqual(['slow-held', 'slow-free']);
  expect(report.objects.map(({ name, result }) => [name, result])).toEqual([
    ['slow-free', 'deleted'],
    ['slow-held', 'deleted'],
  ]);
});

test('a Namespace that does not go names what its conditions say of its content', async () => {
  const namespace = anyRef('v1', 'Namespace', `${testEnvironment.namespace}-stuck`);
  testEnvironment.removeNamespaceLater(namespace.metadata.name);
  const project = testEnvironment.program({ main: [own(namespace)] });
  expect((await project.deploy()).exitCode).toBe(0);
  const held = anyRef('v1', 'ConfigMap', 'held', namespace.metadata.name);
  await testEnvironment.cluster.apply('somebody', { ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } });
  const conditions = [
    {
      type: 'NamespaceFinalizersRemaining',
      status: 'True',
      reason: 'SomeFinalizersRemain',
      message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    },
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: configmaps. has 1 resource instances',
    },
  ];
  const running = project.destroy(['--timeout', '3', '--delete', 'foreign']);
  for (
    let live = await testEnvironment.cluster.get(namespace);
    !live.metadata.deletionTimestamp;
    live = await testEnvironment.cluster.get(namespace)
  );
  await testEnvironment.cluster.patch('controller', namespace, { status: { phase: 'Terminating', conditions } }, 'merge', 'status');
  const report = await running;
  const { message, next } = report.only().error!;
  expect(message).toBe(
    'The object is being deleted and still exists after 3 s: it is held by Some resources are remaining: configmaps. has 1 resource instances; Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
  );
  expect(next).toContain('controllers for the finalizers of this content');
  await testEnvironment.cluster.patch('controller', held, { metadata: { finalizers: null } });
});

test('a CustomResourceDefinition of another stack: applied and served first, kept while an instance is stuck, deleted last', async () => {
  testEnvironment.removeCrdLater(crd.metadata.name);
  const proxy = await testEnvironment.proxy();
  const held = { ...thing('stuck'), metadata: { ...thing('stuck').metadata, finalizers: ['example.com/hold'] } };
  const project = testEnvironment.program({ use: [own(held)], base: [own(crd)] }, { kubeconfig: proxy.kubeconfig });
  const deployed = await project.deploy();
  expect(deployed.exitCode, String(deployed)).toBe(0);
  expect(namesOf(proxy, 'PATCH', ['stuck', crd.metadata.name])).toEqual([crd.metadata.name, 'stuck']);
  const applied = proxy.requests.findIndex(({ method, path }) => method === 'PATCH' && path.endsWith('/stuck'));
  const looks = proxy.requests.slice(0, applied).filter(({ method, path }) => method === 'GET' && path.endsWith(crd.metadata.name));
  expect(looks.length).toBeGreaterThan(0); // until it is Established

  const report = await project.destroy(['--timeout', '1']);
  expect(report.exitCode, String(report)).toBe(4);
  expect(report.only('stuck')).toMatchObject({ result: 'failed', error: { code: 'deletion-pending' } });
  expect(report.only(crd.metadata.name)).toMatchObject({ result: 'skipped', reason: expect.stringContaining('stuck') });
  await testEnvironment.cluster.patch('controller', thing('stuck'), { metadata: { finalizers: null } });
  const finished = await project.destroy();
  expect(finished.exitCode, String(finished)).toBe(0);
  expect(finished.only(crd.metadata.name).result).toBe('deleted');
});

test('the namespace first, webhook configurations last', async () => {
  const proxy = await testEnvironment.proxy();
  const fresh = `${testEnvironment.namespace}-fresh`;
  const hook = `${testEnvironment.namespace}-hook`;
  testEnvironment.removeNamespaceLater(fresh);
  const webhook = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: hook },
    webhooks: [
      {
        name: `hook.${group}`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Ignore',
        clientConfig: { url: 'https://127.0.0.1:1/never' },
        rules: [{ apiGroups: [`other.${group}`], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] }],
      },
    ],
  };
  testEnvironment.removeLater({ apiVersion: webhook.apiVersion, kind: webhook.kind, metadata: { name: hook } });
  const inside = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'inside', namespace: fresh }, data: { a: '1' } };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: fresh } };
  const project = testEnvironment.program({ main: [own(webhook), own(inside), own(namespace)] }, { kubeconfig: proxy.kubeconfig });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(namesOf(proxy, 'PATCH', [hook, 'inside', fresh])).toEqual([fresh, 'inside', hook]);
});

test('an object whose share could not be released waits for it, or nobody would delete it in the end', async () => {
  const proxy = await testEnvironment.proxy();
  const namespace = anyRef('v1', 'Namespace', `${testEnvironment.namespace}-waits`);
  testEnvironment.removeNamespaceLater(namespace.metadata.name);
  const place = anyRef('v1', 'ConfigMap', 'waits', namespace.metadata.name);
  const project = testEnvironment.program({
    base: [own(namespace), own({ ...place, data: { base: '1' } })],
    extra: [share({ ...place, data: { extra: '1' } })],
  });
  expect((await project.deploy()).exitCode).toBe(0);
  proxy.onRequest = ({ method, query }) =>
    method === 'PATCH' && query.get('fieldManager') === project.manager('extra')
      ? { status: 403, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'not now', reason: 'Forbidden', code: 403 } }
      : undefined;
  const first = await project.destroy([], { kubeconfig: proxy.kubeconfig });
  expect(first.exitCode, String(first)).toBe(4);
  expect(first.objects.map(({ stack, kind, result }) => [stack, kind, result])).toEqual([
    ['extra', 'ConfigMap', 'failed'],
    ['base', 'ConfigMap', 'skipped'],
    ['base', 'Namespace', 'skipped'],
  ]);
  expect(first.objects[1]?.reason).toContain('stack extra has not released');
  expect((await testEnvironment.cluster.get(place)).data).toEqual({ base: '1', extra: '1' });

  const second = await project.destroy(['--timeout', '0']); // nobody empties a namespace on a lone server
  expect(second.objects.map(({ kind, result }) => [kind, result])).toEqual([
    ['ConfigMap', 'released'],
    ['ConfigMap', 'deleted'],
    ['Namespace', 'deleted'],
  ]);
  expect(await testEnvironment.cluster.find(place)).toBeUndefined();
});

test('a share is released before the object is deleted, whatever the order of stacks', async () => {
  const project = testEnvironment.program({ extra: [share({ ...ref('shared'), data: { extra: '1' } })], base: [own(config('shared'))] });
  await project.deploy();
  const report = await project.destroy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.objects.map(({ result }) => result)).toEqual(['released', 'deleted']);
});
