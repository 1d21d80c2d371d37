import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import type { ObjectRef } from '../harness/cluster.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { poll } from '../harness/poll.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('wait');
const group = `${testEnvironment.namespace}.example.com`;

const labels = (name: string) => ({ app: name });
const deployment = (name: string, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels(name) },
    template: { metadata: { labels: labels(name) }, spec: { containers: [{ name: 'main', image: 'registry.example.com/a:1' }] } },
    ...spec,
  },
});
const { config } = configMapHelpers(testEnvironment);
const deploymentRef = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
const waited = { wait: { seconds: 60 } };

const progressDeadline = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'it timed out' };

/** The status that a controller would write to `.status`. */
const setStatus = (object: ObjectRef, status: object) => testEnvironment.cluster.patch('controller', object, { status }, 'merge', 'status');

async function rolledOut(name: string): Promise<void> {
  const { metadata, spec } = await testEnvironment.cluster.get(deploymentRef(name));
  const { replicas } = spec;
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
  const conditions = [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'it has them' }];
  await setStatus(deploymentRef(name), { observedGeneration: metadata.generation, ...counts, conditions });
}

const there = (object: ObjectRef) => poll(`${object.metadata.name} is there`, () => testEnvironment.cluster.find(object));

/** A way to a server without watches, where a deploy reads every object that it waits for, again and again. */
async function reading() {
  const proxy = await testEnvironment.proxy();
  const reads: ResponseBody[] = [];
  proxy.onRequest = ({ query }) =>
    query.has('watch') ? { status: 403, body: { kind: 'Status', code: 403, message: 'no watch' } } : undefined;
  proxy.onResponse = ({ method, path }, { body }) => {
    if (method === 'GET' && path.endsWith(`/${body?.metadata?.name}`)) reads.push(body);
    return undefined;
  };
  const readsOf = (name: string, fits: (object: ResponseBody) => boolean) =>
    reads.filter((object) => object.metadata.name === name && fits(object)).length;
  return {
    kubeconfig: proxy.kubeconfig,
    /** Resolves when the deploy has read an object once more than it must: it did not end with what it had read. */
    waitsFor: (name: string, fits: (object: ResponseBody) => boolean = () => true) =>
      poll(`the deploy has read ${name} twice`, () => readsOf(name, fits) > 1),
    /** Resolves when the deploy reads an object, and another one no longer. */
    dropped: (name: string, other: string) =>
      poll(`the deploy reads ${other} and no longer ${name}`, () => [1, 2, 3].every((last) => reads.at(-last)?.metadata.name === other)),
  };
}

