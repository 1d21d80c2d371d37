import { ApiError, type Cluster, isForbidden, namespaces } from '../../kubernetes/index.js';
import { isTerminating } from '../../kubernetes/object.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';

/**
 * Whether an object was refused because its Namespace is gone, or going: a Role of the Namespace that gave the rights to the object went
 * along, and so does the object. Where the Namespace cannot be read either, nothing is known.
 *
 * @param error what the request for the object ended with.
 */
export async function isDeletedWithNamespace(cluster: Cluster, error: unknown, { namespace }: InventoryEntry): Promise<boolean> {
  if (!isForbidden(error) || namespace === undefined) return false;
  try {
    const live = await cluster.tryGet({ resource: namespaces, name: namespace });
    return live === undefined || isTerminating(live);
  } catch (refused) {
    if (refused instanceof ApiError) return false;
    throw refused;
  }
}
