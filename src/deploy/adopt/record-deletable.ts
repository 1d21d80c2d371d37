import { managersOf } from '../../assembly/identity.js';
import type { Step } from '../../engine/graph/waves.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import type { InventoryStore, StackIdentity } from '../../engine/inventory/inventory-store.js';
import { coOwners } from '../../engine/removal/remove-object.js';
import type { JsonObject } from '../../util/json.js';

/**
 * Who keeps a stack from deleting an object that it owns and that was there before it: the other managers that apply fields beyond metadata.
 * Where there is none, the stack can become the one to delete it.
 *
 * @returns undefined where the right to delete is not in question: the stack has it, or shares the object.
 */
export function deletionCoOwners({ intent, stack }: Step, known: InventoryEntry, live: JsonObject): readonly string[] | undefined {
  if (intent.lifecycle !== 'own' || known.lifecycle !== 'own' || known.deletable) return undefined;
  return coOwners(live, managersOf(stack));
}

/**
 * Notes in the inventory of a stack whether it deletes some objects, by identity key and uid.
 *
 * @returns the keys of the objects for which this changes something.
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
