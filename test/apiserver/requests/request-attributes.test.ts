import { describe, expect, test } from 'vitest';
import { readKubeconfig } from '../../harness/kubeconfig.js';
import { RawConnection, requestText } from '../../harness/raw-http.js';
import { TestEnvironment } from '../../harness/test-environment.js';

// The message of a Forbidden status names all attributes that a request is authorized by.
const testEnvironment = await TestEnvironment.create('attributes');
const connection = readKubeconfig(testEnvironment.kubeconfig);
const user = `${testEnvironment.app}-jane`;

async function send(method: string, target: string, headers: Record<string, string> = {}, body = '') {
  const raw = await RawConnection.open(connection);
  raw.write(requestText(method, target, { authorization: `Bearer ${connection.token}`, ...headers }, body));
  const response = await raw.response(method);
  raw.close();
  const text = response?.body ?? '';
  return { status: response?.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
}

const maps = '/api/v1/namespaces/n/configmaps';
const inNamespace = (verb: string, resource: string, group = '', namespace = 'n') =>
  `cannot ${verb} resource "${resource}" in API group "${group}" in the namespace "${namespace}"`;
const clusterWide = (verb: string, resource: string, group = '') =>
  `cannot ${verb} resource "${resource}" in API group "${group}" at the cluster scope`;

/** Method, target, the name before "is forbidden" (with its resource), and the attributes. */
const requests: readonly (readonly [string, string, string, string])[] = [
  // Verbs.
  ['GET', maps, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}/x`, 'configmaps "x"', inNamespace('get', 'configmaps')],
  ['GET', `${maps}/x?watch=true`, 'configmaps "x"', inNamespace('get', 'configmaps')],
  ['POST', maps, 'configmaps', inNamespace('create', 'configmaps')],
  ['PUT', `${maps}/x`, 'configmaps "x"', inNamespace('update', 'configmaps')],
  ['PATCH', `${maps}/x`, 'configmaps "x"', inNamespace('patch', 'configmaps')],
  ['DELETE', `${maps}/x`, 'configmaps "x"', inNamespace('delete', 'configmaps')],
  ['DELETE', maps, 'configmaps', inNamespace('deletecollection', 'configmaps')],
  ['OPTIONS', `${maps}/x`, 'configmaps "x"', inNamespace('', 'configmaps')],
  ['TRACE', maps, 'configmaps', inNamespace('', 'configmaps')],
  ['PROPFIND', maps, 'configmaps', inNamespace('', 'configmaps')],
  // `watch` asks for a watch by any value but false and 0.
  ['GET', `${maps}?watch=1`, 'configmaps', inNamespace('watch', 'configmaps')],
  ['GET', `${maps}?watch=yes`, 'configmaps', inNamespace('watch', 'configmaps')],
  ['GET', `${maps}?watch`, 'configmaps', inNamespace('watch', 'configmaps')],
  ['GET', `${maps}?watch=0`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}?watch=False&watch=true`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}?watch=true;x`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', '/api/v1/watch/namespaces/n/configmaps/x', 'configmaps "x"', inNamespace('watch', 'configmaps')],
  ['POST', '/api/v1/watch/configmaps', 'configmaps', clusterWide('watch', 'configmaps')],
  ['GET', '/api/v1/watch/configmaps?fieldSelector=metadata.name%3Dx', 'configmaps', clusterWide('watch', 'configmaps')],
  ['GET', '/api/v1/proxy/namespaces/n/pods/x/a', 'pods "x"', inNamespace('proxy', 'pods')],
  // A field selector names the object of a list and a watch, and of nothing else.
  ['GET', `${maps}?fieldSelector=metadata.name%3Dx`, 'configmaps "x"', inNamespace('list', 'configmaps')],
  ['GET', `${maps}?fieldSelector=a%3Db,metadata.name==x&watch=1`, 'configmaps "x"', inNamespace('watch', 'configmaps')],
  ['POST', `${maps}?fieldSelector=metadata.name%3Dx`, 'configmaps', inNamespace('create', 'configmaps')],
  ['PUT', `${maps}?fieldSelector=metadata.name%3Dx`, 'configmaps', inNamespace('update', 'configmaps')],
  ['PATCH', `${maps}?fieldSelector=metadata.name%3Dx`, 'configmaps', inNamespace('patch', 'configmaps')],
  ['DELETE', `${maps}?fieldSelector=metadata.name%3Dx`, 'configmaps', inNamespace('deletecollection', 'configmaps')],
  ['GET', `${maps}?fieldSelector=metadata.name!%3Dx`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}?fieldSelector=metadata.name%3Dx,bad`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}?fieldSelector=metadata.name%3Dx%3Dy`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}?fieldSelector=metadata.name%3Dx%5C,y`, 'configmaps "x,y"', inNamespace('list', 'configmaps')],
  ['GET', `${maps}?fieldSelector=metadata.name%3D..`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}?fieldSelector=metadata.name%3Da%2Fb`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}?fieldSelector=metadata.name%3Dx&limit=a`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}?fieldSelector=metadata.name%3Dx&labelSelector=%3D`, 'configmaps', inNamespace('list', 'configmaps')],
  // Subresources, and Namespaces, which are in themselves.
  ['GET', '/apis/apps/v1/namespaces/n/deployments/x/scale', 'deployments.apps "x"', inNamespace('get', 'deployments/scale', 'apps')],
  ['GET', '/apis/apps/v1/namespaces/n/deployments/x/scale/y', 'deployments.apps "x"', inNamespace('get', 'deployments/scale', 'apps')],
  ['GET', '/api/v1/namespaces/n/pods/x/proxy/a/b', 'pods "x"', inNamespace('get', 'pods/proxy')],
  ['GET', '/api/v1/namespaces/n', 'namespaces "n"', inNamespace('get', 'namespaces')],
  ['GET', '/api/v1/namespaces', 'namespaces', clusterWide('list', 'namespaces')],
  ['PUT', '/api/v1/namespaces/n/finalize', 'namespaces "n"', inNamespace('update', 'namespaces/finalize')],
  ['GET', '/api/v1/namespaces/n/status/x', 'namespaces "n"', inNamespace('get', 'namespaces/status')],
  ['GET', '/apis/apps/v1/namespaces/n', 'namespaces.apps "n"', inNamespace('get', 'namespaces', 'apps')],
  ['GET', '/api/v1/namespaces/n/namespaces/b', 'namespaces "b"', inNamespace('get', 'namespaces')],
  ['GET', '/api/v1/nodes/x/status', 'nodes "x"', clusterWide('get', 'nodes/status')],
  ['GET', '/apis/nope/v9/things/x/y/z', 'things.nope "x"', clusterWide('get', 'things/y', 'nope')],
  // Slashes, escapes and dots.
  ['GET', `${maps}//`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}//x`, 'configmaps', inNamespace('list', 'configmaps/x')],
  ['GET', `/${maps}`, 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', '/api/v1//namespaces/n', '', clusterWide('get', '/n')],
  ['GET', '/api//v1', 'v1', clusterWide('list', 'v1')],
  ['GET', `${maps}/a%2Fb`, 'configmaps "a"', inNamespace('get', 'configmaps/b')],
  ['GET', '/api%2Fv1/namespaces/n%2Fconfigmaps', 'configmaps', inNamespace('list', 'configmaps')],
  ['GET', `${maps}/%2e%2e/pods`, 'configmaps ".."', inNamespace('get', 'configmaps/pods')],
  ['GET', `${maps}/..`, 'configmaps ".."', inNamespace('get', 'configmaps')],
  ['GET', `${maps}/%00`, 'configmaps "\\x00"', inNamespace('get', 'configmaps')],
  ['GET', `${maps}/x#y`, 'configmaps "x#y"', inNamespace('get', 'configmaps')],
  ['GET', '/api/v1/a%3Cb%26/x', 'a<b& "x"', clusterWide('get', 'a&lt;b&amp;')],
  ['GET', `http://other${maps}`, 'configmaps', inNamespace('list', 'configmaps')],
];

