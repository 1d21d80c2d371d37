import { ConversionError } from '../../merge/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { callReviewer, type ReviewCaller, type ReviewerAddress, reviewerAddress } from '../webhooks/call-reviewer.js';
import { conversionReview, convertedObjectsOf } from './conversion-review.js';
import { checkedObject } from './converted-object.js';

/** The webhook that converts the objects of a CustomResourceDefinition. */
export interface ConversionWebhook {
  readonly address: ReviewerAddress;
  /** The version of ConversionReview that it is sent: the first that the server knows, too. */
  readonly reviewVersion: string;
}

const knownVersions = ['v1', 'v1beta1'];

/** Source: observed. */
const timeoutSeconds = 30;

/** Returns the webhook of a definition; undefined if only `apiVersion` changes. */
export function conversionWebhookOf({ spec }: JsonObject): ConversionWebhook | undefined {
  const { conversion } = spec as JsonObject;
  if (!isJsonObject(conversion) || conversion.strategy !== 'Webhook' || !isJsonObject(conversion.webhook)) return undefined;
  const { clientConfig, conversionReviewVersions: versions } = conversion.webhook;
  const accepted = Array.isArray(versions) ? (versions as readonly Json[]).map(String) : [];
  // A definition without a known version is refused when it is written.
  const reviewVersion = accepted.find((each) => knownVersions.includes(each)) ?? 'v1';
  return { address: reviewerAddress(clientConfig), reviewVersion };
}

/** Lets a webhook convert an object. @throws ConversionError with the message of the server */
export async function callConversionWebhook(
  caller: ReviewCaller,
  { address, reviewVersion }: ConversionWebhook,
  object: JsonObject,
  apiVersion: string,
): Promise<JsonObject> {
  const converter = `conversion webhook for ${String(object.apiVersion)}, Kind=${String(object.kind)}`;
  const uid = caller.newUid();
  const objects = await objectsOf();
  if (objects.length !== 1) throw new ConversionError(`${converter} returned ${objects.length} objects, expected 1`);
  try {
    return checkedObject(converter, object, objects[0] as Json, apiVersion);
  } catch (error) {
    throw new ConversionError((error as Error).message);
  }

  async function objectsOf(): Promise<readonly Json[]> {
    try {
      if (!caller.webhooks) throw new Error('this server calls no webhooks: it was started with `webhooks: false`');
      const sent = conversionReview(reviewVersion, uid, object, apiVersion);
      return convertedObjectsOf(await callReviewer(caller, { address, timeoutSeconds }, sent), reviewVersion, uid);
    } catch (error) {
      throw new ConversionError(`${converter} failed: ${(error as Error).message}`);
    }
  }
}
