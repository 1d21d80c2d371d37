import { expect, test } from 'vitest';
import { ApiCallError } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('field-validation');
const { client } = testEnvironment.cluster;
const { namespace } = testEnvironment;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const containers = [{ name: 'web', image: 'nginx' }];
const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };

await client.call('POST', configMaps, { body: { metadata: { name: 'map' }, data: { key: 'value' } } });
await client.call('POST', deployments, {
  body: { metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } }, template } },
});

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** Sends a body as text in a dry run, and returns the status with the texts of its warnings. */
async function warned(method: string, path: string, body: string, contentType = 'application/json'): Promise<string[]> {
  const url = new URL(`${client.connection.server.replace(/\/$/, '')}${path}?dryRun=All&fieldManager=test`);
  const headers = { accept: 'application/json', 'content-type': contentType };
  const { status, headers: received } = await client.raw(method, url, headers, Buffer.from(body));
  const texts = [received.warning ?? []]
    .flat()
    .join(', ')
    .matchAll(/299 - "((?:[^"\\]|\\.)*)"/g);
  return [String(status), ...[...texts].map(([, text]) => (text as string).replaceAll('\\"', '"'))];
}

test.each([
  ['a duplicate is told once', '{"metadata":{"name":"a","name":"a","name":"a"}}', ['duplicate field "metadata.name"']],
  ['no duplicate of an unknown field is told', '{"metadata":{"name":"a"},"b":1,"b":2}', ['unknown field "b"']],
  [
    'unknown fields keep their order',
    '{"metadata":{"name":"a","z":1},"b":1,"a":2}',
    ['metadata.z', 'b', 'a'].map((path) => `unknown field "${path}"`),
  ],
])('a create: %s', async (_, body, warnings) => {
  expect(await warned('POST', configMaps, body)).toEqual(['201', ...warnings]);
});

const add = '"op":"add","path":"/data/other","value":"1"';

test.each([
  ['json', `[{${add},"more":1,"last":2}]`, ['json patch unknown field "[0].more"', 'json patch unknown field "[0].last"']],
  ['json', `[{"op":"add",${add},"more":1}]`, ['json patch duplicate field "[0].op"', 'json patch unknown field "[0].more"']],
  [
    'json',
    '[{"op":"add","path":"/z","value":1},{"op":"add","path":"/a","value":1,"more":1}]',
    ['json patch unknown field "[1].more"', 'unknown field "a"', 'unknown field "z"'],
  ],
  ['merge', '{"b":1,"a":2,"metadata":{"q":1}}', ['unknown field "a"', 'unknown field "b"', 'unknown field "metadata.q"']],
  ['merge', '{"b":1,"b":2,"data":{"x":"1","x":"2"}}', ['duplicate field "b"', 'duplicate field "data.x"', 'unknown field "b"']],
  ['strategic', '{"z":1,"a":2}', ['unknown field "a"', 'unknown field "z"']],
] as const)('a patch (%s) %s', async (type, body, warnings) => {
  expect(await warned('PATCH', `${configMaps}/map`, body, patchTypes[type])).toEqual(['200', ...warnings]);
});

/** The message that refuses a request. */
async function refusal(method: string, path: string, body: unknown, contentType = 'application/json', query = {}): Promise<string> {
  const answer = client.call(method, path, { body, contentType, query: { dryRun: 'All', ...query } });
  return answer.then(
    () => 'accepted',
    (error) => (error instanceof ApiCallError ? error.body.message : String(error)),
  );
}

test('Strict refuses a member that no operation of a JSON patch has', async () => {
  const patch = [{ op: 'add', path: '/data/other', value: '1', more: 1 }];
  const message = await refusal('PATCH', `${configMaps}/map`, patch, patchTypes.json, { fieldValidation: 'Strict' });
  expect(message).toMatch(/strict decoding error: json patch unknown field "\[0\]\.more"$/);
});

const decoding = 'json: cannot unmarshal';

