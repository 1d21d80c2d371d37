import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/util/json.js';
import type { ApiCallError } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Configurations of webhooks that a server refuses, in its words. The recorded answers are those of kube-apiserver 1.36.3. */
const testEnvironment = await TestEnvironment.create('webhooks-refused');
const { cluster, namespace } = testEnvironment;
const apiVersion = 'admissionregistration.k8s.io/v1';
const kinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];

/** A rule for a resource that no server has. */
const rule = { operations: ['CREATE'], apiGroups: ['none.example.com'], apiVersions: ['v1'], resources: ['nothing'] };
const hook = (change: JsonObject): JsonObject => ({
  name: 'policy.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/' },
  rules: [rule],
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  ...change,
});
const conditions = (...matchConditions: readonly JsonObject[]) => [hook({ matchConditions })];
const expressions = (...texts: readonly string[]) => conditions(...texts.map((expression, index) => ({ name: `n${index}`, expression })));
const rules = (change: JsonObject) => [hook({ rules: [{ ...rule, ...change }] })];

const configurations: readonly (readonly JsonObject[])[] = [
  expressions("object.metadata.name == 'only-this' &&"),
  expressions('object.metadata.name', "'a'", ' 1 + 1 ', '{}', 'null'),
  expressions('params.a == 1', 'variables.a == 1', 'self == 1', 'request.object.a == 1'),
  expressions(
    'namespaceObject.metadata.name == "a"',
    "authorizer.requestResource.check('get').allowed()",
    'has(request.options.a) || oldObject == null',
  ),
  expressions(`${'('.repeat(300)}1`),
  expressions('a'.repeat(2000)),
  expressions('"\u0000" == "\ud83d\ude00" + b', "'\\u'", '// only a comment'),
  conditions({ name: 'a' }),
  conditions({ expression: 'true' }),
  conditions({ name: '', expression: ' ' }, { name: 'a b', expression: '\n' }),
  conditions({ name: 'a', expression: 'true' }, { name: 'b', expression: 'true' }, { name: 'a', expression: 'object.x +' }),
  conditions(
    { name: 'a'.repeat(64), expression: 'true' },
    { name: 'a/b/c', expression: 'x' },
    { name: 'example.com/a', expression: 'true' },
  ),
  conditions(...Array.from({ length: 64 }, (_, index) => ({ name: `n${index}`, expression: 'true' }))),
  conditions(...Array.from({ length: 65 }, (_, index) => ({ name: `n${index}`, expression: 'true' }))),
  [hook({ matchConditions: { name: 'a', expression: 'true' } })],
  [hook({ matchConditions: [1] })],
  [hook({ admissionReviewVersions: ['v2'] })],
  [hook({ admissionReviewVersions: ['v1', 'v1', 'V 3'] })],
  [hook({ admissionReviewVersions: [] })],
  [hook({ name: '' })],
  [hook({ name: 'a.b' })],
  [hook({ name: 'A.b.c' })],
  [hook({ name: `${'a'.repeat(250)}.b.c` })],
  [hook({}), hook({}), hook({ name: 'other.example.com' }), hook({ admissionReviewVersions: ['v3'] })],
  [hook({ sideEffects: 'Unknown' })],
  [hook({ sideEffects: null })],
  [hook({ failurePolicy: 'Some', matchPolicy: 'some', timeoutSeconds: 31 })],
  [hook({ timeoutSeconds: 0 })],
  [hook({ reinvocationPolicy: 'Some' })],
  [hook({ namespaceSelector: { matchLabels: { 'a b': 'c d' } }, objectSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } })],
  [hook({ clientConfig: {} })],
  [hook({ clientConfig: { url: 'https://a', service: { name: 'a', namespace: 'b' } } })],
  [hook({ clientConfig: { service: { name: '', namespace: '', port: 0, path: 'a//b' } } })],
  [hook({ clientConfig: { url: 'http://user@/?q#f' } })],
  [hook({ rules: [] })],
  rules({ operations: [], apiGroups: [], apiVersions: [], resources: [] }),
  rules({ operations: ['*', 'CREATE', 'READ'], apiGroups: ['', '*'], apiVersions: ['v1', '*', ''], scope: 'Some' }),
  rules({ resources: ['pods/*', 'pods/status', '*/scale', 'a/scale', '', '*/*'] }),
  rules({ resources: ['*', 'pods', 'pods/status'] }),
  [
    hook({
      ...{ name: 'x', rules: [{}], failurePolicy: 'Some', sideEffects: 'Some', timeoutSeconds: 99, clientConfig: {} },
      ...{ objectSelector: { matchLabels: { a: '?' } }, reinvocationPolicy: 'Some', admissionReviewVersions: [] },
      matchConditions: [{ name: '', expression: 'x' }],
    }),
  ],
];

async function answerTo(method: string, object: JsonObject): Promise<JsonObject> {
  const path = await cluster.path(object as never);
  try {
    const target = method === 'POST' ? path.slice(0, path.lastIndexOf('/')) : path;
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    await cluster.client.call(method, target, { body: object, query: { dryRun: 'All' }, contentType });
    return {};
  } catch (error) {
    const { status, body } = error as ApiCallError;
    return { status, message: body.message };
  }
}

test.each(kinds.flatMap((kind) => configurations.map((webhooks, index) => [kind, index, webhooks] as const)))(
  '%s %i',
  async (kind, _, webhooks) => {
    const object = { apiVersion, kind, metadata: { name: 'refused' }, webhooks };
    expect(await answerTo('POST', object)).toMatchSnapshot();
  },
);

test.each(kinds)('an update of a %s is refused for what it changes', async (kind) => {
  const object = { apiVersion, kind, metadata: { name: `${namespace}-${kind.toLowerCase()}` } };
  testEnvironment.removeLater(object);
  await cluster.create('test', { ...object, webhooks: conditions({ name: 'a', expression: 'true' }) } as never);
  const answers: JsonObject[] = [];
  for (const webhooks of [
    expressions('tru'),
    conditions({ name: 'a b', expression: 'true' }),
    [hook({ sideEffects: 'Some' })],
    [hook({}), hook({})],
    expressions('object != null'),
  ])
    answers.push(await answerTo('PATCH', { ...object, webhooks }));
  expect(JSON.parse(JSON.stringify(answers).replaceAll(namespace, 'NAMESPACE'))).toMatchSnapshot();
});
