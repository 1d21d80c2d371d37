import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { ownerText } from './managed-fields.js';

/** The size of an object's managedFields, and the owners with the largest entries. */
export interface ManagedFieldsSize {
  readonly bytes: number;
  readonly entries: number;
  /** Sizes by owner, the largest first. */
  readonly owners: readonly { readonly owner: string; readonly bytes: number; readonly entries: number }[];
}

/** Returns sizes in bytes as the API server sends them; etcd stores about as many. */
export function managedFieldsSize(object: JsonObject): ManagedFieldsSize {
  const { managedFields } = metadataOf(object);
  const entries = (Array.isArray(managedFields) ? (managedFields as readonly Json[]) : []).filter(isJsonObject);
  const owners = new Map<string, { bytes: number; entries: number }>();
  let bytes = 0;
  for (const entry of entries) {
    const own = Buffer.byteLength(JSON.stringify(entry));
    const owner = ownerText({
      manager: String(entry.manager ?? ''),
      operation: entry.operation === 'Apply' ? 'Apply' : 'Update',
      subresource: String(entry.subresource ?? ''),
    });
    const before = owners.get(owner) ?? { bytes: 0, entries: 0 };
    owners.set(owner, { bytes: before.bytes + own, entries: before.entries + 1 });
    bytes += own;
  }
  const sorted = [...owners].map(([owner, size]) => ({ owner, ...size })).sort((left, right) => right.bytes - left.bytes);
  return { bytes, entries: entries.length, owners: sorted };
}
