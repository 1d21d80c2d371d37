import type { InventoryStore, StackIdentity } from '../inventory/store.js';
import type { Step } from '../waves.js';

/**
 * Moves the answer for an object's life to a receiver that owns it, once the giver has no field of it left: what the giver would have deleted
 * the receiver deletes, and the giver forgets it, so that its next deploy does not. The receiver's inventory is written first; a run that
 * is killed between the two leaves an object that both know, and the next handoff finishes it.
 *
 * @returns whether the giver had owned the object.
 */
export async function moveLife(store: InventoryStore, step: Step, giver: StackIdentity, receiver: StackIdentity): Promise<boolean> {
  const [theirs, ours] = await Promise.all([store.readStack(giver), store.readStack(receiver)]);
  const left = theirs.entries.get(step.key);
  const taken = ours.entries.get(step.key);
  if (left === undefined || taken === undefined || left.uid !== taken.uid) return false;
  if (left.lifecycle === 'own' && taken.lifecycle !== 'own') return false; // it stays the giver's
  if (left.lifecycle === 'own' && left.deletable && !taken.deletable) {
    await store.write(ours, new Map(ours.entries).set(step.key, { ...taken, deletable: true }));
  }
  const others = new Map(theirs.entries);
  others.delete(step.key);
  await store.write(theirs, others);
  return left.lifecycle === 'own';
}
