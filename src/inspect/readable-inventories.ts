import { type Inventory, InventoryStore } from '../engine/inventory/inventory-store.js';
import type { ClusterClient } from '../kubernetes/index.js';
import { FieldwiseError } from '../util/error.js';

/** Returns all inventories; none without permission to list them: stacks are shown by their field managers then. */
export async function readableInventories(cluster: ClusterClient, inventoryNamespace: string | undefined): Promise<readonly Inventory[]> {
  try {
    return await new InventoryStore(cluster, inventoryNamespace).read();
  } catch (error) {
    if (error instanceof FieldwiseError && error.code === 'inventory-forbidden') return [];
    throw error;
  }
}
