import type { PartialObject } from '../../assembly/types.js';
import { type FieldPath, formatPath, type Member, membersOf, pathCovers, valueAt } from '../../fields/index.js';
import {
  applyEntryOf,
  type ConflictingField,
  conflictingFields,
  type FieldConflict,
  type ManagedFieldsEntry,
  managedFieldsOf,
} from '../../ownership/index.js';
import { isBuiltIn } from '../../schema/index.js';
import { isContainer, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';

// A schema may turn an atomic list or map into a granular one while managers own it as one value. The server then accepts an apply that
// changes a part of it without a conflict, because nobody owns the parts. managedFields still show who wrote the whole.
// Source: Kubernetes documentation "Server-Side Apply", "Compatibility across topology changes"; observed.

/**
 * Returns true if an apply may change fields of others without a conflict: they own a list or map of `live` as one value of which an intent
 * declares a part, since it may be granular by now; or they own fields in one for which the intent declares another kind of value.
 */
export function mayChangeTopology(live: JsonObject | undefined, intent: PartialObject, managers: readonly string[]): boolean {
  return live !== undefined && (conflictingAtomics(live, intent, managers).length > 0 || replacedFields(live, intent, managers).length > 0);
}

/**
 * Returns true if conflicts are about lists and maps of a custom resource that others own as one value. A later schema may make these
 * granular, and the server then accepts the very same intent without a conflict. Built-in kinds do not change their lists and maps, nor
 * does metadata.
 *
 * @param conflicts absent: any such list or map counts.
 */
export function conflictsWithAtomic(
  live: JsonObject,
  intent: PartialObject,
  managers: readonly string[],
  conflicts?: readonly FieldConflict[],
): boolean {
  if (isBuiltIn(intent.apiVersion)) return false;
  const atomics = conflictingAtomics(live, intent, managers).filter(({ field }) => !pathCovers('.metadata', field));
  return atomics.some(
    ({ owner, field: atomicField }) =>
      conflicts === undefined || conflicts.some(({ from, field }) => from === owner.manager && pathCovers(atomicField, field)),
  );
}

function conflictingAtomics(live: JsonObject, intent: PartialObject, managers: readonly string[]): readonly ConflictingField[] {
  return conflictingFields(live, intent, managers[0] as string).filter(
    ({ owner, newValue }) => isContainer(newValue) && !managers.includes(owner.manager),
  );
}

/**
 * Returns the fields of others that end with their list or map, because an intent has another kind of value there. Where a schema takes any
 * value, the server names no conflict: the field of the intent has no owner, those in it have. Source: observed.
 *
 * @param wanted the intent, or the object as its apply leaves it.
 */
function replacedFields(live: JsonObject, wanted: JsonObject, managers: readonly string[]): readonly FieldConflict[] {
  return atomicsOf(live, managers).flatMap(({ owner, field, path }): FieldConflict[] => {
    const isReplaced = path.some(
      (_, length) => length > 0 && isOfOtherKind(valueAt(live, path.slice(0, length)), valueAt(wanted, path.slice(0, length))),
    );
    const oldValue = isReplaced ? valueAt(live, path) : undefined;
    return oldValue === undefined ? [] : [{ ...conflictWith(owner, field), oldValue }];
  });
}

function isOfOtherKind(live: Json | undefined, wanted: Json | undefined): boolean {
  const isGone = wanted === undefined || wanted === null || live === undefined;
  return !isGone && !(Array.isArray(live) && Array.isArray(wanted)) && !(isJsonObject(live) && isJsonObject(wanted));
}

/**
 * Returns what an apply changes, without a conflict, in lists and maps that others own as one value, and what ends with those of another kind. A part that has its own owner is not
 * theirs: an Update manager keeps the container in its set when its last field below it is taken.
 *
 * @param after the object as the apply leaves it, or a dry run of it.
 */
export function overwrittenAtomicFields(live: JsonObject, after: JsonObject, managers: readonly string[]): readonly FieldConflict[] {
  const appliedLeaves = leavesOf(after, managers[0] as string);
  const atomics = atomicsOf(live, managers);
  if (atomics.length === 0) return [];
  const replaced = replacedFields(live, after, managers);
  const owned = new Set(managedFieldsOf(live).flatMap(({ fields }) => membersOf(fields).map(({ path }) => formatPath(path))));
  const changed = atomics.flatMap(({ owner, field: atomicField }) =>
    appliedLeaves.flatMap(({ path }): FieldConflict[] => {
      const field = formatPath(path);
      if (field === atomicField || owned.has(field) || !pathCovers(atomicField, field)) return [];
      const [oldValue, newValue] = [valueAt(live, path), valueAt(after, path)];
      if (oldValue === undefined || newValue === undefined || jsonEqual(oldValue, newValue)) return [];
      return [{ ...conflictWith(owner, field), oldValue, newValue }];
    }),
  );
  return [...changed, ...replaced];
}

/** Returns the lists and maps of a custom resource that a manager owns as one value since its apply, as path texts. */
export function appliedAtomics(intent: PartialObject, after: JsonObject, manager: string): readonly string[] {
  if (isBuiltIn(intent.apiVersion)) return [];
  return leavesOf(after, manager).flatMap(({ path }) => (isContainer(valueAt(intent, path)) ? [formatPath(path)] : []));
}

/**
 * Returns the lists and maps that an apply found granular, that others own as one value, and of which it came to own parts. The changed
 * values are unknown, because the object was not read before. Sets are left out: a set contains a value or it does not.
 *
 * @param known what the manager owned as one value before, as path texts.
 */
export function topologyChangedSince(after: JsonObject, managers: readonly string[], known: readonly string[]): readonly FieldConflict[] {
  const appliedLeaves = leavesOf(after, managers[0] as string).map(({ path }) => formatPath(path));
  return atomicsOf(after, managers).flatMap(({ owner, field: atomicField }) => {
    const isPart = (field: string) => field !== atomicField && pathCovers(atomicField, field) && !field.startsWith(`${atomicField}[=`);
    return known.includes(atomicField) && appliedLeaves.some(isPart) ? [conflictWith(owner, atomicField)] : [];
  });
}

/** Returns the innermost fields of others, whether they are containers or not. */
function atomicsOf(
  object: JsonObject,
  managers: readonly string[],
): readonly { readonly owner: ManagedFieldsEntry; readonly field: string; readonly path: FieldPath }[] {
  return managedFieldsOf(object)
    .filter(({ manager }) => !managers.includes(manager))
    .flatMap((owner) => membersOf(owner.fields).flatMap(({ path, leaf }) => (leaf ? [{ owner, field: formatPath(path), path }] : [])));
}

function leavesOf(object: JsonObject, manager: string): readonly Member[] {
  const entry = applyEntryOf(object, manager);
  return entry === undefined ? [] : membersOf(entry.fields).filter(({ leaf }) => leaf);
}

function conflictWith({ manager: from, operation, subresource }: ManagedFieldsEntry, field: string): FieldConflict {
  return { field, from, operation, ...(subresource ? { subresource } : {}) };
}
