import type { Manifest } from '../../assembly/types.js';
import { askAll } from '../../engine/run/ask-all.js';
import { Cleanup } from '../../engine/run/cleanup.js';
import type { EventHost, RunSummary } from '../../engine/run/events.js';
import type { RunOptions } from '../../engine/run/options.js';
import { refuse } from '../../engine/run/refuse.js';
import { transferLifecyclesOutside } from '../../engine/transfer/transfer-lifecycle.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { removeStacks } from '../deploy/remove-stacks.js';
import { type LockedDestroy, lockTargets } from './lock-targets.js';
import { openDestroy } from './open-destroy.js';
import { type PreparedDestroy, prepareDestroy, questionsOf } from './prepare-destroy.js';

/**
 * Destroys stacks by their inventories: releases the objects that they share, deletes those that they own (by uid, and only if nobody else
 * applies fields to them), and removes the inventories. By default, destroys the stacks that the program declares; names may also select
 * stacks of this app and instance that it no longer declares.
 *
 * @throws FieldwiseError of kind `usage`, before anything is changed: unknown stack, `confirmation-needed`. If `started` was reported, the
 *   remaining events up to the summary are reported first.
 */
export async function destroy(manifest: Manifest, server: ClusterClient, options: RunOptions, outerHost: EventHost): Promise<RunSummary> {
  const opened = openDestroy(manifest, server, options, outerHost);
  const { run, start } = opened;
  const cleanup = new Cleanup();
  let locked: LockedDestroy | undefined;
  let prepared: PreparedDestroy;
  try {
    locked = await lockTargets(opened, cleanup);
    if (locked.session === undefined) {
      start.found([]);
      start.report();
      return run.finish();
    }
    prepared = await prepareDestroy({ ...locked, session: locked.session });
    await askAll(questionsOf(prepared), options);
  } catch (error) {
    if (locked === undefined && error instanceof FieldwiseError && error.kind === 'usage') throw error; // Nothing was reported yet.
    start.report();
    await cleanup.run(); // First, because releasing the locks may report retries, which belong before the summary.
    return refuse(run, error);
  }
  try {
    await removeTargets(prepared);
  } catch (error) {
    run.fail(error);
  } finally {
    await cleanup.run();
  }
  return run.finish();
}

async function removeTargets(destroy: PreparedDestroy): Promise<void> {
  const { session, store, run, targets, options, entryRemovals, otherStacks, live, names, approvedReleases } = destroy;
  const writeFailure = await transferLifecyclesOutside(store, entryRemovals, otherStacks).then(
    () => undefined,
    (error: unknown) => run.fail(error).message,
  );
  await removeStacks(session.cluster, store, run, targets, options, {
    approvedReleases,
    live,
    names,
    removedVersionsRewriter: destroy.staleRemovals.removedVersionsRewriter,
    otherStacks,
    writeFailure,
  });
}
