import { managersOf } from '../../assembly/identity.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { EntryRemoval } from './other-stacks.js';

/** A stack that has applied to an object, and its inventory entry. */
export interface Deployer {
  /** Its field manager, then those it had before renames. */
  readonly managers: readonly string[];
  readonly known: InventoryEntry;
}

/**
 * Returns the stacks that have applied to the object of a step: its own stack; for an object that is new to it, the stacks of the app whose
 * part in it is removed.
 */
export type DeployersOf = (step: Step, known: InventoryEntry | undefined) => readonly Deployer[];

/** Returns a lookup of the stacks that have applied to an object, among removed entries. */
export function deployersAmong(entryRemovals: readonly EntryRemoval[]): DeployersOf {
  const byKey = new Map<string, Deployer[]>();
  for (const { key, stack, formerManagers, entry } of entryRemovals) {
    if (entry.uid === undefined) continue;
    const deployer = { managers: [stack.manager, ...formerManagers], known: entry };
    byKey.set(key, [...(byKey.get(key) ?? []), deployer]);
  }
  return ({ key, stack }, known) => {
    if (known?.uid !== undefined) return [{ managers: managersOf(stack), known }];
    return byKey.get(key) ?? [];
  };
}
