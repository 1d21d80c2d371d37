import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from './inventory-entry.js';

/**
 * The reason why an intent is not known to be the one that was applied last.
 * - `edited`: the program declares another one, or declares it with another lifecycle or strategy.
 * - `unrecorded`: the inventory does not record which one was applied.
 * - `unanswered`: its last apply was not answered, was refused, or was never sent.
 */
export type NotAsApplied = 'edited' | 'unrecorded' | 'unanswered';

/** Returns why an intent is not known to be the one that was applied last; undefined if it is. */
export function notAsApplied({ intent, digest }: Step, known: InventoryEntry | undefined): NotAsApplied | undefined {
  if (known === undefined) return 'unrecorded';
  if (known.uid === undefined) return 'unanswered';
  if (known.intent === undefined) return 'unrecorded';
  if (known.items === undefined && known.applied !== true) return 'unanswered';
  const changesStrategy = (known.strategy === 'dynamic') !== (intent.policy.strategy === 'dynamic');
  return known.intent !== digest || changesStrategy || known.lifecycle !== intent.lifecycle ? 'edited' : undefined;
}

/** Returns true if an intent is known to differ from the one that was applied last, or was about to be. */
export function isEdited(known: Pick<InventoryEntry, 'intent'> | undefined, { digest }: { readonly digest: string }): boolean {
  return known?.intent !== undefined && known.intent !== digest;
}
