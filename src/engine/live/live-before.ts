import type { ClusterClient } from '../../kubernetes/index.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import { notAsApplied } from '../inventory/not-as-applied.js';
import type { StackState } from '../run/stack-state.js';
import { type Live, readLive } from './read-live.js';

/** The objects of new and changed intents, read before the first question of the run; see `Live`. */
export type LiveBefore = Live<Step>;

/**
 * Returns true if an intent is not known to be the one that was applied last: only then may its apply do more than restore what others
 * changed. A pending entry, one without items (its run only recorded a change, or found that others own a whole list or map), and an object
 * that was shared and is now owned, or that changes its strategy, count as new.
 */
export function isNewOrChanged(step: Step, known: InventoryEntry | undefined): boolean {
  return known?.items === undefined || notAsApplied(step, known) !== undefined;
}

/** Reads the objects of new and changed intents. An unchanged intent costs nothing here. */
export function readLiveBefore(cluster: ClusterClient, states: readonly StackState[], concurrency: number): Promise<LiveBefore> {
  const wanted = new Map<Step, InventoryEntry | undefined>();
  for (const { steps, before } of states) {
    for (const step of steps) {
      const known = before.entries.get(step.key);
      if (isNewOrChanged(step, known)) wanted.set(step, known);
    }
  }
  const identities = [...wanted.keys()].map((step) => [step, step.intent] as const);
  return readLive(cluster, identities, concurrency, { isKnown: (step) => wanted.get(step)?.uid !== undefined });
}
