import { Controller, connect, extract, reconcileWithConditions } from 'fieldwise/controller';
import { service as serviceOf, serviceStatus } from 'fieldwise/k8s/core/v1';
import { role, roleBinding } from 'fieldwise/k8s/rbac/v1';
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('mission');
const { config } = configMapHelpers(testEnvironment);
const service = (port: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { ports: [{ name: `p${port}`, port, protocol: 'TCP' }] },
});
const ports = async () =>
  (await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Service', 'web'))).spec.ports
    .map(({ port }: { port: number }) => port)
    .sort();

describe('Strimzi proposal', () => {
  test('created, nothing to do and patched by apply alone, read where the intent is new; the first pass unforced, the forced conflict reported', async () => {
    const proxy = await testEnvironment.proxy();
    const project = testEnvironment.program({ main: [own(config('strimzi', { a: '1' }))] }, { kubeconfig: proxy.kubeconfig });
    expect((await project.deploy()).only().result).toBe('created');
    const live = testEnvironment.ref('v1', 'ConfigMap', 'strimzi');
    await testEnvironment.cluster.patch('policy-engine', live, { metadata: { annotations: { foreign: 'x' } } });
    await project.deploy();
    expect((await project.deploy()).only().result).toBe('unchanged');
    await waitForNextSecond();
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('strimzi', { a: '2' }))] }) });
    expect((await project.deploy()).only().result).toBe('updated');
    expect(proxy.requestsFor('strimzi').map(({ method }) => method)).toEqual(['GET', 'PATCH', 'PATCH', 'PATCH', 'GET', 'PATCH']);
    await testEnvironment.cluster.apply('them', { ...live, data: { a: '3' } }, { force: true });
    expect((await project.deploy()).only().forcedConflicts).toMatchObject([
      { field: '.data.a', oldValue: '3', newValue: '2', from: 'them' },
    ]);
    expect(proxy.requestsFor('strimzi').some(({ method, status }) => method === 'PATCH' && status === 409)).toBe(true);
    expect((await testEnvironment.cluster.get(live)).metadata.annotations).toEqual({ foreign: 'x' });
  });
});

describe('Argo CD dynamic field managers', () => {
  test('two stacks on one Service, each with a manager of its own; the one that ends takes only its fields', async () => {
    const long = 'a-stack-whose-name-is-long-'.repeat(5).slice(0, 120);
    await testEnvironment.cluster.apply('them', { ...testEnvironment.ref('v1', 'Service', 'web'), spec: service(80).spec });
    const project = testEnvironment.program({ one: [share(service(81))], [long]: [share(service(82))] });
    expect((await project.deploy()).exitCode).toBe(0);
    const managers = [project.manager('one'), project.manager(long)];
    expect(new Set(managers).size).toBe(2);
    for (const manager of managers) expect(Buffer.byteLength(manager)).toBeLessThanOrEqual(128);
    expect(Object.keys(await testEnvironment.cluster.owners(testEnvironment.ref('v1', 'Service', 'web')))).toEqual(
      expect.arrayContaining(managers),
    );
    expect((await project.destroy(['one'])).only().result).toBe('released');
    expect(await ports()).toEqual([80, 82]);
  });
});

describe('Argo CD server-side apply', () => {
  test('a dry run of the server tells the plan, and a conflict under fail changes nothing', async () => {
    await testEnvironment.cluster.apply('other', { ...testEnvironment.ref('v1', 'ConfigMap', 'argo'), data: { a: 'theirs' } });
    const project = testEnvironment.program({ main: [share(config('argo', { a: 'ours' }), { conflicts: 'fail' })] });
    const { events } = await project.run(['diff', '-o', 'json']);
    expect(eventsOf(events, 'plan')[0]?.source).toBe('server');
    const refused = await project.deploy();
    expect([refused.exitCode, refused.only().result]).toEqual([5, 'conflict']);
    expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'argo'))).data).toEqual({ a: 'theirs' });
  });
});

