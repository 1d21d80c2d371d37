import { ownCopy } from '../util/own-copy.js';
import { type ApiResponse, bodyOf } from './api/request.js';

/**
 * Returns a response as it leaves the server in this process: as over HTTP, all of it is the receiver's own, who may change it. Inside, a
 * response shares its values with what is stored, with other responses and with caches.
 */
export function inProcessResponse(response: ApiResponse): ApiResponse {
  const { json, body, warnings, bytes, headers, watch, ...others } = response;
  return {
    ...others,
    // The text of another thread is parsed for this receiver alone.
    body: json === undefined ? ownCopy(body) : bodyOf(response),
    warnings: [...warnings],
    ...(bytes === undefined ? {} : { bytes: new Uint8Array(bytes) }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(watch === undefined ? {} : { watch: (send, end) => watch((event) => send(ownCopy(event)), end) }),
  };
}
