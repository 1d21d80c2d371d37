import { includes, sameKeys } from '../values/equals.js';
import { CelList } from '../values/value.js';

/**
 * Adds two lists: a set gets the items that it lacks, and an item of a map list replaces the one with the same keys.
 * Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Equality, ordering and concatenation".
 */
export function concatLists(left: CelList, right: CelList): CelList {
  const { semantics } = left;
  if (semantics === undefined) {
    if (left.size === 0) return right;
    return right.size === 0 ? left : new CelList(() => [...left.items, ...right.items], undefined, left.size + right.size);
  }
  if (semantics.kind === 'set') return new CelList([...left.items, ...right.items.filter((item) => !includes(left, item))], semantics);
  const { keys } = semantics;
  const kept = left.items.map((item) => right.items.find((other) => sameKeys(item, other, keys)) ?? item);
  const added = right.items.filter((item) => !left.items.some((other) => sameKeys(item, other, keys)));
  return new CelList([...kept, ...added], semantics);
}
