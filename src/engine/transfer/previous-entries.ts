import { type FieldPath, type FieldSet, fieldSetOfPaths, membersOf, valueAt } from '../../fields/index.js';
import { type EntryIdentity, hasDescendants, type ManagedFieldsEntry, managedFieldsOf, recordedFieldsOf } from '../../ownership/index.js';
import { isContainer, type JsonObject } from '../../util/json.js';

/**
 * Returns true if a transfer from a manager moves fields of an entry: of what it applies and of what it updates, as client-side apply does. Entries of
 * subresources, such as the scale of an autoscaler, are never touched. A stack owns by its applies alone.
 */
export function isPreviousEntry({ manager, operation, subresource }: Omit<EntryIdentity, 'apiVersion'>, previousOwner: string): boolean {
  return manager === previousOwner && subresource === '' && (operation === 'Apply' || !manager.startsWith('fieldwise/'));
}

/** Returns the entries of an object whose fields a transfer from a manager moves. */
export function previousEntriesOf(live: JsonObject | undefined, previousOwner: string): readonly ManagedFieldsEntry[] {
  return managedFieldsOf(live).filter((entry) => isPreviousEntry(entry, previousOwner));
}

/** Returns the fields of an update. It also records each map that it creates; the fields in it that others own since are not those of the map. */
export function updatedFields(live: JsonObject, { fields }: ManagedFieldsEntry): FieldSet {
  const entries = recordedFieldsOf(live);
  const isOnlyMap = (path: FieldPath) => isContainer(valueAt(live, path)) && entries.some((entry) => hasDescendants(entry.fields, path));
  return fieldSetOfPaths(membersOf(fields).flatMap(({ path, leaf }) => (leaf && !isOnlyMap(path) ? [path] : [])));
}
