import { addressInAnyVersion } from '../../engine/addresses/removed-versions.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import type { EntryRemoval } from '../../engine/transfer/other-stacks.js';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';

/**
 * Finds pending entries whose object was never applied: it does not exist, or has no field of the stack. Their removal needs no
 * confirmation. An object that cannot be read counts as applied.
 */
export async function findUnapplied(
  cluster: ClusterClient,
  entryRemovals: readonly EntryRemoval[],
  concurrency: number,
): Promise<ReadonlySet<InventoryEntry>> {
  const found = new Set<InventoryEntry>();
  const pending = entryRemovals.filter(({ entry }) => entry.uid === undefined);
  await forEachConcurrent(pending, concurrency, async ({ stack, formerManagers, entry }) => {
    try {
      const address = await addressInAnyVersion(cluster, entry);
      const live = address && (await cluster.tryGet(address));
      if (!live || ![stack.manager, ...formerManagers].some((manager) => applyEntryOf(live, manager))) found.add(entry);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  });
  return found;
}
