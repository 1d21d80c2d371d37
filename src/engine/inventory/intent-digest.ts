import { createHash } from 'node:crypto';
import type { PartialObject } from '../../assembly/types.js';
import type { InventoryEntry } from './inventory-entry.js';
/** Returns a short text that is equal for equal intents. */
export function digestOfIntent(object: PartialObject): string {
  const known = digests.get(object);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(JSON.stringify(object)).digest('hex').slice(0, 16);
  digests.set(object, digest);
  return digest;
}

/** Returns true if an intent is known to differ from the one that was applied last, or was about to be. */
export function isEdited(known: Pick<InventoryEntry, 'intent'> | undefined, object: PartialObject): boolean {
  return known?.intent !== undefined && known.intent !== digestOfIntent(object);
}

/** Digests of intents, which are needed several times a run. Nobody changes these objects. */
export const digests = new WeakMap<PartialObject, string>();
