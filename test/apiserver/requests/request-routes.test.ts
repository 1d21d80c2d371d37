import { expect, test } from 'vitest';
import { decodeObject, readEnvelope } from '../../../src/apiserver/http/protobuf/envelope.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** In which order a server refuses a path, a method, the type of a patch, and the forms that a client accepts. */
const testEnvironment = await TestEnvironment.create('request-routes');
const { cluster, namespace } = testEnvironment;
const group = `${namespace}.example.com`;
const tags = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
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
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { tags, size: { type: 'integer' } } } } },
        },
      },
    ],
  },
});

const json = 'application/json';
const protobuf = 'application/vnd.kubernetes.protobuf';
const merge = 'application/merge-patch+json';
const text = 'text/plain';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const widgets = `/apis/${group}/v1/namespaces/${namespace}/widgets`;

const noMethod = 'the server does not allow this method on the requested resource';
const noPath = 'the server could not find the requested resource';
const patchType = '415: Unsupported Media Type';
const patchTypes = `${json}-patch+json, ${merge}, application/apply-patch+yaml`;
const customPatchType = `the body of the request was in an unknown format - accepted media types include: ${patchTypes}`;
const noForm = 'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
const noType = '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf';

test.each([
  ['POST', `${configMaps}/a`, json, text, 405, noMethod],
  ['PATCH', configMaps, json, text, 405, noMethod],
  ['PUT', configMaps, json, text, 405, noMethod],
  ['DELETE', '/api/v1/namespaces', json, text, 405, noMethod],
  ['POST', `${deployments}/a`, text, text, 405, noMethod],
  ['POST', `${deployments}/a/scale`, text, text, 405, noMethod],
  ['DELETE', `${deployments}/a/status`, text, text, 405, noMethod],
  ['PATCH', `${configMaps}/a/status`, text, text, 404, noPath],
  ['PUT', `${deployments}/a/pods`, json, json, 404, noPath],
  ['PATCH', `${configMaps}/a`, json, text, 415, patchType],
  ['PATCH', `${deployments}/a/scale`, text, text, 415, patchType],
  ['PATCH', `${configMaps}/a`, merge, text, 406, noType],
  ['PUT', `${configMaps}/a`, text, text, 406, noType],
  ['PATCH', widgets, json, text, 415, customPatchType],
  ['PATCH', `${widgets}/a`, json, protobuf, 415, customPatchType],
  ['PATCH', widgets, merge, text, 400, 'name must be provided'],
  ['PUT', widgets, json, text, 400, 'name must be provided'],
  ['PUT', `${widgets}/a`, json, text, 406, noForm],
  ['POST', `${widgets}/a`, json, text, 406, noForm],
  ['DELETE', `${widgets}/a/status`, json, text, 404, `widgets.${group} "a" not found`],
])('%s %s as %s for %s: %i %s', async (method, path, contentType, accept, code, message) => {
  const response = await send(method, path, {}, contentType, accept);
  expect([response.status, response.message]).toEqual([code, message]);
});

/** The response to a path that is outside of the API, of which kubectl names the resource. */
const noPage = '404 page not found\n';

test.each([
  ['/api/v1/nothing', noPath],
  ['/api/v9/pods', noPath],
  ['/apis/apps/v1/nothing', noPath],
  ['/apis/apps/v9/deployments', noPath],
  [`/apis/apps/v1/namespaces/${namespace}/deployments/a/nothing`, noPath],
  ['/apis/authentication.k8s.io/v9/nothing', noPath],
  ['/apis/apiextensions.k8s.io/v9', noPath],
  ['/apis/none.example.com', noPage],
  ['/apis/none.example.com/v1', noPage],
  ['/apis/none.example.com/v1/gateways', noPage],
  ['/apis/none.example.com/v1/namespaces/default/gateways/a/b/c/d', noPage],
  ['/apis/metrics.k8s.io/v1beta1/nodes', noPage],
  [`/apis/${group}/v9`, noPage],
  [`/apis/${group}/v9/widgets`, noPage],
  [`/apis/${group}/v1/gateways`, noPage],
  [`/apis/${group}/v1/widgets/a`, noPage],
])('a path that nothing serves: %s', async (path, message) => {
  for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
    const response = await send(method, path, {}, json, json);
    expect([method, response.status, response.message]).toEqual([method, 404, message]);
  }
});

test.each(['PUT', 'POST', 'DELETE', 'PATCH'])('a %s of namespaced custom resources outside of a namespace', async (method) => {
  const response = await send(method, `/apis/${group}/v1/widgets`, {}, method === 'PATCH' ? merge : json, json);
  expect([response.status, response.message]).toEqual([404, noPage]);
});

test('a POST to the path of a custom resource creates the one that its body names', async () => {
  const body = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'of-body' } };
  expect((await send('POST', `${widgets}/of-path`, body, json, json)).status).toBe(201);
  expect(await cluster.find(testEnvironment.ref(`${group}/v1`, 'Widget', 'of-body'))).toBeDefined();
  expect(await cluster.find(testEnvironment.ref(`${group}/v1`, 'Widget', 'of-path'))).toBeUndefined();
});

test('of a custom resource of another kind only the kind and the lists are refused', async () => {
  const spec = { tags: ['a', 'a'], size: 'large' };
  const body = { apiVersion: `${group}/v1`, kind: 'Other', metadata: { name: 'Other_', labels: { 'a b': 'c' } }, spec };
  const refused = '[kind: Invalid value: "Other": must be Widget, spec.tags[1]: Duplicate value: "a"]';
  const { status, message } = await send('POST', widgets, body, json, json);
  expect([status, message]).toEqual([422, `Other.${group} "Other_" is invalid: ${refused}`]);
});

test.each([{ labels: {} }, { annotations: {} }, { ownerReferences: [] }, {}])(
  'a deletion writes a terminating custom object again that holds %j, and once',
  async (members) => {
    const name = `held-${Object.keys(members)[0]?.toLowerCase() ?? 'not'}`;
    const object = testEnvironment.ref(`${group}/v1`, 'Widget', name);
    await cluster.create('test', { ...object, metadata: { ...object.metadata, finalizers: ['example.com/hold'] } } as never);
    testEnvironment.onCleanup(() => cluster.patch('test', object, { metadata: { finalizers: null } }));
    const written = async (change: () => Promise<unknown>) => {
      const before = await cluster.resourceVersion(object);
      await change();
      return (await cluster.resourceVersion(object)) !== before;
    };
    const remove = () => cluster.client.call('DELETE', `${widgets}/${name}`);
    expect(await written(remove)).toBe(true);
    const isHeld = Object.keys(members).length > 0;
    expect(await written(() => cluster.apply('other', { ...object, metadata: { ...object.metadata, ...members } } as never))).toBe(isHeld);
    expect(await written(remove)).toBe(isHeld);
    expect(await written(remove)).toBe(false);
  },
);

async function send(method: string, path: string, body: object, contentType: string, accept: string) {
  const url = new URL(cluster.client.connection.server.replace(/\/$/, '') + path);
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': contentType, 'content-length': String(bytes.length), accept };
  const response = await cluster.client.raw(method, url, headers, bytes);
  if (String(response.headers['content-type']).startsWith('text/plain')) return { status: response.status, message: response.text };
  const isProtobuf = response.headers['content-type'] === protobuf;
  const status = isProtobuf ? decodeObject(readEnvelope(response.bytes)) : (JSON.parse(response.text) as object);
  return { status: response.status, message: (status as { message?: string }).message };
}
