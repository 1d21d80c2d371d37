import { compareUtf8, type FieldSet, readFieldsV1Strictly, writeFieldsV1 } from '../../fields/index.js';
import type { Managers, VersionedSet } from '../../merge/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { remembered } from '../../util/remembered.js';
import type { OwnedEntry, OwnershipCache, WrittenEntry } from '../requests/cache.js';
import { ownerIdentity, ownerOf } from './identity.js';

/** The owners of an object and the time of each one's last write, by identity. */
export interface Ownership {
  readonly managers: Managers;
  /** RFC 3339, whole seconds; absent for an owner that never changed the object's content. */
  readonly times: ReadonlyMap<string, string>;
}

export const noOwnership: Ownership = Object.freeze({ managers: new Map(), times: new Map() });

/**
 * Reads `metadata.managedFields`. Source: Kubernetes API reference, ManagedFieldsEntry.
 *
 * @throws SyntaxError in the words of the server, if an entry cannot be read.
 */
export function readEntries(entries: Json | undefined, cache?: OwnershipCache): Ownership {
  if (!Array.isArray(entries) || entries.length === 0) return noOwnership;
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  for (const [index, entry] of (entries as readonly Json[]).entries()) {
    const { identity, versionedSet, time } = knownEntry(entry, index, cache);
    managers.set(identity, versionedSet);
    if (time !== undefined) times.set(identity, time);
  }
  return { managers, times };
}

function knownEntry(entry: Json, index: number, cache: OwnershipCache | undefined): OwnedEntry {
  if (!isJsonObject(entry)) throw new SyntaxError(`managed fields entry ${index} is not an object`);
  const known = cache?.read.get(entry);
  if (known !== undefined) return known;
  const read = readEntry(entry, index);
  cache?.read.set(entry, read);
  return read;
}

function readEntry(entry: JsonObject, index: number): OwnedEntry {
  const { manager, operation, apiVersion, subresource, time } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new SyntaxError('operation must be `Apply` or `Update`');
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new SyntaxError('apiVersion must not be empty');
  if (entry.fieldsType !== 'FieldsV1') throw new SyntaxError(fieldsTypeError(entry.fieldsType, index));
  const identity = ownerIdentity({
    manager: text(manager),
    operation,
    apiVersion,
    ...(text(subresource) === '' ? {} : { subresource: text(subresource) }),
  });
  const versionedSet = { set: readFieldsV1Strictly(entry.fieldsV1), apiVersion, applied: operation === 'Apply' };
  return { identity, versionedSet: versionedSet, time: typeof time === 'string' ? time : undefined };
}

function fieldsTypeError(fieldsType: Json | undefined, index: number): string {
  if (fieldsType === undefined || fieldsType === '') return `missing fieldsType in managed fields entry ${index}`;
  return `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Writes `metadata.managedFields`: Apply entries before Update entries, each by time, manager, version and subresource. Times are compared
 * in whole seconds; an entry without a time sorts first.
 */
export function writeEntries({ managers, times }: Ownership, cache?: OwnershipCache): readonly JsonObject[] {
  const entries = [...managers].map(([identity, versionedSet]) =>
    writtenEntry({ identity, versionedSet: versionedSet, time: times.get(identity) }, cache),
  );
  entries.sort(
    (left, right) =>
      compareUtf8(left.owner.operation, right.owner.operation) ||
      compareTimes(left.time, right.time) ||
      compareUtf8(left.owner.manager, right.owner.manager) ||
      compareUtf8(left.versionedSet.apiVersion, right.versionedSet.apiVersion) ||
      compareUtf8(left.owner.subresource ?? '', right.owner.subresource ?? ''),
  );
  return entries.map(({ entry }) => entry);
}

function writtenEntry(owned: OwnedEntry, cache: OwnershipCache | undefined): WrittenEntry {
  const { identity, versionedSet, time } = owned;
  const known = cache?.written.get(versionedSet);
  if (known?.identity === identity && known.time === time) return known;
  const owner = ownerOf(identity);
  const entry: JsonObject = {
    ...(owner.manager === '' ? {} : { manager: owner.manager }),
    operation: owner.operation,
    apiVersion: versionedSet.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: writeSet(versionedSet.set, cache),
    ...(owner.subresource ? { subresource: owner.subresource } : {}),
  };
  const written = { ...owned, owner, entry };
  cache?.written.set(versionedSet, written);
  cache?.read.set(entry, owned);
  return written;
}

function writeSet(set: FieldSet, cache: OwnershipCache | undefined): JsonObject {
  const known = cache?.encoded.get(set);
  if (known !== undefined) return known;
  const fields = writeFieldsV1(set);
  cache?.encoded.set(set, fields);
  return fields;
}

function compareTimes(left: string | undefined, right: string | undefined): number {
  return left === right ? 0 : secondsOf(left) - secondsOf(right);
}

/** Returns seconds since the epoch; 0 if there is no time. */
export function secondsOf(time: string | undefined): number {
  return time === undefined ? 0 : parsedSeconds(time);
}

const parsedSeconds = remembered((time) => Math.floor(Date.parse(time) / 1000));
