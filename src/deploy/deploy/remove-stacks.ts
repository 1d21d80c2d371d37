import type { InventoryStore } from '../../engine/inventory/inventory-store.js';
import type { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { type ApprovedReleases, type LiveRemovals, type Removal, removalOf } from '../../engine/removal/release-collateral.js';
import { deletionOptions, objectsToDelete, removeEntry, reportOf } from '../../engine/removal/remove-entry.js';
import { removeInReverseOrder } from '../../engine/removal/remove-in-reverse-order.js';
import type { StackRemoval } from '../../engine/removal/stack-removal.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import type { Run } from '../../engine/run/run.js';
import type { OtherStacksByEntry } from '../../engine/transfer/other-stacks.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { StaleRemovals } from './stale-removals.js';

/** Reports targets that stay because the run did not come to them. */
export function skipStacks(run: Run, targets: readonly StackRemoval[]): void {
  const reason = run.stopped ?? 'its stack is not declared any more, but kept because the deploy did not fully succeed';
  for (const { stack, entries } of targets) {
    for (const entry of entries.values()) run.report({ ...reportOf(stack, entry), result: 'skipped', reason });
  }
}

/** What has been found and agreed on before targets end. */
export interface RemoveStacksContext {
  readonly approvedReleases: ApprovedReleases;
  readonly live: LiveRemovals;
  readonly names: OwnerNameResolver;
  readonly removedVersionsRewriter: StaleRemovals['removedVersionsRewriter'];
  readonly otherStacks: OtherStacksByEntry;
  /** Why objects whose heirs the run leaves out must be left as they are, if so. */
  readonly unwritten?: string | undefined;
}

/** Releases what targets share, deletes what they own, and forgets what is done; what failed stays in their inventories. */
export async function removeStacks(
  cluster: ClusterClient,
  store: InventoryStore,
  run: Run,
  targets: readonly StackRemoval[],
  options: RunOptions,
  { approvedReleases: approved, live, names, removedVersionsRewriter, otherStacks, unwritten: writeFailure }: RemoveStacksContext,
): Promise<void> {
  const work = targets.flatMap((target) => [...target.entries].map(([key, entry]) => ({ target, stack: target.stack, key, entry })));
  const ours = objectsToDelete(work, otherStacks);
  const ended = new Map(targets.map((target) => [target, new Set<string>()]));
  await removeInReverseOrder(run, work, options.concurrency ?? defaultConcurrency, async ({ target, key, entry }, onHeld) => {
    const entryOtherStacks = otherStacks.get(entry);
    if (writeFailure !== undefined && entryOtherStacks?.newOwner?.inventory) {
      run.report({ ...reportOf(target.stack, entry), result: 'skipped', reason: writeFailure });
      return false;
    }
    const deletion = {
      ...deletionOptions(options, ours, onHeld),
      formerManagers: target.formerManagers,
      otherStacks: entryOtherStacks,
      approvedCollateral: approved.get(entry),
      live: live.get(entry),
      names,
      removedVersions: removedVersionsRewriter(entry),
    };
    const done = await removeEntry(cluster, run, target.stack, entry, deletion);
    if (done) ended.get(target)?.add(key);
    return done;
  });
  for (const [target, keys] of ended) {
    for (const inventory of target.inventories) {
      const left = [...inventory.entries].filter(([key]) => !keys.has(key));
      try {
        await store.write(inventory, new Map(left));
      } catch (error) {
        run.fail(error);
      }
    }
  }
}

/** What ends with targets. */
export function removalsOf(targets: readonly StackRemoval[], otherStacks: OtherStacksByEntry, options: RunOptions): readonly Removal[] {
  return targets.flatMap(({ stack, entries, formerManagers }) =>
    [...entries.values()].map((entry) => removalOf(entry, [stack.manager, ...formerManagers], otherStacks.get(entry), options)),
  );
}
