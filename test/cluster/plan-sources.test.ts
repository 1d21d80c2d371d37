import type { PlannedObject } from 'fieldwise/deploy';
import { expect, test } from 'vitest';
import { ref } from '../harness/cluster.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('plan-sources');
const group = `${testEnvironment.namespace}.example.com`;
const later = `${testEnvironment.namespace}-later`;
testEnvironment.removeNamespaceLater(later);
testEnvironment.removeCrdLater(`gateways.${group}`);

const gateways = (properties: object) => crdOf(group, 'Gateway', { spec: { type: 'object', properties } });
const listeners = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, port: { type: 'integer', default: 80 } },
  },
};
const first = { class: { type: 'string', default: 'nginx' }, listeners };
const gateway = (spec: object, namespace = later) => ({
  apiVersion: `${group}/v1`,
  kind: 'Gateway',
  metadata: { name: 'public', namespace },
  spec,
});
const config = (namespace: string, data: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'config', namespace },
  data,
});

const changesOf = (plan: PlannedObject) => Object.fromEntries(plan.fields.map(({ field, change }) => [field, change]));

test('what waits for a Namespace and a CustomResourceDefinition of this plan is judged by the schema, as the deploy then does it', async () => {
  const stacks = (properties: object, spec: object) => ({
    base: [own({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: later } }), own(gateways(properties))],
    edge: [own(gateway(spec)), own(config(later, { a: '1' }))],
    routes: [share(gateway({ class: 'envoy', listeners: [{ name: 'b', port: 443 }] }))],
  });
  const project = testEnvironment.program(stacks(first, { class: 'envoy', listeners: [{ name: 'a' }] }));
  const { events, exitCode, stdout } = await project.run(['diff', '-o', 'json']);
  expect(exitCode, stdout).toBe(0);
  const plans = eventsOf(events, 'plan');
  expect(plans.map(({ kind, stack, action, source }) => [kind, stack, action, source])).toEqual([
    ['Namespace', 'base', 'create', 'server'],
    ['CustomResourceDefinition', 'base', 'create', 'server'],
    ['Gateway', 'edge', 'create', 'schema'],
    ['ConfigMap', 'edge', 'create', 'schema'],
    ['Gateway', 'routes', 'update', 'schema'],
  ]);
  expect(changesOf(plans[2]!)).toEqual({ '.spec.class': 'set', '.spec.listeners[name="a"].name': 'set' });
  expect(changesOf(plans[4]!)).toEqual({
    '.spec.class': 'co-own',
    '.spec.listeners[name="b"].name': 'set',
    '.spec.listeners[name="b"].port': 'set',
  });
  expect(plans[4]?.fields[0]?.owners).toEqual([expect.objectContaining({ stack: 'edge', operation: 'Apply' })]);
  expect(plans[4]?.reason).toContain('stack edge creates its object');

  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  const again = await project.run(['diff', '--exit-code']);
  expect(again.exitCode, again.stdout).toBe(0);

  // The new schema has a field that the server would refuse today, and drops a default.
  const second = { class: { type: 'string' }, listeners, size: { type: 'integer' } };
  project.write({ 'main.ts': testEnvironment.text(stacks(second, { listeners: [{ name: 'a' }], size: 3 })) });
  const changed = await project.run(['diff', '-o', 'json']);
  expect(changed.exitCode, changed.stdout).toBe(0);
  const next = eventsOf(changed.events, 'plan').filter(({ kind }) => kind === 'Gateway');
  expect(next[0]).toMatchObject({ source: 'schema', action: 'update', reason: expect.stringContaining('this deploy changes') });
  expect(changesOf(next[0]!)).toMatchObject({ '.spec.size': 'set', '.spec.class': 'kept' });
  const last = await project.deploy();
  expect(last.exitCode, String(last)).toBe(0);
});

