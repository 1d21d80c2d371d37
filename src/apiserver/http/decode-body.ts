import type { Json, JsonObject } from '../../util/json.js';
import { badRequest } from '../api/status-error.js';
import type { RequestTarget } from '../registry/backend.js';
import type { DecodedObject } from '../registry/resource.js';
import type { WriteOptions } from '../registry/write-options.js';
import { otherVersion } from './check-kind.js';
import { decodingWarnings, duplicatesOfKnown, maxJsonErrors, namesLine, strictDecodingErrors } from './strict-decoding.js';

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
  const strictErrors = strategy.custom
    ? strictDecodingErrors(unknownFields, duplicateFields)
    : inBodyOrder(unknownFields, duplicatesOfKnown(unknownFields, duplicateFields), body);
  for (const text of decodingWarnings({ apiVersion, kind }, options, strictErrors)) target.warnings.push(text);
  if (apiVersion !== version.apiVersion) throw otherVersion(version.apiVersion, apiVersion);
  return decoded;
}

/** Returns the first messages, as the members that they name stand in the body; those of other texts come first. Source: observed. */
function inBodyOrder(unknown: readonly string[], duplicates: readonly string[], body: JsonObject): readonly string[] {
  const places = firstPlaces(new Set([...duplicates, ...unknown]), body);
  const isFirst = (field: string) => places.size < maxJsonErrors || places.has(field) || namesLine(field);
  const messages = strictDecodingErrors(unknown.filter(isFirst), duplicates.filter(isFirst));
  if (messages.length < 2) return messages;
  const placed = messages.map((message) => ({ message, place: places.get(fieldIn(message)) ?? -1 }));
  return placed.toSorted((left, right) => left.place - right.place).map(({ message }) => message);
}

function fieldIn(message: string): string {
  const quoted = /^(?:unknown|duplicate) field (".*")$/s.exec(message)?.[1];
  return quoted === undefined ? '' : (JSON.parse(quoted) as string);
}

/** Returns for the first of some fields the count of members that stand before them in a body. */
function firstPlaces(fields: ReadonlySet<string>, body: JsonObject): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const wanted = Math.min(fields.size, maxJsonErrors);
  let count = 0;
  const visit = (value: Json | undefined, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    for (const key in value) {
      if (places.size >= wanted) return;
      const field = isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      if (fields.has(field)) places.set(field, count);
      count += 1;
      visit((value as JsonObject)[key], field);
    }
  };
  visit(body, '');
  return places;
}
