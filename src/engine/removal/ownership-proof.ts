import { trackingKey } from '../../assembly/tracking-key.js';
import { metadataOf } from '../../kubernetes/object.js';
import { applyEntryOf, recordedFieldsOf } from '../../ownership/index.js';
import type { Json } from '../../util/json.js';

/** The manager under which a server records what was in an object when it first applied to it without a record of owners. */
const initialManager = 'before-first-apply';

/**
 * Whether a live object itself shows that a stack applied it, so that the stack may delete it: an inventory alone is never believed, since
 * anybody who may write ConfigMaps in its namespace can name any object there. The object shows it by an Apply entry in managedFields (or the
 * annotation of the strategy `dynamic`) of a manager that the stack has or had. Where a client has wiped managedFields, the annotation
 * that names the stack shows it. See docs/decisions, "What proves that an object is a stack's".
 *
 * @param managers as they follow from the program or from the identity of the stack, never as an inventory lists them.
 */
export function provesOwnership(live: Json, managers: readonly string[]): boolean {
  if (managers.some((manager) => applyEntryOf(live, manager) !== undefined)) return true;
  return hasClearedOwners(live) && managers.some((manager) => metadataOf(live).annotations?.[trackingKey(manager)] !== undefined);
}

/** Why an object is kept of which nothing shows that the stack applied it. */
export const unprovedReason = 'not deleted: nothing in its managedFields shows that this stack applied it';

/** Writes without a record leave none; the first apply afterwards records under a name of its own what it finds. */
function hasClearedOwners(live: Json): boolean {
  const recorded = recordedFieldsOf(live);
  return recorded.length === 0 || recorded.some(({ manager }) => manager === initialManager);
}
