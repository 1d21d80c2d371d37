import { expect, test } from 'vitest';
import { goTypeAt } from '../../../src/apiserver/built-in/convert/go-structs.js';
import { schemaName } from '../../../src/apiserver/discovery/schema-name.js';
import { messages } from '../../../src/apiserver/http/protobuf/message-table.js';
import type { ResponseBody } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('open-api');
const { client } = testEnvironment.cluster;
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const documentOf = (path: string): Promise<ResponseBody> => client.call('GET', `/openapi/v3/${path}`);
const actionsOf = (item: ResponseBody) =>
  Object.entries<ResponseBody>(item).flatMap(([method, { 'x-kubernetes-action': action }]) => (action ? [`${method}: ${action}`] : []));
const schemaOf = ({ responses }: ResponseBody) => responses['200'].content['application/json'].schema.$ref.split('/').at(-1);

test('there is a document of the server, of each group, and of each group and version', async () => {
  const { paths } = (await client.call('GET', '/openapi/v3')) as ResponseBody;
  const groups = ['apps', 'authentication.k8s.io', 'authorization.k8s.io', 'rbac.authorization.k8s.io'];
  const expected = ['.well-known/openid-configuration', 'api', 'api/v1', 'apis', 'openid/v1/jwks', 'version'];
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining([...expected, ...groups.flatMap((group) => [`apis/${group}`, `apis/${group}/v1`])]),
  );
  // Groups of other tests come and go.
  for (const path of Object.keys(paths).filter((each) => !/^apis\/(?!\w+(?:\/|$)|[\w.]+\.k8s\.io(?:\/|$))/.test(each))) {
    const document = await documentOf(path);
    const known = Object.keys(document.components.schemas ?? {});
    const text = JSON.stringify(document);
    const used = [...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name);
    expect(known, path).toEqual(expect.arrayContaining([...new Set(used)]));
  }
});

test.each([
  ['version', '/version/', 'getCodeVersion', 'io.k8s.apimachinery.pkg.version.Info'],
  ['api', '/api/', 'getCoreAPIVersions', `${meta}.APIVersions`],
  ['apis', '/apis/', 'getAPIVersions', `${meta}.APIGroupList`],
  ['apis/rbac.authorization.k8s.io', '/apis/rbac.authorization.k8s.io/', 'getRbacAuthorizationAPIGroup', `${meta}.APIGroup`],
  ['apis/apps/v1', '/apis/apps/v1/', 'getAppsV1APIResources', `${meta}.APIResourceList`],
])('the document %s says what the server answers at %s', async (path, at, operationId, schema) => {
  const { paths, components } = await documentOf(path);
  expect(paths[at].get.operationId).toBe(operationId);
  expect(schemaOf(paths[at].get)).toBe(schema);
  expect(components.schemas[schema].required?.length ?? 0).toBeGreaterThan(0);
});

test('the document of a review has its creation and its schema', async () => {
  const { paths, components } = await documentOf('apis/authentication.k8s.io/v1');
  const { post } = paths['/apis/authentication.k8s.io/v1/tokenreviews'];
  expect(post.operationId).toBe('createAuthenticationV1TokenReview');
  const { required, properties } = components.schemas[schemaOf(post)];
  expect(required).toEqual(['spec']);
  expect(Object.keys(properties).toSorted()).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
});

