import type { Json, JsonObject } from '../../util/json.js';
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
  const placed = messages.map((message) => ({ message, place: indexesOf(fieldIn(message), body) }));
  return placed.toSorted((left, right) => comparePlaces(left.place, right.place)).map(({ message }) => message);
}

function fieldIn(message: string): string {
  const quoted = /^(?:unknown|duplicate) field (".*")$/s.exec(message)?.[1];
  return quoted === undefined ? '' : (JSON.parse(quoted) as string);
}

/** Returns the index of each member on the way to a field; keys may contain the characters of paths. */
function indexesOf(path: string, value: Json | undefined): readonly number[] {
  if (path === '' || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const [all = '', index = '0'] = /^\[(\d+)\]\.?/.exec(path) ?? [];
    return all === '' ? [] : [Number(index), ...indexesOf(path.slice(all.length), value[Number(index)] as Json)];
  }
  const keys = Object.keys(value);
  const isOnWay = (key: string) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`);
  const index = keys.findIndex(isOnWay);
  if (index < 0) return [];
  const key = keys[index] as string;
  return [index, ...indexesOf(path.slice(key.length).replace(/^\./, ''), (value as JsonObject)[key])];
}

function comparePlaces(left: readonly number[], right: readonly number[]): number {
  for (const [index, place] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (place !== other) return place - other;
  }
  return left.length - right.length;
}
