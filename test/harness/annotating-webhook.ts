import { type MutatingWebhook, mutateObjects } from './mutating-webhook.js';
import type { TestEnvironment } from './test-environment.js';

/** The annotation that the webhook puts on every object. */
export const policyAnnotation = 'policy.example.com/checked';

/**
 * A mutating admission webhook that annotates every object of the namespace of the test environment, as policy engines do.
 *
 * @param beforeAnswer what the webhook waits for.
 */
export function annotateEverything(
  testEnvironment: TestEnvironment,
  beforeAnswer: () => Promise<unknown> = async () => {},
): Promise<MutatingWebhook> {
  return mutateObjects(testEnvironment, async ({ metadata }) => {
    await beforeAnswer();
    return [
      ...(metadata.annotations ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} }]),
      { op: 'add', path: `/metadata/annotations/${policyAnnotation.replaceAll('/', '~1')}`, value: 'yes' },
    ];
  });
}
