import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import { unprovedReason } from '../../engine/removal/ownership-proof.js';
import type { PredictedRemovals } from '../../engine/removal/predict-removals.js';
import type { LiveRemovals } from '../../engine/removal/release-collateral.js';
import { entryText } from '../../engine/repairs/rewrite-removed-versions.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import type { RunOptions } from '../../engine/run/options.js';
import { addressInAnyVersion, type RemovedVersions } from '../../engine/target/removed-versions.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { entriesOfVersions } from '../../ownership/index.js';

/** Objects that are released, and of which managedFields names versions that are gone: the server refuses that as it refuses any apply. */
export interface StaleRemovals {
  /** What was found, as a question names it. */
  readonly found: ReadonlyMap<InventoryEntry, readonly string[]>;
  /** What rewrites such entries of an object; undefined where nobody has agreed to it. */
  readonly removedVersionsRewriter: (entry: InventoryEntry) => RemovedVersions | undefined;
}

/** Looks at the objects that were read anyway. */
export async function findStaleRemovals(
  cluster: ClusterClient,
  {
    live,
    fates: predictions,
    removed,
  }: { readonly live: LiveRemovals; readonly fates: PredictedRemovals; readonly removed: RemovedVersions },
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
  // With a yes beforehand nobody looks for what keeps an object, so that one may be released that was to be deleted.
  return { found, removedVersionsRewriter: (entry) => (yes === true || found.has(entry) ? removed : undefined) };
}