test.each([
  [
    'a text for a number',
    { replicas: 'x' },
    `${decoding} string into Go struct field DeploymentSpec.spec.replicas of type int32`,
    'unrecognized type: int32',
  ],
  [
    'a list for a truth',
    { paused: [] },
    `${decoding} array into Go struct field DeploymentSpec.spec.paused of type bool`,
    'unrecognized type: bool',
  ],
  [
    'a number for an object',
    { template: 1 },
    `${decoding} number into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec`,
    'cannot restore struct from: int64',
  ],
  [
    'a text for a list',
    { template: { spec: { containers: 'x' } } },
    `${decoding} string into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container`,
    'cannot restore slice from string',
  ],
  [
    'a number in a map of texts',
    { template: { spec: { nodeSelector: { disk: 1 } } } },
    `${decoding} number into Go struct field PodSpec.spec.template.spec.nodeSelector of type string`,
    'cannot convert int64 to string',
  ],
  [
    'a truth for a map',
    { template: { spec: { nodeSelector: true } } },
    `${decoding} bool into Go struct field PodSpec.spec.template.spec.nodeSelector of type map[string]string`,
    'cannot restore map from bool',
  ],
])('%s is refused by the name of the Go field', async (_, spec, inBody, inPatch) => {
  expect(await refusal('POST', deployments, { metadata: { name: 'new' }, spec })).toContain(inBody);
  expect(await refusal('PATCH', `${deployments}/web`, { spec }, patchTypes.strategic)).toContain(inPatch);
});

