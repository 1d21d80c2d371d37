import { beforeAll, describe, expect, test } from 'vitest';
import { administrator, type User } from '../../../src/apiserver/api/user.js';
import { EmbeddedApiServer } from '../../../src/apiserver/index.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by tests that know their shape
type AnyObject = any;

// Messages are those of kube-apiserver 1.36.3.
let now = Date.UTC(2030, 0, 1);
let cluster: EmbeddedApiServer;
const jane: User = { name: 'jane', groups: ['dev', 'system:authenticated'] };
const rbac = '/apis/rbac.authorization.k8s.io/v1';

async function ask(user: User, method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<AnyObject> {
  const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
  const [place, query] = path.split('?') as [string, string | undefined];
  const request = { method, path: place, query: new URLSearchParams(query), headers: { 'content-type': type, ...headers }, user };
  return (await cluster.handle(body === undefined ? request : { ...request, body: JSON.stringify(body) })).body;
}

async function grant(
  name: string,
  kind: 'Role' | 'ClusterRole',
  rules: readonly object[],
  subject: object = { kind: 'User', name: 'jane' },
) {
  const [roles, bindings] = kind === 'Role' ? ['roles', 'rolebindings'] : ['clusterroles', 'clusterrolebindings'];
  const base = kind === 'Role' ? `${rbac}/namespaces/default` : rbac;
  await ask(administrator, 'POST', `${base}/${roles}`, { metadata: { name }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name };
  await ask(administrator, 'POST', `${base}/${bindings}`, { metadata: { name }, roleRef, subjects: [subject] });
}

beforeAll(async () => {
  cluster = await EmbeddedApiServer.start({ port: false, now: () => new Date(now) });
  await grant('editor', 'Role', [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'patch'] },
    { apiGroups: ['apps'], resources: ['deployments/scale'], resourceNames: ['x'], verbs: ['patch'] },
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['create', 'patch'] },
  ]);
});

const maps = '/api/v1/namespaces/default/configmaps';

describe('a request that no role allows is forbidden', () => {
  test.each([
    [
      'GET',
      '/api/v1/namespaces/default/secrets',
      'secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" in the namespace "default"',
    ],
    [
      'GET',
      '/api/v1/namespaces/default/secrets?watch=true',
      'secrets is forbidden: User "jane" cannot watch resource "secrets" in API group "" in the namespace "default"',
    ],
    [
      'GET',
      '/api/v1/namespaces',
      'namespaces is forbidden: User "jane" cannot list resource "namespaces" in API group "" at the cluster scope',
    ],
    [
      'GET',
      '/api/v1/namespaces/default',
      'namespaces "default" is forbidden: User "jane" cannot get resource "namespaces" in API group "" in the namespace "default"',
    ],
    [
      'DELETE',
      `${maps}/x`,
      'configmaps "x" is forbidden: User "jane" cannot delete resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      'DELETE',
      maps,
      'configmaps is forbidden: User "jane" cannot deletecollection resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/default/deployments/y/scale',
      'deployments.apps "y" is forbidden: User "jane" cannot patch resource "deployments/scale" in API group "apps" in the namespace "default"',
    ],
    [
      'GET',
      '/apis/nope.example.com/v1/things',
      'things.nope.example.com is forbidden: User "jane" cannot list resource "things" in API group "nope.example.com" at the cluster scope',
    ],
    ['GET', '/metrics', 'forbidden: User "jane" cannot get path "/metrics"'],
  ])('%s %s', async (method, path, message) => {
    expect(await ask(jane, method, path)).toMatchObject({ code: 403, reason: 'Forbidden', message });
  });

  test.each([
    ['GET', maps, { kind: 'ConfigMapList' }],
    ['PATCH', '/apis/apps/v1/namespaces/default/deployments/x/scale?fieldManager=jane', { code: 404 }],
    ['GET', '/version', { major: '1', minor: '36' }],
    ['GET', '/apis', { kind: 'APIGroupList' }],
  ])('but %s %s is allowed', async (method, path, answer) => {
    expect(await ask(jane, method, path)).toMatchObject(answer);
  });

  test('an apply that creates an object also requires the verb create; one that changes it does not', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } };
    const path = `${maps}/new?fieldManager=jane`;
    const message =
      'configmaps "new" is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "default"';
    expect(await ask(jane, 'PATCH', path, object)).toMatchObject({ code: 403, message });
    await ask(administrator, 'PATCH', path, object);
    expect(await ask(jane, 'PATCH', path, { ...object, data: { a: 'b' } })).toMatchObject({ data: { a: 'b' } });
  });

  test('the error names the missing role of a binding', async () => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'absent' };
    const dangling = { metadata: { name: 'dangling' }, roleRef, subjects: [{ kind: 'User', name: 'joe' }] };
    await ask(administrator, 'POST', `${rbac}/namespaces/default/rolebindings`, dangling);
    const { message } = await ask({ name: 'joe', groups: [] }, 'GET', maps);
    expect(message).toMatch(/in the namespace "default": RBAC: role\.rbac\.authorization\.k8s\.io "absent" not found$/);
  });
});

