import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { EmbeddedApiServer, type EmbeddedApiServerOptions } from '../../../../src/apiserver/index.js';
import { poll } from '../../../harness/poll.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by tests that know their shape
type AnyObject = any;

const started: EmbeddedApiServer[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

class Client {
  constructor(readonly server: EmbeddedApiServer) {}

  async send(method: string, path: string, body?: object): Promise<AnyObject> {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    return (await this.server.handle({ method, path, headers, ...(body === undefined ? {} : { body }) })).body;
  }

  get = (path: string) => this.send('GET', path);

  async until(what: string, path: string, fits: (answer: AnyObject) => boolean): Promise<AnyObject> {
    return poll(what, async () => {
      const answer = await this.get(path);
      return fits(answer) ? answer : undefined;
    });
  }
}

async function start(options: EmbeddedApiServerOptions = {}): Promise<Client> {
  const server = await EmbeddedApiServer.start({
    port: false,
    controllers: 'simulated',
    ...(options.controllers === undefined ? { podReadySeconds: 0.02 } : {}),
    ...options,
  });
  started.push(server);
  return new Client(server);
}

const apps = '/apis/apps/v1/namespaces/default';
const core = '/api/v1/namespaces/default';
const template = (annotations: object = {}) => ({
  metadata: { labels: { app: 'web' }, annotations },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
});
const deployment = (replicas: number, annotations: object = {}) => ({
  metadata: { name: 'web' },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template(annotations) },
});
const names = ({ items }: AnyObject) => items.map(({ metadata }: AnyObject) => metadata.name);

const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

test('by default no workload runs', async () => {
  const client = await start({ controllers: true });
  await client.send('POST', `${apps}/deployments`, deployment(1));
  expect(names(await client.get(`${apps}/replicasets`))).toEqual([]);
  expect(names(await client.get('/api/v1/nodes'))).toEqual([]);
  expect(names(await client.get(`${core}/serviceaccounts`))).toEqual([]);
});

test('each namespace has a default ServiceAccount and the certificate of the server, which are restored', async () => {
  const client = await start({ port: 0 });
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
  const path = '/api/v1/namespaces/shop';
  const map = await client.until('the certificate', `${path}/configmaps/kube-root-ca.crt`, ({ data }) => data !== undefined);
  expect(map.data).toEqual({ 'ca.crt': client.server.ca });
  expect(map.metadata.managedFields).toMatchObject([{ manager: 'kube-controller-manager', operation: 'Update' }]);
  await client.until('the ServiceAccount', `${path}/serviceaccounts`, (list) => names(list).includes('default'));
  await client.send('PATCH', `${path}/configmaps/kube-root-ca.crt`, { data: { 'ca.crt': 'other' } });
  await client.send('DELETE', `${path}/serviceaccounts/default`);
  await client.until('the certificate again', `${path}/configmaps/kube-root-ca.crt`, ({ data }) => data['ca.crt'] === client.server.ca);
  await client.until('the ServiceAccount again', `${path}/serviceaccounts`, (list) => names(list).includes('default'));
  await client.send('DELETE', path);
  await client.until('the end of the namespace', path, ({ code }) => code === 404);
});

test('a StatefulSet and a DaemonSet of one name and template have a revision each', async () => {
  const client = await start();
  const body = { metadata: { name: 'web' }, spec: { serviceName: 'web', selector: { matchLabels: { app: 'web' } }, template: template() } };
  await client.send('POST', `${apps}/statefulsets`, body);
  await client.send('POST', `${apps}/daemonsets`, { ...body, spec: { ...body.spec, serviceName: undefined } });
  await client.until('the StatefulSet is available', `${apps}/statefulsets/web`, ({ status }) => status?.availableReplicas === 1);
  await client.until('the DaemonSet is available', `${apps}/daemonsets/web`, ({ status }) => status?.numberAvailable === 1);
  const { items } = await client.get(`${apps}/controllerrevisions`);
  expect(items.map(({ metadata }: AnyObject) => metadata.ownerReferences[0].kind).toSorted()).toEqual(['DaemonSet', 'StatefulSet']);
});

