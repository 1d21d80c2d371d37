import { type FieldPath, has } from '../fields/index.js';
import { isBuiltIn } from '../schema/index.js';
import type { JsonObject } from '../util/json.js';
import { coveringLength } from './covers.js';
import { isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf } from './managed-fields.js';

/**
 * Who, besides some managers, owns a field only as a part of a list or map that they own as one value. The server takes the parts for
 * nobody's once the schema of a custom resource makes such a value granular, so whoever owns a part and drops it takes it along.
 *
 * Nothing in managedFields tells a value that somebody wrote as a whole from a container that he wrote empty or of which all else was taken
 * from him, so these count as well: a question too many harms nobody. Built-in kinds do not change their lists and maps, nor does metadata;
 * of what is merged on this side the server records the whole of it as one value.
 * Source: Kubernetes documentation "Server-Side Apply", "Compatibility across topology changes"; observed.
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
