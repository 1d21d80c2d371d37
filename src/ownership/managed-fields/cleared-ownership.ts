import {
  emptyFieldSet,
  type FieldPath,
  type FieldSet,
  fieldSetOfPaths,
  formatPath,
  has,
  intersection,
  isEmpty,
  membersOf,
  union,
  valueAt,
} from '../../fields/index.js';
import { type JsonObject, jsonEqual } from '../../util/json.js';
import { releasableFields } from '../owners/releasable-fields.js';
import { isAppliedIntentField } from '../requests/applied-intent.js';
import { isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf, recordedFieldsOf } from './managed-fields.js';

/** The manager that the server makes the owner of all existing fields at the first apply to an object without managedFields. */
export const beforeFirstApply = 'before-first-apply';

/**
 * The evidence that another client cleared the managedFields of an object that a stack has applied to:
 * - `unowned`: the object has no owners.
 * - `lost`: others own fields, `before-first-apply` among them; the stack owns nothing.
 * - `shared`: `before-first-apply` also owns fields of the stack and can release them; until then, fields that the stack drops stay.
 */
export type ClearedOwnership = 'unowned' | 'lost' | 'shared';

/**
 * Checks an object that a stack has applied to for cleared managedFields.
 *
 * @param foundBefore time of the `before-first-apply` entry that the stack found at its first apply, if any: that entry is not evidence.
 */
export function clearedOwnershipOf(live: JsonObject, managers: readonly string[], foundBefore?: string): ClearedOwnership | undefined {
  const entries = recordedFieldsOf(live);
  if (entries.length === 0) return 'unowned';
  const initialEntry = initialEntryOf(live, foundBefore);
  if (initialEntry === undefined) return undefined;
  const ours = appliedBy(live, managers);
  if (ours === undefined) return 'lost';
  return isEmpty(releasableFields(initialEntry.fields, ours)) ? undefined : 'shared';
}

/** Returns the entry of `before-first-apply`, unless the stack found it at its first apply. */
function initialEntryOf(live: JsonObject, foundBefore: string | undefined): ManagedFieldsEntry | undefined {
  const initialEntry = recordedFieldsOf(live).find(isBeforeFirstApply);
  return foundBefore !== undefined && initialEntry?.time === foundBefore ? undefined : initialEntry;
}

/** Returns the fields that any of the managers applied, server-side or client-side; undefined if none has an entry. */
function appliedBy(live: JsonObject, managers: readonly string[]): FieldSet | undefined {
  const ours = managedFieldsOf(live).filter((entry) => managers.some((manager) => isApplyEntryOf(entry, manager)));
  return ours.length === 0 ? undefined : ours.reduce((all, { fields }) => union(all, fields), emptyFieldSet);
}

/** Returns true for that owner's entry for the object itself. */
export function isBeforeFirstApply({
  manager,
  operation,
  subresource,
}: Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'subresource'>): boolean {
  return manager === beforeFirstApply && operation === 'Update' && subresource === '';
}

/**
 * Returns fields of a stack that `before-first-apply` also owns and that an intent no longer declares: they would stay.
 *
 * @param foundBefore as in `clearedOwnershipOf`
 */
export function unreleasableFields(
  live: JsonObject,
  managers: readonly string[],
  intent: JsonObject,
  foundBefore?: string,
): readonly string[] {
  const initialEntry = initialEntryOf(live, foundBefore);
  const ours = appliedBy(live, managers);
  if (initialEntry === undefined || ours === undefined) return [];
  return membersOf(intersection(ours, initialEntry.fields))
    .filter(({ path, leaf }) => leaf && valueAt(intent, path) === undefined)
    .map(({ path }) => formatPath(path));
}

/**
 * Returns the fields that `before-first-apply` releases to a stack: the fields of both, and inside the items that the stack applied the
 * values that the server filled in, because nobody set them. An item with another value left stays owned by `before-first-apply` too,
 * because dropping an item with a single owner removes the whole item.
 *
 * @param fresh the object as the server would create it from the stack's intent; undefined if unknown
 */
export function releasableByInitialEntry(initial: FieldSet, ours: FieldSet, live: JsonObject, fresh: JsonObject | undefined): FieldSet {
  const isDefault = (path: FieldPath) => fresh !== undefined && jsonEqual(valueAt(fresh, path), valueAt(live, path));
  const isInItem = (path: FieldPath) => path.some((_, index) => index > 0 && has(ours, path.slice(0, index)));
  const defaults = membersOf(initial).filter(({ path, leaf }) => leaf && isInItem(path) && isDefault(path));
  return releasableFields(initial, union(ours, fieldSetOfPaths(defaults.map(({ path }) => path))));
}

/**
 * Returns the fields that only `before-first-apply` owns and a new object would not have: whole list items and structs if all their fields
 * are such, since they may be invalid without some of them; else single fields.
 *
 * @param fresh the object as the server would create it; undefined if unknown
 */
export function fieldsBeforeFirstApply(live: JsonObject, fresh: JsonObject | undefined): readonly FieldPath[] {
  const entries = recordedFieldsOf(live);
  const initialEntry = entries.find(isBeforeFirstApply);
  if (initialEntry === undefined) return [];
  const ownedPaths = new Set<string>(); // Includes the ancestors of each field.
  for (const { fields } of entries.filter((entry) => entry !== initialEntry)) {
    for (const { path } of membersOf(fields)) path.forEach((_, index) => void ownedPaths.add(formatPath(path.slice(0, index + 1))));
  }
  const isAlone = (path: FieldPath) => !ownedPaths.has(formatPath(path)) && !isAppliedIntentField(path, valueAt(live, path));
  const isNew = (path: FieldPath) => fresh === undefined || !jsonEqual(valueAt(fresh, path), valueAt(live, path));
  const isAbsent = (path: FieldPath) => (fresh === undefined ? path.at(-1)?.kind !== 'field' : valueAt(fresh, path) === undefined);
  const isWhole = (path: FieldPath) => isItemOrStruct(path) && isAlone(path) && isAbsent(path);
  const paths = membersOf(initialEntry.fields)
    .filter(({ path, leaf }) => leaf && isAlone(path) && isNew(path) && valueAt(live, path) !== undefined)
    .map(({ path }) => path.map((_, index) => path.slice(0, index + 1)).find(isWhole) ?? path);
  return [...new Map(paths.map((path) => [formatPath(path), path])).values()];
}

/**
 * Returns true for an item, or a struct below the top level: the entries of top-level maps, such as data and labels, are listed one by one.
 */
function isItemOrStruct(path: FieldPath): boolean {
  const [first, last] = [path[0], path.at(-1)];
  return last?.kind !== 'field' || (path.length > 1 && !(first?.kind === 'field' && first.name === 'metadata'));
}
