import { expect, test } from 'vitest';
import { poll } from '../../harness/poll.js';
import { type Sent, sender } from '../../harness/send-as.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('tokens');
const { cluster, namespace } = testEnvironment;
const send = sender(testEnvironment);
const apiVersion = 'authentication.k8s.io/v1';
const group = `/apis/${apiVersion}`;
const issuer = 'https://kubernetes.default.svc';
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: testEnvironment.app } };
testEnvironment.removeLater(node);

for (const account of ['sa', 'other']) await cluster.create('test', testEnvironment.ref('v1', 'ServiceAccount', account));
await cluster.create('test', testEnvironment.ref('v1', 'Secret', 'secret'));
await cluster.create('test', node);
const podSpec = { serviceAccountName: 'sa', automountServiceAccountToken: false, containers: [{ name: 'a', image: 'b' }] };
await cluster.create('test', { ...testEnvironment.ref('v1', 'Pod', 'pod'), spec: podSpec });
await cluster.create('test', {
  ...testEnvironment.ref('v1', 'Pod', 'placed'),
  spec: { ...podSpec, nodeName: node.metadata.name },
});

const request = (spec: object, account = 'sa', metadata = {}) =>
  send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`, { apiVersion, kind: 'TokenRequest', metadata, spec });
const bound = (kind: string, name?: string, more = {}) => request({ boundObjectRef: { apiVersion: 'v1', kind, name, ...more } });
const review = async (token: string, audiences?: readonly string[]) =>
  send('POST', `${group}/tokenreviews`, { apiVersion, kind: 'TokenReview', spec: { token, audiences } });
const refused = ({ status, body }: Sent) => `${status} ${body.message}`;

test('a token is reviewed for the audiences that are wanted', async () => {
  const { token } = (await request({ audiences: ['x'] })).body.status;
  for (const wanted of [['x'], ['y', 'x']]) {
    expect((await review(token, wanted)).body.status).toMatchObject({
      authenticated: true,
      user: { username: `system:serviceaccount:${namespace}:sa` },
      audiences: ['x'],
    });
  }
  const refusal = (audience: string) => ({
    user: {},
    error: `[invalid bearer token, token audiences ["x"] is invalid for the target audiences ["${audience}"]]`,
  });
  expect((await review(token, ['y'])).body.status).toEqual(refusal('y'));
  expect((await review(token)).body.status).toEqual(refusal(issuer));
  const { token: several } = (await request({ audiences: ['x', issuer, 'y'] })).body.status;
  expect((await review(several, ['y', 'x'])).body.status.audiences).toEqual(['y', 'x']);
  expect((await review(several)).body.status.audiences).toEqual([issuer]);
});

test('a review needs a token', async () => {
  expect(refused(await review(''))).toBe('400 token is required for TokenReview in authentication');
  expect((await review('abc', ['x'])).body.status).toEqual({ user: {}, error: 'invalid bearer token' });
});

test('a token names the object it is bound to, and ends with it', async () => {
  const uids = async (kind: string, name: string) => (await cluster.get(testEnvironment.ref('v1', kind, name))).metadata.uid;
  const nodeUid = (await cluster.get(node)).metadata.uid;
  const [podUid, placedUid] = [await uids('Pod', 'pod'), await uids('Pod', 'placed')];
  const named = (kind: string, name: string, uid: string) => ({
    [`authentication.kubernetes.io/${kind}-name`]: [name],
    [`authentication.kubernetes.io/${kind}-uid`]: [uid],
  });
  const nodeExtra = named('node', node.metadata.name, nodeUid);
  const cases: readonly (readonly [string, string, object, object])[] = [
    ['Pod', 'pod', { pod: { name: 'pod', uid: podUid } }, named('pod', 'pod', podUid)],
    [
      'Pod',
      'placed',
      { node: { name: node.metadata.name, uid: nodeUid }, pod: { name: 'placed', uid: placedUid } },
      { ...nodeExtra, ...named('pod', 'placed', placedUid) },
    ],
    ['Secret', 'secret', { secret: { name: 'secret', uid: await uids('Secret', 'secret') } }, {}],
    ['Node', node.metadata.name, { node: { name: node.metadata.name, uid: nodeUid } }, nodeExtra],
  ];
  const tokens: string[] = [];
  const self = (token: string) =>
    sender(testEnvironment, testEnvironment.kubeconfigOf('bound', { token }))('POST', `${group}/selfsubjectreviews`, {
      apiVersion,
      kind: 'SelfSubjectReview',
    });
  for (const [kind, name, claims, extra] of cases) {
    const { token } = (await bound(kind, name)).body.status;
    tokens.push(token);
    const {
      serviceaccount: _,
      namespace: __,
      ...own
    } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())['kubernetes.io'];
    expect(own).toEqual(claims);
    const { 'authentication.kubernetes.io/credential-id': ___, ...others } = (await self(token)).body.status.userInfo.extra;
    expect(others).toEqual(extra);
  }
  for (const name of ['pod', 'placed']) await send('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}?gracePeriodSeconds=0`);
  await cluster.remove(testEnvironment.ref('v1', 'Secret', 'secret'));
  await cluster.remove(node);
  // A kube-apiserver remembers for some seconds that a token was valid.
  for (const token of tokens) {
    await poll('the token is not valid', async () => (await self(token)).status === 401);
    expect((await review(token)).body.status.error).toBe('[invalid bearer token, service account token has been invalidated]');
  }
});

test('a token is bound to an object that exists and is of the account', async () => {
  await cluster.create('test', { ...testEnvironment.ref('v1', 'Pod', 'again'), spec: podSpec });
  const again = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'again' } };
  expect(refused(await request(again, 'other'))).toBe(
    '400 cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.',
  );
  expect(refused(await bound('Pod', 'again', { uid: 'z' }))).toBe(
    '409 Operation cannot be fulfilled on Pod "again": the UID in the bound object reference (z) does not match the UID in record. The object might have been deleted and then recreated',
  );
  for (const kind of ['Pod', 'Secret', 'Node']) {
    expect(refused(await bound(kind))).toBe('400 Name parameter required.');
    expect(refused(await bound(kind, 'missing'))).toBe(`404 ${kind.toLowerCase()}s "missing" not found`);
  }
  expect(refused(await bound('ConfigMap', 'x'))).toBe('400 cannot bind token to object of type /v1, Kind=ConfigMap');
  expect(refused(await bound('Pod', 'again', { apiVersion: 'core/v1' }))).toBe('400 cannot bind token to object of type core/v1, Kind=Pod');
});

test('a TokenRequest that names an account names the one of the path', async () => {
  expect((await request({}, 'sa', { name: 'sa', namespace })).status).toBe(201);
  expect(refused(await request({}, 'sa', { name: 'z' }))).toBe(
    '422 TokenRequest.authentication.k8s.io "sa" is invalid: metadata.name: Invalid value: "z": must match the service account name if specified',
  );
  expect(refused(await request({}, 'sa', { namespace: 'z' }))).toBe(
    '400 the namespace of the provided object does not match the namespace sent on the request',
  );
  expect(refused(await request({}, 'sa', { uid: 'z' }))).toContain(
    '409 Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "sa": the UID in the token request (z) does not match',
  );
});
