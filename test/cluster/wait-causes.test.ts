import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import type { InterceptionProxy } from '../harness/interception-proxy.js';
import { poll } from '../harness/poll.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('causes');
const { cluster, namespace } = testEnvironment;
const revision = 'deployment.kubernetes.io/revision';
const waited = { wait: { seconds: 90 } };
const labels = (name: string) => ({ app: name });

const container = { name: 'web', image: 'registry.example.com/web:typo', env: [] as object[] };
const deployment = (name: string, change: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels(name) },
    template: { metadata: { labels: labels(name) }, spec: { containers: [{ ...container, ...change }] } },
  },
});
const ref = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
const there = (name: string) => poll(`${name} exists`, () => cluster.find(ref(name)));

const controlledBy = ({ apiVersion, kind, metadata: { name, uid } }: ResponseBody) => ({
  ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
});

/** Writes a ReplicaSet of a Deployment and one pod of it, as the controllers would. */
async function rollOut(name: string, number: number, status: object, counts: object = {}): Promise<ResponseBody> {
  const { metadata, spec } = { ...(await there(name)) } as ResponseBody;
  const hash = `${name}-${number}`;
  const podLabels = { ...labels(name), 'pod-template-hash': hash };
  const template = { metadata: { labels: podLabels }, spec: spec.template.spec };
  const set = await cluster.create('controller', {
    ...testEnvironment.ref('apps/v1', 'ReplicaSet', hash),
    metadata: {
      name: hash,
      namespace,
      labels: podLabels,
      annotations: { [revision]: String(number) },
      ...controlledBy({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, uid: metadata.uid } }),
    },
    spec: { replicas: 1, selector: { matchLabels: podLabels }, template },
  } as never);
  const pod = testEnvironment.ref('v1', 'Pod', `${hash}-x`);
  const created = await cluster.create('controller', {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: podLabels,
      ...controlledBy({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: (set as ResponseBody).metadata }),
    },
    spec: template.spec,
  } as never);
  await cluster.patch('kubelet', pod, { status }, 'merge', 'status');
  const deploymentStatus = { observedGeneration: metadata.generation, replicas: 1, updatedReplicas: 1, ...counts };
  await cluster.patch('controller', ref(name), { status: deploymentStatus }, 'merge', 'status');
  return created as ResponseBody;
}

async function event(pod: ResponseBody, reason: string, message: string, count = 1): Promise<void> {
  const { name, uid } = pod.metadata;
  await cluster.create('kubelet', {
    ...testEnvironment.ref('v1', 'Event', `${name}.${reason.toLowerCase()}`),
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid, fieldPath: 'spec.containers{web}' },
    ...{ reason, message, count, type: 'Warning', source: { component: 'kubelet' } },
    ...{ firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:00:00Z' },
  } as never);
}

const scheduled = { type: 'PodScheduled', status: 'True' };
const containers = (status: object) => ({
  phase: 'Pending',
  conditions: [scheduled],
  containerStatuses: [{ name: 'web', ready: false, restartCount: 0, image: 'x', imageID: '', ...status }],
});
const waiting = (reason: string, message: string) => containers({ state: { waiting: { reason, message } } });
const crashing = (exitCode: number, restartCount: number) => ({
  ...containers({
    restartCount,
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' } },
    lastState: { terminated: { exitCode, reason: 'Error' } },
  }),
  phase: 'Running',
});

