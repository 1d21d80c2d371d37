import { formatPath, membersOf, pathCovers, valueAt } from '../../fields/index.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { uidOf } from '../../kubernetes/object.js';
import { applyEntryOf } from '../../ownership/index.js';
import { type JsonObject, jsonEqual } from '../../util/json.js';

/**
 * Finds out whether a forced pass that the server has just refused as stale was applied nevertheless: its response was lost, and the
 * refusal is for its repetition. Reading settles it: nobody else writes under this manager, and anybody else who changes a value takes over
 * its ownership. So fields that the manager did not own before and owns now, or owns with another value, were taken by that pass.
 *
 * @param before the object that the pass was pinned to.
 * @param fields paths of the contested fields, as the server writes them.
 * @returns the object as it is now, or undefined where the pass was not applied.
 */
export async function forceWasApplied(
  cluster: ClusterClient,
  address: ObjectAddress,
  manager: string,
  before: JsonObject,
  fields: readonly string[],
): Promise<JsonObject | undefined> {
  if (fields.length === 0) return undefined;
  const now = await cluster.tryGet(address);
  if (!now || uidOf(now) !== uidOf(before)) return undefined;
  const ownedBefore = new Set(ownedMembers(before, manager).map(({ field }) => field));
  const changed = ownedMembers(now, manager).filter(
    ({ field, path, leaf }) => !ownedBefore.has(field) || (leaf && !jsonEqual(valueAt(before, path), valueAt(now, path))),
  );
  return fields.every((field) => changed.some((member) => pathCovers(field, member.field))) ? now : undefined;
}

function ownedMembers(object: JsonObject, manager: string) {
  const entry = applyEntryOf(object, manager);
  return entry ? membersOf(entry.fields).map((member) => ({ ...member, field: formatPath(member.path) })) : [];
}
