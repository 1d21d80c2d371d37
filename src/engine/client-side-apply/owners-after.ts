import { trackingKey } from '../../assembly/tracking-key.js';
import {
  difference,
  emptyFieldSet,
  equalSets,
  fieldSetOfPaths,
  membersOf,
  readFieldsV1,
  union,
  valueAt,
  writeFieldsV1,
} from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import { covers, fieldsOfApplied } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import type { KeyedIntent } from './list-rules.js';

/** A manager's declared fields before and after a client-side apply. */
export interface ClientSideOwnership {
  readonly manager: string;
  readonly apiVersion: string;
  /** The intent that was declared, in the terms of the server's schema. */
  readonly before: KeyedIntent;
  /** The intent that is declared; undefined where everything is released. */
  readonly after: KeyedIntent | undefined;
}

/**
 * Returns the object with the server's record of a manager as it should be after a write, where the server keeps one: an Update of all that
 * the manager declares, so that a server-side apply of somebody else sees its owner and removes nothing that is declared here. On its own,
 * the server records only values that change. Fields that the manager owns by server-side apply become part of it.
 */
export function ownersAfter(live: JsonObject, target: JsonObject, { manager, apiVersion, before, after }: ClientSideOwnership): JsonObject {
  const entries = entriesOf(live);
  if (entries.length === 0) return target;
  const isOurs = (entry: JsonObject) => entry.manager === manager && (entry.subresource ?? '') === '';
  const ours = entries.filter(isOurs);
  const theirs = entries.filter((entry) => !isOurs(entry));
  const others = theirs.map((entry) => withTrackingAnnotation(entry, live, target));
  const isMarked = others.some((entry, index) => entry !== theirs[index]);
  if (after === undefined && ours.length === 0 && !isMarked) return target;
  const owned = ours.reduce((set, entry) => union(set, readFieldsV1(entry.fieldsV1)), emptyFieldSet);
  const declared = after === undefined ? emptyFieldSet : fieldsOfApplied(after);
  const claimed = fieldSetOfPaths(
    membersOf(declared).flatMap(({ path }) => (covers(owned, path) || valueAt(target, path) === undefined ? [] : [path])),
  );
  const left = union(difference(owned, difference(fieldsOfApplied(before), declared)), claimed);
  if (after !== undefined && ours.length === 1 && ours[0]?.operation === 'Update' && equalSets(left, owned) && !isMarked) return target;
  const update = { manager, operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1: writeFieldsV1(left) };
  const managedFields = after === undefined ? others : [...others, withTime(update, ours)];
  if (managedFields.length === 0) return target; // the server ignores an empty list
  return { ...target, metadata: { ...metadataOf(target), managedFields } };
}

/**
 * Returns the Apply entry of a stack that this write would leave without a field, with one field that stays: the stack's tracking
 * annotation, which nobody has set. The server deletes an entry that has only lists and maps that others write as one value, and with it
 * would delete the proof that the stack may delete what it created. See docs/decisions, "What proves that an object is a stack's".
 */
function withTrackingAnnotation(entry: JsonObject, live: JsonObject, target: JsonObject): JsonObject {
  const { manager, operation, subresource = '' } = entry;
  if (typeof manager !== 'string' || !manager.startsWith('fieldwise/') || operation !== 'Apply' || subresource !== '') return entry;
  const owned = readFieldsV1(entry.fieldsV1);
  const members = membersOf(owned);
  if (members.length === 0 || members.some(({ path }) => jsonEqual(valueAt(live, path), valueAt(target, path)))) return entry;
  const annotation = ['metadata', 'annotations', trackingKey(manager)].map((name) => ({ kind: 'field', name }) as const);
  return { ...entry, fieldsV1: writeFieldsV1(union(owned, fieldSetOfPaths([annotation]))) };
}

function withTime(entry: JsonObject, ours: readonly JsonObject[]): JsonObject {
  const times = ours.flatMap(({ time }) => (typeof time === 'string' ? [time] : [])).sort();
  return times.length > 0 ? { ...entry, time: times.at(-1) as string } : entry;
}

function entriesOf({ metadata }: JsonObject): readonly JsonObject[] {
  return isJsonObject(metadata) && Array.isArray(metadata.managedFields)
    ? (metadata.managedFields as readonly Json[]).filter(isJsonObject)
    : [];
}