const range = (count: number, text: (index: number) => string, separator: string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(separator);
const group = `${namespace}.example.com`;
await testEnvironment.crd(crdOf(group, 'Widget'));
const widgets = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
const widget = `"apiVersion":"${group}/v1","kind":"Widget"`;
await client.call('POST', widgets, { body: JSON.parse(`{${widget},"metadata":{"name":"w"}}`) });
const members = (count: number) => range(count, (index) => `"k${index}":1`, ',');
const twice = (count: number) => range(count, (index) => `"k${index}":"1","k${index}":"2"`, ',');

test.each([
  ['unknown fields', 'POST', configMaps, `{"metadata":{"name":"a"},${members(150)}}`, 'application/json', 100],
  ['duplicates', 'POST', configMaps, `{"metadata":{"name":"a"},"data":{${twice(150)}}}`, 'application/json', 100],
  ['both', 'POST', configMaps, `{${members(150)},"metadata":{"name":"a"},"data":{${twice(150)}}}`, 'application/json', 100],
  [
    'unknown fields of YAML',
    'POST',
    configMaps,
    `metadata: {name: a}\n${range(150, (index) => `k${index}: 1`, '\n')}`,
    'application/yaml',
    100,
  ],
  ['duplicates of YAML', 'POST', configMaps, `metadata: {name: a}\n${range(150, () => 'a: b', '\n')}`, 'application/yaml', 117],
  ['unknown fields of a custom resource', 'POST', widgets, `{${widget},"metadata":{"name":"a"},${members(150)}}`, 'application/json', 150],
  [
    'duplicates of a custom resource',
    'POST',
    widgets,
    `{${widget},"metadata":{"name":"a"},"spec":{},${twice(150)}}`,
    'application/json',
    204,
  ],
  ['duplicates of a merge patch', 'PATCH', `${configMaps}/map`, `{"data":{${twice(150)}}}`, patchTypes.merge, 100],
  ['unknown fields of a merge patch', 'PATCH', `${configMaps}/map`, `{${members(150)}}`, patchTypes.merge, 100],
  ['unknown fields of a strategic patch', 'PATCH', `${configMaps}/map`, `{${members(150)}}`, patchTypes.strategic, 150],
  ['unknown fields of a merge patch of a custom resource', 'PATCH', `${widgets}/w`, `{${members(150)}}`, patchTypes.merge, 150],
  [
    'unknown members of a JSON patch',
    'PATCH',
    `${configMaps}/map`,
    `[${range(110, (index) => `{${add},"m${index}":1}`, ',')}]`,
    patchTypes.json,
    100,
  ],
] as const)('the count of warnings is bounded: %s', async (_, method, path, body, type, count) => {
  const [status, ...warnings] = await warned(method, path, body, type);
  expect([status, warnings.length]).toEqual([method === 'POST' ? '201' : '200', count]);
});

test('100,000 unknown fields and as many duplicates are answered', async () => {
  const body = `{"metadata":{"name":"a"},${members(100_000)},"data":{${twice(50_000)}}}`;
  expect(await warned('POST', configMaps, body)).toEqual([
    '201',
    ...Array.from({ length: 100 }, (_, index) => `unknown field "k${index}"`),
  ]);
});

test.each([
  ['/v1', 'accepted'],
  ['/', 'accepted'],
  ['v1/', /^ConfigMap in version "" cannot be handled as a ConfigMap: Object 'apiVersion' is missing in '\{/],
  ['a/b/c', /^the object provided is unrecognized .*: unexpected GroupVersion string: a\/b\/c \(/],
])('the apiVersion %s', async (apiVersion, expected) => {
  const answer = await refusal('POST', configMaps, { apiVersion, kind: 'ConfigMap', metadata: { name: 'versioned' } });
  if (typeof expected === 'string') expect(answer).toBe(expected);
  else expect(answer).toMatch(expected);
});

const unfit = (value: string, field: string, type: string) =>
  `cannot be handled as a Deployment: json: cannot unmarshal number ${value} into Go struct field ${field} of type ${type}`;

test.each([
  ['replicas', '3000000000', unfit('3000000000', 'DeploymentSpec.spec.replicas', 'int32')],
  ['replicas', '9007199254740993', unfit('9007199254740993', 'DeploymentSpec.spec.replicas', 'int32')],
  ['replicas', '-2147483649', unfit('-2147483649', 'DeploymentSpec.spec.replicas', 'int32')],
  ['replicas', '2147483647', undefined],
  [
    'terminationGracePeriodSeconds',
    '9223372036854775808',
    unfit('9223372036854775808', 'PodSpec.spec.template.spec.terminationGracePeriodSeconds', 'int64'),
  ],
  ['terminationGracePeriodSeconds', '9223372036854775807', undefined],
  ['runAsUser', '9007199254740993', 'Invalid value: 9007199254740993: must be between 0 and 2147483647, inclusive'],
])('a number that its type cannot hold: %s %s', async (member, number, wanted) => {
  const pod = { containers, ...(member === 'runAsUser' ? { securityContext: { runAsUser: 0 } } : {}), terminationGracePeriodSeconds: 7 };
  const spec = { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: { ...template, spec: pod } };
  const body = JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'large' }, spec });
  const sent = body.replace(new RegExp(`("${member}":)\\d+`), `$1${number}`);
  const url = new URL(`${client.connection.server.replace(/\/$/, '')}${deployments}?dryRun=All`);
  const { status, text } = await client.raw(
    'POST',
    url,
    { accept: 'application/json', 'content-type': 'application/json' },
    Buffer.from(sent),
  );
  if (wanted === undefined) expect(status).toBe(201);
  else expect(JSON.parse(text).message).toContain(wanted);
});

test('an apply keeps the last bits of a number that its type cannot hold', async () => {
  const body = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'large' },
    spec: { replicas: 3000000000, selector: { matchLabels: { app: 'web' } }, template },
  };
  const query = { dryRun: 'All', fieldManager: 'm' };
  const refused = client.call('PATCH', `${deployments}/large`, { body, query, contentType: 'application/apply-patch+yaml' });
  await expect(refused).rejects.toThrow('spec.replicas: Invalid value: -1294967296: must be greater than or equal to 0');
});

