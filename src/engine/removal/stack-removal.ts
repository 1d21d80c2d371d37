import { formerManagersOf } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import { joinInventories } from '../inventory/former-inventories.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import { type Inventory, requireWhole, type StackIdentity } from '../inventory/inventory-store.js';

/** A stack to undo, with all that is known of it under its name and those it had before. */
export interface StackRemoval {
  readonly stack: StackIdentity;
  /** As stored. */
  readonly inventories: readonly Inventory[];
  /** By identity key. */
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  readonly formerManagers: readonly string[];
}

/**
 * A stack as a target; undefined where no inventory knows anything of it.
 *
 * @throws FieldwiseError `inventory-damaged`
 */
export function stackRemovalOf(
  identity: StackIdentity,
  all: readonly Inventory[],
  declared: StackManifest | undefined,
): StackRemoval | undefined {
  const current = all.find(({ stack }) => stack.manager === identity.manager);
  const managers = declared ? formerManagersOf(declared) : [];
  const former = all.filter(({ stack }) => managers.includes(stack.manager));
  if (current === undefined && former.length === 0) return undefined;
  for (const inventory of [...former, ...(current ? [current] : [])]) requireWhole(inventory);
  const { whole } = joinInventories(current ?? { stack: identity, entries: new Map(), shards: [] }, former);
  const inventories = current === undefined ? former : [...former, current];
  return { stack: identity, inventories, entries: whole.entries, formerManagers: managers };
}

/** The identities under which a target is stored. */
export function removedIdentities(removals: readonly StackRemoval[]): readonly StackIdentity[] {
  return removals.flatMap(({ inventories }) => inventories.map(({ stack }) => stack));
}
