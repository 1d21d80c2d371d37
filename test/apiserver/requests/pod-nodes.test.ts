import { expect, test } from 'vitest';
import { ApiCallError, ApiClient, type CallOptions } from '../../harness/api-client.js';
import { ref } from '../../harness/cluster.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

// What the API server knows of nodes: the place that it copies to Pods, and that it reaches none.
const testEnvironment = await TestEnvironment.create('pod-nodes');
const { cluster, namespace } = testEnvironment;
const core = `/api/v1/namespaces/${namespace}`;
const main = { name: 'main', image: 'busybox' };
const [zone, region, custom] = ['zone', 'region', 'custom'].map((name) => `topology.kubernetes.io/${name}`) as [string, string, string];
const nodeName = `${testEnvironment.app}-node`;
const node = ref('v1', 'Node', nodeName);

/** The message of a refusal, or the status of an answer. */
async function answer(method: string, path: string, options: CallOptions = {}, client = cluster.client): Promise<string> {
  return client.call(method, path, options).then(
    () => 'accepted',
    (error) => (error instanceof ApiCallError ? `${error.status} ${error.body.message}` : String(error)),
  );
}

testEnvironment.removeLater(node);
await cluster.create('test', {
  ...node,
  metadata: { ...node.metadata, labels: { [zone]: 'z', [region]: 'r', [custom]: 'c', 'sub.topology.kubernetes.io/zone': 's' } },
});
const pod = { ...testEnvironment.ref('v1', 'Pod', 'pod'), spec: { containers: [main] } };
const service = { ...testEnvironment.ref('v1', 'Service', 'service'), spec: { ports: [{ port: 80 }] } };
for (const object of [pod, service]) await cluster.create('test', object);
// The real server reads nodes from an informer, which learns of a new one a moment later.
await poll('the server knows the node', async () => {
  const { metadata } = await cluster.client.call('POST', `${core}/pods`, {
    body: { metadata: { name: 'probe' }, spec: { containers: [main], nodeName } },
    query: { dryRun: 'All' },
  });
  return metadata.labels;
});

const place = { [zone]: 'z', [region]: 'r' };

test.each([
  ['no labels', {}, {}, place],
  ['a label of its own', { a: 'b' }, {}, { ...place, a: 'b' }],
  ['another zone', { [zone]: 'other', [custom]: 'own' }, {}, { ...place, [custom]: 'own' }],
  ['labels from its Binding', {}, { [zone]: 'bound', x: 'y' }, { ...place, x: 'y' }],
])('a Pod with %s that is bound has the zone and region of its node', async (text, labels, bound, expected) => {
  const name = text.toLowerCase().replaceAll(' ', '-');
  const one = testEnvironment.ref('v1', 'Pod', name);
  await cluster.create('test', { ...one, metadata: { ...one.metadata, labels }, spec: pod.spec });
  const body = { metadata: { name, labels: bound }, target: { kind: 'Node', name: nodeName } };
  expect(await answer('POST', `${core}/pods/${name}/binding`, { body })).toBe('accepted');
  const { metadata } = await cluster.get(one);
  expect(metadata.labels).toEqual(expected);
  expect(JSON.stringify(metadata.managedFields)).not.toContain(region);
  await answer('DELETE', `${core}/pods/${name}`, { query: { gracePeriodSeconds: '0' } });
});

test.each([
  ['bindings', 'Node', undefined],
  ['pods/NAME/binding', undefined, undefined],
  ['pods/NAME/binding', 'Node', place],
])('a Binding sent to %s with the kind %s gives the Pod %j', async (path, kind, expected) => {
  const name = `bound-${path.length}-${kind ?? 'any'}`.toLowerCase();
  const one = testEnvironment.ref('v1', 'Pod', name);
  await cluster.create('test', { ...one, spec: pod.spec });
  const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name, labels: {}, annotations: null }, target: { kind, name: nodeName } };
  expect(await answer('POST', `${core}/${path.replace('NAME', name)}`, { body })).toBe('accepted');
  const { metadata, spec } = await cluster.get(one);
  expect(spec.nodeName).toBe(nodeName);
  expect(metadata.labels).toEqual(expected);
  expect(metadata.annotations).toBeUndefined();
  await answer('DELETE', `${core}/pods/${name}`, { query: { gracePeriodSeconds: '0' } });
});

