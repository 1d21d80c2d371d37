import type { Answered } from './api-client.js';
import type { Ground } from './ground.js';
import { startReviewServer } from './review-server.js';

/** A conversion webhook that changes the version and nothing else, and fails as often as it is told to. */
export interface ConversionWebhook {
  /** What `spec.conversion` of a CustomResourceDefinition says of it. */
  readonly conversion: object;
  /** Conversions that fail from now on. */
  failures: number;
  /** How it fails: by an answer that says so, or by none. */
  silent: boolean;
  readonly asked: () => number;
}

export async function conversionWebhook(ground: Ground): Promise<ConversionWebhook> {
  let asked = 0;
  const server = await startReviewServer((review) => {
    asked += 1;
    const fails = webhook.failures > 0;
    if (fails) webhook.failures -= 1;
    return fails && webhook.silent ? undefined : answerTo(review, fails);
  });
  ground.later(() => server.stop());
  const { clientConfig } = server;
  const webhook: ConversionWebhook = {
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    failures: 0,
    silent: false,
    asked: () => asked,
  };
  return webhook;
}

function answerTo({ request: { uid, objects, desiredAPIVersion } }: Answered, fails: boolean): object {
  if (fails) return { uid, convertedObjects: [], result: { status: 'Failure', message: 'still starting' } };
  const convertedObjects = objects.map((object: Answered) => ({ ...object, apiVersion: desiredAPIVersion }));
  return { uid, convertedObjects, result: { status: 'Success' } };
}
