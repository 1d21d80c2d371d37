import { removeHistory } from '../../engine/history/remove-history.js';
import type { InventoryStore } from '../../engine/inventory/inventory-store.js';
import type { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { type ApprovedReleases, type LiveRemovals, type Removal, removalOf } from '../../engine/release/release-collateral.js';
import { plainDeletionsOf } from '../../engine/removal/plain-deletions.js';
import { deletionOptions, objectsToDelete, removeEntry, reportOf } from '../../engine/removal/remove-entry.js';
import { removeInReverseOrder } from '../../engine/removal/remove-in-reverse-order.js';
import type { StackRemoval } from '../../engine/removal/stack-removal.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import type { Run } from '../../engine/run/run.js';
import { withoutForces } from '../../engine/run/stack-state.js';
import type { SecretMasker } from '../../engine/secrets/secret-masker.js';
import type { OtherStacksByEntry } from '../../engine/transfer/other-stacks.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { ForcedPass } from '../../ownership/index.js';
import { ForceNotes } from './force-notes.js';
import { RemovalNotes } from './removal-notes.js';
import type { StaleRemovals } from './stale-removals.js';

/** Reports the objects of stacks that the run did not remove. */
export function skipStacks(run: Run, targets: readonly StackRemoval[]): void {
  const reason = run.stopped ?? 'its stack is no longer declared, but was kept because the deploy did not fully succeed';
  for (const { stack, entries } of targets) {
    for (const entry of entries.values()) run.report({ ...reportOf(stack, entry), result: 'skipped', reason });
  }
}

/** The findings and confirmations from before the removal of stacks. */
export interface RemoveStacksContext {
  readonly approvedReleases: ApprovedReleases;
  readonly live: LiveRemovals;
  readonly names: OwnerNameResolver;
  readonly removedVersionsRewriter: StaleRemovals['removedVersionsRewriter'];
  readonly otherStacks: OtherStacksByEntry;
  readonly secrets: SecretMasker;
  /** The reason why objects with a new owner outside the run must be kept; undefined if the transfer to the new owners was recorded. */
  readonly writeFailure?: string | undefined;
}

/** Releases the objects that stacks share, deletes those that they own, and removes their entries. Entries of failed removals stay. */
export async function removeStacks(
  cluster: ClusterClient,
  store: InventoryStore,
  run: Run,
  targets: readonly StackRemoval[],
  options: RunOptions,
  { approvedReleases: approved, live, names, removedVersionsRewriter, otherStacks, secrets, writeFailure }: RemoveStacksContext,
): Promise<void> {
  const concurrency = options.concurrency ?? defaultConcurrency;
  const { inventoryNamespace, history } = options;
  const forceNotes = new ForceNotes({ cluster, records: cluster, inventoryNamespace, history, secrets, concurrency, run });
  const noted = new Map(targets.map((target) => [target, new RemovalNotes(target, store)]));
  if (run.stopped === undefined) await forceNotes.resolveEarlier([...noted.values()]);
  const work = targets.flatMap((target) => [...target.entries].map(([key, entry]) => ({ target, stack: target.stack, key, entry })));
  const toDelete = objectsToDelete(work, otherStacks);
  const plainDeletions = plainDeletionsOf(cluster, removalsOf(targets, otherStacks, options), otherStacks, options);
  const removedKeys = new Map(targets.map((target) => [target, new Set<string>()]));
  await removeInReverseOrder(run, work, { concurrency, machine: cluster.machine }, async ({ target, key, entry }, onHeld) => {
    const entryOtherStacks = otherStacks.get(entry);
    if (writeFailure !== undefined && entryOtherStacks?.newOwner?.inventory) {
      run.report({ ...reportOf(target.stack, entry), result: 'skipped', reason: writeFailure });
      return false;
    }
    const deletion = {
      ...deletionOptions(options, toDelete, onHeld),
      formerManagers: target.formerManagers,
      otherStacks: entryOtherStacks,
      approvedCollateral: approved.get(entry),
      live: live.get(entry),
      plainDeletions,
      names,
      removedVersions: removedVersionsRewriter(entry),
      beforeLoss: (pass: ForcedPass) => forceNotes.note(noted.get(target) as RemovalNotes, { key, entry }, pass),
    };
    const done = await removeEntry(cluster, run, target.stack, entry, deletion);
    if (done) removedKeys.get(target)?.add(key);
    return done;
  });
  if ([...noted.values()].some(({ openForces }) => openForces.size > 0)) await options.written?.();
  for (const [target, keys] of removedKeys) {
    const notes = noted.get(target) as RemovalNotes;
    for (const inventory of target.inventories) {
      const isReported = (key: string) => run.hasReportedEarlier(target.stack.manager, key);
      const remaining = [...inventory.entries]
        .filter(([key]) => !keys.has(key))
        .map(([key, entry]) => [key, isReported(key) ? withoutForces(entry) : entry] as const);
      try {
        // The inventory is the last to go, so that a killed run is completed by running it again.
        if (remaining.length === 0)
          await removeHistory(cluster, inventoryNamespace, inventory.stack, (warning) => run.warn(warning), inventory.history);
        await notes.write(inventory, new Map(remaining), remaining.length === 0 ? {} : inventory);
      } catch (error) {
        run.fail(error);
      }
    }
    await forceNotes.end(notes);
  }
}

/** Returns the removals of the objects of stacks. */
export function removalsOf(targets: readonly StackRemoval[], otherStacks: OtherStacksByEntry, options: RunOptions): readonly Removal[] {
  return targets.flatMap(({ stack, entries, formerManagers }) =>
    [...entries.values()].map((entry) => removalOf(entry, [stack.manager, ...formerManagers], otherStacks.get(entry), options)),
  );
}