test('a claim is deleted when the last pod that uses it has ended', async () => {
  const client = await start();
  const claim = await client.send('POST', `${core}/persistentvolumeclaims`, { metadata: { name: 'data' }, spec: claimSpec });
  expect(claim.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const pod = { metadata: { name: 'user' }, spec: { ...template().spec, volumes } };
  await client.send('POST', `${core}/pods`, pod);
  await client.until('the pod runs', `${core}/pods/user`, ({ status }) => status.phase === 'Running');
  await client.send('DELETE', `${core}/persistentvolumeclaims/data`);
  expect((await client.get(`${core}/persistentvolumeclaims/data`)).metadata.deletionTimestamp).toBeDefined();
  await client.send('DELETE', `${core}/pods/user`);
  await client.until('the end of the claim', `${core}/persistentvolumeclaims/data`, ({ code }) => code === 404);
});

test('a deleted pod is replaced, and a deleted Deployment takes its pods along', async () => {
  const client = await start();
  await client.send('POST', `${apps}/deployments`, deployment(2));
  const isReady = ({ status }: AnyObject) => status.readyReplicas === 2;
  await client.until('it is ready', `${apps}/deployments/web`, isReady);
  const before = names(await client.get(`${core}/pods`));
  await client.send('DELETE', `${core}/pods/${before[0]}`);
  const after = await client.until('two pods run', `${core}/pods`, (list) => {
    return (
      list.items.length === 2 && !names(list).includes(before[0]) && list.items.every(({ status }: AnyObject) => status.phase === 'Running')
    );
  });
  expect(names(after)).toContain(before[1]);
  await client.send('DELETE', `${apps}/deployments/web`);
  await client.until('no pod is left', `${core}/pods`, ({ items }) => items.length === 0);
});

test('refused pods are a condition until the refusal is over', async () => {
  const client = await start();
  const refused = deployment(1);
  Object.assign(refused.spec.template.spec, { priorityClassName: 'urgent' });
  await client.send('POST', `${apps}/deployments`, refused);
  const failure = ({ status }: AnyObject) => status.conditions?.find(({ type }: AnyObject) => type === 'ReplicaFailure');
  const deployed = await client.until('the refusal', `${apps}/deployments/web`, (answer) => failure(answer) !== undefined);
  expect(failure(deployed)).toMatchObject({
    status: 'True',
    reason: 'FailedCreate',
    message: expect.stringContaining('no PriorityClass with name urgent was found'),
  });
  await client.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'urgent' }, value: 1 });
  await client.until(
    'it is ready',
    `${apps}/deployments/web`,
    (answer) => answer.status.readyReplicas === 1 && failure(answer) === undefined,
  );
});

test('a server that is started on the data of another one goes on', async () => {
  const data = mkdtempSync(join(tmpdir(), 'fieldwise-simulated-'));
  try {
    const first = await start({ data, podReadySeconds: 3_600 });
    await first.send('POST', `${apps}/deployments`, deployment(1));
    await first.until('the pod is pending', `${core}/pods`, ({ items }) => items[0]?.spec.nodeName === 'simulated-node');
    await started.pop()?.stop();
    const second = await start({ data });
    await second.until('it is ready', `${apps}/deployments/web`, ({ status }) => status.readyReplicas === 1);
    expect((await second.get(`${core}/pods`)).items).toHaveLength(1);
  } finally {
    for (const server of started.splice(0)) await server.stop();
    rmSync(data, { recursive: true });
  }
});

const how = (value: string) => ({ 'fieldwise.dev/simulate': value });
const podOf = (value: string, spec: object = {}) => ({
  metadata: { name: 'one', annotations: how(value) },
  spec: { ...template().spec, ...spec },
});
const restartsOf = ({ status }: AnyObject): number => status.containerStatuses?.[0]?.restartCount ?? 0;

