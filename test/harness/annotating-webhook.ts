import type { ResponseBody } from './api-client.js';
import { mutated, startReviewServer } from './review-server.js';
import type { TestEnvironment } from './test-environment.js';

/** The annotation that the webhook puts on every object. */
export const policyAnnotation = 'policy.example.com/checked';

/**
 * A mutating admission webhook that annotates every object of the namespace of the test environment, as policy engines do.
 *
 * @param beforeAnswer what the webhook waits for.
 */
export async function annotateEverything(
  testEnvironment: TestEnvironment,
  beforeAnswer: () => Promise<unknown> = async () => {},
): Promise<{ readonly asked: () => number }> {
  let callCount = 0;
  const server = await startReviewServer(async (review) => {
    callCount += 1;
    await beforeAnswer();
    return answerTo(review);
  });
  const object = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: testEnvironment.namespace },
  };
  testEnvironment.onCleanup(() => server.stop());
  testEnvironment.removeLater(object);
  const webhook = {
    name: 'policy.example.com',
    clientConfig: server.clientConfig,
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': testEnvironment.namespace } },
    // What is in no namespace matches every namespace selector, the addresses of other tests' Services too.
    rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: 'Namespaced' }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  await testEnvironment.cluster.create('policy', { ...object, webhooks: [webhook] });
  return { asked: () => callCount };
}

function answerTo({ request: { uid, object } }: ResponseBody): object {
  const patch = [
    ...(object.metadata.annotations ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} }]),
    { op: 'add', path: `/metadata/annotations/${policyAnnotation.replaceAll('/', '~1')}`, value: 'yes' },
  ];
  return mutated(uid, patch);
}
