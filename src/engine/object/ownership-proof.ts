import { trackingKey } from '../../assembly/tracking-key.js';
import { metadataOf } from '../../fields/object.js';
import { applyEntryOf, recordedFieldsOf } from '../../ownership/index.js';
import type { Json } from '../../util/json.js';

/** The manager under which a server records the existing fields when it first applies to an object without a record of owners. */
const initialManager = 'before-first-apply';

/**
 * Returns true if a live object itself shows that a stack applied it, so that the stack may delete it: an inventory alone is never trusted,
 * since anybody who may write ConfigMaps in its namespace can name any object there. The object shows it by an Apply entry in managedFields
 * (or the annotation of the strategy `dynamic`) of a manager that the stack has or had. Where a client has wiped managedFields, the
 * annotation that names the stack shows it. See docs/decisions, "What proves that an object is a stack's".
 *
 * @param managers the managers that follow from the program or from the identity of the stack, never those that an inventory lists.
 */
export function provesOwnership(live: Json, managers: readonly string[]): boolean {
  if (managers.some((manager) => applyEntryOf(live, manager) !== undefined)) return true;
  return hasClearedOwners(live) && managers.some((manager) => metadataOf(live).annotations?.[trackingKey(manager)] !== undefined);
}

/** The reason for keeping an object that nothing shows to be applied by the stack. */
export const unprovedReason = 'not deleted: nothing in its managedFields shows that this stack applied it';

/**
 * Returns true if managedFields may have been wiped: they are empty, or the first apply since then recorded what it found under its own
 * name.
 */
function hasClearedOwners(live: Json): boolean {
  const recorded = recordedFieldsOf(live);
  return recorded.length === 0 || recorded.some(({ manager }) => manager === initialManager);
}
