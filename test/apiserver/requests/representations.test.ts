import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { decodeObject, readEnvelope } from '../../../src/apiserver/http/protobuf/envelope.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Which serialization and form a server returns for an Accept header, and by which words it refuses. */
const testEnvironment = await TestEnvironment.create('representations');
const { cluster, namespace } = testEnvironment;
const protobuf = 'application/vnd.kubernetes.protobuf';
const json = 'application/json';
const yaml = 'application/yaml';
const group = `${namespace}.example.com`;

const metadataOnly = ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const table = ';as=Table;g=meta.k8s.io;v=v1';
const listOfMetadata = metadataOnly.replace('PartialObjectMetadata', 'PartialObjectMetadataList');
const older = (form: string) => form.replace('v=v1', 'v=v1beta1');
const refusedList = (type: string) => `you requested PartialObjectMetadata, but the requested object is a list (*${type})`;
const all = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const byType = `406: Not Acceptable\n\nAvailable representations: ${all}`;
const byParameters = `only the following media types are accepted: ${all}`;
const watched = `${all}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`;
const object = '/api/v1/namespaces/NAMESPACE/configmaps/a';
const custom = '/apis/GROUP/v1/namespaces/NAMESPACE/widgets/a';
const watch = '/api/v1/namespaces/NAMESPACE/configmaps?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=a';

