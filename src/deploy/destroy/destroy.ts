import type { Manifest } from '../../assembly/types.js';
import type { EventHost, RunSummary } from '../../engine/report/events.js';
import { askAll } from '../../engine/run/ask-all.js';
import { carryOut } from '../../engine/run/carry-out.js';
import type { Cleanup } from '../../engine/run/cleanup.js';
import type { RunOptions } from '../../engine/run/options.js';
import { SecretMasker } from '../../engine/secrets/secret-masker.js';
import { transferLifecyclesOutside } from '../../engine/transfer/transfer-lifecycle.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { removeStacks } from '../deploy/remove-stacks.js';
import { lockTargets } from './lock-targets.js';
import { type OpenDestroy, openDestroy } from './open-destroy.js';
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
  return carryOut(opened.run, {
    prepare: (cleanup) => prepareAndAsk(opened, cleanup),
    beforeRefusal: (error) => opened.start.reportRefused(error),
    change: async (prepared) => {
      if (prepared) await removeTargets(prepared);
    },
  });
}

/** @returns undefined where there is nothing to destroy. */
async function prepareAndAsk(opened: OpenDestroy, cleanup: Cleanup): Promise<PreparedDestroy | undefined> {
  const locked = await lockTargets(opened, cleanup);
  if (locked === undefined) {
    opened.start.report();
    return undefined;
  }
  const prepared = await prepareDestroy(locked);
  await askAll(questionsOf(prepared), opened.options);
  return prepared;
}

async function removeTargets(destroy: PreparedDestroy): Promise<void> {
  const { session, store, run, targets, options, entryRemovals, otherStacks, live, names, approvedReleases } = destroy;
  const writeFailure = await transferLifecyclesOutside(() => store, entryRemovals, otherStacks).then(
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
    secrets: new SecretMasker([]),
  });
}