describe('a Deployment', () => {
  test('the deploy ends when it is rolled out, and not before', async () => {
    const { kubeconfig, waitsFor } = await reading();
    const project = testEnvironment.program({ main: [own(deployment('good'), waited)] }, { kubeconfig });
    let ended = false;
    const running = project.deploy().finally(() => {
      ended = true;
    });
    await there(deploymentRef('good'));
    await setStatus(deploymentRef('good'), { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 1 });
    await waitsFor('good', ({ status }) => status?.readyReplicas === 1);
    expect(ended).toBe(false);
    await rolledOut('good');
    const report = await running;
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({ result: 'created', readiness: { state: 'current', reason: 'Available' } });
    expect(report.summary.notReady).toBe(0);
    const told = eventsOf(report.result.events, 'readiness').map(({ readiness }) => readiness.message);
    expect(told).toContain('0 of 2 replicas available');
  });

  test('that does not get ready in time: exit code 4, with what is missing', async () => {
    const report = await testEnvironment.program({ main: [own(deployment('slow'), waited)] }).deploy(['--timeout', '2']);
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.only()).toMatchObject({
      result: 'created',
      readiness: { state: 'in-progress', timedOutAfterSeconds: 2, message: 'its controller has not reported on it yet' },
    });
    expect(report.summary).toMatchObject({ ok: false, notReady: 1 });
  });

  test('whose rollout is given up ends its own wait with the reason, and no other', async () => {
    const project = testEnvironment.program({ main: [own(deployment('stuck'), waited), own(deployment('beside'), waited)] });
    const running = project.deploy();
    await Promise.all([there(deploymentRef('stuck')), there(deploymentRef('beside'))]);
    await setStatus(deploymentRef('stuck'), { observedGeneration: 1, conditions: [progressDeadline] });
    await rolledOut('beside');
    const report = await running;
    expect(report.exitCode).toBe(4);
    expect(report.only('stuck').readiness).toEqual({ state: 'failed', reason: 'ProgressDeadlineExceeded', message: 'it timed out' });
    expect(report.only('beside').readiness).toMatchObject({ state: 'current', reason: 'Available' });
  });

  describe('of which a rollout failed before', () => {
    const failedRollout = async (name: string) => {
      const { metadata } = await testEnvironment.cluster.get(deploymentRef(name));
      const conditions = [
        { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: 'it has not' },
        { ...progressDeadline, lastUpdateTime: '2026-01-01T00:00:00Z', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ];
      await setStatus(deploymentRef(name), { observedGeneration: metadata.generation, replicas: 1, updatedReplicas: 1, conditions });
    };
    /** Tells when the deploy has looked at the object: then it would watch what becomes of it. */
    const watching = async () => {
      const proxy = await testEnvironment.proxy();
      let watches = 0;
      proxy.onRequest = ({ path, query }) => {
        if (!path.endsWith('/deployments') || !query.has('watch')) return undefined;
        watches += 1;
        return { status: 403, body: { kind: 'Status', code: 403, message: 'no watch' } };
      };
      return { kubeconfig: proxy.kubeconfig, begun: () => poll('the deploy would watch', () => watches > 0) };
    };

    test('for want of something that this deploy brings: it succeeds', async () => {
      const { kubeconfig, begun } = await watching();
      const project = testEnvironment.program({ main: [own(deployment('wanting'), waited)] }, { kubeconfig });
      await project.deploy(['--no-wait']);
      await failedRollout('wanting');
      project.write({ 'main.ts': testEnvironment.text({ main: [own(config('wanted')), own(deployment('wanting'), waited)] }) });
      const running = project.deploy();
      await begun();
      await rolledOut('wanting');
      const report = await running;
      expect(report.exitCode, String(report)).toBe(0);
      expect(report.only('wanting')).toMatchObject({ readiness: { state: 'current', reason: 'Available' } });
      const told = eventsOf(report.result.events, 'readiness').map(({ readiness }) => readiness.message);
      expect(told).toContain('it timed out (reported before this apply; it counts if it is still reported 600 s after)');
    });

    test('scaled to 0: the old condition says nothing of it', async () => {
      const { kubeconfig, begun } = await watching();
      const project = testEnvironment.program({ main: [own(deployment('gone-down'), waited)] }, { kubeconfig });
      await project.deploy(['--no-wait']);
      await failedRollout('gone-down');
      project.write({ 'main.ts': testEnvironment.text({ main: [own(deployment('gone-down', { replicas: 0 }), waited)] }) });
      const running = project.deploy();
      await begun();
      const { metadata, status } = await testEnvironment.cluster.get(deploymentRef('gone-down'));
      await setStatus(deploymentRef('gone-down'), { ...status, observedGeneration: metadata.generation });
      const conditions = [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'it has' }, progressDeadline];
      await setStatus(deploymentRef('gone-down'), { replicas: 0, updatedReplicas: 0, conditions });
      const report = await running;
      expect(report.exitCode, String(report)).toBe(0);
      expect(report.only().readiness).toMatchObject({ state: 'current', message: '0 replicas available' });
    });

    test('and nothing has changed when its deadline is over: it has failed, and the wait for others continues', async () => {
      const { kubeconfig, dropped } = await reading();
      const still = own(deployment('still', { progressDeadlineSeconds: 2, minReadySeconds: 1 }), waited);
      const project = testEnvironment.program({ main: [still] }, { kubeconfig });
      await project.deploy(['--no-wait']);
      await failedRollout('still');
      project.write({ 'main.ts': testEnvironment.text({ main: [still, own(deployment('later'), waited)] }) });
      const running = project.deploy();
      await dropped('still', 'later');
      await rolledOut('later');
      const report = await running;
      expect(report.exitCode).toBe(4);
      expect(report.only('still').readiness).toEqual({ state: 'failed', reason: 'ProgressDeadlineExceeded', message: 'it timed out' });
      expect(report.only('later').readiness).toMatchObject({ state: 'current' });
    });

    test('that failed once more after the apply has failed', async () => {
      const { kubeconfig, begun } = await watching();
      const project = testEnvironment.program({ main: [own(deployment('worse'), waited)] }, { kubeconfig });
      await project.deploy(['--no-wait']);
      await failedRollout('worse');
      const running = project.deploy();
      await begun();
      const again = { ...progressDeadline, message: 'it timed out again', lastUpdateTime: '2026-01-01T01:00:00Z' };
      await setStatus(deploymentRef('worse'), { conditions: [again] });
      const report = await running;
      expect(report.exitCode).toBe(4);
      expect(report.only().readiness).toEqual({ state: 'failed', reason: 'ProgressDeadlineExceeded', message: 'it timed out again' });
    });
  });

  test.each([
    {
      what: 'whose replicas are refused',
      name: 'refused',
      spec: {},
      conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota: few' }],
      reason: 'FailedCreate',
      message: 'a quota refuses new pods: exceeded quota: few; 0 of 2 replicas updated',
    },
    {
      what: 'that is paused',
      name: 'paused',
      spec: { paused: true },
      conditions: [],
      reason: 'Paused',
      message: '0 of 2 replicas updated; its rollout is paused (.spec.paused)',
    },
  ])('$what says so, in the report and in the status', async ({ name, spec, conditions, reason, message }) => {
    const project = testEnvironment.program({ main: [own(deployment(name, spec), waited)] });
    await project.deploy(['--no-wait']);
    await setStatus(deploymentRef(name), { observedGeneration: 1, conditions });
    const report = await project.deploy(['--timeout', '1']);
    expect(report.exitCode).toBe(4);
    expect(report.only().readiness).toMatchObject({ state: 'in-progress', reason, message, timedOutAfterSeconds: 1 });
    expect((await project.run(['status'])).stdout).toContain(`in-progress: ${message}`);
  });

  test('that is paused after its rollout is ready, and the report says that it is paused', async () => {
    const project = testEnvironment.program({ main: [own(deployment('resting', { paused: true }), waited)] });
    await project.deploy(['--no-wait']);
    await rolledOut('resting');
    const { exitCode, stdout } = await project.run(['deploy']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('ready: 2 replicas available; its rollout is paused (.spec.paused)');
  });

  test('that was not ready last time is waited for again, although nothing of it changes', async () => {
    const project = testEnvironment.program({ main: [own(deployment('again'), waited)] });
    expect((await project.deploy(['--timeout', '1'])).exitCode).toBe(4);
    const second = await project.deploy(['--timeout', '1']);
    expect(second.only().result).toBe('unchanged');
    expect(second.exitCode).toBe(4);
    await rolledOut('again');
    const third = await project.deploy();
    expect(third.exitCode, String(third)).toBe(0);
    expect(third.only().readiness?.state).toBe('current');
  });

  test('deleted by somebody meanwhile is not a success', async () => {
    const project = testEnvironment.program({ main: [own(deployment('deleted'), waited)] });
    const running = project.deploy();
    await there(deploymentRef('deleted'));
    await testEnvironment.cluster.remove(deploymentRef('deleted'));
    const report = await running;
    expect(report.exitCode).toBe(4);
    expect(report.only().readiness).toMatchObject({ state: 'failed', reason: 'Deleted' });
  });
});