/** The Content-Type of a response, or its code, Content-Type and message. */
const rows: readonly (readonly [
  path: string,
  accept: string,
  expected: string | readonly [code: number, type: string, message: string],
])[] = [
  [object, '', json],
  [object, '*/*', json],
  [object, json, json],
  [object, yaml, yaml],
  [object, protobuf, protobuf],
  [object, `${protobuf},${json}`, protobuf],
  [object, 'application/cbor,*/*', json],
  [object, '*/*;q=0.5,application/yaml', yaml],
  [object, 'application/json;q=0.1,application/yaml;q=0.9', yaml],
  [object, 'text/html,application/yaml;q=0.3,*/*;q=0.1', yaml],
  [object, 'application/json;q=0', json],
  [object, 'application/json;foo=bar', json],
  [object, `${protobuf};stream=watch`, protobuf],
  [object, `${json}${metadataOnly}`, json],
  [object, `${yaml}${metadataOnly}`, yaml],
  [object, `${protobuf}${metadataOnly}`, protobuf],
  [object, `${json}${older(metadataOnly)}`, json],
  [object, `${protobuf}${older(metadataOnly)}`, protobuf],
  [object, `${json}${older(table)}`, json],
  [object, `${json}${table.replace('v=v1', 'v=v2')}`, [406, json, byParameters]],
  [
    object,
    `${json}${listOfMetadata}`,
    [406, json, 'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)'],
  ],
  [object.replace(/\/a$/, ''), `${json}${metadataOnly}`, [406, json, refusedList('core.ConfigMapList')]],
  [object.replace(/\/a$/, ''), `${json}${listOfMetadata}`, json],
  ['/apis/events.k8s.io/v1/events', `${json}${older(metadataOnly)}`, [406, json, refusedList('core.EventList')]],
  ['/apis/rbac.authorization.k8s.io/v1/clusterroles', `${json}${metadataOnly}`, [406, json, refusedList('rbac.ClusterRoleList')]],
  [custom.replace(/\/a$/, ''), `${json}${metadataOnly}`, [406, json, refusedList('unstructured.UnstructuredList')]],
  [`${object}?export=1`, json, [400, json, 'the export parameter, deprecated since v1.14, is no longer supported']],
  [`${custom}/scale?export`, json, [400, json, 'the export parameter, deprecated since v1.14, is no longer supported']],
  [`${object}?export=false`, json, json],
  [`${object.replace(/\/a$/, '')}?export=true`, json, json],
  [object, `${protobuf};v=v1;g=meta.k8s.io;as=PartialObjectMetadata`, protobuf],
  [object, `${protobuf}${table},application/yaml`, yaml],
  [object, 'application/cbor', [406, json, byType]],
  [object, 'text/html', [406, json, byType]],
  [object, 'application/*', [406, json, byType]],
  [object, 'garbage', [406, json, byType]],
  [object, ',', [406, json, byType]],
  [object, 'application/json;as=Foo', [406, json, byParameters]],
  [object, 'application/json;as=PartialObjectMetadata', [406, json, byParameters]],
  [object, `${protobuf}${table}`, [406, json, byParameters]],
  [object, 'application/yaml;stream=watch', [406, json, byParameters]],
  [object.replace(/a$/, 'absent'), protobuf, [404, protobuf, 'configmaps "absent" not found']],
  [object.replace(/a$/, 'absent'), yaml, [404, yaml, 'configmaps "absent" not found']],
  [object.replace(/a$/, 'absent'), `${protobuf}${metadataOnly}`, [404, json, 'configmaps "absent" not found']],
  [object.replace(/a$/, 'absent'), 'text/html', [406, json, byType]],
  [object.replace(/\/a$/, ''), 'text/html', [406, json, `406: Not Acceptable\n\nAvailable representations: ${watched}`]],
  [object.replace(/\/a$/, ''), protobuf, protobuf],
  [watch, '', json],
  [watch, protobuf, `${protobuf};stream=watch`],
  [watch, `${protobuf}${metadataOnly}`, `${protobuf};stream=watch`],
  [
    watch,
    yaml,
    [
      406,
      yaml,
      'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    ],
  ],
  [custom, protobuf, [406, protobuf, byParameters]],
  [custom, `${protobuf},${json}`, json],
  [custom, `${protobuf}${metadataOnly}`, protobuf],
  [custom, yaml, yaml],
  [custom, 'text/html', [406, json, byParameters]],
  [`${custom}/scale`, protobuf, [406, protobuf, byParameters]],
  [custom.replace(/a$/, 'absent'), `${protobuf},${json}`, [404, protobuf, 'widgets.GROUP "absent" not found']],
  ['/api', protobuf, protobuf],
  ['/apis', yaml, yaml],
  ['/apis', 'text/html', [406, json, byParameters]],
  ['/api', 'text/html', [406, json, byType]],
  ['/apis/apps', protobuf, protobuf],
  ['/apis/apps/v1', protobuf, protobuf],
  ['/apis/apps/v1', `${json}${metadataOnly}`, [406, json, byParameters]],
  [
    '/apis',
    `${protobuf};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
    `${protobuf};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
  ],
  ['/apis', 'application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList', [406, json, byParameters]],
  ['/version', protobuf, [406, protobuf, '406: Not Acceptable\n\nAvailable representations: application/json']],
  ['/version', 'text/html', [406, json, '406: Not Acceptable\n\nAvailable representations: application/json']],
  ['/api/v1/absent', protobuf, [404, protobuf, 'the server could not find the requested resource']],
];

await testEnvironment.crd({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { replicas: { type: 'integer' } } } } },
        },
      },
    ],
  },
});
const data = {
  k10: '1',
  k9: 'yes',
  B: '0x1F',
  b: 'null',
  _x: "it's",
  'a.b': '',
  'x-1': 'a: b #c',
  text: 'one\ntwo\n',
  star: '*x',
  day: '2026-01-01',
};
await cluster.create('test', { ...testEnvironment.ref('v1', 'ConfigMap', 'a'), data } as never);
await cluster.create('test', { ...testEnvironment.ref(`${group}/v1`, 'Widget', 'a'), spec: { replicas: 1 } } as never);

for (const [path, accept, expected] of rows) {
  test(`GET ${path} with Accept ${accept || 'absent'}`, async () => {
    const { status, headers, bytes } = await get(path, accept);
    const type = headers['content-type'];
    if (typeof expected === 'string') {
      expect([status, type]).toEqual([200, expected]);
      return;
    }
    const body = type === protobuf ? decodeObject(readEnvelope(bytes)) : parse(bytes.toString('utf8'));
    expect([status, type, (body as { message: string }).message]).toEqual([expected[0], expected[1], named(expected[2])]);
  });
}

