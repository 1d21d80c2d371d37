import { createHash } from 'node:crypto';
import type { PartialObject } from '../../assembly/types.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import type { InventoryEntry } from './inventory-entry.js';

/** Returns a short text that is equal for equal intents. */
export function digestOfIntent(object: PartialObject): string {
  // Not a slice of the longer text, which would keep all of it in memory.
  return createHash('sha256').update(stringifyExactJson(object)).digest().toString('hex', 0, 8);
}

/** Returns true if an intent is known to differ from the one that was applied last, or was about to be. */
export function isEdited(known: Pick<InventoryEntry, 'intent'> | undefined, { digest }: { readonly digest: string }): boolean {
  return known?.intent !== undefined && known.intent !== digest;
}
