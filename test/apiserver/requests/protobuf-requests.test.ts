import { spawnSync } from 'node:child_process';
import protobufjs from 'protobufjs/minimal.js';
import { expect, inject, test } from 'vitest';
import { encodeObject } from '../../../src/apiserver/http/protobuf/envelope.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Requests with protobuf bodies: what a server reads, and by which words it refuses. */
const testEnvironment = await TestEnvironment.create('protobuf-requests');
const { cluster, namespace, kubectl } = testEnvironment;
const protobuf = 'application/vnd.kubernetes.protobuf';
const isReal = inject('server').from !== 'embedded';

/** An envelope around bytes. */
function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const writer = protobufjs.Writer.create();
  writer.uint32(10).fork().uint32(10).string(apiVersion).uint32(18).string(kind).ldelim().uint32(18).bytes(raw);
  return Buffer.concat([Buffer.from('k8s\0'), writer.finish()]);
}

const bytes = (text: string) => Buffer.from(text, 'latin1');
const config = bytes('\x0a\x03\x0a\x01n');
const configMap = (raw: Buffer) => envelope('v1', 'ConfigMap', raw);
const cannot = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: ';
const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap): ';
const noMagic = 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]';
const notRegistered = (kind: string, apiVersion: string) =>
  `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;

const bodies: readonly (readonly [name: string, body: Buffer, code: number, message?: string])[] = [
  ['an object', configMap(config), 201],
  ['an object without a kind', envelope('', '', config), 201],
  ['unknown fields', configMap(bytes('\x0a\x03\x0a\x01n\x9a\x06\x01x\xa0\x06\x05')), 201],
  ['nothing', Buffer.alloc(0), 400, `${unrecognized}empty data (<empty>)`],
  ['other bytes', bytes('abc'), 400, `${unrecognized}${noMagic} (616263)`],
  ['JSON', bytes('{"kind":"ConfigMap"}'), 400, `${unrecognized}${noMagic} ({"kind":"ConfigMap"})`],
  ['many other bytes', bytes('x'.repeat(99)), 400, `${unrecognized}${noMagic} (${'78'.repeat(30)} ...)`],
  ['the magic alone', bytes('k8s\0'), 400, `${unrecognized}empty body (6b387300)`],
  ['a broken envelope', bytes('k8s\0\x0a\x50abc'), 400, `${unrecognized}unexpected EOF (6b3873000a50616263)`],
  ['a truncated object', configMap(bytes('\x0a\x03\x0a\x01n\x12\x50abc')), 400, `${cannot}unexpected EOF`],
  ['another wire type', configMap(bytes('\x08\x01')), 400, `${cannot}proto: wrong wireType = 0 for field ObjectMeta`],
  ['an illegal wire type', configMap(bytes('\x9f\x06')), 400, `${cannot}proto: illegal wireType 7`],
  ['field zero', configMap(bytes('\x00\x01')), 400, `${cannot}proto: ConfigMap: illegal tag 0 (wire type 0)`],
  ['the end of no group', configMap(bytes('\x0c')), 400, `${cannot}proto: ConfigMap: wiretype end group for non-group`],
  ['a long number', configMap(Buffer.alloc(12, 0xff)), 400, `${cannot}proto: integer overflow`],
  [
    'another kind',
    envelope('v1', 'Secret', config),
    400,
    'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  ],
  ['another group', envelope('apps/v1', 'ConfigMap', config), 400, `${cannot}${notRegistered('ConfigMap', 'apps/v1')}`],
  [
    'an unknown kind',
    envelope('foo/v1', 'Foo', config),
    400,
    `Foo in version "v1" cannot be handled as a ConfigMap: ${notRegistered('Foo', 'foo/v1')}`,
  ],
];

for (const [name, body, code, message] of bodies) {
  test(`POST of ${name}`, async () => {
    const response = await send('POST', 'configmaps?dryRun=All', body);
    expect([response.status, response.body.message]).toEqual([code, message]);
  });
}

test('other media types are refused', async () => {
  const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const text = `the body of the request was in an unknown format - accepted media types include: ${types}`;
  await cluster.create('test', testEnvironment.ref('v1', 'ConfigMap', 'a'));
  for (const type of ['application/cbor', 'text/plain']) {
    expect((await send('POST', 'configmaps', bytes('\xa0'), type)).body).toMatchObject({ code: 415, message: text });
    expect((await send('DELETE', 'configmaps/a', bytes('\xa0'), type)).body).toMatchObject({ code: 415, message: text });
  }
  expect((await send('PATCH', 'configmaps/a', config)).body).toMatchObject({ code: 415, message: '415: Unsupported Media Type' });
});

test('values that JSON writes differently', async () => {
  const quota = (text: string) =>
    envelope('v1', 'ResourceQuota', bytes(`\x0a\x03\x0a\x01q\x12${length(`\x0a${length(`\x0a\x04pods\x12${length(text)}`)}`)}`));
  const made = await send('POST', 'resourcequotas?dryRun=All', quota(`\x0a${length('1000m')}`));
  expect(made.body.spec.hard).toEqual({ pods: '1' });
  expect((await send('POST', 'resourcequotas?dryRun=All', quota(''))).body.spec.hard).toEqual({ pods: '0' });
  const { body } = await send('POST', 'resourcequotas?dryRun=All', quota(`\x0a${length('x1y')}`));
  expect(body).toMatchObject({ code: 400, message: expect.stringContaining('quantities must match the regular expression') });
  const large = 9007199254740993n as unknown as number;
  const pod = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'r' }, revision: large, data: { a: [1, null, 'é'] } };
  const response = await send('POST', 'controllerrevisions?dryRun=All', encodeObject(pod), protobuf, '/apis/apps/v1');
  expect(response.text.replaceAll(' ', '')).toContain('"revision":9007199254740993');
  expect(response.body.data).toEqual(pod.data);
});

test('options of a DELETE', async () => {
  const object = testEnvironment.ref('v1', 'ConfigMap', 'deleted');
  await cluster.create('test', object);
  const options = (members: object, kind = 'DeleteOptions') => encodeObject({ apiVersion: 'v1', kind, ...members });
  expect((await send('DELETE', 'configmaps/deleted', options({ dryRun: ['All'] }))).status).toBe(200);
  expect((await send('DELETE', 'configmaps/deleted', options({ preconditions: { uid: 'other' } }))).status).toBe(409);
  const wrong = await send('DELETE', 'configmaps/deleted', options({}, 'ConfigMap'));
  expect(wrong.body).toMatchObject({ code: 400, message: notRegistered('ConfigMap', 'v1') });
  expect((await send('DELETE', 'configmaps/deleted', bytes('abc'))).body).toMatchObject({ code: 400, message: noMagic });
  expect(await cluster.find(object)).toBeDefined();
  expect((await send('DELETE', 'configmaps/deleted', options({ gracePeriodSeconds: 0 }))).status).toBe(200);
  expect(await cluster.find(object)).toBeUndefined();
});

const group = `${namespace}.example.com`;
await testEnvironment.crd({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});
const widget = envelope(`${group}/v1`, 'Widget', config);
const sendWidget = (body: Buffer, query = '') => send('POST', `widgets${query}`, body, protobuf, `/apis/${group}/v1`);

if (isReal)
  process.stderr.write(
    'Protobuf bodies of custom resources are tested with fieldValidation=Ignore only: without, the real API server panics and ends the connection.\n',
  );
test.skipIf(isReal)('a custom resource has no protobuf body', async () => {
  expect((await sendWidget(widget)).body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
});

test.each([
  ['JSON', bytes('{}'), `the object provided is unrecognized (must be of type Widget): ${noMagic} ({})`],
  ['nothing', bytes(''), 'the object provided is unrecognized (must be of type Widget): empty data (<empty>)'],
  ['an object', widget, `Widget in version "v1" cannot be handled as a Widget: Object 'Kind' is missing in 'object has no kind field '`],
])('a custom resource whose unknown fields nobody asks for is read as protobuf, and refused: %s', async (_, body, message) => {
  expect((await sendWidget(body, '?fieldValidation=Ignore')).body).toMatchObject({ code: 400, reason: 'BadRequest', message });
});

test.skipIf(kubectl === undefined)('commands of kubectl that send protobuf', () => {
  const run = (...words: string[]) => {
    const { stdout, stderr } = spawnSync(kubectl as string, ['--kubeconfig', testEnvironment.kubeconfig, '-n', namespace, ...words], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    return stdout + stderr;
  };
  expect(run('create', 'configmap', 'made', '--from-literal=a=b')).toBe('configmap/made created\n');
  expect(run('create', 'secret', 'generic', 'made', '--from-literal=a=b')).toBe('secret/made created\n');
  expect(run('create', 'deployment', 'made', '--image=example.com/a')).toBe('deployment.apps/made created\n');
  expect(run('create', 'serviceaccount', 'made')).toBe('serviceaccount/made created\n');
  expect(run('create', 'role', 'made', '--verb=get', '--resource=pods')).toBe('role.rbac.authorization.k8s.io/made created\n');
  // The embedded server warns that it does not enforce it.
  expect(run('create', 'quota', 'made', '--hard=pods=1')).toMatch(/^resourcequota\/made created\n/);
  expect(run('create', 'token', 'made')).toMatch(/^ey/);
  expect(run('auth', 'can-i', 'get', 'pods')).toBe('yes\n');
  expect(run('auth', 'can-i', 'get', 'pods', '--as=nobody')).toBe('no\n');
  expect(run('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe('admin');
  expect(run('get', 'configmap', 'made', '-o', 'jsonpath={.data.a}')).toBe('b');
});

/** A text with its length before it. */
function length(text: string): string {
  return String.fromCharCode(text.length) + text;
}

async function send(method: string, path: string, content: Buffer, type = protobuf, root = '/api/v1') {
  const url = new URL(`${cluster.client.connection.server.replace(/\/$/, '')}${root}/namespaces/${namespace}/${path}`);
  const headers = { accept: 'application/json', 'content-type': type, 'content-length': String(content.length) };
  const { status, text } = await cluster.client.raw(method, url, headers, content);
  return { status, text, body: JSON.parse(text) };
}
