import { expect, inject, test } from 'vitest';
import { ref } from '../harness/cluster.js';
import { crdOf } from '../harness/crd.js';
import { poll } from '../harness/poll.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('kinds');

const group = `${testEnvironment.namespace}.example.com`;
const crd = (kind: string) => crdOf(group, kind, { spec: { type: 'object', properties: { size: { type: 'integer' } } } });

test('a namespace, a definition, its object and a workload of one stack: in the order that they need', async () => {
  const namespace = `${testEnvironment.namespace}-made`;
  testEnvironment.removeNamespaceLater(namespace);
  testEnvironment.removeCrdLater(crd('Widget').metadata.name);
  const inside = { namespace };
  const project = testEnvironment.program({
    main: [
      own({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'first', ...inside }, spec: { size: 1 } }),
      own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', ...inside }, data: { a: '1' } }),
      own(crd('Widget')),
      own({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
    ],
  });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  const order = report.objects.map(({ kind }) => kind);
  for (const first of ['Namespace', 'CustomResourceDefinition']) {
    for (const later of ['Widget', 'ConfigMap']) expect(order.indexOf(first)).toBeLessThan(order.indexOf(later));
  }
  expect(
    (await testEnvironment.cluster.get({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'first', namespace } })).spec.size,
  ).toBe(1);

  const destroyed = await project.destroy(['--timeout', '0']); // nobody empties a namespace here
  const reverse = destroyed.objects.map(({ kind }) => kind);
  expect(reverse.indexOf('Widget')).toBeLessThan(reverse.indexOf('CustomResourceDefinition'));
  expect(reverse.indexOf('ConfigMap')).toBeLessThan(reverse.indexOf('Namespace'));
});

test('a namespace with what others made in it is released; --delete foreign deletes it', async () => {
  for (const [name, args, result] of [
    ['foreign-kept', [], 'released'],
    ['foreign-gone', ['--delete', 'foreign'], 'deleted'],
  ] as const) {
    const namespace = `${testEnvironment.namespace}-${name}`;
    testEnvironment.removeNamespaceLater(namespace);
    const project = testEnvironment.program({
      main: [own({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: { ours: 'yes' } } })],
    });
    expect((await project.deploy()).exitCode).toBe(0);
    await testEnvironment.cluster.create('somebody', ref('v1', 'ConfigMap', 'theirs', namespace));
    const report = await project.destroy([...args, '--timeout', '0']);
    expect(report.only('Namespace').result, String(report)).toBe(result);
    const find = () => testEnvironment.cluster.find(ref('v1', 'Namespace', namespace));
    // A cluster with controllers finishes the deletion, a lone API server marks it.
    if (result === 'deleted' && inject('server').hasControllers)
      await poll('the Namespace is gone', async () => (await find()) === undefined);
    else expect((await find()).metadata.deletionTimestamp !== undefined).toBe(result === 'deleted');
  }
});

test('a definition with objects of others is not deleted, and says why; --delete foreign deletes it', async () => {
  const definition = crd('Gadget');
  testEnvironment.removeCrdLater(definition.metadata.name);
  const project = testEnvironment.program({ main: [own(definition)] });
  expect((await project.deploy()).exitCode).toBe(0);
  await testEnvironment.cluster.create('somebody', testEnvironment.ref(`${group}/v1`, 'Gadget', 'theirs'));

  const kept = await project.destroy();
  expect(kept.only().result).not.toBe('deleted');
  expect((await testEnvironment.cluster.get(definition)).metadata.deletionTimestamp).toBeUndefined();
  expect(await testEnvironment.cluster.find(testEnvironment.ref(`${group}/v1`, 'Gadget', 'theirs'))).toBeDefined();
  expect(String(kept)).toMatch(/--delete foreign/);

  const deleted = await project.destroy(['--delete', 'foreign']);
  expect(deleted.only().result, String(deleted)).toBe('deleted');
});

test('empties are sent as written and owned', async () => {
  const policy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'open' },
    spec: { podSelector: {}, ingress: [{}], policyTypes: ['Ingress'] },
  };
  const volume = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'scratch' },
    spec: { containers: [{ name: 'main', image: 'registry.example.com/a:1' }], volumes: [{ name: 'scratch', emptyDir: {} }] },
  };
  const project = testEnvironment.program({ main: [own(policy), own(volume)] });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  const live = await testEnvironment.cluster.get(testEnvironment.ref('networking.k8s.io/v1', 'NetworkPolicy', 'open'));
  expect(live.spec).toEqual(policy.spec);
  const pod = await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Pod', 'scratch'));
  expect(pod.spec.volumes.find(({ name }: { name: string }) => name === 'scratch')).toEqual({ name: 'scratch', emptyDir: {} });
  expect((await testEnvironment.cluster.owners(testEnvironment.ref('v1', 'Pod', 'scratch')))[project.manager('main')]).toContain(
    '.spec.volumes[name="scratch"].emptyDir',
  );
});
