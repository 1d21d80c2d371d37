import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/util/json.js';
import { poll } from '../../harness/poll.js';
import { mutated, startReviewServer } from '../../harness/review-server.js';
import { TestEnvironment } from '../../harness/test-environment.js';
import { CaseClient } from './policies/case-client.js';
import { autoscaler, type CaseRequest, post } from './policies/cases.js';

/** Match conditions of webhooks: which requests reach a webhook that denies all. The recorded answers are those of kube-apiserver 1.36.3. */
const testEnvironment = await TestEnvironment.create('webhook-conditions');
const { cluster, namespace } = testEnvironment;
const { send, shown } = new CaseClient(testEnvironment);

interface ConditionCase {
  readonly name: string;
  readonly conditions: readonly string[];
  /** Members of the webhook. */
  readonly webhook?: JsonObject;
  /** @default the creation of a ConfigMap */
  readonly requests?: readonly CaseRequest[];
}

const made = post({ a: 'b' }, { query: 'dryRun=All' });
const deep = (depth: number): string => (depth === 0 ? 'true' : `[1,2,3,4,5,6,7,8,9,10].all(e${depth}, ${deep(depth - 1)})`);
const autoscalers = (...apiVersions: readonly string[]) => ({
  rules: [{ operations: ['*'], apiGroups: ['autoscaling'], apiVersions, resources: ['horizontalpodautoscalers'] }],
});
const stored = post({ a: 'b' }, { metadata: { name: 'stored-NAME' } });
const change = { method: 'PATCH', path: 'stored-NAME', type: 'application/merge-patch+json', query: 'dryRun=All&fieldManager=me' } as const;
const removal = { method: 'DELETE', path: 'stored-NAME', query: 'dryRun=All&propagationPolicy=Background' } as const;

const cases: readonly ConditionCase[] = [
  { name: 'holds', conditions: ["object.metadata.name == 'holds'"] },
  { name: 'does-not-hold', conditions: ["object.metadata.name == 'only-this'"] },
  { name: 'all-hold', conditions: ['has(object.data)', "object.data.a == 'b'"] },
  { name: 'one-does-not-hold', conditions: ['has(object.data)', "object.data.a == 'c'", 'true'] },
  { name: 'error', conditions: ["object.data.missing == 'x'"] },
  { name: 'error-and-false', conditions: ["object.data.missing == 'x'", 'false'] },
  { name: 'two-errors', conditions: ["object.data.missing == 'x'", 'true', "object.data.other == 'x'"] },
  { name: 'same-error-twice', conditions: ["object.data.missing == 'x'", "object.data.missing == 'x'"] },
  { name: 'error-ignored', conditions: ["object.data.missing == 'x'"], webhook: { failurePolicy: 'Ignore' } },
  { name: 'ignored-but-asked', conditions: ["object.data.a == 'b'"], webhook: { failurePolicy: 'Ignore' } },
  { name: 'not-a-number', conditions: ['object.metadata.name + 1 == 2'] },
  { name: 'line-breaks', conditions: [" object.data.a == 'c' ||\n  object.data.a == 'b'\n"] },
  { name: 'spaces', conditions: [" object.data.missing == 'x' "] },
  { name: 'one-is-too-expensive', conditions: [deep(7)] },
  { name: 'all-are-too-expensive', conditions: Array.from({ length: 30 }, (_, each) => `${deep(5)} && ${each} >= 0`) },
  { name: 'expensive-and-ignored', conditions: [deep(7)], webhook: { failurePolicy: 'Ignore' } },
  { name: 'namespace-object', conditions: ['namespaceObject.metadata.name == object.metadata.namespace'] },
  {
    name: 'request',
    conditions: [
      "request.operation == 'CREATE' && request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap'",
      'request.name == object.metadata.name && request.namespace == object.metadata.namespace && request.dryRun',
      "has(request.options.dryRun) && request.userInfo.groups.exists(each, each == 'system:authenticated')",
      'oldObject == null',
    ],
  },
  { name: 'allowed', conditions: ["authorizer.requestResource.check('delete').allowed()"] },
  { name: 'not-allowed', conditions: ["!authorizer.group('apps').resource('deployments').namespace('x').check('delete').allowed()"] },
  { name: 'service-account', conditions: ["authorizer.serviceAccount('default', 'x').group('').resource('pods').check('get').allowed()"] },
  {
    name: 'update',
    conditions: ["request.operation == 'UPDATE' && object.data.a != oldObject.data.a && request.options.fieldManager == 'me'"],
    requests: [stored, { ...change, body: { data: { a: 'b', b: 'c' } } }, { ...change, body: { data: { a: 'c' } } }],
  },
  {
    name: 'removal',
    conditions: [
      "request.operation == 'DELETE' && object == null && oldObject.data.a == 'b'",
      "request.options.propagationPolicy == 'Background'",
    ],
    requests: [stored, removal, { ...removal, query: 'dryRun=All' }, { method: 'DELETE', query: 'dryRun=All&labelSelector=case%3DNAME' }],
  },
  {
    name: 'version-of-the-rule',
    conditions: ["object.apiVersion == 'autoscaling/v1' && object.spec.targetCPUUtilizationPercentage == 80"],
    webhook: autoscalers('v1'),
    requests: [autoscaler('v1'), autoscaler('v2')],
  },
  {
    name: 'versions-of-the-request',
    conditions: [
      "{'a': true}[request.kind.version + ' ' + request.resource.version + ' ' + request.requestKind.version + ' ' + object.apiVersion]",
    ],
    webhook: autoscalers('v1'),
    requests: [autoscaler('v1'), autoscaler('v2')],
  },
  {
    name: 'exact',
    conditions: ['true'],
    webhook: { ...autoscalers('v1'), matchPolicy: 'Exact' },
    requests: [autoscaler('v1'), autoscaler('v2')],
  },
];

