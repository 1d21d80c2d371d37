import type { StackManifest } from '../../assembly/types.js';
import { type InventoryEntry, withoutItems } from './inventory-entry.js';
import type { Inventory, InventoryStore, StackIdentity } from './inventory-store.js';
/** The inventories of a stack under its name and its former names. */
export interface StackInventories {
  /** Under its own name, as stored. */
  readonly current: Inventory;
  /** Under former names, where any are left. */
  readonly former: readonly Inventory[];
  /** All entries under its own name, as if they had always been there. */
  readonly whole: Inventory;
}

/** Reads the inventory of a stack and those that a rename, perhaps one half done, has left under former names. */
export async function findInventory(store: InventoryStore, identity: StackIdentity, stack: StackManifest): Promise<StackInventories> {
  const [current, ...others] = await Promise.all([identity, ...(stack.formerIdentities ?? [])].map((one) => store.readStack(one)));
  return joinInventories(current as Inventory, others);
}

/** Joins the inventories of a stack under its name and its former names. */
export function joinInventories(current: Inventory, others: readonly Inventory[]): StackInventories {
  const former = others.filter(({ shards }) => shards.length > 0);
  const entries = new Map(current.entries);
  for (const inventory of former) {
    for (const [key, entry] of inventory.entries) entries.set(key, mergedEntry(entries.get(key), entry));
  }
  const inputs = [current, ...former].find((inventory) => inventory.inputs !== undefined)?.inputs;
  return { current, former, whole: { ...current, entries, ...(inputs ? { inputs } : {}) } };
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
