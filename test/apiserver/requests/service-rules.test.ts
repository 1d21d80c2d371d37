import { expect, test } from 'vitest';
import { readKubeconfig } from '../../harness/kubeconfig.js';
import { RawConnection, requestText } from '../../harness/raw-http.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('service-rules');
const connection = readKubeconfig(testEnvironment.kubeconfig);
const core = `/api/v1/namespaces/${testEnvironment.namespace}`;
const services = `${core}/services`;

interface Answer {
  readonly status: number | undefined;
  readonly message: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: an object of the server
  readonly spec: any;
  // biome-ignore lint/suspicious/noExplicitAny: an object of the server
  readonly body: any;
}

async function send(method: string, target: string, body: object | string): Promise<Answer> {
  const raw = await RawConnection.open(connection);
  const type = typeof body === 'string' ? 'application/yaml' : method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  raw.write(requestText(method, target, { authorization: `Bearer ${connection.token}`, 'content-type': type }, text));
  const response = await raw.response(method, 60);
  raw.close();
  const parsed = JSON.parse(response?.body ?? '{}');
  return { status: response?.status, message: parsed.message, spec: parsed.spec, body: parsed };
}

const create = (name: string, spec: object) => send('POST', services, { metadata: { name }, spec });
const ports = [{ port: 80 }];
const balancer = { type: 'LoadBalancer', ports };

test.each([
  ['a class', { ports, loadBalancerClass: 'a/b' }, "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
  [
    'source ranges',
    { ports, loadBalancerSourceRanges: ['10.0.0.0/8'] },
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
  ],
  [
    'a bad range',
    { ...balancer, loadBalancerSourceRanges: ['10.0.0/8'] },
    'spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0/8": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ],
  [
    'a long affinity',
    { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } } },
    'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
  ],
  [
    'a distribution',
    { ports, trafficDistribution: 'Far' },
    'spec.trafficDistribution: Unsupported value: "Far": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
  ],
  ['no external name', { type: 'ExternalName' }, 'spec.externalName: Required value'],
  [
    'a port name',
    { ports: [{ port: 80, targetPort: 'BAD_x' }] },
    'spec.ports[0].targetPort: Invalid value: "BAD_x": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
  ],
])('a Service is refused: %s', async (_, spec, message) => {
  expect(await create('refused', spec)).toMatchObject({ status: 422, message: `Service "refused" is invalid: ${message}` });
});

test('what a Service may not change, and what a new type leaves behind', async () => {
  const { body } = await create('classy', { ...balancer, loadBalancerClass: 'a/b' });
  const refused = 'Service "classy" is invalid: spec.loadBalancerClass: Invalid value: "a/c": may not change once set';
  expect(await send('PATCH', `${services}/classy`, { spec: { loadBalancerClass: 'a/c' } })).toMatchObject({
    status: 422,
    message: refused,
  });
  const plain = await send('PUT', `${services}/classy`, { ...body, spec: { ...body.spec, type: 'ClusterIP' } });
  expect(plain.status).toBe(200);
  for (const gone of ['loadBalancerClass', 'allocateLoadBalancerNodePorts', 'externalTrafficPolicy'])
    expect(plain.spec).not.toHaveProperty(gone);
  const moved = { spec: { clusterIP: '10.96.9.9', clusterIPs: ['10.96.9.9'] } };
  expect((await send('PATCH', `${services}/classy`, moved)).message).toContain('spec.clusterIPs[0]: Invalid value: ["10.96.9.9"]');
});

test('node ports are released where they are no longer allocated', async () => {
  const two = [
    { name: 'a', port: 80 },
    { name: 'b', port: 81 },
  ];
  const { body } = await create('ports', { ...balancer, ports: two });
  const [{ nodePort: _, ...first }, second] = body.spec.ports;
  const spec = { ...body.spec, allocateLoadBalancerNodePorts: false, ports: [first, second] };
  expect((await send('PUT', `${services}/ports`, { ...body, spec })).spec.ports).toEqual([first, second]);
});

test('local traffic gets a port for health checks, an external name no policy', async () => {
  expect((await create('local', { ...balancer, externalTrafficPolicy: 'Local' })).spec.healthCheckNodePort).toBeGreaterThanOrEqual(30_000);
  const named = await create('named', { type: 'ExternalName', externalName: 'a.b', internalTrafficPolicy: 'Cluster' });
  expect(named.spec).not.toHaveProperty('internalTrafficPolicy');
});

test('the addresses in the status of a Service', async () => {
  await create('status', balancer);
  const ingress = async (address: object) =>
    await send('PATCH', `${services}/status/status`, { status: { loadBalancer: { ingress: [address] } } });
  expect((await ingress({ ip: '1.2.3.4' })).body.status.loadBalancer.ingress).toEqual([{ ip: '1.2.3.4', ipMode: 'VIP' }]);
  const at = 'Service "status" is invalid: status.loadBalancer.ingress[0]';
  expect((await ingress({ ip: '1.2.3' })).message).toBe(
    `${at}.ip: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
  );
  expect((await ingress({ ip: '1.2.3.4', ipMode: 'Foo' })).message).toBe(
    `${at}.ipMode: Unsupported value: "Foo": supported values: "Proxy", "VIP"`,
  );
});

test('a PUT creates Endpoints', async () => {
  expect((await send('PUT', `${core}/endpoints/put`, { metadata: { name: 'put' } })).status).toBe(201);
});

test('unknown and duplicate fields are named in the order of the body, those of YAML by line', async () => {
  const target = `${core}/configmaps?dryRun=All&fieldValidation=Strict`;
  const yaml = 'metadata:\n  name: a\n  zz: 1\n  aa: 1\ndata:\n  a: b\n  a: c\nab: 1\n';
  const refused = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ';
  expect((await send('POST', target, yaml)).message).toBe(
    `${refused}yaml: unmarshal errors:\n  line 7: key "a" already set in map, unknown field "ab", unknown field "metadata.aa", unknown field "metadata.zz"`,
  );
});

test('an Eviction of the older version', async () => {
  await send('POST', `${core}/pods`, { metadata: { name: 'evicted' }, spec: { containers: [{ name: 'a', image: 'a' }] } });
  const eviction = { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'evicted' }, deleteOptions: { dryRun: ['All'] } };
  expect((await send('POST', `${core}/pods/evicted/eviction`, eviction)).status).toBe(201);
});