test('a member named __proto__ is one like others', async () => {
  const group = `${namespace}.example.com`;
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await testEnvironment.crd(crdOf(group, 'Proto', { spec: open }));
  const collection = `/apis/${group}/v1/namespaces/${namespace}/protos`;
  const proto = (name: string, value: string) =>
    `{"apiVersion":"${group}/v1","kind":"Proto","metadata":{"name":"${name}"},"spec":{"__proto__":${value},"a":1}}`;
  const send = async (method: string, path: string, body: string, type = 'application/json') => {
    const url = new URL(`${client.connection.server.replace(/\/$/, '')}${path}`);
    const { status, text } = await client.raw(method, url, { accept: 'application/json', 'content-type': type }, Buffer.from(body));
    return [status, JSON.stringify(JSON.parse(text).spec)];
  };
  const apply = (manager: string, value: string) =>
    send('PATCH', `${collection}/applied?fieldManager=${manager}`, proto('applied', value), 'application/apply-patch+yaml');
  const spec = '{"__proto__":{"p":1},"a":1}';
  expect(await send('POST', collection, proto('created', '{"p":1}'))).toEqual([201, spec]);
  expect(await apply('one', '{"p":1}')).toEqual([201, spec]);
  expect(await apply('two', '{"p":1}')).toEqual([200, spec]);
  expect((await apply('three', '{"p":2}'))[0]).toBe(409);
  expect(await send('PATCH', `${configMaps}/map`, '{"data":{"__proto__":"x"}}', 'application/strategic-merge-patch+json')).toEqual([
    200,
    undefined,
  ]);
  expect(Object.keys((await client.call('GET', `${configMaps}/map`)).data)).toContain('__proto__');
});

test('an object without a status can be patched and applied after it was updated', async () => {
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const path = `${policies}/${namespace}`;
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['bindings'], operations: ['CREATE'] };
  const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] };
  const policy = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: { name: namespace }, spec };
  testEnvironment.onCleanup(() => client.call('DELETE', path));
  await client.call('POST', policies, { body: policy });
  // The real server writes the status of a policy soon after it is created.
  await poll('the policy is updated', async () => {
    const live = await client.call('GET', path);
    return client.call('PUT', path, { body: { ...live, metadata: { ...live.metadata, annotations: { a: 'b' } } } }).catch(() => undefined);
  });
  const patch = { metadata: { annotations: { c: 'd' } } };
  const patched = await client.call('PATCH', path, { body: patch, contentType: patchTypes.merge });
  expect(patched.metadata.annotations).toEqual({ a: 'b', c: 'd' });
  const query = { fieldManager: 'm', force: 'true' };
  const applied = await client.call('PATCH', path, { body: policy, query, contentType: 'application/apply-patch+yaml' });
  expect(applied.metadata.annotations).toEqual({ a: 'b', c: 'd' });
});

test('in the metadata of an embedded resource, a null that its schema removes is not unknown', async () => {
  const group = `${namespace}.example.com`;
  const metadata = { type: 'object', properties: { removed: { type: 'string' }, kept: { type: 'string', nullable: true } } };
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { metadata } };
  const spec = { type: 'object', properties: { embedded } };
  await testEnvironment.crd(crdOf(group, 'Holder', { spec }));
  const found: Record<string, readonly string[]> = {};
  for (const members of [{ removed: null }, { kept: null }, { other: null }, { removed: 'a' }, { labels: null }]) {
    const { kind, apiVersion, metadata: own } = testEnvironment.ref(`${group}/v1`, 'Holder', 'one');
    const body = { kind, apiVersion, metadata: own, spec: { embedded: { apiVersion: 'v1', kind: 'ConfigMap', metadata: members } } };
    const path = await testEnvironment.cluster.path(body);
    found[JSON.stringify(members)] = await warned('POST', path.slice(0, path.lastIndexOf('/')), JSON.stringify(body));
  }
  const unknown = (name: string) => ['201', `unknown field "spec.embedded.metadata.${name}"`];
  expect(found).toEqual({
    '{"removed":null}': ['201'],
    '{"kept":null}': unknown('kept'),
    '{"other":null}': unknown('other'),
    '{"removed":"a"}': unknown('removed'),
    '{"labels":null}': ['201'],
  });
});
