import type { ResponseBody } from './api-client.js';
import { type ReviewExchange, startRawReviewServer, startReviewServer } from './review-server.js';
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

/** A conversion webhook whose answers a test decides. */
export interface ScriptedConversion {
  readonly clientConfig: { readonly url: string; readonly caBundle: string };
  /** Answers a review: what it returns is sent as JSON; undefined if it has written the response itself. */
  answer: (review: ResponseBody, exchange: ReviewExchange) => object | undefined | Promise<object | undefined>;
}

export async function scriptedConversion(testEnvironment: TestEnvironment): Promise<ScriptedConversion> {
  const server = await startRawReviewServer(async (review, exchange) => {
    const { response } = exchange;
    const answered = await webhook.answer(review, exchange);
    if (answered !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(answered));
  });
  testEnvironment.onCleanup(() => server.stop());
  const webhook: ScriptedConversion = { clientConfig: server.clientConfig, answer: converted };
  return webhook;
}

/** The review that an honest webhook answers: `spec.size` of v1 is `spec.length` of all other versions. */
export function converted(review: ResponseBody): ResponseBody {
  const { kind, apiVersion, request } = review;
  const convertedObjects = request.objects.map((object: ResponseBody) => inVersion(object, request.desiredAPIVersion));
  return { kind, apiVersion, response: { uid: request.uid, convertedObjects, result: { status: 'Success' } } };
}

function inVersion(object: ResponseBody, apiVersion: string): ResponseBody {
  const { size, length = size, ...rest } = object.spec ?? {};
  const member = apiVersion.endsWith('/v1') ? 'size' : 'length';
  return { ...object, apiVersion, spec: { ...rest, ...(length === undefined ? {} : { [member]: length }) } };
}
