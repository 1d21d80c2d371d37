import type { StackNames } from '../../engine/inventory/owner-names.js';
import type { InventoryStore } from '../../engine/inventory/store.js';
import { endInReverse } from '../../engine/removal/ending-order.js';
import { deletionOptions, objectsToDelete, reportOf, retire } from '../../engine/removal/retire.js';
import type { Target } from '../../engine/removal/targets.js';
import { type AgreedReleases, type Ending, endingOf, type LiveEndings } from '../../engine/removal/vanishing-release.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import type { Run } from '../../engine/run/run.js';
import type { Successions } from '../../engine/transfer/succession.js';
import type { Cluster } from '../../kubernetes/index.js';
import type { StaleEndings } from './stale-endings.js';

/** Reports targets that stay because the run did not come to them. */
export function skip(run: Run, targets: readonly Target[]): void {
  const reason = run.stopped ?? 'its stack is not declared any more, but kept because the deploy did not fully succeed';
  for (const { stack, entries } of targets) {
    for (const entry of entries.values()) run.report({ ...reportOf(stack, entry), result: 'skipped', reason });
  }
}

/** What has been found and agreed on before targets end. */
export interface Undoing {
  readonly agreed: AgreedReleases;
  readonly live: LiveEndings;
  readonly names: StackNames;
  readonly rewriterOf: StaleEndings['rewriterOf'];
  readonly successions: Successions;
  /** Why objects whose heirs the run leaves out must be left as they are, if so. */
  readonly unwritten?: string | undefined;
}

/** Releases what targets share, deletes what they own, and forgets what is done; what failed stays in their inventories. */
export async function undo(
  cluster: Cluster,
  store: InventoryStore,
  run: Run,
  targets: readonly Target[],
  options: RunOptions,
  { agreed, live, names, rewriterOf, successions, unwritten }: Undoing,
): Promise<void> {
  const work = targets.flatMap((target) => [...target.entries].map(([key, entry]) => ({ target, stack: target.stack, key, entry })));
  const ours = objectsToDelete(work, successions);
  const ended = new Map(targets.map((target) => [target, new Set<string>()]));
  await endInReverse(run, work, options.concurrency ?? defaultConcurrency, async ({ target, key, entry }, onHeld) => {
    const succession = successions.get(entry);
    if (unwritten !== undefined && succession?.heir?.inventory) {
      run.report({ ...reportOf(target.stack, entry), result: 'skipped', reason: unwritten });
      return false;
    }
    const deletion = {
      ...deletionOptions(options, ours, onHeld),
      formerManagers: target.formerManagers,
      succession,
      agreed: agreed.get(entry),
      live: live.get(entry),
      names,
      rewriter: rewriterOf(entry),
    };
    const done = await retire(cluster, run, target.stack, entry, deletion);
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
export function endingsOf(targets: readonly Target[], successions: Successions, options: RunOptions): readonly Ending[] {
  return targets.flatMap(({ stack, entries, formerManagers }) =>
    [...entries.values()].map((entry) => endingOf(entry, [stack.manager, ...formerManagers], successions.get(entry), options)),
  );
}
