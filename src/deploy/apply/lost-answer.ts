import type { Cluster, ObjectAddress } from '../../cluster/index.js';
import { covers, formatPath, membersOf } from '../../fields/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';

/**
 * Whether a forced pass that the server has just refused as stale did its work all the same: its answer was lost, and the refusal is to
 * its own repetition. Settled by reading: nobody else writes under our manager, so fields that it did not own before and owns now were
 * taken by that pass.
 *
 * @param before the object that the pass was pinned to.
 * @param fields paths of the contested fields, as the server writes them.
 * @returns the object as it is now, or undefined where the pass did nothing.
 */
export async function forcedAllTheSame(
  cluster: Cluster,
  address: ObjectAddress,
  manager: string,
  before: JsonObject,
  fields: readonly string[],
): Promise<JsonObject | undefined> {
  if (fields.length === 0) return undefined;
  const now = await cluster.find(address);
  if (!now || uidOf(now) !== uidOf(before)) return undefined;
  const ownedBefore = ownedPaths(before, manager);
  const ownedNow = ownedPaths(now, manager);
  const won = fields.every((field) => ownedNow.some((path) => covers(field, path)) && !ownedBefore.some((path) => covers(field, path)));
  return won ? now : undefined;
}

function ownedPaths(object: JsonObject, manager: string): readonly string[] {
  const entry = applyEntryOf(object, manager);
  return entry ? membersOf(entry.fields).map(({ path }) => formatPath(path)) : [];
}

function uidOf(object: JsonObject): unknown {
  return (object.metadata as JsonObject).uid;
}
