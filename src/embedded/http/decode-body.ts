import type { Json, JsonObject } from '../../util/json.js';
import { badRequest } from '../api/status-error.js';
import type { RequestTarget } from '../registry/backend.js';
import type { DecodedObject } from '../registry/resource.js';
import type { WriteOptions } from '../registry/write-options.js';
import { otherVersion } from './check-kind.js';
import { decodingWarnings, duplicatesOfKnown, maxJsonErrors, strictDecodingErrors } from './strict-decoding.js';

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
  const strictErrors = strategy.custom
    ? strictDecodingErrors(unknownFields, duplicates)
    : inBodyOrder(strictDecodingErrors(unknownFields, duplicates), body);
  for (const text of decodingWarnings({ apiVersion, kind }, options, strictErrors)) target.warnings.push(text);
  if (apiVersion !== version.apiVersion) throw otherVersion(version.apiVersion, apiVersion);
  return decoded;
}

/** Sorts messages as the members that they name stand in the body; those of other texts come first. Source: observed. */
function inBodyOrder(messages: readonly string[], body: JsonObject): readonly string[] {
  if (messages.length < 2) return messages;
  const fields = messages.map(fieldIn);
  const places = placesOf(new Set(fields), body);
  const placed = messages.map((message, index) => ({ message, place: places.get(fields[index] as string) ?? -1 }));
  const sorted = placed.toSorted((left, right) => left.place - right.place);
  const others = sorted.filter(({ place }) => place < 0).length;
  return sorted.slice(0, others + maxJsonErrors).map(({ message }) => message);
}

function fieldIn(message: string): string {
  const quoted = /^(?:unknown|duplicate) field (".*")$/s.exec(message)?.[1];
  return quoted === undefined ? '' : (JSON.parse(quoted) as string);
}

/** Returns for each field the count of members that stand before it in the body. */
function placesOf(fields: ReadonlySet<string>, body: JsonObject): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let count = 0;
  const visit = (value: Json | undefined, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    for (const [key, member] of Object.entries(value)) {
      const field = isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      if (fields.has(field) && !places.has(field)) places.set(field, count);
      count += 1;
      visit(member as Json, field);
    }
  };
  visit(body, '');
  return places;
}