test('the document of a built-in kind has its lists, watches, scale and status', async () => {
  const { paths, components } = await documentOf('apis/apps/v1');
  const collection = '/apis/apps/v1/namespaces/{namespace}/deployments';
  expect(actionsOf(paths[collection]).toSorted()).toEqual(['delete: deletecollection', 'get: list', 'post: post']);
  expect(actionsOf(paths['/apis/apps/v1/deployments'])).toEqual(['get: list']);
  expect(actionsOf(paths['/apis/apps/v1/watch/deployments'])).toEqual(['get: watchlist']);
  expect(paths[collection].get.operationId).toBe('listAppsV1NamespacedDeployment');
  const { put } = paths[`${collection}/{name}/scale`];
  expect(put['x-kubernetes-group-version-kind']).toEqual({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  expect(schemaOf(put)).toBe('io.k8s.api.autoscaling.v1.Scale');
  const list = components.schemas[schemaOf(paths[collection].get)];
  expect(list['x-kubernetes-group-version-kind']).toEqual([{ group: 'apps', kind: 'DeploymentList', version: 'v1' }]);
  expect(list.properties.items.items.allOf).toEqual([{ $ref: '#/components/schemas/io.k8s.api.apps.v1.Deployment' }]);
  expect(Object.keys(components.schemas[`${meta}.Status`].properties)).toContain('details');
});

test('a custom kind is named by its group backwards, with its list, its scale and its status, also after a change', async () => {
  const group = `${testEnvironment.namespace}.example.com`;
  const crd = crdOf(group, 'Widget', { spec: { type: 'object', properties: { replicas: { type: 'integer' } } } });
  const [version] = crd.spec.versions as [ResponseBody];
  version.subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } };
  await testEnvironment.crd(crd);
  const own = `com.example.${testEnvironment.namespace}.v1.Widget`;
  const { paths, components } = await poll('the schema is published', async () => {
    const document = await documentOf(`apis/${group}/v1`).catch(() => undefined);
    return document?.components.schemas[own] === undefined ? undefined : document;
  });
  expect(Object.keys(components.schemas)).toEqual(
    expect.arrayContaining([
      own,
      `${own}List`,
      'io.k8s.api.autoscaling.v1.Scale',
      `${meta}.Status`,
      `${meta}.DeleteOptions`,
      `${meta}.Patch`,
    ]),
  );
  const [at = '', scale] = Object.entries<ResponseBody>(paths).find(([path]) => path.endsWith('/scale')) ?? [];
  expect(actionsOf(scale).toSorted()).toEqual(['get: get', 'patch: patch', 'put: put']);
  expect(actionsOf(paths[at.replace(/scale$/, 'status')]).toSorted()).toEqual(['get: get', 'patch: patch', 'put: put']);
  expect(Object.keys(paths).some((path) => path.includes('/watch/'))).toBe(false);
  const size = { type: 'integer' };
  version.schema.openAPIV3Schema.properties.spec = { type: 'object', properties: { replicas: { type: 'integer' }, size } };
  await testEnvironment.cluster.patch('test', crd, { spec: { versions: [version] } });
  const { definitions } = await poll('OpenAPI 2 has the change', async () => {
    const document = (await client.call('GET', '/openapi/v2')) as ResponseBody;
    return document.definitions[own]?.properties.spec.properties.size === undefined ? undefined : document;
  });
  expect(definitions[`${own}List`].properties.items.items).toEqual({ $ref: `#/definitions/${own}` });
});

/** The Go types with a JSON form of their own, by their names in a document. */
const special: Readonly<Record<string, string>> = {
  'intstr.IntOrString': 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  'meta/v1.FieldsV1': 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
  'meta/v1.MicroTime': 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
  'meta/v1.Time': 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
  'resource.Quantity': 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'runtime.RawExtension': 'io.k8s.apimachinery.pkg.runtime.RawExtension',
};

/** Returns the type to which the schema of a property, of its items or values refers. */
const referred = (schema: ResponseBody): string | undefined =>
  (
    schema.$ref ??
    schema.allOf?.[0].$ref ??
    (schema.items && referred(schema.items)) ??
    (schema.additionalProperties && referred(schema.additionalProperties))
  )
    ?.split('/')
    .at(-1);

/** Returns the properties whose Go type is special, as `TYPE.PROPERTY`: those that a document refers to it, and the others. */
function specialProperties(schemas: Readonly<Record<string, ResponseBody>>): { right: string[]; wrong: string[] } {
  const [right, wrong]: [string[], string[]] = [[], []];
  for (const type of Object.keys(messages).filter((name) => name.includes('/'))) {
    const properties: Readonly<Record<string, ResponseBody>> = schemas[schemaName(type)]?.properties ?? {};
    for (const [name, schema] of Object.entries(properties)) {
      const expected = special[goTypeAt(type, name) ?? ''];
      if (expected !== undefined) (referred(schema) === expected ? right : wrong).push(`${type}.${name}`);
    }
  }
  return { right, wrong };
}

test('quantities, times and what may be a number or a text are types with a name, in each document', async () => {
  const { paths } = await client.call('GET', '/openapi/v3');
  const schemas: Record<string, ResponseBody> = {};
  for (const name of Object.keys(paths).filter((path) => /^(?:api|apis\/[a-z.]+)\/v\d+$/.test(path)))
    Object.assign(schemas, (await client.call('GET', `/openapi/v3/${name}`)).components?.schemas);
  const { right, wrong } = specialProperties(schemas);
  expect([wrong, right.length > 70]).toEqual([[], true]);
  const { description: _, ...quantity } = schemas[special['resource.Quantity'] as string];
  expect(quantity).toEqual({ oneOf: [{ type: 'string' }, { type: 'number' }] });

  const { definitions } = await client.call('GET', '/openapi/v2');
  expect(specialProperties(definitions).wrong).toEqual([]);
  const shapes = Object.entries(special).map(([name, id]) => [name, definitions[id].type, definitions[id].format]);
  expect(shapes).toEqual([
    ['intstr.IntOrString', 'string', 'int-or-string'],
    ['meta/v1.FieldsV1', 'object', undefined],
    ['meta/v1.MicroTime', 'string', 'date-time'],
    ['meta/v1.Time', 'string', 'date-time'],
    ['resource.Quantity', 'string', undefined],
    ['runtime.RawExtension', 'object', undefined],
  ]);
});
