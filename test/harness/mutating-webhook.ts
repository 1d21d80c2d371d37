import type { ResponseBody } from './api-client.js';
import { mutated, startReviewServer } from './review-server.js';
import type { TestEnvironment } from './test-environment.js';

/** A mutating admission webhook that runs. */
export interface MutatingWebhook {
  /** The number of requests that it was asked about. */
  asked(): number;
  /** Removes it from the API server. */
  remove(): Promise<void>;
}

/**
 * A mutating admission webhook for every object of the namespace of a test environment.
 *
 * @param patch returns the JSON patch of an object.
 */
export async function mutateObjects(
  testEnvironment: TestEnvironment,
  patch: (object: ResponseBody, dryRun: boolean) => readonly object[] | Promise<readonly object[]>,
): Promise<MutatingWebhook> {
  let callCount = 0;
  const server = await startReviewServer(async ({ request }) => {
    callCount += 1;
    return mutated(request.uid, await patch(request.object, request.dryRun === true));
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
  return { asked: () => callCount, remove: () => testEnvironment.cluster.remove(object) };
}