/** A way to the server without watches, which a proxy would hold back, and with a kubelet that has this log. */
async function proxied(log = ''): Promise<InterceptionProxy> {
  const proxy = await testEnvironment.proxy();
  proxy.onRequest = ({ path, query }) => {
    if (query.has('watch')) return { status: 403, body: { kind: 'Status', code: 403, message: 'no watch' } };
    if (!path.endsWith('/log')) return undefined;
    return { respond: (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(log) };
  };
  return proxy;
}

/** The requests that look for causes. */
const looks = (proxy: InterceptionProxy) =>
  proxy.requests.filter(({ path }) => /\/(pods|replicasets|controllerrevisions|events)(\/|$)/.test(path));

describe.concurrent('a Deployment', () => {
  test('whose image cannot be pulled ends its wait, with the line that set the image', async () => {
    const image = {
      ...deployment('web'),
      spec: { template: { spec: { containers: [{ name: 'web', image: 'registry.example.com/web:no' }] } } },
    };
    await cluster.apply('base', { ...ref('web'), spec: deployment('web').spec }, {});
    const project = testEnvironment.program(
      { base: [own(deployment('other'), { wait: false })], patch: [share(image, { ...waited, conflicts: 'force' } as never)] },
      {},
    );
    const running = project.deploy(['--yes']);
    await poll('the share has applied', async () => (await cluster.get(ref('web'))).spec.template.spec.containers[0].image.endsWith(':no'));
    const pod = await rollOut('web', 1, waiting('ImagePullBackOff', 'Back-off pulling image "registry.example.com/web:no"'));
    await event(pod, 'Failed', 'Failed to pull image "registry.example.com/web:no": not found', 2);
    const report = await running;
    expect(report.exitCode, String(report)).toBe(4);
    const { readiness } = report.only('web');
    expect(readiness).toMatchObject({
      state: 'failed',
      reason: 'ImagePullBackOff',
      cause: {
        cause: 'image-pull',
        certain: true,
        object: `Pod ${namespace}/web-1-x`,
        container: 'web',
        event: { reason: 'Failed', count: 2 },
        source: { field: '.spec.template.spec.containers[name="web"].image', stack: 'patch' },
      },
    });
    expect(readiness?.message).toMatch(/^container web cannot pull its image registry\.example\.com\/web:no: Back-off/);
    expect(readiness?.cause?.source?.declaredBy[0]?.source).toMatch(/^main\.ts:/);
  });

  test('that crashes ends its wait with exit code, restarts and the log without values of Secrets', async () => {
    const proxy = await proxied('starting\npassword is hunter22\n\u001b[31mpanic\n');
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'crash' }, stringData: { password: 'hunter22' } };
    const project = testEnvironment.program({ main: [own(secret), own(deployment('crash'), waited)] }, { kubeconfig: proxy.kubeconfig });
    const running = project.run(['deploy']);
    const old = await there('crash').then(() => rollOut('crash', 1, crashing(7, 3)));
    await event(old, 'BackOff', 'Back-off restarting failed container');
    const { exitCode, stdout } = await running;
    expect(exitCode, stdout).toBe(4);
    expect(stdout).toMatch(
      /Failed: container web ends with exit code 7, 3 restarts; 0 of 1 replica available\. {1,2}?\[CrashLoopBackOff\]/,
    );
    expect(stdout).toContain('declared .spec.template.spec.containers[name="web"].image by');
    expect(stdout).toContain('| password is ***');
    expect(stdout).toContain('| <U+001B>[31mpanic');
    expect(stdout).not.toContain('hunter22');
    expect(proxy.requests.filter(({ path }) => path.endsWith('/log')).map(({ query }) => query.get('previous'))).toEqual(['true']);

    const status = await project.run(['status']);
    expect([status.exitCode, status.stderr]).toEqual([0, '']);
    expect(status.stdout).toContain(`in-sync     Deployment ${namespace}/crash`);
    expect(status.stdout).toContain('  failed: container web ends with exit code 7, 3 restarts; 0 of 1 replica available\n');
    for (const line of stdout.split('\n').filter((one) => /^ +(set|event|log) /.test(one))) expect(status.stdout).toContain(line.trim());
    expect(status.stdout).toContain('| password is ***');
    const { events } = await project.run(['status', '-o', 'json']);
    expect(events.find(({ kind }) => kind === 'Deployment').readiness).toMatchObject({
      state: 'failed',
      cause: { cause: 'crash', certain: true, exitCode: 7 },
    });
    const stacks = (await project.run(['list', '-o', 'json'])).events;
    const problems = stacks.flatMap(({ health }) => health?.problems ?? []);
    expect(problems).toContainEqual(expect.objectContaining({ object: `Deployment ${namespace}/crash`, state: 'failed' }));
    expect((await project.run(['list'])).stdout).toContain(`  Deployment ${namespace}/crash: failed: container web ends with exit code 7`);
  });

  test('of which only an old revision crashes is waited for', async () => {
    const project = testEnvironment.program({ main: [own(deployment('renewed'), waited)] });
    await project.deploy(['--no-wait']);
    await rollOut('renewed', 1, crashing(1, 9));
    const proxy = await proxied();
    const running = project.deploy([], { kubeconfig: proxy.kubeconfig });
    await rollOut('renewed', 2, containers({ state: { waiting: { reason: 'ContainerCreating' } } }));
    await poll('the deploy has looked at pods', () => looks(proxy).some(({ path }) => path.endsWith('/pods')));
    const available = { type: 'Available', status: 'True', reason: 'Yes', message: 'yes' };
    const counts = { readyReplicas: 1, availableReplicas: 1, conditions: [available] };
    await cluster.patch('controller', ref('renewed'), { status: counts }, 'merge', 'status');
    const report = await running;
    expect(report.exitCode, String(report)).toBe(0);
    const [selector] = looks(proxy).flatMap(({ path, query }) => (path.endsWith('/pods') ? [query.get('labelSelector')] : []));
    expect(selector).toBe('app=renewed,pod-template-hash=renewed-2');
  });

  test('that becomes ready without a standstill costs no request more', async () => {
    const proxy = await proxied();
    const project = testEnvironment.program({ main: [own(deployment('healthy'), waited)] }, { kubeconfig: proxy.kubeconfig });
    const running = project.deploy();
    const available = { type: 'Available', status: 'True', reason: 'Yes', message: 'yes' };
    const ready = { ...containers({ ready: true, state: { running: {} } }), phase: 'Running' };
    await rollOut('healthy', 1, ready, { readyReplicas: 1, availableReplicas: 1, conditions: [available] });
    const report = await running;
    expect(report.exitCode, String(report)).toBe(0);
    expect(looks(proxy)).toEqual([]);
  });

  test('with failFast: false waits to the end, and the message leads with the cause', async () => {
    const project = testEnvironment.program({ main: [own(deployment('patient'), { wait: { seconds: 16, failFast: false } })] });
    const running = project.deploy();
    await rollOut('patient', 1, waiting('InvalidImageName', "couldn't parse image name"));
    const report = await running;
    expect(report.only('patient').readiness).toMatchObject({
      state: 'in-progress',
      timedOutAfterSeconds: 16,
      cause: { cause: 'image-pull', certain: true },
    });
    expect(report.only('patient').readiness?.message).toMatch(/^container web cannot pull its image .*; 0 of 1 replica/);
  });

  test('whose account may not read pods says so', async () => {
    const rules = [
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create', 'update', 'delete'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'delete'] },
    ];
    const kubeconfig = await testEnvironment.account('blind', rules);
    const running = testEnvironment.program({ main: [own(deployment('unseen'), { wait: { seconds: 13 } })] }, { kubeconfig }).deploy();
    await rollOut('unseen', 1, crashing(1, 5));
    const { readiness } = (await running).only('unseen');
    expect(readiness).toMatchObject({ state: 'in-progress', notLookedAt: [`replicasets in namespace ${namespace}: forbidden`] });
    expect(readiness?.cause).toBeUndefined();
  });
});

test('a custom resource without a controller says what it waits for', async () => {
  const group = `${namespace}.example.com`;
  const status = { type: 'object', properties: { observedGeneration: { type: 'integer' } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' }, status } } };
  await testEnvironment.crd({
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `routers.${group}` } },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind: 'Router', plural: 'routers' } },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  });
  const router = { apiVersion: `${group}/v1`, kind: 'Router', metadata: { name: 'a' } };
  const report = await testEnvironment.program({ main: [own(router, { wait: { seconds: 2 } })] }).deploy();
  expect(report.only('a').readiness?.message).toBe(
    `its controller has not reported on it yet: it waits for a controller of Router (${group}/v1) to write .status`,
  );
});
