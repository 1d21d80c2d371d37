import { createPrivateKey, sign } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { EmbeddedApiServer } from '../../../lib/src/apiserver/index.js';
import { ApiClient } from '../../harness/api-client.js';
import { TestCluster } from '../../harness/cluster.js';
import { writeKubeconfig } from '../../harness/kubeconfig.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Tokens of Secrets as a controller manager signs them: with the key of the server, which is in a file. */
const testEnvironment = await TestEnvironment.create('secret-tokens');
const { namespace } = testEnvironment;
const { kubeconfig, key } = await serverWithKey();
const cluster = new TestCluster(kubeconfig);
const { server, ca } = cluster.client.connection;
if (kubeconfig !== testEnvironment.kubeconfig)
  await cluster.create('test', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });

async function serverWithKey(): Promise<{ kubeconfig: string; key: string }> {
  const beside = join(dirname(testEnvironment.kubeconfig), 'service-account.key');
  if (existsSync(beside)) return { kubeconfig: testEnvironment.kubeconfig, key: readFileSync(beside, 'utf8') };
  const data = join(testEnvironment.directory, 'data');
  mkdirSync(data);
  const embedded = await EmbeddedApiServer.start({ data, fsync: false });
  testEnvironment.onCleanup(() => embedded.stop());
  const own = join(testEnvironment.directory, 'kubeconfig');
  writeFileSync(own, embedded.kubeconfig);
  return { kubeconfig: own, key: JSON.parse(readFileSync(join(data, 'identity.json'), 'utf8')).signingKey };
}

interface Names {
  readonly account: string;
  readonly uid: string;
  readonly secret: string;
}

function signed({ account, uid, secret }: Names, claims: object = {}): string {
  const prefix = 'kubernetes.io/serviceaccount';
  const all = {
    iss: 'kubernetes/serviceaccount',
    [`${prefix}/namespace`]: namespace,
    [`${prefix}/secret.name`]: secret,
    [`${prefix}/service-account.name`]: account,
    [`${prefix}/service-account.uid`]: uid,
    sub: `system:serviceaccount:${namespace}:${account}`,
    ...claims,
  };
  const text = [{ alg: 'ES256', typ: 'JWT' }, all].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(text), { key: createPrivateKey(key), dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

const secretNamed = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
const accountNamed = (name: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });

/** Makes a ServiceAccount and a Secret of its, which holds the token, or another one. */
async function secretWith(name: string, { labels = {}, held = (token: string) => token, claims = {} } = {}): Promise<string> {
  const { uid } = (await cluster.create('test', accountNamed(name))).metadata;
  const token = signed({ account: name, uid, secret: name }, claims);
  await cluster.create('test', {
    ...secretNamed(name),
    metadata: { ...secretNamed(name).metadata, labels, annotations: { 'kubernetes.io/service-account.name': name } },
    type: 'kubernetes.io/service-account-token',
    stringData: { token: held(token) },
  });
  return token;
}

async function review(token: string, audiences?: readonly string[]) {
  const spec = { token, ...(audiences === undefined ? {} : { audiences }) };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec };
  return (await cluster.client.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body })).status;
}

async function whoAmI(token: string): Promise<[number, string | undefined]> {
  const path = join(testEnvironment.directory, 'token-kubeconfig');
  writeKubeconfig(path, { server, ca, token });
  const client = new ApiClient(path);
  const body = Buffer.from(JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }));
  const url = new URL(`${server.replace(/\/$/, '')}/apis/authentication.k8s.io/v1/selfsubjectreviews`);
  const { status, text } = await client.raw('POST', url, { 'content-type': 'application/json' }, body);
  client.close();
  return [status, JSON.parse(text).status?.userInfo?.username];
}

test('a token in a Secret is its ServiceAccount, without audience and end, and its use is recorded', async () => {
  const token = await secretWith('used');
  expect(await whoAmI(token)).toEqual([201, `system:serviceaccount:${namespace}:used`]);
  const { metadata } = await cluster.get(secretNamed('used'));
  expect(metadata.labels).toEqual({ 'kubernetes.io/legacy-token-last-used': new Date().toISOString().slice(0, 10) });
  expect(metadata.managedFields).toContainEqual(
    expect.objectContaining({
      manager: 'apiserver',
      operation: 'Update',
      fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/legacy-token-last-used': {} } } },
    }),
  );
  await whoAmI(token);
  expect((await cluster.get(secretNamed('used'))).metadata.resourceVersion).toBe(metadata.resourceVersion);
});

test('a review of a token in a Secret', async () => {
  const token = await secretWith('reviewed');
  const { uid } = (await cluster.get(accountNamed('reviewed'))).metadata;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  expect(await review(token)).toEqual({
    authenticated: true,
    audiences: ['https://kubernetes.default.svc'],
    user: { username: `system:serviceaccount:${namespace}:reviewed`, uid, groups },
  });
  expect((await review(await secretWith('for-others'), ['others'])).error).toBe(
    '[invalid bearer token, token audiences ["https://kubernetes.default.svc"] is invalid for the target audiences ["others"]]',
  );
});

test.each<[name: string, error: string, options: Parameters<typeof secretWith>[1], then?: () => Promise<unknown>]>([
  ['of-another', "Token does not match server's copy", { held: (token) => `${token}x` }],
  ['without-subject', 'sub claim is invalid', { claims: { sub: `system:serviceaccount:${namespace}:other` } }],
  ['secret-gone', 'Token has been invalidated', {}, () => cluster.remove(secretNamed('secret-gone'))],
  [
    'marked',
    "the token in secret NS/marked for service account NS/marked has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token",
    { labels: { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' } },
  ],
])('a token of %s is refused: %s', async (name, error, options, then) => {
  const token = await secretWith(name, options);
  await then?.();
  expect(await review(token)).toEqual({ user: {}, error: `[invalid bearer token, ${error.replaceAll('NS', namespace)}]` });
});

test('a ServiceAccount that is made again is not the one of the token', async () => {
  const token = await secretWith('again');
  const before = (await cluster.get(accountNamed('again'))).metadata.uid;
  await cluster.remove(accountNamed('again'));
  const now = (await cluster.create('test', accountNamed('again'))).metadata.uid;
  const error = `[invalid bearer token, ServiceAccount UID (${now}) does not match claim (${before})]`;
  expect(await review(token)).toEqual({ user: {}, error });
});