const server = await startReviewServer(({ request: { uid } }) => ({ uid, allowed: false, status: { message: 'asked' } }));
testEnvironment.onCleanup(() => server.stop());

function webhookOf({ name, conditions, webhook = {} }: ConditionCase): JsonObject {
  return {
    name: `${name}.example.com`,
    clientConfig: server.clientConfig,
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    objectSelector: { matchLabels: { case: name } },
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    matchConditions: conditions.map((expression, index) => ({ name: `condition-${index}`, expression })),
    ...webhook,
  };
}

/** Configures webhooks, and waits until the server calls the last one. */
async function configure(kind: string, webhooks: readonly JsonObject[]): Promise<() => Promise<void>> {
  const last = webhookOf({ name: `last-${kind.toLowerCase()}`, conditions: ['true'] });
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const object = { apiVersion, kind, metadata: { name: `${namespace}-${kind.toLowerCase()}` } };
  testEnvironment.removeLater(object);
  await cluster.create('test', { ...object, webhooks: [...webhooks, last] } as never);
  const isAsked = async () => (await send(made, `last-${kind.toLowerCase()}`)).status === 400;
  await poll('the webhooks are in effect', isAsked);
  return async () => {
    await cluster.remove(object);
    await poll('the webhooks are no longer in effect', async () => !(await isAsked()));
  };
}

for (const each of cases.filter(({ requests }) => requests?.[0] === stored)) await send(stored, each.name);

test.each(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])('%s', async (kind) => {
  const remove = await configure(kind, cases.map(webhookOf));
  const answers: Record<string, readonly JsonObject[]> = {};
  for (const { name, requests = [made] } of cases) {
    const shownAnswers: JsonObject[] = [];
    for (const request of requests) if (request !== stored) shownAnswers.push(shown(await send(request, name)));
    answers[name] = shownAnswers;
  }
  await remove();
  expect(answers).toMatchSnapshot();
});

test('a condition sees what mutating webhooks before it have changed', async () => {
  const labels = await startReviewServer(({ request: { uid } }) => mutated(uid, [{ op: 'add', path: '/data/changed', value: 'yes' }]));
  testEnvironment.onCleanup(() => labels.stop());
  const changing = { ...webhookOf({ name: 'chain', conditions: ['!has(object.data.changed)'] }), clientConfig: labels.clientConfig };
  const denying = (name: string) => ({ ...webhookOf({ name: 'chain', conditions: ['has(object.data.changed)'] }), name });
  const removeMutating = await configure('MutatingWebhookConfiguration', [
    changing,
    { ...denying('second.chain.example.com'), matchConditions: [{ name: 'never', expression: '!has(object.data.changed)' }] },
  ]);
  expect(await send(made, 'chain')).toMatchObject({ status: 201, body: { data: { changed: 'yes' } } });
  const removeValidating = await configure('ValidatingWebhookConfiguration', [denying('third.chain.example.com')]);
  expect(shown(await send(made, 'chain'))).toMatchObject({
    status: 400,
    message: 'admission webhook "third.chain.example.com" denied the request: asked',
  });
  await removeMutating();
  await poll('the object is as it was sent', async () => (await send(made, 'chain')).status === 201);
  await removeValidating();
});

test('a webhook that cannot be reached refuses only what its conditions match', async () => {
  const unreachable = webhookOf({
    name: 'unreachable',
    conditions: ["object.data.a == 'b'"],
    webhook: { clientConfig: { url: 'https://127.0.0.1:1/' } },
  });
  const noService = webhookOf({
    name: 'no-service',
    conditions: ['true'],
    webhook: { clientConfig: { service: { name: 'absent', namespace } } },
  });
  const remove = await configure('ValidatingWebhookConfiguration', [unreachable, noService]);
  const answers = [made, post({ a: 'c' }, { query: 'dryRun=All' })].map(async (request) => shown(await send(request, 'unreachable')));
  expect([...(await Promise.all(answers)), shown(await send(made, 'no-service'))]).toMatchSnapshot();
  await remove();
});

test('a condition sees the name that the server has generated', async () => {
  const remove = await configure('ValidatingWebhookConfiguration', [
    webhookOf({ name: 'generated', conditions: ['int(request.name) > 0'] }),
  ]);
  expect(
    shown(await send(post({}, { query: 'dryRun=All', metadata: { name: '', generateName: 'made-' } }), 'generated')),
  ).toMatchSnapshot();
  await remove();
});