test('credentials that may only read get the same plan, by the schema', async () => {
  const namespaced = `things.${group}`;
  testEnvironment.removeCrdLater(namespaced);
  await testEnvironment.crd({
    ...gateways(first),
    metadata: { name: namespaced },
    spec: { ...gateways(first).spec, names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' } },
  });
  const thing = (spec: object) => ({
    apiVersion: `${group}/v1`,
    kind: 'Thing',
    metadata: { name: 'one', namespace: testEnvironment.namespace },
    spec,
  });
  const before = {
    main: [
      own(thing({ class: 'a', listeners: [{ name: 'x' }, { name: 'y' }] })),
      own(config(testEnvironment.namespace, { a: '1', b: '2' })),
    ],
  };
  const project = testEnvironment.program(before);
  expect((await project.deploy()).exitCode).toBe(0);
  const them = ref(`${group}/v1`, 'Thing', 'one', testEnvironment.namespace);
  await testEnvironment.cluster.apply('them', { ...them, spec: { listeners: [{ name: 'y', port: 81 }] } }, { force: true });
  const after = { main: [own(thing({ listeners: [{ name: 'y', port: 82 }] })), own(config(testEnvironment.namespace, { a: '2' }))] };
  project.write({ 'main.ts': testEnvironment.text(after) });

  const read = ['get', 'list'];
  const kubeconfig = await testEnvironment.account('reader', [
    { apiGroups: [''], resources: ['configmaps'], verbs: read },
    { apiGroups: [group], resources: ['things'], verbs: read },
  ]);
  const plansOf = async (args: readonly string[], options = {}) => {
    const { events, exitCode, stdout, stderr } = await project.run(['diff', '-o', 'json', ...args], options);
    expect(exitCode, stdout + stderr).toBe(0);
    return eventsOf(events, 'plan');
  };
  const server = await plansOf([]);
  const reader = await plansOf([], { kubeconfig });
  const readOnly = await plansOf(['--read-only']);
  expect(server.map(({ source }) => source)).toEqual(['server', 'server']);
  expect(changesOf(server[0]!)).toEqual({
    '.spec.class': 'defaulted',
    '.spec.listeners[name="x"]': 'item-removed',
    '.spec.listeners[name="y"].name': 'co-own',
    '.spec.listeners[name="y"].port': 'force',
  });
  for (const plans of [reader, readOnly]) {
    expect(plans.map(({ source }) => source)).toEqual(['schema', 'schema']);
    expect(plans.map(({ action, fields, adopts }) => ({ action, fields, adopts }))).toEqual(
      server.map(({ action, fields, adopts }) => ({ action, fields, adopts })),
    );
  }
  expect(reader[0]?.reason).toContain('these credentials');
});

test('a field that the server requires is planned as rejected, by the server and by the schema', async () => {
  const name = `needs.${group}`;
  const spec = { type: 'object', required: ['must'], properties: { must: { type: 'string' }, may: { type: 'string' } } };
  const definition = gateways(first);
  const names = { kind: 'Need', plural: 'needs', singular: 'need', listKind: 'NeedList' };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }];
  await testEnvironment.crd({ ...definition, metadata: { name }, spec: { ...definition.spec, names, versions } });
  const need = (content: object) =>
    own({ apiVersion: `${group}/v1`, kind: 'Need', metadata: { name: 'one', namespace: testEnvironment.namespace }, spec: content });
  const project = testEnvironment.program({ main: [need({ must: 'a', may: 'b' })] });
  expect((await project.deploy()).exitCode).toBe(0);
  project.write({ 'main.ts': testEnvironment.text({ main: [need({ may: 'b' })] }) });
  for (const flags of [[], ['--read-only']]) {
    const { events, exitCode } = await project.run(['diff', '-o', 'json', ...flags]);
    expect(exitCode).toBe(4);
    expect(events[0]).toMatchObject({ action: 'blocked', error: { code: 'invalid' } });
    expect(events[0].fields).toEqual([
      { field: '.spec.must', change: 'rejected', oldValue: 'a', reason: expect.stringMatching(/required/i) },
    ]);
  }
});

test('a dry run that fails is shown as failed, and the exit code says so', async () => {
  const proxy = await testEnvironment.proxy();
  proxy.onRequest = ({ method, query }) =>
    method === 'PATCH' && query.get('dryRun')
      ? { status: 400, body: { kind: 'Status', status: 'Failure', message: 'admission webhook "x" does not support dry run', code: 400 } }
      : undefined;
  const project = testEnvironment.program({ main: [own(config(testEnvironment.namespace, { a: '1' }))] }, { kubeconfig: proxy.kubeconfig });
  const { events, exitCode } = await project.run(['diff', '-o', 'json', '--exit-code']);
  expect(exitCode).toBe(4);
  expect(events[0]).toMatchObject({
    action: 'blocked',
    source: 'server',
    error: { message: expect.stringContaining('does not support dry run') },
  });
  expect(events.at(-1)).toMatchObject({ event: 'plan-summary', differs: true });
});
