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
import { fieldsOfApplied, holdsAt } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { Keyed } from './rules.js';

export interface Claims {
  readonly manager: string;
  readonly apiVersion: string;
  /** What was declared, in the terms of the server's schema. */
  readonly before: Keyed;
  /** What is declared; undefined where everything is given up. */
  readonly after: Keyed | undefined;
}

/**
 * The object with the server's record of a manager as it is to be after a write, where the server keeps one: an Update of all that the
 * manager declares, so that a server-side apply of somebody else sees whose it is and takes nothing along that is declared here. The server
 * by itself records only values that change. What the manager has by server-side apply becomes part of it.
 */
export function ownersAfter(live: JsonObject, target: JsonObject, { manager, apiVersion, before, after }: Claims): JsonObject {
  const entries = entriesOf(live);
  if (entries.length === 0) return target;
  const isOurs = (entry: JsonObject) => entry.manager === manager && (entry.subresource ?? '') === '';
  const ours = entries.filter(isOurs);
  if (after === undefined && ours.length === 0) return target;
  const held = ours.reduce((set, entry) => union(set, readFieldsV1(entry.fieldsV1)), emptyFieldSet);
  const declared = after === undefined ? emptyFieldSet : fieldsOfApplied(after);
  const claimed = fieldSetOfPaths(
    membersOf(declared).flatMap(({ path }) => (holdsAt(held, path) || valueAt(target, path) === undefined ? [] : [path])),
  );
  const left = union(difference(held, difference(fieldsOfApplied(before), declared)), claimed);
  if (after !== undefined && ours.length === 1 && ours[0]?.operation === 'Update' && equalSets(left, held)) return target;
  const others = entries.filter((entry) => !isOurs(entry));
  const update = { manager, operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1: writeFieldsV1(left) };
  const managedFields = after === undefined ? others : [...others, withTime(update, ours)];
  if (managedFields.length === 0) return target; // an empty list would be taken for none
  return { ...target, metadata: { ...(target.metadata as JsonObject), managedFields } };
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
