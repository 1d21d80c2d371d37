import { compareUtf8, type FieldSet, readFieldsV1Strictly, writeFieldsV1 } from '../fields/index.js';
import type { Managers, VersionedSet } from '../merge/index.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import type { OwnershipCache } from './cache.js';
import { identityOf, ownerOf } from './identity.js';

/** The owners of an object and when each last wrote, by identity. */
export interface Ownership {
  readonly managers: Managers;
  /** RFC 3339, whole seconds; an owner that has never changed the object's content has none. */
  readonly times: ReadonlyMap<string, string>;
}

export const noOwnership: Ownership = Object.freeze({ managers: new Map(), times: new Map() });

/**
 * Reads `metadata.managedFields`. Source: Kubernetes API reference, ManagedFieldsEntry.
 *
 * @throws SyntaxError in the words of the server, where an entry cannot be read.
 */
export function readEntries(entries: Json | undefined, cache?: OwnershipCache): Ownership {
  if (!Array.isArray(entries) || entries.length === 0) return noOwnership;
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  for (const [index, entry] of (entries as readonly Json[]).entries()) {
    if (!isJsonObject(entry)) throw new SyntaxError(`managed fields entry ${index} is no object`);
    const { manager, operation, apiVersion, subresource, time } = entry;
    if (operation !== 'Apply' && operation !== 'Update') throw new SyntaxError('operation must be `Apply` or `Update`');
    if (typeof apiVersion !== 'string' || apiVersion === '') throw new SyntaxError('apiVersion must not be empty');
    if (entry.fieldsType !== 'FieldsV1') throw new SyntaxError(fieldsTypeProblem(entry.fieldsType, index));
    const identity = identityOf({
      manager: text(manager),
      operation,
      apiVersion,
      ...(text(subresource) === '' ? {} : { subresource: text(subresource) }),
    });
    managers.set(identity, { set: readSet(entry.fieldsV1, cache), apiVersion, applied: operation === 'Apply' });
    if (typeof time === 'string') times.set(identity, time);
  }
  return { managers, times };
}

function fieldsTypeProblem(fieldsType: Json | undefined, index: number): string {
  if (fieldsType === undefined || fieldsType === '') return `missing fieldsType in managed fields entry ${index}`;
  return `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function readSet(fields: Json | undefined, cache: OwnershipCache | undefined): FieldSet {
  if (cache === undefined || !isJsonObject(fields)) return readFieldsV1Strictly(fields);
  let set = cache.decoded.get(fields);
  if (set === undefined) {
    set = readFieldsV1Strictly(fields);
    cache.decoded.set(fields, set);
  }
  return set;
}

/**
 * Writes `metadata.managedFields`: Apply entries before Update entries, each by time, manager, version and subresource.
 * Times count in whole seconds; no time comes first.
 */
export function writeEntries({ managers, times }: Ownership, cache?: OwnershipCache): readonly JsonObject[] {
  const entries = [...managers].map(([identity, held]) => {
    const owner = ownerOf(identity);
    const time = times.get(identity);
    const entry: JsonObject = {
      ...(owner.manager === '' ? {} : { manager: owner.manager }),
      operation: owner.operation,
      apiVersion: held.apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: writeSet(held.set, cache),
      ...(owner.subresource ? { subresource: owner.subresource } : {}),
    };
    return { entry, owner, apiVersion: held.apiVersion, time };
  });
  entries.sort(
    (left, right) =>
      compareUtf8(left.owner.operation, right.owner.operation) ||
      compareTimes(left.time, right.time) ||
      compareUtf8(left.owner.manager, right.owner.manager) ||
      compareUtf8(left.apiVersion, right.apiVersion) ||
      compareUtf8(left.owner.subresource ?? '', right.owner.subresource ?? ''),
  );
  return entries.map(({ entry }) => entry);
}

function writeSet(set: FieldSet, cache: OwnershipCache | undefined): JsonObject {
  const known = cache?.encoded.get(set);
  if (known !== undefined) return known;
  const fields = writeFieldsV1(set);
  if (cache !== undefined) {
    cache.encoded.set(set, fields);
    cache.decoded.set(fields, set);
  }
  return fields;
}

function compareTimes(left: string | undefined, right: string | undefined): number {
  return left === right ? 0 : secondsOf(left) - secondsOf(right);
}

/** Seconds since the epoch; 0 where there is no time. */
export function secondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}
