import type { JsonObject } from '../../util/json.js';
import { badRequest } from '../api/status-error.js';
import type { RequestTarget } from '../registry/backend.js';
import type { DecodedObject } from '../registry/resource.js';
import type { WriteOptions } from '../registry/write-options.js';
import { otherVersion } from './check-kind.js';
import { decodingWarnings, duplicatesOfKnown, strictDecodingErrors } from './strict-decoding.js';

/**
 * Decodes the object of a body by its kind. A custom object of another group or kind is refused before a schema decodes it; one that
 * differs in its kind alone is refused later, together with other errors. Source: observed.
 *
 * @throws StatusError 400
 */
export function decodeBody(
  target: RequestTarget,
  options: WriteOptions,
  body: JsonObject,
  duplicateFields: readonly string[],
): DecodedObject {
  const { resource, version } = target;
  const { strategy } = resource;
  const sent = body as { apiVersion?: string; kind?: string };
  if (strategy.custom && sent.kind === '') {
    throw badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing`);
  }
  const { unknownFields, ...decoded } = strategy.decodeRequest(body, version.apiVersion);
  const { apiVersion = version.apiVersion, kind = resource.kind } = strategy.custom ? sent : {};
  const duplicates = strategy.custom ? duplicateFields : duplicatesOfKnown(unknownFields, duplicateFields);
  const strictErrors = strictDecodingErrors(unknownFields, duplicates);
  for (const text of decodingWarnings({ apiVersion, kind }, options, strictErrors)) target.warnings.push(text);
  if (apiVersion !== version.apiVersion) throw otherVersion(version.apiVersion, apiVersion);
  return decoded;
}