describe('what is not waited for', () => {
  test.each([
    { what: '--no-wait', policy: waited, args: ['--no-wait'] },
    { what: 'wait: false', policy: { wait: false }, args: [] },
  ])('$what', async ({ what, policy, args }) => {
    const report = await testEnvironment.program({ main: [own(deployment(`quick-${what.replaceAll(/\W/g, '')}`), policy)] }).deploy(args);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().readiness).toBeUndefined();
  });

  test('--wait waits whatever the policies say', async () => {
    const report = await testEnvironment
      .program({ main: [own(deployment('asked'), { wait: false })] })
      .deploy(['--wait', '--timeout', '1']);
    expect(report.exitCode).toBe(4);
    expect(report.only().readiness?.timedOutAfterSeconds).toBe(1);
  });

  test('kinds that are ready when they are there cost no request', async () => {
    const proxy = await testEnvironment.proxy();
    const project = testEnvironment.program({ main: [own(config('plain'), waited)] }, { kubeconfig: proxy.kubeconfig });
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(proxy.requestsFor('plain').map(({ method }) => method)).toEqual(['GET', 'PATCH']); // looked for because it is new
  });
});

describe('a share', () => {
  test('is waited for when it changed what the controller has to do, and not when it did not', async () => {
    await testEnvironment.cluster.apply('owner', { ...deploymentRef('shared'), spec: deployment('shared').spec });
    const changing = testEnvironment.program({ main: [share(deployment('shared', { paused: undefined, replicas: 3 } as object), waited)] });
    const report = await changing.deploy(['--timeout', '1', '--yes']);
    expect(report.only().readiness?.timedOutAfterSeconds, String(report)).toBe(1);

    const label = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'shared', labels: { team: 'a' } } };
    const labelling = await testEnvironment.program({ main: [share(label, waited)] }).deploy(['--timeout', '1']);
    expect(labelling.exitCode, String(labelling)).toBe(0);
    expect(labelling.only().readiness).toBeUndefined();
  });

  test('with waitFor is always waited for', async () => {
    await testEnvironment.cluster.apply('owner', { ...testEnvironment.ref('v1', 'ConfigMap', 'signal'), data: { phase: 'starting' } });
    const joining = { ...config('signal'), data: { ours: 'here' } };
    const policy = { ...waited, waitFor: { field: '.data.phase', equals: 'done' } };
    const running = testEnvironment.program({ main: [share(joining, policy)] }).deploy();
    const signal = testEnvironment.ref('v1', 'ConfigMap', 'signal');
    await poll('the share has applied', async () => (await testEnvironment.cluster.get(signal)).data.ours !== undefined);
    await testEnvironment.cluster.apply('owner', { ...testEnvironment.ref('v1', 'ConfigMap', 'signal'), data: { phase: 'done' } });
    const report = await running;
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().readiness).toMatchObject({ state: 'current', reason: 'FieldEquals' });
  });
});

