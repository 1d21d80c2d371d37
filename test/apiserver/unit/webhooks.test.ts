import fs from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { selfSignedCertificate } from '../../../src/apiserver/http/certificate.js';
import { EmbeddedApiServer } from '../../../src/apiserver/index.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at by tests that know their shape
type AnyObject = any;

const certificate = selfSignedCertificate(new Date());
let hook: Server;
let url: string;
let reviews: AnyObject[];
/** What the webhook answers, beside the uid. */
let respond: (request: AnyObject) => AnyObject;
let cluster: EmbeddedApiServer;

beforeAll(async () => {
  hook = createServer(certificate, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    reviews.push(review.request);
    const answer = { ...review, request: undefined, response: { uid: review.request.uid, ...(await respond(review.request)) } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
});
afterAll(() => new Promise((resolve) => hook.close(resolve)));

async function ask(method: string, path: string, body?: unknown, query: Record<string, string> = {}): Promise<AnyObject> {
  const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
  const request = { method, path, query: new URLSearchParams(query), headers: { 'content-type': type } };
  const { code, body: answer, warnings } = await cluster.handle(body === undefined ? request : { ...request, body: JSON.stringify(body) });
  return { code, body: answer, warnings };
}

const patchOf = (operations: readonly object[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
const annotate = ({ object }: AnyObject) =>
  patchOf([
    ...(object.metadata.annotations ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} }]),
    { op: 'add', path: '/metadata/annotations/policy', value: 'seen' },
  ]);

function install(kind: 'Mutating' | 'Validating', change: object = {}): Promise<AnyObject> {
  const webhook = {
    name: 'policy.example.com',
    clientConfig: { url, caBundle: Buffer.from(certificate.cert).toString('base64') },
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['configmaps'] }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    ...change,
  };
  const place = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
  return ask('POST', place, { metadata: { name: kind.toLowerCase() }, webhooks: [webhook] });
}

const maps = '/api/v1/namespaces/default/configmaps';
const apply = (data: object) =>
  ask('PATCH', `${maps}/a`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data }, { fieldManager: 'me' });

beforeEach(async () => {
  reviews = [];
  cluster = await EmbeddedApiServer.start({ port: false });
});

test('a mutating webhook annotates every object: its annotation has no owner, and a second apply writes nothing', async () => {
  respond = annotate;
  expect(await install('Mutating')).toMatchObject({ code: 201 });
  const first = (await apply({ a: '1' })).body;
  expect([first.metadata.annotations, first.data]).toEqual([{ policy: 'seen' }, { a: '1' }]);
  expect(first.metadata.managedFields).toMatchObject([{ manager: 'me', fieldsV1: { 'f:data': { 'f:a': {} } } }]);
  const again = (await apply({ a: '1' })).body;
  expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  expect(
    reviews.map(({ operation, name, namespace, oldObject, userInfo }) => [
      operation,
      name,
      namespace,
      oldObject === null,
      userInfo.username,
    ]),
  ).toEqual([
    ['CREATE', 'a', 'default', true, 'admin'],
    ['UPDATE', 'a', 'default', false, 'admin'],
  ]);
});

test('a webhook receives only the requests that its rules and selectors match', async () => {
  respond = annotate;
  await install('Mutating', { objectSelector: { matchLabels: { watched: 'yes' } } });
  await ask('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's', labels: { watched: 'yes' } } });
  await ask('POST', maps, { metadata: { name: 'unlabelled' } });
  expect(reviews).toEqual([]);
  await ask('POST', maps, { metadata: { name: 'labelled', labels: { watched: 'yes' } } });
  expect(reviews).toHaveLength(1);
});

test('a validating webhook refuses writes and deletions in the words of the server, and changes nothing', async () => {
  respond = ({ operation }) =>
    operation === 'DELETE' ? { allowed: false, status: { code: 403, message: 'keep it' } } : { allowed: true, warnings: ['mind'] };
  await install('Validating');
  const created = await apply({ a: '1' });
  expect([created.code, created.warnings]).toEqual([201, ['mind']]);
  const refused = await ask('DELETE', `${maps}/a`);
  expect([refused.code, refused.body.message]).toEqual([403, 'admission webhook "policy.example.com" denied the request: keep it']);
  expect(await ask('GET', `${maps}/a`)).toMatchObject({ code: 200 });
});

test.each([
  ['Fail', 500],
  ['Ignore', 201],
])('an unreachable webhook with failurePolicy %s: %i', async (failurePolicy, code) => {
  await install('Mutating', { failurePolicy, clientConfig: { url: 'https://127.0.0.1:1/' } });
  const { code: answered, body } = await apply({ a: '1' });
  expect(answered).toBe(code);
  if (code === 500) expect(body.message).toContain('Internal error occurred: failed calling webhook "policy.example.com"');
});

test('a dry run calls only webhooks without side effects, which the data of an older version may contain', async () => {
  respond = annotate;
  const created = (await install('Mutating')).body;
  const older = { ...created, webhooks: [{ ...created.webhooks[0], sideEffects: 'Some' }] };
  const objects = [{ resource: 'admissionregistration.k8s.io/mutatingwebhookconfigurations', object: older }];
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'fieldwise-webhooks-'));
  onTestFinished(() => fs.rmSync(data, { recursive: true }));
  fs.writeFileSync(path.join(data, 'objects.json'), JSON.stringify({ version: 1, revision: 41, objects }));
  cluster = await EmbeddedApiServer.start({ port: false, data });
  onTestFinished(() => cluster.stop());
  const { code, body } = await ask('POST', maps, { metadata: { name: 'dry' } }, { dryRun: 'All' });
  expect([code, body.message]).toEqual([400, 'admission webhook "policy.example.com" does not support dry run']);
});