describe('auth-operator architecture', () => {
  const { namespace, cluster } = testEnvironment;
  const rbac = 'rbac.authorization.k8s.io';
  const reader = (verbs: string[]) => role('reader', namespace).set('rules', [{ apiGroups: [''], resources: ['pods'], verbs }]);
  const binding = roleBinding('reader', namespace)
    .set('roleRef', { apiGroup: rbac, kind: 'Role', name: 'reader' })
    .set('subjects', [{ kind: 'ServiceAccount', name: 'team', namespace }]);

  test('typed RBAC and status by apply, finalizers by a locked patch, and every owner can be seen', async () => {
    const proxy = await testEnvironment.proxy();
    const connection = await connect({ kubeconfig: proxy.kubeconfig, namespace });
    testEnvironment.onCleanup(() => connection.close());
    const operator = new Controller(connection, { manager: 'auth-operator' });

    expect([(await operator.apply(reader(['get']))).outcome, (await operator.apply(binding)).outcome]).toEqual(['created', 'created']);
    await waitForNextSecond();
    expect((await operator.apply(reader(['get', 'list']))).outcome).toBe('updated');
    expect((await operator.apply(binding)).outcome).toBe('unchanged');
    expect([...new Set(proxy.requestsFor('reader').map(({ method }) => method))]).toEqual(['PATCH']);

    expect(await operator.applyStatus(serviceStatus('nobody', namespace).withStatus({ loadBalancer: {} }))).toEqual({ outcome: 'absent' });
    expect(await cluster.find(testEnvironment.ref('v1', 'Service', 'nobody'))).toBeUndefined();

    const at = testEnvironment.ref(`${rbac}/v1`, 'Role', 'reader');
    await cluster.patch('other', at, { metadata: { finalizers: ['example.com/other'] } });
    const before = proxy.requests.length;
    // As it was before the other one wrote: the first try is refused, and the finalizer of the other stays.
    const { object } = await operator.apply(reader(['get', 'list']));
    const stale = { ...object, metadata: { ...(object.metadata as object), resourceVersion: '1', finalizers: [] } };
    expect((await operator.addFinalizer(stale, 'example.com/auth')).outcome).toBe('updated');
    expect((await cluster.get(at)).metadata.finalizers).toEqual(['example.com/other', 'example.com/auth']);
    const writes = proxy.requests.slice(before).filter(({ body }) => JSON.stringify(body ?? '').includes('example.com/auth'));
    expect(writes.map(({ method, status, query }) => [method, status, query.get('force')])).toEqual([
      ['PATCH', 409, null],
      ['PATCH', 200, null],
    ]);
    for (const { body } of writes) expect(body.metadata.resourceVersion).toEqual(expect.any(String));

    const live = await cluster.get(at);
    const declared = reader(['get', 'list']).build();
    const { uid } = live.metadata;
    expect(extract(role, live, { manager: 'auth-operator' }).build()).toEqual({
      ...declared,
      metadata: { ...(declared.metadata as object), uid },
    });
    const { events } = await testEnvironment.program({}).run(['owners', 'role/reader', '-o', 'json']);
    const rules = events.flatMap(({ fields = [] }) => fields).find(({ field }) => field === '.rules');
    expect(rules.owners.map(({ manager }: ResponseBody) => manager)).toEqual(['auth-operator']);
    await cluster.patch('test', at, { metadata: { finalizers: null } });
  });

  test('every failure reaches conditions or the report', async () => {
    const connection = await connect({ kubeconfig: testEnvironment.kubeconfig, namespace });
    testEnvironment.onCleanup(() => connection.close());
    const operator = new Controller(connection, { manager: 'auth-operator' });
    const invalid = binding.set('roleRef', { apiGroup: rbac, kind: 'Role', name: 'writer' });
    const { object } = await operator.apply(serviceOf('grant', namespace).withSpec({ ports: [{ name: 'a', port: 1 }] }));
    const reconcile = reconcileWithConditions(operator, serviceStatus, async () => {
      await operator.apply(invalid);
      return { state: 'ready', reason: 'Granted' };
    });
    await expect(reconcile(object)).rejects.toMatchObject({ code: 422 });
    const { conditions } = (await cluster.get(testEnvironment.ref('v1', 'Service', 'grant'))).status;
    expect(Object.fromEntries(conditions.map(({ type, status }: ResponseBody) => [type, status]))).toEqual({
      Ready: 'False',
      Stalled: 'True',
    });

    const report = await testEnvironment.program({ main: [own(invalid.build())] }).deploy(['--yes']);
    expect(report.exitCode).toBe(4);
    expect(report.only()).toMatchObject({ result: 'failed', error: { message: expect.stringContaining('roleRef') } });
  });
});

describe('Metacontroller apply semantics', () => {
  const group = `${testEnvironment.namespace}.example.com`;
  const ref = testEnvironment.ref(`${group}/v1`, 'Parent', 'web');
  const policy = { strategy: 'dynamic', listKeys: { 'spec.routes': ['host', 'path'], 'spec.hosts': 'set', 'spec.stages': 'atomic' } };
  const spec = (image: string, to: string) => ({
    template: { spec: { containers: [{ name: 'web', image, env: [{ name: 'A', value: image }] }] } },
    routes: [{ host: 'a', path: '/', to }],
    hosts: ['a'],
    stages: [{ name: 'build' }],
  });

  test('in a kind without list types, sidecars, items by several keys and values of sets survive; a switch back loses nothing', async () => {
    await testEnvironment.crd(crdOf(group, 'Parent', { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }));
    const object = (image: string, to: string) => ({ ...ref, metadata: { name: 'web' }, spec: spec(image, to) });
    const project = testEnvironment.program({ main: [own(object('web:1', 'x'), policy)] });
    expect((await project.deploy()).only().result).toBe('created');

    const { template, routes, hosts } = (await testEnvironment.cluster.get(ref)).spec;
    const [web] = template.spec.containers;
    const sidecar = { name: 'proxy', image: 'proxy:7' };
    const injected = { spec: { containers: [sidecar, { ...web, env: [...web.env, { name: 'INJECTED', value: '1' }] }] } };
    const theirs = { host: 'a', path: '/theirs', to: 'z' };
    await testEnvironment.cluster.patch('injector', ref, {
      spec: { template: injected, routes: [theirs, ...routes], hosts: [...hosts, 'theirs'] },
    });

    await project.deploy(); // claims again the lists that the other wrote as a whole
    expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged', forcedConflicts: [] });
    project.write({ 'main.ts': testEnvironment.text({ main: [own(object('web:2', 'y'), policy)] }) });
    expect((await project.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
    const merged = {
      template: {
        spec: {
          containers: [
            sidecar,
            {
              name: 'web',
              image: 'web:2',
              env: [
                { name: 'A', value: 'web:2' },
                { name: 'INJECTED', value: '1' },
              ],
            },
          ],
        },
      },
      routes: [theirs, { host: 'a', path: '/', to: 'y' }],
      hosts: ['a', 'theirs'],
      stages: [{ name: 'build' }],
    };
    expect((await testEnvironment.cluster.get(ref)).spec).toEqual(merged);

    project.write({ 'main.ts': testEnvironment.text({ main: [own(object('web:2', 'y'))] }) });
    expect((await project.deploy()).only()).toMatchObject({ result: 'failed', error: { code: 'strategy-move-loses' } });
    expect((await testEnvironment.cluster.get(ref)).spec).toEqual(merged);
  });
});
