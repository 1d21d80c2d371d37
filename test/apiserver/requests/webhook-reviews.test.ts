import { beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { poll } from '../../harness/poll.js';
import { mutated, startRawReviewServer, startReviewServer } from '../../harness/review-server.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** The reviews that a server sends to admission webhooks, and what their answers become. */
const testEnvironment = await TestEnvironment.create('webhook-reviews');
const { cluster, namespace } = testEnvironment;
const asked: ResponseBody[] = [];
let answer: (review: ResponseBody) => object | undefined = () => ({ allowed: true });
const server = await startReviewServer((review) => {
  asked.push(review);
  return { uid: review.request.uid, ...answer(review) };
});
testEnvironment.onCleanup(() => server.stop());

const webhook = (name: string, apiGroup: string, apiVersion: string, resource: string, more: object = {}) => ({
  name: `${name}.example.com`,
  clientConfig: server.clientConfig,
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  rules: [{ operations: ['*'], apiGroups: [apiGroup], apiVersions: [apiVersion], resources: [resource] }],
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  ...more,
});

async function configure(kind: string, webhooks: readonly object[]): Promise<() => Promise<void>> {
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: `${namespace}-${kind.toLowerCase()}-${webhooks.length}` },
  };
  testEnvironment.removeLater(configuration);
  await cluster.create('test', { ...configuration, webhooks } as never);
  return () => cluster.remove(configuration);
}

const configMap = (name: string, data: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
const dryRun = async (object: ResponseBody) => {
  const { apiVersion, kind, metadata } = object;
  const path = await cluster.path({ apiVersion, kind, metadata });
  return new URL(
    `${cluster.client.connection.server.replace(/\/$/, '')}${path.slice(0, path.lastIndexOf('/'))}?dryRun=All&fieldManager=me`,
  );
};
const post = async (object: ResponseBody) => {
  const url = await dryRun(object);
  const { status, text, headers } = await cluster.client.raw(
    'POST',
    url,
    { 'content-type': 'application/json' },
    Buffer.from(JSON.stringify(object)),
  );
  return { status, body: JSON.parse(text), headers };
};

/** What the webhooks answer that look at a label: the whole response. */
let raw: (review: ResponseBody) => object | undefined = ({ request: { uid } }) => ({ uid, allowed: true });
const odd = await startRawReviewServer((review, { response }) => {
  const { apiVersion, kind } = review;
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ apiVersion, kind, response: raw(review) }));
});
testEnvironment.onCleanup(() => odd.stop());
const labelled = (kind: string) =>
  webhook(kind.toLowerCase(), '', 'v1', 'configmaps', { clientConfig: odd.clientConfig, objectSelector: { matchLabels: { asks: kind } } });

beforeAll(async () => {
  await configure('MutatingWebhookConfiguration', [labelled('Mutating')]);
  await configure('ValidatingWebhookConfiguration', [
    labelled('Validating'),
    webhook('maps', '', 'v1', 'configmaps'),
    webhook('scalers', 'autoscaling', 'v1', 'horizontalpodautoscalers'),
    webhook('scales', 'apps', 'v1', 'deployments/*'),
  ]);
  await poll('the webhook is asked', async () => {
    raw = () => undefined;
    const labels = { asks: 'Mutating' };
    const { status } = await post({ ...configMap('asked'), metadata: { name: 'asked', namespace, labels } });
    await post(configMap('asked'));
    return asked.length > 0 && status === 500;
  });
}, 60_000);

/** What a client sees of a denial, beside the message that begins with the name of the webhook. */
async function denied(status: unknown): Promise<object> {
  answer = () => ({ allowed: false, status });
  const { status: code, body, headers } = await post(configMap('denied'));
  const { kind: _, apiVersion: __, message, code: ofBody, ...others } = body;
  expect(ofBody).toBe(code);
  const seconds = (headers as ResponseBody)['retry-after'];
  const shown = message.replace('admission webhook "maps.example.com" denied the request', 'DENIED');
  return { code, message: shown, ...others, ...(seconds === undefined ? {} : { seconds }) };
}

