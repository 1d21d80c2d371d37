import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { withManagedFields, withoutManagedFields } from '../object.js';

/**
 * Restores the old times of managedFields if nothing else differs, entry by entry in their order: a repeated apply becomes a no-op. The
 * order counts: if a new time moves an entry behind another, the new time stays. `object` must differ from the live one in managedFields at
 * most: defaulted, and with the fields that the resource cannot set put back. An object that then equals the stored one need not be
 * written. Null, `{}` and absent are different here. Source: observed, Kubernetes 1.25 and later.
 */
export function withoutNewTimes(live: JsonObject | undefined, object: JsonObject): JsonObject {
  if (live === undefined) return object;
  const before = entriesOf(live);
  const after = entriesOf(object);
  if (before.length !== after.length || !before.every((entry, index) => sameButTime(entry, after[index]))) return object;
  if (!jsonEqual(withoutManagedFields(live), withoutManagedFields(object))) return object;
  return withManagedFields(object, before);
}

function entriesOf(object: JsonObject): readonly Json[] {
  const entries = metadataOf(object).managedFields;
  return Array.isArray(entries) ? (entries as readonly Json[]) : [];
}

function sameButTime(left: Json, right: Json | undefined): boolean {
  return left === right || jsonEqual(timeless(left), timeless(right));
}

function timeless(entry: Json | undefined): Json | undefined {
  if (!isJsonObject(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
