import { createHash } from 'node:crypto';
import { stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';

/** Returns the hash of a document, as its entity tag and the `hash` of its address have it. */
export function documentHash(document: JsonObject): string {
  return createHash('sha512').update(stringifyExactJson(document)).digest('hex').toUpperCase();
}

/** Returns a document with its entity tag; 304 where the client has it already. Source: RFC 9110, "ETag", "If-None-Match". */
export function cachedResponse(
  request: ApiRequest,
  document: JsonObject,
  headers: Readonly<Record<string, string>>,
  hash = documentHash(document),
): ApiResponse {
  const etag = `"${hash}"`;
  const isKnown = (request.headers['if-none-match'] ?? '').split(',').some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, '')));
  return { ...(isKnown ? apiResponse(304, '') : apiResponse(200, document)), headers: { etag, ...headers } };
}