describe('a user cannot grant permissions that they do not hold', () => {
  const role = (rules: readonly object[]) => ({ metadata: { name: 'granted' }, rules });

  test('a role', async () => {
    const refused = await ask(
      jane,
      'POST',
      `${rbac}/namespaces/default/roles`,
      role([{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]),
    );
    expect(refused.message).toBe(
      'roles.rbac.authorization.k8s.io "granted" is forbidden: user "jane" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    );
    const held = role([{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'], verbs: ['get', 'patch'] }]);
    expect(await ask(jane, 'POST', `${rbac}/namespaces/default/roles`, held)).toMatchObject({ kind: 'Role' });
  });

  test('a binding', async () => {
    const bind = (kind: string, name: string) =>
      ask(jane, 'POST', `${rbac}/namespaces/default/rolebindings`, {
        metadata: { name: `bind-${name}` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
      });
    expect(await bind('ClusterRole', 'cluster-admin')).toMatchObject({ code: 403 });
    expect(await bind('Role', 'editor')).toMatchObject({ kind: 'RoleBinding' });
  });
});

describe('reviews', () => {
  const asking = (kind: string, spec: object) => {
    const body = { apiVersion: 'authorization.k8s.io/v1', kind, spec };
    return ask(kind.startsWith('Self') ? jane : administrator, 'POST', `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`, body);
  };
  const attributes = (resource: string) => ({ resourceAttributes: { namespace: 'default', verb: 'get', resource } });

  test('SelfSubjectAccessReview and SubjectAccessReview', async () => {
    const reason = 'RBAC: allowed by RoleBinding "editor/default" of Role "editor" to User "jane"';
    expect((await asking('SelfSubjectAccessReview', attributes('configmaps'))).status).toEqual({ allowed: true, reason });
    expect((await asking('SelfSubjectAccessReview', attributes('secrets'))).status).toEqual({ allowed: false });
    expect((await asking('SubjectAccessReview', { user: 'jane', ...attributes('configmaps') })).status.allowed).toBe(true);
    expect(await asking('SelfSubjectAccessReview', {})).toMatchObject({ code: 422 });
  });

  test('SelfSubjectRulesReview and SelfSubjectReview', async () => {
    const { status } = await asking('SelfSubjectRulesReview', { namespace: 'default' });
    expect(status.resourceRules).toContainEqual({ verbs: ['get', 'list', 'patch'], apiGroups: [''], resources: ['configmaps'] });
    const whoami = await ask(jane, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(whoami.status.userInfo).toEqual({ username: 'jane', groups: jane.groups });
  });
});

test('a ServiceAccount token is valid until it expires or the account is deleted', async () => {
  await ask(administrator, 'POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  const path = '/api/v1/namespaces/default/serviceaccounts/robot/token';
  const token = async () => (await ask(administrator, 'POST', path, { spec: { expirationSeconds: 600 } })).status.token;
  const review = async (value: string) =>
    (await ask(administrator, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: value } })).status;
  const first = await token();
  expect((await review(first)).user.username).toBe('system:serviceaccount:default:robot');
  expect((await review(`${first.slice(0, -4)}AAAA`)).error).toBe('invalid bearer token');
  now += 601_000;
  expect((await review(first)).authenticated).toBeUndefined();
  const second = await token();
  await ask(administrator, 'DELETE', '/api/v1/namespaces/default/serviceaccounts/robot');
  expect((await review(second)).authenticated).toBeUndefined();
  expect(await ask(administrator, 'POST', path, { spec: {} })).toMatchObject({ message: 'serviceaccounts "robot" not found' });
});

test('a user may impersonate others only if a role allows it', async () => {
  const as = (user: User) => ask(user, 'GET', '/api/v1/namespaces/default/secrets', undefined, { 'impersonate-user': 'joe' });
  expect((await as(administrator)).message).toContain('User "joe" cannot list resource "secrets"');
  expect((await as(jane)).message).toContain('User "jane" cannot impersonate resource "users"');
});
