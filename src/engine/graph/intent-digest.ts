import { createHash } from 'node:crypto';
import type { PartialObject } from '../../assembly/types.js';
import { stringifyExactJson } from '../../util/exact-json.js';

/** Returns a short text that is equal for equal intents. */
export function digestOfIntent(object: PartialObject): string {
  // Not a slice of the longer text, which would keep all of it in memory.
  return createHash('sha256').update(stringifyExactJson(object)).digest().toString('hex', 0, 8);
}