test.each([['Always'], ['OnFailure']])(
  'a crash-loop continues from its status after a restart of the server: %s',
  async (restartPolicy) => {
    const data = mkdtempSync(join(tmpdir(), 'fieldwise-simulated-'));
    const containers = [...template().spec.containers, { name: 'beside', image: 'beside:1' }];
    const initContainers = [{ name: 'first', image: 'first:1' }];
    try {
      const first = await start({ data });
      await first.send('POST', `${core}/pods`, podOf('crash-loop', { restartPolicy, containers, initContainers }));
      await first.until('three restarts', `${core}/pods/one`, (pod) => restartsOf(pod) >= 3);
      await started.pop()?.stop();
      const second = await start({ data });
      const seen: AnyObject[] = [];
      await second.until('more restarts', `${core}/pods/one`, (pod) => {
        seen.push(pod);
        return restartsOf(pod) > restartsOf(seen[0]) + 1;
      });
      const counts = seen.map(restartsOf);
      expect(counts[0]).toBeGreaterThanOrEqual(3);
      expect(counts).toEqual(counts.toSorted((left, right) => left - right));
      for (const { status } of seen) {
        expect([status.phase, status.startTime]).toEqual(['Running', seen[0].status.startTime]);
        expect(status.containerStatuses[0].state.waiting?.reason ?? 'none').not.toBe('ContainerCreating');
        expect(status.containerStatuses[1]).toEqual(seen[0].status.containerStatuses[1]);
        expect(status.initContainerStatuses).toEqual(seen[0].status.initContainerStatuses);
      }
      await second.send('DELETE', `${core}/pods/one`);
      await second.until('the end of the pod', `${core}/pods/one`, ({ code }) => code === 404);
    } finally {
      for (const server of started.splice(0)) await server.stop();
      rmSync(data, { recursive: true });
    }
  },
);

test('a pod whose annotation is removed recovers at a restart of the server, and its restarts count on', async () => {
  const data = mkdtempSync(join(tmpdir(), 'fieldwise-simulated-'));
  try {
    const first = await start({ data });
    await first.send('POST', `${core}/pods`, podOf('crash-loop'));
    const before = await first.until('two restarts', `${core}/pods/one`, (pod) => restartsOf(pod) >= 2);
    await first.send('PATCH', `${core}/pods/one`, { metadata: { annotations: { 'fieldwise.dev/simulate': null } } });
    await started.pop()?.stop();
    const second = await start({ data });
    const after = await second.until('it runs', `${core}/pods/one`, ({ status }) => status.containerStatuses[0].ready);
    expect(restartsOf(after)).toBeGreaterThan(restartsOf(before));
  } finally {
    for (const server of started.splice(0)) await server.stop();
    rmSync(data, { recursive: true });
  }
});

test.each(['crash-loop', 'image-pull', 'never-ready'])('failures without a pause do not keep the server busy: %s', async (value) => {
  const client = await start({ podReadySeconds: 0 });
  const since = performance.now();
  await client.send('POST', `${core}/pods`, podOf(value));
  const countOf = ({ items }: AnyObject) => items.find(({ type }: AnyObject) => type === 'Warning')?.count ?? 0;
  await client.until('four failures', `${core}/events`, (list) => countOf(list) >= 4);
  // The pauses before the fourth one: 50, 100 and 200 ms.
  expect(performance.now() - since).toBeGreaterThan(340);
});

test('an unknown failure is named in a warning and in an event, and the pod runs', async () => {
  const client = await start();
  const text = '"crashloop" is not known, and the Pod runs without a failure: use crash-loop, image-pull, unschedulable or never-ready';
  const warningsOf = async (method: string, path: string, body: object) =>
    (await client.server.handle({ method, path, body, headers: { 'content-type': 'application/json' } })).warnings;
  expect(await warningsOf('POST', `${core}/pods`, podOf('crashloop'))).toEqual([`metadata.annotations[fieldwise.dev/simulate]: ${text}`]);
  expect(await warningsOf('POST', `${apps}/deployments`, deployment(0, how('crashloop')))).toEqual([
    `spec.template.metadata.annotations[fieldwise.dev/simulate]: ${text}`,
  ]);
  const misplaced = { ...deployment(0), metadata: { name: 'misplaced', annotations: how('crash-loop') } };
  expect(await warningsOf('POST', `${apps}/deployments`, misplaced)).toEqual([
    'metadata.annotations[fieldwise.dev/simulate]: has no effect here, because the simulation reads it from the Pod template',
  ]);
  expect(await warningsOf('POST', `${apps}/deployments`, { ...deployment(0, how('never-ready')), metadata: { name: 'known' } })).toEqual(
    [],
  );
  await client.until('the pod runs', `${core}/pods/one`, ({ status }) => status.phase === 'Running');
  const { items } = await client.get(`${core}/events`);
  const unknown = items.filter(({ reason }: AnyObject) => reason === 'UnknownSimulation');
  expect(unknown).toMatchObject([{ type: 'Warning', message: `annotation fieldwise.dev/simulate: ${text}`, count: 1 }]);
});

