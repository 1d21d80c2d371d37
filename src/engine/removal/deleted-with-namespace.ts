import { ApiError, type ClusterClient, isForbidden, namespaces } from '../../kubernetes/index.js';
import { isTerminating } from '../../kubernetes/object.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';

/**
 * Returns true if an object was refused because its Namespace is deleted, or being deleted: the Role in the Namespace that gave the rights
 * to the object is deleted with it, and so is the object. False where the Namespace cannot be read either.
 *
 * @param error the error of the request for the object.
 */
export async function isDeletedWithNamespace(cluster: ClusterClient, error: unknown, { namespace }: InventoryEntry): Promise<boolean> {
  if (!isForbidden(error) || namespace === undefined) return false;
  try {
    const live = await cluster.tryGet({ resource: namespaces, name: namespace });
    return live === undefined || isTerminating(live);
  } catch (refused) {
    if (refused instanceof ApiError) return false;
    throw refused;
  }
}
