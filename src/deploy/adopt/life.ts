import type { JsonObject } from '../../util/json.js';
import { coOwners } from '../ending/remove.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { InventoryStore, StackIdentity } from '../inventory/store.js';
import type { Step } from '../order/waves.js';
import { managersOf } from '../rename.js';

/**
 * Whether a stack could become the one to delete an object that was there before it: it owns the object without the right to delete it, and
 * nobody else applies fields beyond metadata.
 */
export function canTakeLife({ intent, stack }: Step, known: InventoryEntry, live: JsonObject): boolean {
  if (intent.lifecycle !== 'own' || known.lifecycle !== 'own' || known.deletable) return false;
  return coOwners(live, managersOf(stack)).length === 0;
}

/** Notes in the inventory of a stack whether it deletes some objects, by identity key and uid. */
export async function noteLives(
  store: InventoryStore,
  stack: StackIdentity,
  uids: ReadonlyMap<string, string>,
  deletable: boolean,
): Promise<void> {
  if (uids.size === 0) return;
  const inventory = await store.readStack(stack);
  const entries = new Map(inventory.entries);
  for (const [key, uid] of uids) {
    const entry = entries.get(key);
    if (entry?.lifecycle === 'own' && entry.uid === uid) entries.set(key, { ...entry, deletable });
  }
  await store.write(inventory, entries);
}