test('a long unknown failure is shortened, so that its event is stored', async () => {
  const client = await start();
  await client.send('POST', `${core}/pods`, podOf('x'.repeat(200_000)));
  const isUnknown = ({ reason }: AnyObject) => reason === 'UnknownSimulation';
  const { items } = await client.until('the event', `${core}/events`, (list) => list.items.some(isUnknown));
  expect(items.find(isUnknown).message).toContain(`"${'x'.repeat(100)}…" is not known`);
});

test('a request for the log of a simulated container is refused in words', async () => {
  const client = await start();
  await client.send('POST', `${core}/pods`, podOf('never-ready'));
  await client.until('it has a node', `${core}/pods/one`, ({ spec }) => spec.nodeName !== undefined);
  expect(await client.get(`${core}/pods/one/log`)).toMatchObject({
    code: 500,
    message: 'simulated containers have no logs and run no commands',
  });
});

test('a wrong option is refused', async () => {
  for (const wrong of [
    { podReadySeconds: 1 },
    { podReadySeconds: 1, controllers: true },
    { controllers: 'real' },
    { podReadySeconds: -1 },
    { podReadySeconds: '1' },
  ]) {
    await expect(EmbeddedApiServer.start(wrong as never)).rejects.toMatchObject({ code: 'option-invalid' });
  }
});

const conditionsOf = ({ status = {} }: AnyObject) =>
  Object.fromEntries(
    (status.conditions ?? []).map(({ type, status: is, reason }: AnyObject) => [type, reason === undefined ? is : `${is} ${reason}`]),
  );

test('a sidecar that has started initializes its pod, which becomes ready', async () => {
  const client = await start();
  const spec = {
    initContainers: [
      { name: 'first', image: 'first:1' },
      { name: 'side', image: 'side:1', restartPolicy: 'Always' },
    ],
    containers: [{ name: 'web', image: 'web:1' }],
  };
  await client.send('POST', `${apps}/deployments`, {
    ...deployment(1),
    spec: { ...deployment(1).spec, template: { ...template(), spec } },
  });
  await client.until('the Deployment is available', `${apps}/deployments/web`, ({ status }) => status?.availableReplicas === 1);
  const { items } = await client.get(`${core}/pods`);
  expect(conditionsOf(items[0])).toMatchObject({ Initialized: 'True', ContainersReady: 'True', Ready: 'True' });
  expect(items[0].status.initContainerStatuses.map(({ ready, started }: AnyObject) => [ready, started])).toEqual([
    [true, false],
    [true, true],
  ]);
});

test('a readiness gate keeps a pod from being ready until its condition is true, and the condition stays', async () => {
  const client = await start();
  const spec = { readinessGates: [{ conditionType: 'example.com/gate' }], containers: [{ name: 'web', image: 'web:1' }] };
  const pod = `${core}/pods/gated`;
  await client.send('POST', `${core}/pods`, { metadata: { name: 'gated' }, spec });
  const waiting = await client.until('its containers are ready', pod, (each) => conditionsOf(each).ContainersReady === 'True');
  expect(conditionsOf(waiting).Ready).toBe('False ReadinessGatesNotReady');
  const gate = (status: string) => ({ status: { conditions: [...waiting.status.conditions, { type: 'example.com/gate', status }] } });
  await client.send('PATCH', `${pod}/status`, gate('True'));
  const ready = await client.until('it is ready', pod, (each) => conditionsOf(each).Ready === 'True');
  expect(conditionsOf(ready)['example.com/gate']).toBe('True');
  await client.send('PATCH', `${pod}/status`, {
    status: {
      conditions: [
        ...ready.status.conditions.filter(({ type }: AnyObject) => type !== 'example.com/gate'),
        { type: 'example.com/gate', status: 'False' },
      ],
    },
  });
  await client.until('it is no longer ready', pod, (each) => conditionsOf(each).Ready === 'False ReadinessGatesNotReady');
});