const failure = { metadata: {}, status: 'Failure' };
const causes = [{ message: 'because' }, { reason: 'R', field: 'a.b' }];

describe('the status of a denial', () => {
  test.each<readonly [status: unknown, shown: object]>([
    [undefined, { code: 400, message: 'DENIED without explanation', ...failure }],
    [{ code: 200 }, { code: 400, message: 'DENIED without explanation', ...failure }],
    [
      { code: 399, reason: 'Mine' },
      { code: 400, message: 'DENIED: Mine', reason: 'Mine', ...failure },
    ],
    [
      { code: 404, reason: 'NotFound', message: 'gone' },
      { code: 404, message: 'DENIED: gone', reason: 'NotFound', ...failure },
    ],
    [
      { status: 'Success', message: 'x', code: 422 },
      { code: 422, message: 'DENIED: x', ...failure },
    ],
    [
      { status: 'Other', message: 'x', code: 422 },
      { code: 422, message: 'DENIED: x', metadata: {}, status: 'Other' },
    ],
    [
      { message: '', reason: '', code: 422, details: null },
      { code: 422, message: 'DENIED without explanation', ...failure },
    ],
    [
      { message: 'x', details: {} },
      { code: 400, message: 'DENIED: x', details: {}, ...failure },
    ],
    [
      { message: 'x', code: 422, reason: 'Invalid', details: { name: 'n', causes } },
      { code: 422, message: 'DENIED: x', reason: 'Invalid', details: { name: 'n', causes }, ...failure },
    ],
    [
      { message: 'x', code: 429, details: { name: 'n', group: 'g', kind: 'k', uid: 'u', retryAfterSeconds: 7, causes: [], other: 1 } },
      {
        code: 429,
        message: 'DENIED: x',
        details: { name: 'n', group: 'g', kind: 'k', uid: 'u', retryAfterSeconds: 7 },
        ...failure,
        seconds: '7',
      },
    ],
    [
      { message: 'x', metadata: { resourceVersion: '7', continue: 'c', selfLink: 's', name: 'n' }, kind: 'Other', other: 1 },
      { code: 400, message: 'DENIED: x', status: 'Failure', metadata: { selfLink: 's', resourceVersion: '7', continue: 'c' } },
    ],
  ])('%j', async (status, shown) => {
    expect(await denied(status)).toEqual(shown);
  });
});

test.each<readonly [response: object, problem: string]>([
  [{ allowed: 'yes' }, 'string into Go struct field AdmissionResponse.response.allowed of type bool'],
  [{ status: 'no' }, 'string into Go struct field AdmissionResponse.response.status of type v1.Status'],
  [{ status: { message: 7 } }, 'number into Go struct field Status.response.status.message of type string'],
  [{ status: { reason: true } }, 'bool into Go struct field Status.response.status.reason of type v1.StatusReason'],
  [{ status: { code: 400.5 } }, 'number 400.5 into Go struct field Status.response.status.code of type int32'],
  [{ status: { code: '400' } }, 'string into Go struct field Status.response.status.code of type int32'],
  [{ status: { metadata: [] } }, 'array into Go struct field Status.response.status.metadata of type v1.ListMeta'],
  [{ status: { details: 'x' } }, 'string into Go struct field Status.response.status.details of type v1.StatusDetails'],
  [{ status: { details: { uid: 1 } } }, 'number into Go struct field StatusDetails.response.status.details.uid of type types.UID'],
  [
    { status: { details: { causes: {} } } },
    'object into Go struct field StatusDetails.response.status.details.causes of type []v1.StatusCause',
  ],
  [
    { status: { details: { causes: ['x'] } } },
    'string into Go struct field StatusDetails.response.status.details.causes of type v1.StatusCause',
  ],
  [
    { status: { details: { causes: [{ message: 1 }] } } },
    'number into Go struct field StatusCause.response.status.details.causes.message of type string',
  ],
])('a response with a member of another type: %j', async (response, problem) => {
  answer = () => response;
  const { body } = await post(configMap('odd'));
  expect(body.message).toBe(
    `Internal error occurred: failed calling webhook "maps.example.com": failed to call webhook: json: cannot unmarshal ${problem}`,
  );
});

