import { formerManagersOf } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import { isTaken, joinInventories } from '../inventory/former-inventories.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import { type Inventory, requireWhole, type StackIdentity } from '../inventory/inventory-store.js';
import type { EntryRemoval } from '../transfer/other-stacks.js';

/** A stack to remove, with all inventories under its name and its former names. */
export interface StackRemoval {
  readonly stack: StackIdentity;
  /** As stored. */
  readonly inventories: readonly Inventory[];
  /** By identity key. */
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  readonly formerManagers: readonly string[];
}

/**
 * Returns the removal of a stack; undefined where it has no inventory.
 *
 * @param takeOver the id of a program whose stacks this one takes over.
 * @throws FieldwiseError `inventory-damaged`
 */
export function stackRemovalOf(
  identity: StackIdentity,
  all: readonly Inventory[],
  declared: StackManifest | undefined,
  takeOver: string | undefined,
): StackRemoval | undefined {
  const current = all.find(({ stack }) => stack.manager === identity.manager);
  const managers = declared ? formerManagersOf(declared) : [];
  const former = all.filter((inventory) => managers.includes(inventory.stack.manager) && !isTaken(current, inventory, takeOver));
  if (current === undefined && former.length === 0) return undefined;
  for (const inventory of [...former, ...(current ? [current] : [])]) requireWhole(inventory);
  const { whole } = joinInventories(current ?? { stack: identity, entries: new Map(), shards: [] }, former, takeOver);
  const inventories = current === undefined ? former : [...former, current];
  return { stack: identity, inventories, entries: whole.entries, formerManagers: managers };
}

/** Returns the identities under which stacks to remove are stored. */
export function removedIdentities(removals: readonly StackRemoval[]): readonly StackIdentity[] {
  return removals.flatMap(({ inventories }) => inventories.map(({ stack }) => stack));
}

/** Returns the entries of a stack that are removed with the stack. */
export function stackEntryRemovalsOf({ stack, formerManagers, entries }: StackRemoval): readonly EntryRemoval[] {
  return [...entries].map(([key, entry]) => ({ stack, formerManagers, key, entry }));
}
