import { metadataOf, uidOf } from '../../../fields/object.js';
import { isApplyEntryOf, managedFieldsOf } from '../../../ownership/index.js';
import type { JsonObject } from '../../../util/json.js';
import type { InventoryEntry } from '../../inventory/inventory-entry.js';
import { foundUidIn } from '../../inventory/pending-force.js';
import { provesPending } from '../../inventory/pending-proof.js';

/** Seconds by which the time of an entry may precede that of the object: mutating webhooks run in between, 30 s at most each. */
const creationSeconds = 60;

/**
 * Returns true if an object was certainly created by an apply of one of a stack's managers, judged from the object alone (after a run that
 * was killed before it recorded the response): their entry is as old as the object, and nobody else's entry is. The server records the time
 * of the entry first, then that of the object, so the second may have changed in between. When in doubt, the object counts as created by
 * somebody else, so that it is released rather than deleted.
 *
 * @param sharers managers that certainly did not create it: those of stacks that share it and pin its uid.
 */
export function createdBy(live: JsonObject, managers: readonly string[], sharers: ReadonlySet<string> = new Set()): boolean {
  const created = Date.parse(String(metadataOf(live).creationTimestamp));
  const entries = managedFieldsOf(live);
  if (entries.some(({ manager, applied }) => applied?.created === true && managers.includes(manager))) return true;
  const own = entries.some((entry) => {
    const earlier = (created - Date.parse(String(entry.time))) / 1000; // NaN without a time
    return earlier >= 0 && earlier <= creationSeconds && managers.some((manager) => isApplyEntryOf(entry, manager));
  });
  // The server records what admission adds to a request as an Update of the requesting manager.
  const others = entries.filter((entry) => !managers.includes(entry.manager) && !sharers.has(entry.manager) && entry.subresource === '');
  return own && others.every((entry) => Date.parse(String(entry.time)) > created);
}

/**
 * Returns true if an object was certainly created by the run that wrote a pending entry: see `createdBy` and `provesPending`. One of which a run was
 * about to take fields by force, without having applied to it, was there before, even if nobody else is recorded in it any more.
 */
export function createdByRunOf(
  entry: InventoryEntry,
  live: JsonObject,
  managers: readonly string[],
  sharers?: ReadonlySet<string>,
): boolean {
  const foundUid = foundUidIn(entry.pendingForces ?? []) ?? entry.foundUid;
  return foundUid !== uidOf(live) && createdBy(live, managers, sharers) && provesPending(live, entry, managers);
}
