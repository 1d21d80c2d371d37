import { expect, test } from 'vitest';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('kubectl-differences');
const { cluster, namespace } = testEnvironment;

const annotation = 'deprecated.daemonset.template.generation';
const pod = { containers: [{ name: 'main', image: 'busybox' }] };
const named = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, metadata: { name, namespace } });
const failure = (promise: Promise<unknown>) => promise.then(String, (error: Error) => error.message);

test('a DaemonSet has the generation of its template', async () => {
  const agent = named('apps/v1', 'DaemonSet', 'agent');
  const template = { metadata: { labels: { app: 'agent' } }, spec: pod };
  const created = await cluster.create('creator', { ...agent, spec: { selector: { matchLabels: { app: 'agent' } }, template } });
  expect(created.metadata.annotations).toEqual({ [annotation]: '1' });
  expect(created.metadata.managedFields[0].fieldsV1['f:metadata']).toEqual({
    'f:annotations': { '.': {}, [`f:${annotation}`]: {} },
  });
  const changed = await cluster.patch('writer', agent, { spec: { template: { spec: { dnsPolicy: 'Default' } } } });
  expect(changed.metadata.annotations[annotation]).toBe('2');
  expect(changed.metadata.managedFields[1].fieldsV1['f:metadata']).toBeUndefined();
  const own = await cluster.patch('writer', agent, { metadata: { annotations: { [annotation]: '9' } } });
  expect(own.metadata.annotations[annotation]).toBe('2');
});

test('a Service keeps its address', async () => {
  const web = named('v1', 'Service', 'web');
  await cluster.create('creator', { ...web, spec: { ports: [{ port: 80 }] } });
  const message = await failure(cluster.patch('writer', web, { spec: { clusterIP: 'None' } }));
  expect(message).toContain('spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set');
});

test('a Service takes no node port of another one', async () => {
  const ports = [{ port: 80, nodePort: 31_999 }];
  const outer = { ...named('v1', 'Service', 'outer'), spec: { type: 'NodePort', ports } };
  await cluster.create('creator', outer);
  expect((await cluster.patch('writer', outer, { metadata: { labels: { color: 'blue' } } })).spec.ports[0].nodePort).toBe(31_999);
  const message = await failure(cluster.create('creator', { ...outer, ...named('v1', 'Service', 'again') }));
  expect(message).toContain('spec.ports[0].nodePort: Invalid value: 31999: provided port is already allocated');
});

test('limits have defaults', async () => {
  const limits = [
    { type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' }, default: { memory: '1Gi' } },
    { type: 'Pod', max: { cpu: '4' } },
  ];
  const { spec } = await cluster.create('creator', { ...named('v1', 'LimitRange', 'limits'), spec: { limits } });
  const amounts = { cpu: '2', memory: '1Gi' };
  expect(spec.limits).toEqual([{ ...limits[0], default: amounts, defaultRequest: amounts }, limits[1]]);
});

test('ports of Endpoints have a protocol', async () => {
  const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }];
  const endpoints = await cluster.create('creator', { ...named('v1', 'Endpoints', 'away'), subsets });
  expect(endpoints.subsets[0].ports).toEqual([{ port: 80, protocol: 'TCP' }]);
});

const root = { type: 'object' };
const version = (openAPIV3Schema: object, storage = true, name = 'v1') => ({ name, served: true, storage, schema: { openAPIV3Schema } });
const oneStorage = 'must have exactly one version marked as storage version';

test.each([
  [
    'another name',
    'ships',
    [version(root)],
    ['metadata.name: Invalid value: "ships.rules.example.com": must be spec.names.plural+"."+spec.group'],
  ],
  ['no schema', 'boats', [{ name: 'v1', served: true, storage: true }], ['spec.versions[0].schema.openAPIV3Schema: Required value']],
  ['no type', 'boats', [version({})], ['spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root']],
  [
    'no type of a member',
    'boats',
    [version({ ...root, properties: { size: {}, any: { 'x-kubernetes-preserve-unknown-fields': true } } })],
    ['spec.validation.openAPIV3Schema.properties[size].type: Required value: must not be empty for specified object fields'],
  ],
  [
    'no storage version',
    'boats',
    [version(root, false)],
    [oneStorage, 'status.storedVersions: Invalid value: null: must have at least one stored version'],
  ],
  [
    'two storage versions',
    'boats',
    [version(root), version(root, true, 'v2')],
    [oneStorage, 'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2'],
  ],
  ['one name twice', 'boats', [version(root), version(root, false)], ['must contain unique version names']],
])('a CustomResourceDefinition with %s', async (_title, name, versions, expected) => {
  const metadata = { name: `${name}.rules.example.com` };
  const spec = { group: 'rules.example.com', scope: 'Namespaced', names: { plural: 'boats', kind: 'Boat' }, versions };
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata };
  const message = await failure(cluster.create('creator', { ...definition, spec }));
  for (const text of expected) expect(message).toContain(text);
});