test('a new Pod that names its node has its zone and region, which nobody owns', async () => {
  const body = { metadata: { name: 'new', labels: { [zone]: 'other' } }, spec: { containers: [main], nodeName } };
  const { metadata } = await cluster.client.call('POST', `${core}/pods`, { body, query: { dryRun: 'All' } });
  expect(metadata.labels).toEqual(place);
  expect(JSON.stringify(metadata.managedFields)).not.toContain(region);
  const absent = { ...body, spec: { ...body.spec, nodeName: 'absent' } };
  const elsewhere = await cluster.client.call('POST', `${core}/pods`, { body: absent, query: { dryRun: 'All' } });
  expect(elsewhere.metadata.labels).toEqual({ [zone]: 'other' });
});

test.each([
  ['pods/pod/proxy', '400 address not allowed'],
  ['pods/pod/proxy/a/b', '400 address not allowed'],
  ['pods/https:pod:80/proxy', '400 address not allowed'],
  ['pods/ftp:pod:80/proxy', '400 invalid pod request "ftp:pod:80"'],
  ['pods/pod:1:2/proxy/x', '400 invalid pod request "pod:1:2"'],
  ['pods/:80/proxy/x', '400 invalid pod request ":80"'],
  ['pods/absent:80/proxy/x', '404 pods "absent" not found'],
  ['services/service/proxy/x', '404 services "service" not found'],
  ['services/service:99/proxy/', '503 no service port 99 found for service "service"'],
  ['services/http:service:80/proxy', '404 services "service" not found'],
  ['services/absent:80/proxy', '404 services "absent" not found'],
  ['configmaps/x/proxy/y', '404 the server could not find the requested resource'],
  ['pods/pod/exec/x', '404 the server could not find the requested resource'],
])('GET, PUT and DELETE of %s: nothing answers', async (path, expected) => {
  for (const method of ['GET', 'PUT', 'DELETE']) expect(await answer(method, `${core}/${path}`)).toBe(expected);
});

test('a node and a Service with Endpoints are proxied in vain, too', async () => {
  const unreachable = '500 no preferred addresses found; known addresses: []';
  for (const path of ['proxy', 'proxy/healthz']) expect(await answer('GET', `/api/v1/nodes/${nodeName}/${path}`)).toBe(unreachable);
  expect(await answer('GET', `/api/v1/nodes/${nodeName}-absent:80/proxy/`)).toBe(`404 nodes "${nodeName}-absent" not found`);
  await cluster.create('test', testEnvironment.ref('v1', 'Endpoints', 'service'));
  const said = await poll('the server knows the Endpoints', async () => {
    const proxied = await answer('GET', `${core}/services/service:80/proxy`);
    return proxied.startsWith('404') ? undefined : proxied;
  });
  expect(said).toBe('503 no endpoints available for service "service"');
});

test('a GET that begins a connection to a Pod needs the verb create, too', async () => {
  const resources = ['pods/exec', 'pods/attach', 'pods/portforward', 'pods/proxy', 'pods/log'];
  const clientOf = async (name: string, verbs: readonly string[]) =>
    new ApiClient(await testEnvironment.account(name, [{ apiGroups: [''], resources, verbs }]));
  const getter = await clientOf('getter', ['get']);
  const connector = await clientOf('connector', ['get', 'create']);
  await poll('the server knows the rules', async () => {
    const answers = [getter, connector].map((client) => answer('GET', `${core}/pods/pod/log`, {}, client));
    return (await Promise.all(answers)).every((said) => said === 'accepted') || undefined;
  });
  for (const subresource of ['exec', 'attach', 'portforward']) {
    for (const name of ['pod', 'absent'])
      expect(await answer('GET', `${core}/pods/${name}/${subresource}`, {}, getter)).toBe(`403 pods "${name}" is forbidden: `);
    expect(await answer('GET', `${core}/pods/absent/${subresource}`, {}, connector)).toBe('404 pods "absent" not found');
    expect(await answer('GET', `${core}/pods/pod/${subresource}`, {}, connector)).toBe('400 pod pod does not have a host assigned');
  }
  expect(await answer('GET', `${core}/pods/pod/proxy`, {}, getter)).toBe('400 address not allowed');
});