test.each(requests)('%s %s is authorized as the real server does', async (method, target, subject, attributes) => {
  const { status, body } = await send(method, target, { 'impersonate-user': user });
  expect({ status, message: body?.message }).toEqual({
    status: 403,
    message: `${subject === '' ? '' : `${subject} is `}forbidden: User "${user}" ${attributes}`,
  });
});

test.each([
  ['GET', '/', 'get path "/"'],
  ['GET', '//', 'get path "//"'],
  ['GET', '/foo/../bar', 'get path "/foo/../bar"'],
  ['GET', '/foo%2fb%22ar', 'get path "/foo/b\\"ar"'],
  ['PROPFIND', '/foo', 'propfind path "/foo"'],
  ['POST', '/healthz', 'post path "/healthz"'],
  ['DELETE', '/apis/apps/v1', 'delete path "/apis/apps/v1"'],
])('%s %s is authorized by its path', async (method, target, attributes) => {
  const { status, body } = await send(method, target, { 'impersonate-user': user });
  expect({ status, message: body?.message }).toEqual({ status: 403, message: `forbidden: User "${user}" cannot ${attributes}` });
});

test('a path with an escape that is not one, or that ends at watch, is answered as text', async () => {
  expect(await send('GET', '/foo%2')).toMatchObject({ status: 400, text: '400 Bad Request' });
  const reason = 'failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch';
  expect((await send('GET', '/api/v1/watch')).text).toBe(`Internal Server Error: "/api/v1/watch": ${reason}\n`);
});