const patch = Buffer.from('[]').toString('base64');

test.each<readonly [kind: 'Mutating' | 'Validating', response: object | undefined, problem: string | undefined]>([
  ['Validating', undefined, 'webhook response was absent'],
  ['Validating', { allowed: true, uid: 'other' }, 'expected response.uid="UID", got "other"'],
  ['Validating', { allowed: true, patch }, 'validating webhook may not return response.patch'],
  ['Validating', { allowed: false, patchType: 'JSONPatch' }, 'validating webhook may not return response.patchType'],
  ['Validating', { allowed: true, patch: '', patchType: null }, undefined],
  ['Mutating', undefined, 'webhook response was absent'],
  ['Mutating', { allowed: true, patch }, 'webhook returned response.patch but not response.patchType'],
  ['Mutating', { allowed: true, patchType: 'JSONPatch' }, 'webhook returned response.patchType but not response.patch'],
  ['Mutating', { allowed: true, patch, patchType: '' }, 'webhook returned invalid response.patchType of ""'],
  ['Mutating', { allowed: true, patch, patchType: 'JSONPatch' }, undefined],
])('%s: the response %j', async (kind, response, problem) => {
  answer = () => ({ allowed: true });
  raw = ({ request: { uid } }) => (response === undefined ? undefined : { uid, ...response });
  const { status, body } = await post({ ...configMap('raw'), metadata: { name: 'raw', namespace, labels: { asks: kind } } });
  const name = `${kind.toLowerCase()}.example.com`;
  const shown = body.message?.replace(/uid="[\w-]{36}"/, 'uid="UID"');
  const message = `Internal error occurred: failed calling webhook "${name}": received invalid webhook response: ${problem}`;
  expect([status, shown]).toEqual(problem === undefined ? [201, undefined] : [500, message]);
});

/** Returns the reviews of a request, without users, identities and times. */
async function reviewsOf(send: () => Promise<unknown>): Promise<readonly ResponseBody[]> {
  asked.length = 0;
  answer = () => ({ allowed: true });
  await send();
  return asked.map(({ request: { uid: _, userInfo: __, ...request } }) => request);
}

const v1 = (group: string, kind: string) => ({ group, version: 'v1', kind });
const resource = (group: string, name: string, version = 'v1') => ({ group, version, resource: name });
const options = (kind: string, more: object) => ({ kind, apiVersion: 'meta.k8s.io/v1', ...more });

test('the options of a request, and its members in their order', async () => {
  const own = { kind: v1('', 'ConfigMap'), resource: resource('', 'configmaps') };
  const request = { ...own, requestKind: own.kind, requestResource: own.resource, name: 'a', namespace };
  const [created] = await reviewsOf(() => post(configMap('a')));
  expect(created).toMatchObject({ ...request, operation: 'CREATE', dryRun: true, oldObject: null });
  expect(created?.options).toEqual(options('CreateOptions', { dryRun: ['All'], fieldManager: 'me' }));
  const stored = await cluster.create('test', configMap('a'));
  const [updated] = await reviewsOf(() => cluster.patch('test', stored as never, { data: { a: 'b' } }));
  expect(updated).toMatchObject({ ...request, operation: 'UPDATE', dryRun: false, oldObject: { kind: 'ConfigMap' } });
  expect(updated?.options).toEqual(options('UpdateOptions', { fieldManager: 'test' }));
  const [applied] = await reviewsOf(() => cluster.apply('other', configMap('a', { c: 'd' })));
  expect(applied?.options).toEqual(options('UpdateOptions', { fieldManager: 'other' }));
  const [removed] = await reviewsOf(() => cluster.remove(stored as never));
  expect(removed).toMatchObject({ ...request, operation: 'DELETE', object: null });
  expect(removed?.options).toEqual(options('DeleteOptions', { propagationPolicy: 'Background' }));
});

