import { type FieldPath, has } from '../../fields/index.js';
import { isBuiltIn } from '../../schema/index.js';
import type { JsonObject } from '../../util/json.js';
import { isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf } from '../managed-fields/managed-fields.js';
import { coveringLength } from './covers.js';

/**
 * Returns a function that finds the managers, except the given ones, that own a field only as a part of a list or map that they own as one
 * value. If the schema of a custom resource makes such a value granular, the server treats the parts as unowned, so another owner that
 * drops a part removes it.
 *
 * managedFields does not distinguish a value that was written as a whole from a container that was written empty or that lost all other
 * members, so these count as well: one question too many does no harm. Built-in kinds and metadata do not change their lists and maps; for
 * values that are merged client-side, the server records the whole as one value. Source: Kubernetes documentation "Server-Side Apply",
 * "Compatibility across topology changes"; observed.
 */
export function containerOwners(object: JsonObject, managers: readonly string[]): (path: FieldPath) => readonly ManagedFieldsEntry[] {
  const entries = isBuiltIn(String(object.apiVersion)) ? [] : managedFieldsOf(object);
  const isOurs = (entry: ManagedFieldsEntry) => managers.some((manager) => isApplyEntryOf(entry, manager));
  const others = entries.filter((entry) => !isOurs(entry));
  if (others.length === 0 || entries.some((entry) => isOurs(entry) && entry.applied !== undefined)) return () => [];
  return (path) => {
    const [first] = path;
    if (first?.kind === 'field' && first.name === 'metadata') return [];
    if (others.some(({ fields }) => has(fields, path))) return [];
    return others.filter(({ fields }) => (coveringLength(fields, path) ?? path.length) < path.length);
  };
}
