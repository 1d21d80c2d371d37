import { formerManagersOf } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { Json } from '../../util/json.js';

/** Returns the former managers that own anything of an object. */
export function formerOwnersOf(live: Json, stack: Pick<StackManifest, 'formerIdentities'>): readonly string[] {
  return formerManagersOf(stack).filter((manager) => applyEntryOf(live, manager) !== undefined);
}