test('a create is not allowed by resource names, whatever its field selector', async () => {
  const kubeconfig = await testEnvironment.account('named', [
    { apiGroups: [''], resources: ['configmaps'], resourceNames: ['x'], verbs: ['create', 'list', 'get'] },
  ]);
  const { token = '' } = readKubeconfig(kubeconfig);
  const target = `/api/v1/namespaces/${testEnvironment.namespace}/configmaps`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const created = await send('POST', `${target}?fieldSelector=metadata.name%3Dx`, headers, '{"metadata":{"name":"x"}}');
  expect(created.status).toBe(403);
  expect((await send('GET', `${target}?fieldSelector=metadata.name%3Dx`, headers)).status).toBe(200);
  expect((await send('GET', target, headers)).status).toBe(403);
});

describe('impersonation', () => {
  const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const sent = '{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}';
  const account = 'system:serviceaccount:default:x';
  test.each<[string, Record<string, string>, object]>([
    ['groups', { 'impersonate-group': 'a\nb' }, { groups: ['a', 'b', 'system:authenticated'] }],
    ['a comma in a group', { 'impersonate-group': 'a,b' }, { groups: ['a,b', 'system:authenticated'] }],
    ['the group of all users', { 'impersonate-group': 'system:authenticated\na' }, { groups: ['system:authenticated', 'a'] }],
    ['a uid', { 'impersonate-uid': 'u' }, { uid: 'u', groups: ['system:authenticated'] }],
    ['extra', { 'impersonate-extra-a.b%2FC': 'x\ny' }, { groups: ['system:authenticated'], extra: { 'a.b/c': ['x', 'y'] } }],
    ['two users', { 'impersonate-user': `${user}\nb` }, { groups: ['system:authenticated'] }],
  ])('of %s', async (_, headers, expected) => {
    const { body } = await send('POST', review, { 'content-type': 'application/json', 'impersonate-user': user, ...headers }, sent);
    expect(body.status.userInfo).toEqual({ username: user, ...expected });
  });

  test('of a ServiceAccount has its groups only if no group is named', async () => {
    const groupsOf = async (headers: Record<string, string>) =>
      (await send('POST', review, { 'content-type': 'application/json', 'impersonate-user': account, ...headers }, sent)).body.status
        .userInfo.groups;
    expect(await groupsOf({})).toEqual(['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated']);
    expect(await groupsOf({ 'impersonate-group': 'g' })).toEqual(['g', 'system:authenticated']);
  });

  test('without a user is refused', async () => {
    const { status, body } = await send('POST', review, { 'impersonate-extra-a': 'b' }, sent);
    const found = '&user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"b"}}}';
    expect([status, body.message]).toEqual([400, `requested ${found} without impersonating a user name`]);
  });
});
