import type { ResponseBody } from './api-client.js';
import { startReviewServer } from './review-server.js';
import type { TestEnvironment } from './test-environment.js';

/** A conversion webhook that changes the version and nothing else, and fails as often as it is told to. */
export interface ConversionWebhook {
  /** What `spec.conversion` of a CustomResourceDefinition says of it. */
  readonly conversion: object;
  /** Conversions that fail from now on. */
  failures: number;
  /** How it fails: by an answer that says so, or by none. */
  dropsConnection: boolean;
  readonly callCount: () => number;
}

export async function conversionWebhook(testEnvironment: TestEnvironment): Promise<ConversionWebhook> {
  let callCount = 0;
  const server = await startReviewServer((review) => {
    callCount += 1;
    const fails = webhook.failures > 0;
    if (fails) webhook.failures -= 1;
    return fails && webhook.dropsConnection ? undefined : answerTo(review, fails);
  });
  testEnvironment.onCleanup(() => server.stop());
  const { clientConfig } = server;
  const webhook: ConversionWebhook = {
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    failures: 0,
    dropsConnection: false,
    callCount: () => callCount,
  };
  return webhook;
}

function answerTo({ request: { uid, objects, desiredAPIVersion } }: ResponseBody, fails: boolean): object {
  if (fails) return { uid, convertedObjects: [], result: { status: 'Failure', message: 'still starting' } };
  const convertedObjects = objects.map((object: ResponseBody) => ({ ...object, apiVersion: desiredAPIVersion }));
  return { uid, convertedObjects, result: { status: 'Success' } };
}