test('a write during a webhook call is not lost', async () => {
  respond = () => ({ allowed: true });
  await install('Mutating');
  await apply({ a: '1' });
  let interfered = false;
  respond = async ({ userInfo }) => {
    if (!interfered && userInfo) {
      interfered = true;
      const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { theirs: 'here' } };
      await ask('PATCH', `${maps}/a`, theirs, { fieldManager: 'them' });
    }
    return { allowed: true };
  };
  expect((await apply({ a: '2' })).body.data).toEqual({ a: '2', theirs: 'here' });
});

test('of two concurrent writes none is lost', async () => {
  await apply({ a: '1' });
  const managers = Array.from({ length: 20 }, (_, index) => `m${index}`);
  await Promise.all(
    managers.map((name) => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { [name]: 'here' } };
      return ask('PATCH', `${maps}/a`, object, { fieldManager: name });
    }),
  );
  expect(Object.keys((await ask('GET', `${maps}/a`)).body.data).toSorted()).toEqual(['a', ...managers].toSorted());
});

test('a server without webhook calls stores their configurations and accepts every write', async () => {
  cluster = await EmbeddedApiServer.start({ port: false, webhooks: false });
  expect((await install('Validating', { clientConfig: { url: 'https://127.0.0.1:9/' } })).code).toBe(201);
  expect((await apply({ a: '1' })).code).toBe(201);
  expect(reviews).toEqual([]);
});

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u1' };
const at = (path: string) => `/metadata/managedFields/0/${path}`;

/** Each row as a kube-apiserver 1.36.3 answers. */
test.each([
  ['apiVersion', [{ op: 'remove', path: at('apiVersion') }], 'apiVersion must not be empty'],
  ['operation', [{ op: 'replace', path: at('operation'), value: 'Foo' }], 'operation must be `Apply` or `Update`'],
  ['fieldsType', [{ op: 'remove', path: at('fieldsType') }], 'missing fieldsType in managed fields entry 0'],
])('owners that a webhook makes invalid by their %s stay as they were, with a warning', async (_, operations, reason) => {
  respond = () => patchOf(operations);
  await install('Mutating');
  const { code, body, warnings } = await apply({ a: '1' });
  expect(code).toBe(201);
  expect(body.metadata.managedFields).toMatchObject([{ manager: 'me', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' }]);
  expect(warnings).toEqual([
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${reason}`,
  ]);
});

test('owners that a webhook changes or removes are stored so', async () => {
  respond = () => patchOf([{ op: 'replace', path: at('manager'), value: 'hook' }]);
  await install('Mutating');
  expect((await apply({ a: '1' })).body.metadata.managedFields).toMatchObject([{ manager: 'hook', operation: 'Apply' }]);
  respond = () => patchOf([{ op: 'remove', path: '/metadata/managedFields' }]);
  expect((await apply({ a: '2' })).body.metadata.managedFields).toBeUndefined();
});

test('owner references that a webhook repeats are stored once, with a warning', async () => {
  respond = () => patchOf([{ op: 'add', path: '/metadata/ownerReferences', value: [owner, owner] }]);
  await install('Mutating');
  const { body, warnings } = await apply({ a: '1' });
  expect(body.metadata.ownerReferences).toEqual([owner]);
  expect(warnings).toEqual([expect.stringContaining('duplicate entries after mutating admission happens')]);
});

test('a webhook is sent the first version of a review that it and the server know', async () => {
  respond = () => ({ ...patchOf([{ op: 'add', path: '/data/hook', value: 'x' }]), uid: undefined, patchType: undefined });
  await install('Mutating', { admissionReviewVersions: ['v1beta1', 'v1'] });
  expect((await apply({ a: '1' })).body.data).toEqual({ a: '1', hook: 'x' });
  await install('Validating', { admissionReviewVersions: ['v2', 'v1'] });
  expect((await apply({ a: '2' })).body.message).toMatch(/received invalid webhook response: expected response\.uid="[\w-]+", got ""$/);
});
