import { formerManagersOf, managersOf } from '../../assembly/identity.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import { undeclaredEntries } from '../../engine/inventory/undeclared-entries.js';
import type { RemovalCandidate } from '../../engine/removal/may-need.js';
import { plainDeletionsOf } from '../../engine/removal/plain-deletions.js';
import { deletionOptions, objectsToDelete, removeEntry, reportOf } from '../../engine/removal/remove-entry.js';
import { removeInReverseOrder } from '../../engine/removal/remove-in-reverse-order.js';
import { forEachConcurrent } from '../../engine/run/for-each-concurrent.js';
import type { StackState } from '../../engine/run/stack-state.js';
import { transferLifecyclesFromOutside } from '../../engine/transfer/transfer-lifecycle.js';
import type { ForcedPass } from '../../ownership/index.js';
import type { AppliedWaves } from './apply-waves.js';
import type { ConfirmedDeploy } from './confirm-deploy.js';
import { failedNewOwner, failedRecipient, failedTransfer } from './deploy-progress.js';
import { removeStacks, skipStacks } from './remove-stacks.js';

interface PruneCandidate extends RemovalCandidate {
  readonly state: StackState;
}

/**
 * Deletes or releases the objects that the program no longer declares: first those of its stacks, then, if all its intents succeeded, those
 * of undeclared stacks. Writes the inventories in between.
 */
export async function removeUndeclared(deploy: ConfirmedDeploy, applied: AppliedWaves): Promise<void> {
  const { session, options, run, states, store, concurrency, undeclaredStacks, lifecycleTransfers } = deploy;
  const writeFailure = await lifecycleTransfers.transferOutside(run);
  await prune(deploy, applied, writeFailure);
  const { forceNotes, latestVersions } = applied;
  if (states.some(({ openForces }) => openForces.size > 0)) await options.written?.();
  await forEachConcurrent(states, concurrency, async (state) => {
    await state.writeFinalInventory(run, latestVersions, (key) => forceNotes.isOpen(state, key));
    if (state.writeFailure === undefined) await forceNotes.end(state);
  });
  await transferLifecyclesFromOutside({ ...deploy, cluster: session.cluster });
  const isComplete = applied.failed.size === 0 && run.stopped === undefined;
  if (!isComplete) return skipStacks(run, undeclaredStacks);
  await removeStacks(session.cluster, store, run, undeclaredStacks, options, {
    approvedReleases: deploy.approvedReleases,
    live: deploy.liveRemovals,
    names: deploy.names,
    otherStacks: lifecycleTransfers.otherStacks,
    removedVersionsRewriter: deploy.staleRemovals.removedVersionsRewriter,
    writeFailure,
    secrets: deploy.secrets,
  });
}

/**
 * Deletes or releases the objects that stacks no longer declare, for each stack whose intents all succeeded.
 *
 * @param writeFailure the reason why objects with a new owner outside the run must be kept; undefined if they need not be.
 */
async function prune(deploy: ConfirmedDeploy, applied: AppliedWaves, writeFailure: string | undefined): Promise<void> {
  const { session, options, run, concurrency, lifecycleTransfers, approvedReleases, liveRemovals, names, staleRemovals } = deploy;
  const { otherStacks } = lifecycleTransfers;
  const removals = deploy.prunableStates.flatMap((state) => prunable(deploy, applied, state, writeFailure));
  const toDelete = objectsToDelete(removals, otherStacks);
  const managed = removals.map(({ state, entry }) => ({ entry, managers: managersOf(state.stack) }));
  const isApplied = ({ uid }: InventoryEntry) => uid !== undefined && applied.latestVersions.has(uid);
  const plainDeletions = plainDeletionsOf(session.cluster, managed, otherStacks, options);
  await removeInReverseOrder(
    run,
    removals,
    { concurrency, machine: session.cluster.machine },
    async ({ state, stack, key, entry }, onHeld) => {
      const removal = {
        ...deletionOptions(options, toDelete, onHeld),
        formerManagers: formerManagersOf(state.stack),
        otherStacks: otherStacks.get(entry),
        approvedCollateral: approvedReleases.get(entry),
        live: isApplied(entry) ? undefined : liveRemovals.get(entry), // as it is by now: a stack that gets it may have taken its fields
        plainDeletions,
        names,
        removedVersions: staleRemovals.removedVersionsRewriter(entry),
        beforeLoss: (pass: ForcedPass) => applied.forceNotes.note(state, { key, entry }, pass),
      };
      const isDone = await removeEntry(session.cluster, run, stack, entry, removal);
      if (isDone) state.entries.delete(key);
      return isDone;
    },
  );
}

/** Returns the objects of a stack that can be removed; those that must be kept are reported as skipped. */
function prunable(
  { run, transfers, lifecycleTransfers, liveRemovals }: ConfirmedDeploy,
  { states, failed }: AppliedWaves,
  state: StackState,
  writeFailure: string | undefined,
): readonly PruneCandidate[] {
  const { stack } = state.before;
  const isComplete = state.writeFailure === undefined && !state.steps.some((step) => failed.has(step));
  const facts = { transfers, states };
  const reasonToKeep = ({ key, entry }: Pick<PruneCandidate, 'key' | 'entry'>) => {
    if (!isComplete && run.stopped === undefined) return 'no longer declared, but kept because its stack did not fully succeed';
    const newOwner = lifecycleTransfers.otherStacks.get(entry)?.newOwner;
    const failure = failedTransfer(key, managersOf(state.stack), facts) ?? failedNewOwner(key, newOwner, facts);
    const stepFailure = failedRecipient(key, state.stack, liveRemovals.get(entry), failed.keys(), states);
    return failure ?? stepFailure ?? (newOwner?.inventory ? writeFailure : undefined);
  };
  const declared = new Map([...states.values()].flatMap((each) => each.steps.map(({ key }) => [each.entries.get(key)?.uid, key] as const)));
  return undeclaredEntries(state.before, state.steps).flatMap(([key, entry]) => {
    const same = entry.uid === undefined ? undefined : declared.get(entry.uid);
    if (same !== undefined && same !== key && run.stopped === undefined) {
      // One object under two identities, such as before and after its kind was known to be namespaced.
      run.report({ ...reportOf(stack, entry), result: 'skipped', reason: 'it is the same object as one that is declared' });
      if (isComplete) state.entries.delete(key);
      return [];
    }
    const reason = reasonToKeep({ key, entry });
    if (reason === undefined) return [{ state, stack, key, entry }];
    run.report({ ...reportOf(stack, entry), result: 'skipped', reason });
    return [];
  });
}
