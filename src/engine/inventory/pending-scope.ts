import { identityKey } from '../../assembly/identity.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { resourceIfServed } from '../addresses/address.js';
import type { InventoryEntry } from './inventory-entry.js';

/**
 * Returns entries under the scope of their kinds. Where a server did not serve a kind, nobody knew whether its objects have a namespace, and a
 * pending entry may say so wrongly: removed later, it would mean the object that is declared. Only pending entries are looked at, which are few.
 */
export async function inKnownScope(
  cluster: ClusterClient,
  entries: ReadonlyMap<string, InventoryEntry>,
): Promise<ReadonlyMap<string, InventoryEntry>> {
  const pending = [...entries].filter(([, { uid }]) => uid === undefined);
  if (pending.length === 0) return entries;
  const result = new Map(entries);
  for (const [key, entry] of pending) {
    const scoped = await scopedEntry(cluster, entry);
    if (scoped === entry) continue;
    result.delete(key);
    const known = identityKey(scoped);
    if (!result.has(known)) result.set(known, scoped);
  }
  return result;
}

async function scopedEntry(cluster: ClusterClient, entry: InventoryEntry): Promise<InventoryEntry> {
  const resource = await resourceIfServed(cluster, entry.apiVersion, entry.kind);
  const namespace = resource?.namespaced ? (entry.namespace ?? cluster.defaultNamespace) : undefined;
  if (resource === undefined || namespace === entry.namespace) return entry;
  const { namespace: _, ...others } = entry;
  return namespace === undefined ? others : { ...others, namespace };
}
