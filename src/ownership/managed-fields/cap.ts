import { compareUtf8, type FieldSet, union } from '../../fields/index.js';
import type { VersionedSet } from '../../merge/index.js';
import { type Ownership, secondsOf } from './entries.js';
import { ownerIdentity } from './identity.js';

/** The manager name of the entries into which the oldest Update entries are merged. */
export const ancientChanges = 'ancient-changes';

/** The most Update entries that an object may have. Apply entries are not counted. */
export const maxUpdateEntries = 10;

/**
 * Merges the oldest Update entries into one per version, until their number is within the limit. An entry that is the only one of its
 * version so far keeps its name. Source: observed; Kubernetes documentation "Server-Side Apply" only mentions a limit.
 */
export function capUpdates(ownership: Ownership): Ownership {
  const updates = [...ownership.managers].filter(([, owned]) => !owned.applied).map(([identity]) => identity);
  if (updates.length <= maxUpdateEntries) return ownership;
  const managers = new Map(ownership.managers);
  const times = new Map(ownership.times);
  updates.sort((left, right) => secondsOf(times.get(left)) - secondsOf(times.get(right)) || compareUtf8(left, right));
  const firstOf = new Map<string, string>();
  const setsOf = new Map<string, FieldSet[]>();
  let count = updates.length;
  for (const identity of updates) {
    if (count <= maxUpdateEntries) break;
    const owned = managers.get(identity) as VersionedSet;
    const first = firstOf.get(owned.apiVersion);
    if (first === undefined) {
      firstOf.set(owned.apiVersion, identity);
      continue;
    }
    const bucket = ownerIdentity({ manager: ancientChanges, operation: 'Update', apiVersion: owned.apiVersion });
    const collected = managers.get(bucket) ?? (managers.get(first) as VersionedSet);
    if (first !== bucket) managers.delete(first);
    managers.delete(identity);
    managers.set(bucket, collected);
    const sets = setsOf.get(bucket);
    if (sets === undefined) setsOf.set(bucket, [collected.set, owned.set]);
    else sets.push(owned.set);
    const time = times.get(identity);
    if (time === undefined) times.delete(bucket);
    else times.set(bucket, time);
    count -= 1;
  }
  for (const [bucket, sets] of setsOf) managers.set(bucket, { ...(managers.get(bucket) as VersionedSet), set: unionOf(sets) });
  return { managers, times };
}

/** Returns the members of all sets. It unites sets of similar size, so that many sets take no longer than their members. */
function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length === 1) return sets[0] as FieldSet;
  const middle = sets.length >> 1;
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
}
