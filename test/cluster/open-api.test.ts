import { expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { crdOf } from '../harness/crd.js';
import { poll } from '../harness/poll.js';
import { TestEnvironment } from '../harness/test-environment.js';

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
