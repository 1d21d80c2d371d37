import { addressInAnyVersion, type RemovedVersions } from '../../engine/addresses/removed-versions.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import { unprovedReason } from '../../engine/object/ownership-proof.js';
import { entryText } from '../../engine/object/rewrite-removed-versions.js';
import type { LiveRemovals } from '../../engine/release/release-collateral.js';
import type { PredictedRemovals } from '../../engine/removal/predict-removals.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import type { RunOptions } from '../../engine/run/options.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { entriesOfVersions } from '../../ownership/index.js';

/** Objects that are released and whose managedFields names versions that their kind no longer has: the server rejects the release. */
export interface StaleRemovals {
  /** The entries in removed versions, as the question shows them. */
  readonly found: ReadonlyMap<InventoryEntry, readonly string[]>;
  /** Returns the rewriter of such entries for an object; undefined if the rewriting was not confirmed. */
  readonly removedVersionsRewriter: (entry: InventoryEntry) => RemovedVersions | undefined;
}

/** Finds such entries in the objects that the run has read already. */
export async function findStaleRemovals(
  cluster: ClusterClient,
  {
    live,
    predictions,
    removed,
  }: { readonly live: LiveRemovals; readonly predictions: PredictedRemovals; readonly removed: RemovedVersions },
  { yes }: RunOptions,
  concurrency: number,
): Promise<StaleRemovals> {
  const found = new Map<InventoryEntry, readonly string[]>();
  const released = [...predictions].filter(([, { action, reason }]) => action === 'release' && reason !== unprovedReason);
  await forEachConcurrent(released, concurrency, async ([entry]) => {
    const object = live.get(entry);
    const address = object && (await addressInAnyVersion(cluster, entry));
    const entries = address ? entriesOfVersions(object, await removed.removedFrom(object, address)) : [];
    if (entries.length > 0) found.set(entry, entries.map(entryText));
  });
  // With `yes`, the run does not check beforehand what prevents a deletion, so any object may turn out to be released.
  return { found, removedVersionsRewriter: (entry) => (yes === true || found.has(entry) ? removed : undefined) };
}