describe('dependencies', () => {
  const program = (second: string) => `
import { App, Stack } from 'fieldwise';
const app = new App();
const main = new Stack(app, 'main');
const first = main.own(${JSON.stringify(deployment('first'))}, { wait: { seconds: 60 } });
main.own(${JSON.stringify(deployment(second))}, { wait: false }).node.addDependency(first);
main.own(${JSON.stringify(deployment(`${second}-beside`))}, { wait: false });
`;
  const project = () => testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': program('second') });

  test('that are declared wait until what they need is ready; others go ahead', async () => {
    const { kubeconfig, waitsFor } = await reading();
    const running = project().deploy([], { kubeconfig });
    await there(deploymentRef('second-beside'));
    await waitsFor('first');
    expect(await testEnvironment.cluster.find(deploymentRef('second'))).toBeUndefined();
    await rolledOut('first');
    const report = await running;
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only('second').result).toBe('created');
  });

  test('are skipped where what they need does not get ready', async () => {
    const text = program('third').replaceAll('"first"', '"never"');
    const report = await testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': text }).deploy(['--timeout', '1']);
    expect(report.exitCode).toBe(4);
    expect(report.only('third')).toMatchObject({
      result: 'skipped',
      reason: expect.stringMatching(/Deployment \S+never, which is not ready/),
    });
    expect(report.only('third-beside').result).toBe('created');
  });
});

