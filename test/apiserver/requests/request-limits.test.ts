import { expect, test } from 'vitest';
import { readKubeconfig } from '../../harness/kubeconfig.js';
import { RawConnection, requestText } from '../../harness/raw-http.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('limits');
const connection = readKubeconfig(testEnvironment.kubeconfig);
const maps = `/api/v1/namespaces/${testEnvironment.namespace}/configmaps`;
const json = 'application/json';
const yaml = 'application/yaml';

async function send(method: string, target: string, type: string, body: string) {
  const raw = await RawConnection.open(connection);
  raw.write(requestText(method, target, { authorization: `Bearer ${connection.token}`, 'content-type': type }, body));
  const response = await raw.response(method, 60);
  raw.close();
  return [response?.status, JSON.parse(response?.body ?? '{}').message];
}

const object = (more: string) => `{"metadata":{"name":"a"}${more}}`;
const unrecognized = (reason: string, excerpt: string) =>
  `the object provided is unrecognized (must be of type ConfigMap): ${reason} (${excerpt})`;
const tooLarge = 'Request entity too large: limit is 3145728';
const laughs = Array.from({ length: 9 }, (_, level) => `a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(', ')}]\n`).join(
  '',
);
const operations = (count: number) => `[${Array(count).fill('{"op":"test","path":"/data/a","value":"b"}').join(',')}]`;

test.each([
  ['a body', json, object('').padEnd(3 * 1024 * 1024 + 1), 413, tooLarge],
  ['a YAML body', yaml, object('').padEnd(3 * 1024 * 1024 + 1), 413, tooLarge],
  [
    'depth',
    json,
    '['.repeat(20_000),
    400,
    unrecognized("couldn't get version/kind; json parse error: invalid character '[' exceeded max depth", `${'5b'.repeat(30)} ...`),
  ],
  ['depth of YAML', yaml, '['.repeat(20_000), 400, unrecognized('yaml: exceeded max depth of 10000', `${'5b'.repeat(30)} ...`)],
  [
    'aliases',
    yaml,
    `a0: &a0 x\n${laughs}`,
    400,
    unrecognized(
      'yaml: document contains excessive aliasing',
      `${Buffer.from(`a0: &a0 x\n${laughs}`).subarray(0, 30).toString('hex')} ...`,
    ),
  ],
  [
    'annotations',
    json,
    `{"metadata":{"name":"a","annotations":{"a":"${'x'.repeat(262_144)}"}}}`,
    422,
    'ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
  ],
  [
    'data',
    json,
    object(`,"data":{"a":"${'x'.repeat(1_048_577)}"}`),
    422,
    'ConfigMap "a" is invalid: []: Too long: may not be more than 1048576 bytes',
  ],
])('the limit of %s', async (_, type, body, status, message) => {
  expect(await send('POST', `${maps}?dryRun=All`, type, body)).toEqual([status, message]);
});

test('an object that etcd would not store is refused', async () => {
  const labels = Array.from({ length: 40_000 }, (_, index) => `"k${index}":"${'v'.repeat(30)}"`).join(',');
  expect(await send('POST', maps, json, `{"metadata":{"name":"large","labels":{${labels}}}}`)).toEqual([
    500,
    'etcdserver: request is too large',
  ]);
});

const longKey = 'a-key-that-is-so-long-that-the-ownership-of-many-of-them-is-as-large-as-their-data-';
const manyKeys = (more = {}) =>
  JSON.stringify({ data: Object.fromEntries(Array.from({ length: 9500 }, (_, index) => [`${longKey}${index}`, 'v'])), ...more });

async function ownersOf(name: string) {
  const raw = await RawConnection.open(connection);
  raw.write(requestText('GET', `${maps}/${name}`, { authorization: `Bearer ${connection.token}` }));
  const response = await raw.response('GET', 60);
  raw.close();
  return (JSON.parse(response?.body ?? '{}').metadata?.managedFields ?? []).map((entry: { manager: string }) => entry.manager);
}

test.each([
  ['create', 'POST', '', json],
  ['update', 'PUT', '/many-update', json],
  ['patch', 'PATCH', '/many-patch', 'application/merge-patch+json'],
])('an object that is too large with its ownership loses it: %s', async (verb, method, path, type) => {
  const name = `many-${verb}`;
  if (verb !== 'create') await send('POST', `${maps}?fieldManager=first`, json, `{"metadata":{"name":"${name}"},"data":{"a":"b"}}`);
  const [status] = await send(method, `${maps}${path}?fieldManager=second`, type, manyKeys({ metadata: { name } }));
  expect(status).toBe(verb === 'create' ? 201 : 200);
  expect(await ownersOf(name)).toEqual([]);
  const applied = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}}`;
  expect(await send('PATCH', `${maps}/${name}?fieldManager=third`, 'application/apply-patch+yaml', applied)).toEqual([
    500,
    'etcdserver: request is too large',
  ]);
  expect(await ownersOf(name)).toEqual([]);
});

test('a JSON patch has at most 10,000 operations', async () => {
  await send('POST', maps, json, '{"metadata":{"name":"p"},"data":{"a":"b"}}');
  const type = 'application/json-patch+json';
  expect(await send('PATCH', `${maps}/p?dryRun=All`, type, operations(10_000))).toEqual([200, undefined]);
  const text = 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001';
  expect(await send('PATCH', `${maps}/p?dryRun=All`, type, operations(10_001))).toEqual([413, text]);
});

test('a token lives at most 2^32 seconds', async () => {
  const accounts = `/api/v1/namespaces/${testEnvironment.namespace}/serviceaccounts`;
  await send('POST', accounts, json, '{"metadata":{"name":"t"}}');
  const of = (seconds: string) => send('POST', `${accounts}/t/token`, json, `{"spec":{"expirationSeconds":${seconds}}}`);
  const refusal = 'spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds';
  expect(await of('4294967297')).toEqual([422, `TokenRequest.authentication.k8s.io "" is invalid: ${refusal}`]);
  expect((await of('4294967296'))[0]).toBe(201);
});
