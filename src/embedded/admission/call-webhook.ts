import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Backend } from '../registry/backend.js';
import { callReviewer } from '../webhooks/call-reviewer.js';
import type { Webhook } from './webhook.js';

/**
 * Sends an AdmissionReview to a webhook and returns its response. Source: Kubernetes documentation "Dynamic Admission Control".
 *
 * @throws Error if the webhook cannot be reached or its response is malformed
 */
export async function callWebhook(backend: Backend, webhook: Webhook, review: JsonObject, uid: string): Promise<JsonObject> {
  const { response } = await callReviewer(backend, webhook, review).catch((error: unknown) => {
    throw error instanceof Error ? new Error(`failed to call webhook: ${error.message}`) : error;
  });
  if (!isJsonObject(response)) throw new Error('the AdmissionReview has no response');
  // The older version of a review has neither to be there. Source: observed.
  if (webhook.reviewVersion !== 'v1') return { ...response, patchType: 'JSONPatch' };
  if (response.patch !== undefined && response.patchType === undefined)
    throw new Error('received invalid webhook response: webhook returned response.patch but not response.patchType');
  if (response.uid !== uid)
    throw new Error(
      `received invalid webhook response: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`,
    );
  return response;
}
