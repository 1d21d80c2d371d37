import { type FieldPath, formatPath, intersection, membersOf, valueAt } from '../fields/index.js';
import type { JsonObject } from '../util/json.js';
import { type ManagedFieldsEntry, recordedFieldsOf } from './managed-fields.js';

/** Whom the server makes the owner of all that is there when somebody applies to an object without managedFields. */
export const beforeFirstApply = 'before-first-apply';

/**
 * What shows that another client wiped the managedFields of an object that a stack has applied to:
 * - `unowned`: nobody owns anything of it.
 * - `lost`: others own fields, `before-first-apply` among them; the stack owns nothing.
 * - `shared`: `before-first-apply` owns fields of the stack, too, so that what the stack drops stays.
 */
export type WipedOwners = 'unowned' | 'lost' | 'shared';

/**
 * Judges an object that a stack has applied to.
 *
 * @param foundBefore time of the entry of `before-first-apply` that the stack met at its first apply, if any: it is no sign of a wipe.
 */
export function wipedOwnersOf(live: JsonObject, managers: readonly string[], foundBefore?: string): WipedOwners | undefined {
  const entries = recordedFieldsOf(live);
  if (entries.length === 0) return 'unowned';
  const stranger = entries.find(isBeforeFirstApply);
  if (stranger === undefined || (foundBefore !== undefined && stranger.time === foundBefore)) return undefined;
  const ours = entries.filter(
    ({ manager, operation, subresource }) => operation === 'Apply' && subresource === '' && managers.includes(manager),
  );
  if (ours.length === 0) return 'lost';
  return ours.some(({ fields }) => membersOf(intersection(fields, stranger.fields)).some(({ leaf }) => leaf)) ? 'shared' : undefined;
}

/** Whether it is that owner's entry for the object itself. */
export function isBeforeFirstApply({
  manager,
  operation,
  subresource,
}: Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'subresource'>): boolean {
  return manager === beforeFirstApply && operation === 'Update' && subresource === '';
}

/** Fields of a stack that `before-first-apply` owns, too, and that an intent does not declare any more: they would stay. */
export function stuckFields(live: JsonObject, managers: readonly string[], intent: JsonObject): readonly string[] {
  const entries = recordedFieldsOf(live);
  const stranger = entries.find(isBeforeFirstApply);
  if (stranger === undefined) return [];
  const ours = entries.filter(
    ({ manager, operation, subresource }) => operation === 'Apply' && subresource === '' && managers.includes(manager),
  );
  const paths = ours.flatMap(({ fields }) => membersOf(intersection(fields, stranger.fields)).filter(({ leaf }) => leaf));
  return [...new Set(paths.filter(({ path }) => valueAt(intent, path) === undefined).map(({ path }) => formatPath(path)))];
}

/** Innermost fields that `before-first-apply` owns alone. */
export function fieldsBeforeFirstApply(live: JsonObject): readonly FieldPath[] {
  const entries = recordedFieldsOf(live);
  const stranger = entries.find(isBeforeFirstApply);
  if (stranger === undefined) return [];
  const others = new Set(
    entries.filter((entry) => entry !== stranger).flatMap(({ fields }) => membersOf(fields).map(({ path }) => formatPath(path))),
  );
  return membersOf(stranger.fields)
    .filter(({ path, leaf }) => leaf && !others.has(formatPath(path)))
    .map(({ path }) => path);
}
