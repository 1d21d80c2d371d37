import { byKeys, idOf } from '../values/equals.js';
import { addToSet } from '../values/set-items.js';
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
  if (semantics.kind === 'set') return addToSet(left, right);
  const { keys } = semantics;
  const [known, others] = [byKeys(left.items, keys), byKeys(right.items, keys)];
  const kept = left.items.map((item) => others.get(idOf(item, keys)) ?? item);
  return new CelList([...kept, ...right.items.filter((item) => !known.has(idOf(item, keys)))], semantics);
}