describe('custom resources', () => {
  const crd = (kind: string, status: object) =>
    crdOf(group, kind, { spec: { type: 'object', properties: { size: { type: 'integer' } } }, status });
  const anyConditions = { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const object = (kind: string) => ({ apiVersion: `${group}/v1`, kind, metadata: { name: 'one' }, spec: { size: 1 } });

  test('whose schema has conditions: a fresh one is not ready before its controller has spoken', async () => {
    await testEnvironment.crd(crd('Speaker', { type: 'object', properties: { conditions: anyConditions } }));
    const where = testEnvironment.ref(`${group}/v1`, 'Speaker', 'one');
    const { kubeconfig, waitsFor } = await reading();
    let ended = false;
    const running = testEnvironment
      .program({ main: [own(object('Speaker'), waited)] }, { kubeconfig })
      .deploy()
      .finally(() => {
        ended = true;
      });
    await waitsFor('one');
    expect(ended).toBe(false);
    await setStatus(where, { conditions: [{ type: 'Ready', status: 'True', reason: 'Said' }] });
    const report = await running;
    expect(report.only().readiness).toMatchObject({ state: 'current', reason: 'Said' });
  });

  test('whose schema is published only after they are served: it is asked for again', async () => {
    await testEnvironment.crd(crd('Late', { type: 'object', properties: { conditions: anyConditions } }));
    const where = testEnvironment.ref(`${group}/v1`, 'Late', 'one');
    const proxy = await testEnvironment.proxy();
    let asked = 0;
    proxy.onRequest = ({ method, path, query }) => {
      const refused = query.has('watch') || (method === 'GET' && path.includes('/customresourcedefinitions/'));
      if (refused) return { status: 403, body: { kind: 'Status', code: 403 } };
      if (!path.startsWith('/openapi/v3/')) return undefined;
      asked += 1;
      if (asked === 1) return { status: 404, body: { kind: 'Status', code: 404 } };
      return asked === 2 ? { status: 200, body: { components: { schemas: {} } } } : undefined;
    };
    const running = testEnvironment.program({ main: [own(object('Late'), waited)] }, { kubeconfig: proxy.kubeconfig }).deploy();
    await poll('the schema is asked for again', () => asked > 2);
    await setStatus(where, { conditions: [{ type: 'Ready', status: 'True', reason: 'Said' }] });
    const report = await running;
    expect(report.only().readiness).toMatchObject({ state: 'current', reason: 'Said' });
  });

  test('whose schema has none are ready when they are there', async () => {
    await testEnvironment.crd(crd('Mute', { type: 'object', properties: { phase: { type: 'string' } } }));
    const report = await testEnvironment.program({ main: [own(object('Mute'), waited)] }).deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().readiness?.state).toBe('current');
  });
});