test('the status of an object', async () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const web = await cluster.create('test', { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace }, spec });
  const [status] = await reviewsOf(() => cluster.patch('test', web as never, { status: { replicas: 2 } }, 'merge', 'status'));
  expect(Object.keys(status as object)).toEqual([
    ...['kind', 'resource', 'subResource', 'requestKind', 'requestResource', 'requestSubResource'],
    ...['name', 'namespace', 'operation', 'object', 'oldObject', 'dryRun', 'options'],
  ]);
  const own = { kind: v1('apps', 'Deployment'), resource: resource('apps', 'deployments') };
  expect(status).toMatchObject({ ...own, requestKind: own.kind, subResource: 'status', requestSubResource: 'status' });
});

const scaler = (name: string) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name, namespace },
  spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } },
});

test('a webhook for another version of the kind gets objects of that version', async () => {
  const [created] = await reviewsOf(() => cluster.create('test', scaler('scaler')));
  const [kind, plural] = ['HorizontalPodAutoscaler', 'horizontalpodautoscalers'];
  expect(created).toMatchObject({
    kind: v1('autoscaling', kind),
    resource: resource('autoscaling', plural),
    requestKind: { group: 'autoscaling', version: 'v2', kind },
    requestResource: resource('autoscaling', plural, 'v2'),
    object: { apiVersion: 'autoscaling/v1', kind, spec: { maxReplicas: 2, targetCPUUtilizationPercentage: 80 } },
  });
  expect(created?.object.spec.metrics).toBeUndefined();
  const [updated] = await reviewsOf(() => cluster.patch('test', scaler('scaler'), { spec: { maxReplicas: 3 } }));
  const old = { apiVersion: 'autoscaling/v1', spec: { maxReplicas: 2, targetCPUUtilizationPercentage: 80 } };
  expect(updated).toMatchObject({ object: { apiVersion: 'autoscaling/v1', spec: { maxReplicas: 3 } }, oldObject: old });
});

test('a patch of a webhook for another version changes that version, and the next webhook sees what it did', async () => {
  const seen: ResponseBody[] = [];
  const target = { op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 55 };
  const label = { op: 'add', path: '/metadata/labels', value: { seen: 'v2' } };
  const patching = await startReviewServer(({ request: { uid, object } }) => {
    seen.push(object);
    return mutated(uid, [object.apiVersion === 'autoscaling/v1' ? target : label]);
  });
  testEnvironment.onCleanup(() => patching.stop());
  const { clientConfig } = patching;
  const autoscalers = (name: string, version: string) =>
    webhook(name, 'autoscaling', version, 'horizontalpodautoscalers', { clientConfig });
  const remove = await configure('MutatingWebhookConfiguration', [autoscalers('first', 'v1'), autoscalers('second', 'v2')]);
  answer = () => ({ allowed: true });
  const sent = async () => (await post(scaler('patched'))).body;
  await poll('the webhooks are asked', async () => (await sent()).metadata?.labels?.seen === 'v2');
  seen.length = 0;
  const { spec, metadata } = await sent();
  const changed = { metrics: [{ resource: { target: { averageUtilization: 55 } } }] };
  expect([spec, metadata.labels]).toMatchObject([changed, { seen: 'v2' }]);
  expect(seen).toMatchObject([{ apiVersion: 'autoscaling/v1' }, { apiVersion: 'autoscaling/v2', spec: changed }]);
  await remove();
});
