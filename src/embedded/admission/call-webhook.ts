import { request as httpsRequest } from 'node:https';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { Webhook } from './webhook.js';

/**
 * Sends an AdmissionReview to a webhook and returns its response. Source: Kubernetes documentation "Dynamic Admission Control".
 *
 * @throws Error if the webhook cannot be reached or its response is malformed
 */
export async function callWebhook(
  { url, ca, timeoutSeconds, reviewVersion }: Webhook,
  review: JsonObject,
  uid: string,
): Promise<JsonObject> {
  if (url === undefined) throw new Error('a webhook behind a Service cannot be reached without a cluster network: name a url');
  if (!url.startsWith('https:')) throw new Error("'https' is the only allowed URL scheme");
  const { code, text } = await post(url, ca, timeoutSeconds * 1000, stringifyExactJson(review));
  if (code !== 200)
    throw new Error(`an error on the server (${JSON.stringify(text.slice(0, 200))}) has prevented the request from succeeding`);
  let reply: Json;
  try {
    reply = JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(`the response is not JSON: ${(error as Error).message}`);
  }
  const response = isJsonObject(reply) ? reply.response : undefined;
  if (!isJsonObject(response)) throw new Error('the AdmissionReview has no response');
  // The older version of a review has neither to be there. Source: observed.
  if (reviewVersion !== 'v1') return { ...response, patchType: 'JSONPatch' };
  if (response.patch !== undefined && response.patchType === undefined)
    throw new Error('received invalid webhook response: webhook returned response.patch but not response.patchType');
  if (response.uid !== uid)
    throw new Error(
      `received invalid webhook response: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`,
    );
  return response;
}

function post(
  url: string,
  ca: string | undefined,
  timeout: number,
  body: string,
): Promise<{ readonly code: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json', 'content-length': Buffer.byteLength(body) };
    const signal = AbortSignal.timeout(timeout);
    const call = httpsRequest(url, { method: 'POST', headers, signal, agent: false, ...(ca === undefined ? {} : { ca }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
    });
    call.on('error', (error) => reject(signal.aborted ? new Error(`Post ${JSON.stringify(url)}: context deadline exceeded`) : error));
    call.end(body);
  });
}
