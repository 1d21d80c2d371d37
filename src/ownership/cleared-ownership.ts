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
} from '../fields/index.js';
import { type JsonObject, jsonEqual } from '../util/json.js';
import { isAppliedIntentField } from './applied-intent.js';
import { isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf, recordedFieldsOf } from './managed-fields.js';
import { releasableFields } from './releasable-fields.js';

/** Whom the server makes the owner of all that is there when somebody applies to an object without managedFields. */
export const beforeFirstApply = 'before-first-apply';

/**
 * What shows that another client wiped the managedFields of an object that a stack has applied to:
 * - `unowned`: nobody owns anything of it.
 * - `lost`: others own fields, `before-first-apply` among them; the stack owns nothing.
 * - `shared`: `before-first-apply` owns fields of the stack, too, and can give them up; what the stack drops stays until then.
 */
export type ClearedOwnership = 'unowned' | 'lost' | 'shared';

/**
 * Judges an object that a stack has applied to.
 *
 * @param foundBefore time of the entry of `before-first-apply` that the stack met at its first apply, if any: it is no sign of a wipe.
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

/** The entry of `before-first-apply`, where it is none that the stack met at its first apply. */
function initialEntryOf(live: JsonObject, foundBefore: string | undefined): ManagedFieldsEntry | undefined {
  const initialEntry = recordedFieldsOf(live).find(isBeforeFirstApply);
  return foundBefore !== undefined && initialEntry?.time === foundBefore ? undefined : initialEntry;
}

/** What any of the managers has applied, by the server or client-side; undefined where none has an entry. */
function appliedBy(live: JsonObject, managers: readonly string[]): FieldSet | undefined {
  const ours = managedFieldsOf(live).filter((entry) => managers.some((manager) => isApplyEntryOf(entry, manager)));
  return ours.length === 0 ? undefined : ours.reduce((all, { fields }) => union(all, fields), emptyFieldSet);
}

/** Whether it is that owner's entry for the object itself. */
export function isBeforeFirstApply({
  manager,
  operation,
  subresource,
}: Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'subresource'>): boolean {
  return manager === beforeFirstApply && operation === 'Update' && subresource === '';
}

/**
 * Fields of a stack that `before-first-apply` owns, too, and that an intent does not declare any more: they would stay.
 *
 * @param foundBefore as in `wipedOwnersOf`.
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
 * What `before-first-apply` gives up to a stack: what both have, and inside the items that the stack applied the values that the server
 * fills in by itself, because nobody set them. An item in which another value is left stays `before-first-apply`'s, too: whoever drops an
 * item alone takes along all of it.
 *
 * @param fresh the object as the server would create it from what the stack applied; undefined where nobody knows.
 */
export function releasableByInitialEntry(initial: FieldSet, ours: FieldSet, live: JsonObject, fresh: JsonObject | undefined): FieldSet {
  const isDefault = (path: FieldPath) => fresh !== undefined && jsonEqual(valueAt(fresh, path), valueAt(live, path));
  const isInItem = (path: FieldPath) => path.some((_, index) => index > 0 && has(ours, path.slice(0, index)));
  const defaults = membersOf(initial).filter(({ path, leaf }) => leaf && isInItem(path) && isDefault(path));
  return releasableFields(initial, union(ours, fieldSetOfPaths(defaults.map(({ path }) => path))));
}

/**
 * What `before-first-apply` owns alone and a new object would not have: whole list items and structs where they are all its own, since they
 * may not be valid without some of their fields; else single fields.
 *
 * @param fresh the object as the server would create it; undefined where nobody knows.
 */
export function fieldsBeforeFirstApply(live: JsonObject, fresh: JsonObject | undefined): readonly FieldPath[] {
  const entries = recordedFieldsOf(live);
  const initialEntry = entries.find(isBeforeFirstApply);
  if (initialEntry === undefined) return [];
  const ownedPaths = new Set<string>(); // with all that leads there
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

/** An item, or a struct inside of the object's own: the entries of maps at the top, such as data and labels, are told one by one. */
function isItemOrStruct(path: FieldPath): boolean {
  const [first, last] = [path[0], path.at(-1)];
  return last?.kind !== 'field' || (path.length > 1 && !(first?.kind === 'field' && first.name === 'metadata'));
}
