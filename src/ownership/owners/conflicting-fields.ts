import { type FieldPath, formatPath, membersOf, valueAt, valueOrItemsAt } from '../../fields/index.js';
import { isContainer, type Json, jsonEqual } from '../../util/json.js';
import { isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf } from '../managed-fields/managed-fields.js';

/** A field whose declared value differs from its owner's. */
export interface ConflictingField {
  readonly path: FieldPath;
  /** The path as text, such as `.spec.replicas`. */
  readonly field: string;
  readonly owner: ManagedFieldsEntry;
  readonly oldValue: Json | undefined;
  readonly newValue: Json;
}

/**
 * Returns fields of `intent` that another manager owns in `live` with another value. Reports too much rather than too little: without a
 * schema, a container that its owner holds as a whole counts as contested if it differs at all.
 */
export function conflictingFields(live: Json, intent: Json, manager: string, subresource = ''): readonly ConflictingField[] {
  const contested: ConflictingField[] = [];
  for (const owner of managedFieldsOf(live)) {
    if (isApplyEntryOf(owner, manager, subresource)) continue;
    for (const { path, leaf } of membersOf(owner.fields)) {
      const newValue = valueAt(intent, path);
      if (newValue === undefined || (!leaf && isContainer(newValue))) continue; // Its members are compared one by one.
      const oldValue = valueOrItemsAt(live, path);
      if (!jsonEqual(oldValue, newValue)) contested.push({ path, field: formatPath(path), owner, oldValue, newValue });
    }
  }
  return contested;
}
