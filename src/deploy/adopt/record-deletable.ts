import { managersOf } from '../../assembly/identity.js';
import type { Step } from '../../engine/graph/waves.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import type { InventoryStore, StackIdentity } from '../../engine/inventory/inventory-store.js';
import { coOwners } from '../../engine/object/remove-object.js';
import type { JsonObject } from '../../util/json.js';

/**
 * Returns the other managers that apply fields beyond metadata to an object that the stack owns and that existed before the stack. If there
 * are none, the stack can get the right to delete the object.
 *
 * @returns undefined if the stack already has the right to delete the object, or shares it.
 */
export function deletionCoOwners({ intent, stack }: Step, known: InventoryEntry, live: JsonObject): readonly string[] | undefined {
  if (intent.lifecycle !== 'own' || known.lifecycle !== 'own' || known.deletable) return undefined;
  return coOwners(live, managersOf(stack));
}

/**
 * Records in the inventory of a stack the right to delete objects, or its loss.
 *
 * @param uids the uids of the objects, by identity key.
 * @returns the keys of the entries that changed.
 */
export async function recordDeletable(
  store: InventoryStore,
  stack: StackIdentity,
  uids: ReadonlyMap<string, string>,
  deletable: boolean,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  if (uids.size === 0) return changed;
  const inventory = await store.readStack(stack);
  const entries = new Map(inventory.entries);
  for (const [key, uid] of uids) {
    const entry = entries.get(key);
    if (entry?.lifecycle !== 'own' || entry.uid !== uid || entry.deletable === deletable) continue;
    entries.set(key, { ...entry, deletable });
    changed.add(key);
  }
  if (changed.size > 0) await store.write(inventory, entries);
  return changed;
}