describe('the way to the server', () => {
  test('watches are refused: each object is read instead', async () => {
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = ({ path, query }) =>
      path.endsWith('/deployments') && query.has('watch')
        ? { status: 403, body: { kind: 'Status', code: 403, message: 'no watch' } }
        : undefined;
    const running = testEnvironment.program({ main: [own(deployment('polled'), waited)] }, { kubeconfig: proxy.kubeconfig }).deploy();
    await there(deploymentRef('polled'));
    await poll('the deploy reads the object', () => proxy.requestsFor('polled').some(({ method }) => method === 'GET'));
    await rolledOut('polled');
    const report = await running;
    expect(report.exitCode, String(report)).toBe(0);
  });

  test.each([
    { what: 'dropped', answer: 'drop' as const },
    { what: '410 Gone', answer: { status: 410, body: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } } },
  ])('a watch is $what: it lists again and goes on', async ({ what, answer }) => {
    const name = `lost-${what.replaceAll(/\W/g, '').toLowerCase()}`;
    const proxy = await testEnvironment.proxy();
    let watches = 0;
    proxy.onRequest = ({ path, query }) => {
      if (!path.endsWith('/deployments') || !query.has('watch')) return undefined;
      watches += 1;
      return answer;
    };
    const running = testEnvironment.program({ main: [own(deployment(name), waited)] }, { kubeconfig: proxy.kubeconfig }).deploy();
    await poll('the deploy watches again', () => watches > 1);
    await rolledOut(name);
    const report = await running;
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().readiness?.state).toBe('current');
  });

  test('objects that may not be read cannot be said to be ready', async () => {
    const rules = [
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['patch', 'create'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create', 'update', 'delete', 'patch'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'delete'] },
    ];
    const kubeconfig = await testEnvironment.account('writer', rules);
    const project = testEnvironment.program({ main: [own(deployment('unseen'), waited)] }, { kubeconfig });
    await project.deploy(['--no-wait']);
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(4);
    expect(report.only().readiness).toMatchObject({ state: 'failed', reason: 'Unreadable' });
  });
});

test('many objects of one kind: one list and one watch for all of them', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `many-${index}`);
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: names.map((name) => own(deployment(name), waited)) }, { kubeconfig: proxy.kubeconfig });
  for (const name of names) await testEnvironment.cluster.apply('owner', { ...deploymentRef(name), spec: deployment(name).spec });
  await Promise.all(names.map(rolledOut));
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.objects.map(({ readiness }) => readiness?.state)).toEqual(names.map(() => 'current'));
  const reads = proxy.requests.filter(
    ({ method, path }) => method === 'GET' && path.includes('/namespaces/') && path.includes('/deployments'),
  );
  expect(reads.length).toBeLessThanOrEqual(3); // before them, one list of what the new intents meet
});

test('the status says of each kind what its object tells, and else that it does not judge', async () => {
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'budget' },
    spec: { minAvailable: 1, selector: { matchLabels: labels('none') } },
  };
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' };
  const scaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'scaler' },
    spec: { maxReplicas: 2, scaleTargetRef: target },
  };
  const backend = { service: { name: 'none', port: { number: 80 } } };
  const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'ingress' }, spec: { defaultBackend: backend } };
  const project = testEnvironment.program({ main: [budget, scaler, ingress, config('settings')].map((object) => own(object, waited)) });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0); // nobody waits for what others have to run
  await setStatus(testEnvironment.ref('policy/v1', 'PodDisruptionBudget', 'budget'), {
    observedGeneration: 1,
    currentHealthy: 0,
    desiredHealthy: 1,
    disruptionsAllowed: 0,
    expectedPods: 1,
  });
  const { events } = await project.run(['status', '-o', 'json']);
  const of = (kind: string) => events.find((event) => event.kind === kind)?.readiness;
  expect(of('PodDisruptionBudget')).toEqual({
    state: 'in-progress',
    reason: 'InsufficientPods',
    message: '0 of 1 required pods are healthy, 0 disruptions allowed',
  });
  expect(of('HorizontalPodAutoscaler')).toMatchObject({ state: 'in-progress', reason: 'NotObserved' });
  expect(of('Ingress')).toEqual({ state: 'unknown', reason: 'Unknown', message: 'no Ingress controller has written its status' });
  expect(of('ConfigMap')).toMatchObject({ state: 'current' });
  expect(events.at(-1)).toMatchObject({ ready: 1, notReady: 2, unknownReadiness: 1 });
  expect((await project.run(['status'])).stdout).toContain('readiness unknown: no Ingress controller has written its status');
});
