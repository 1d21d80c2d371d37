import type { StackManifest } from '../../assembly/types.js';
import { type InventoryEntry, withoutItems } from './inventory-entry.js';
import type { Inventory, InventoryStore, StackIdentity } from './inventory-store.js';

/** The inventories of a stack under its name and its former names. */
export interface StackInventories {
  /** Under its own name, as stored. */
  readonly current: Inventory;
  /** Under former names, where any are left. */
  readonly former: readonly Inventory[];
  /** Under former names, which another program has by now. */
  readonly taken: readonly Inventory[];
  /** All entries under its own name, as if they had always been there. */
  readonly whole: Inventory;
}

/** Returns the inventories of stacks as they are stored, under present and former names. */
export function storedInventories(found: readonly StackInventories[]): readonly Inventory[] {
  return found.flatMap(({ current, former }) => [current, ...former]);
}

/**
 * Reads the inventory of a stack and those that a rename, perhaps one half done, has left under former names.
 *
 * @param takeOver the id of a program whose stacks this one takes over.
 */
export async function findInventory(
  store: InventoryStore,
  identity: StackIdentity,
  stack: StackManifest,
  takeOver?: string,
): Promise<StackInventories> {
  const [current, ...others] = await Promise.all([identity, ...(stack.formerIdentities ?? [])].map((one) => store.readStack(one)));
  return joinInventories(current as Inventory, others, takeOver);
}

/**
 * Returns true if another program has a former name of a stack by now: the stack has been deployed under its present name, and the inventory of the former
 * one has another id. A run that takes over that program, killed halfway, goes on with it.
 */
export function isTaken(current: Inventory | undefined, former: Inventory, takeOver: string | undefined): boolean {
  return current?.id !== undefined && former.id !== undefined && former.id !== current.id && former.id !== takeOver;
}

/** Joins the inventories of a stack under its name and its former names. */
export function joinInventories(current: Inventory, others: readonly Inventory[], takeOver: string | undefined): StackInventories {
  const taken = others.filter((other) => isTaken(current, other, takeOver));
  const former = others.filter((other) => other.shards.length > 0 && !taken.includes(other));
  const entries = new Map(current.entries);
  for (const inventory of former) {
    for (const [key, entry] of inventory.entries) entries.set(key, mergedEntry(entries.get(key), entry));
  }
  const inputs = [current, ...former].find((inventory) => inventory.inputs !== undefined)?.inputs;
  return { current, former, taken, whole: { ...current, entries, ...(inputs ? { inputs } : {}) } };
}

/** Merges the entries of an object that is known under two names: the older fills in what the newer does not know yet. */
function mergedEntry(current: InventoryEntry | undefined, former: InventoryEntry): InventoryEntry {
  const { appliedAt: _, ...inherited } = former; // the time of another manager's entry
  if (current === undefined) return inherited;
  const forces = [...(former.pendingForces ?? []), ...(current.pendingForces ?? [])];
  const pending = forces.length === 0 ? {} : { pendingForces: forces };
  const deletable = current.deletable || former.deletable;
  if (current.uid === undefined) {
    const { items: __, applied: ___, ...unanswered } = inherited; // the newer was about to apply its intent
    return { ...unanswered, ...current, deletable, ...pending };
  }
  const unsure = withoutItems(current); // this run removes the former manager's fields, whatever the newer applied last
  return { ...unsure, deletable: current.deletable || (former.deletable && former.uid === current.uid), ...pending };
}
