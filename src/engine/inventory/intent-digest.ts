import { createHash } from 'node:crypto';
import type { PartialObject } from '../../assembly/types.js';
import type { InventoryEntry } from './inventory-entry.js';
/** Short and equal for equal intents. */
export function digestOfIntent(object: PartialObject): string {
  const known = digests.get(object);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(JSON.stringify(object)).digest('hex').slice(0, 16);
  digests.set(object, digest);
  return digest;
}

/** Whether an intent is known to be another than the one that was applied last, or was about to be. */
export function isEdited(known: Pick<InventoryEntry, 'intent'> | undefined, object: PartialObject): boolean {
  return known?.intent !== undefined && known.intent !== digestOfIntent(object);
}

/** Asked several times a run, of objects that nobody changes. */
export const digests = new WeakMap<PartialObject, string>();
