import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Backend } from '../registry/backend.js';
import { callReviewer } from '../webhooks/call-reviewer.js';
import type { Webhook } from './webhook.js';
import { checkedAnswer } from './webhook-answer.js';

/**
 * Sends an AdmissionReview to a webhook and returns its response. Source: Kubernetes documentation "Dynamic Admission Control".
 *
 * @throws Error if the webhook cannot be reached or its response is malformed
 */
export async function callWebhook(backend: Backend, webhook: Webhook, review: JsonObject, uid: string): Promise<JsonObject> {
  const response = await callReviewer(backend, webhook, review)
    .then(({ response: answered }) => (isJsonObject(answered) ? checkedAnswer(answered) : undefined))
    .catch((error: unknown) => {
      throw error instanceof Error ? new Error(`failed to call webhook: ${error.message}`) : error;
    });
  const problem = problemOf(response, webhook, uid);
  if (problem !== undefined) throw new Error(`received invalid webhook response: ${problem}`);
  // The older version of a review needs no type. Source: observed.
  return webhook.reviewVersion === 'v1' ? (response as JsonObject) : { ...response, patchType: 'JSONPatch' };
}

/** Returns what a response must not be. The older version of a review is only looked at for its presence. Source: observed. */
function problemOf(response: JsonObject | undefined, { mutating, reviewVersion }: Webhook, uid: string): string | undefined {
  if (response === undefined) return 'webhook response was absent';
  if (reviewVersion !== 'v1') return undefined;
  const { patch, patchType = null } = response;
  if (response.uid !== uid) return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
  if (!mutating) {
    if (patch) return 'validating webhook may not return response.patch';
    return patchType === null ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patch && patchType === null) return 'webhook returned response.patch but not response.patchType';
  if (!patch && patchType !== null) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}