test.each(['v1', 'v1beta1'])('metadata, Tables and their watches have the requested version, %s', async (version) => {
  const apiVersion = `meta.k8s.io/${version}`;
  const asked = async (path: string, form: string) => (await get(path, `${json}${form.replace('v=v1', `v=${version}`)}`)).text;
  const metadata = { kind: 'PartialObjectMetadata', apiVersion, metadata: { name: 'a' } };
  expect(JSON.parse(await asked(object, metadataOnly))).toMatchObject(metadata);
  const list = { kind: 'PartialObjectMetadataList', apiVersion, items: [metadata] };
  expect(JSON.parse(await asked(`${object.replace(/\/a$/, '')}?fieldSelector=metadata.name=a`, listOfMetadata))).toMatchObject(list);
  expect(JSON.parse(await asked(object, table))).toMatchObject({ kind: 'Table', apiVersion, rows: [{ object: metadata }] });
  const bookmarks = '&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  const events = async (form: string) =>
    (await asked(`${watch}${bookmarks}`, form))
      .trimEnd()
      .split('\n')
      .filter(Boolean)
      // A server sends further bookmarks whenever it likes.
      .slice(0, 2)
      .map((line) => JSON.parse(line));
  const { metadata: _, ...bookmark } = metadata;
  expect(await events(metadataOnly)).toMatchObject([
    { type: 'ADDED', object: metadata },
    { type: 'BOOKMARK', object: bookmark },
  ]);
  expect(await events(table)).toMatchObject([
    { type: 'ADDED', object: { kind: 'Table', apiVersion, rows: [{ object: metadata }] } },
    { type: 'BOOKMARK', object: { kind: 'Table', apiVersion, rows: [{ object: bookmark }] } },
  ]);
  expect(await events(listOfMetadata)).toEqual([]);
});

test('YAML has the members of JSON, sorted', async () => {
  const [asYaml, asJson] = [await get(object, yaml), await get(object, json)];
  expect(parse(asYaml.text)).toEqual(JSON.parse(asJson.text));
  const lines = asYaml.text.split('\n');
  expect(lines.slice(0, lines.indexOf('kind: ConfigMap') + 1)).toEqual([
    'apiVersion: v1',
    'data:',
    `  _x: it's`,
    '  B: "0x1F"',
    '  a.b: ""',
    '  b: "null"',
    '  day: "2026-01-01"',
    '  k9: "yes"',
    '  k10: "1"',
    `  star: '*x'`,
    '  text: |',
    '    one',
    '    two',
    `  x-1: 'a: b #c'`,
    'kind: ConfigMap',
  ]);
});

test.each([
  ['', 'curl/8.5', true],
  ['', 'Wget/1.21', true],
  ['', 'Mozilla/5.0 (X11)', true],
  ['', 'kubectl/1.36', false],
  ['', 'my curl', false],
  ['?pretty=', 'curl/8.5', true],
  ['?pretty=false', 'curl/8.5', false],
  ['?pretty=0', 'curl/8.5', false],
  ['?pretty=1', 'kubectl/1.36', true],
])('JSON with the query %j for %s is indented: %s', async (query, agent, indented) => {
  const { text } = await get(`${object}${query}`, json, { 'user-agent': agent });
  expect(text.trimEnd()).toBe(JSON.stringify(JSON.parse(text), undefined, indented ? 2 : 0));
});

test('a watch in protobuf sends each event with its length', async () => {
  const { bytes } = await get(watch, protobuf);
  expect(bytes.readUInt32BE(0)).toBe(bytes.length - 4);
  const event = bytes.subarray(4);
  expect(event.subarray(0, 7).toString('latin1')).toBe('\n\x05ADDED');
  const start = event.indexOf('k8s\0');
  expect(decodeObject(readEnvelope(event.subarray(start)))).toEqual(JSON.parse((await get(object, json)).text));
});

function named(text: string): string {
  return text.replaceAll('NAMESPACE', namespace).replaceAll('GROUP', group);
}

function get(path: string, accept: string, headers: Readonly<Record<string, string>> = {}) {
  const url = new URL(cluster.client.connection.server.replace(/\/$/, '') + named(path));
  return cluster.client.raw('GET', url, { ...headers, ...(accept === '' ? {} : { accept }) }, undefined);
}

test('a form or scope that is named as a member of every JavaScript object is unknown', async () => {
  const { status } = await get(object, `${json};as=constructor;g=meta.k8s.io;v=v1`);
  expect(status).toBe(406);
  const quota = { ...testEnvironment.ref('v1', 'ResourceQuota', 'scoped'), spec: { scopes: ['constructor'] } };
  await expect(cluster.create('test', quota as never)).rejects.toThrow('unsupported scope');
});
