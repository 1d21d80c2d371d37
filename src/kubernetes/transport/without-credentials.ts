import { isJsonObject, type Json } from '../../util/json.js';
import type { Headers } from '../connection.js';
import { credentialMasker, credentialsIn } from '../mask-credentials.js';
import type { HttpResponse } from './http-response.js';

/**
 * Returns a response without the credentials of its request: a server or gateway may quote them in what messages show. A response with an object
 * stays as it is, because it may contain a Secret with this very token.
 */
export function withoutCredentials(response: HttpResponse, sent: Headers): HttpResponse {
  const { code, body, text, location, contentType, encoding, warnings } = response;
  const isObject = code >= 200 && code < 300 && isJsonObject(body) && body.kind !== 'Status';
  if (isObject && warnings.length === 0) return response;
  const mask = credentialMasker(credentialsIn(sent));
  const shown = { ...response, warnings: warnings.map(mask), contentType: mask(contentType), encoding: mask(encoding) };
  return isObject ? shown : { ...shown, text: mask(text), body: maskedJson(body, mask), location: mask(location) };
}

function maskedJson<T extends Json | undefined>(value: T, mask: (text: string) => string): T {
  if (typeof value === 'string') return mask(value) as T;
  if (Array.isArray(value)) return value.map((item) => maskedJson(item, mask)) as unknown as T;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [mask(name), maskedJson(item as Json, mask)])) as T;
}
