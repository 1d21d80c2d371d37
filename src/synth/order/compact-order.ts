/** An order of intents, in which groups replace the pairs of many intents with many others. */
export interface CompactOrder {
  /** Per intent, its dependencies: intents, and groups as `number of intents + index of the group`. */
  readonly intents: readonly ReadonlySet<number>[];
  /** Per group, its members: intents and earlier groups. A dependency on a group is a dependency on all of its members. */
  readonly groups: readonly (readonly number[])[];
}

/** The number of pairs above which a group is shorter. */
const pairsOfGroup = 32;

/**
 * Removes the points between intents (start and end of constructs) from a graph: a point with few nodes before and after it becomes pairs
 * of them, a point with many becomes a group. Linear in the size of the graph.
 *
 * @param before per node, the nodes before it: intents `0 … intents - 1`, then points.
 * @param order the nodes in topological order.
 */
export function compactOrder(before: readonly (readonly number[])[], intents: number, order: readonly number[]): CompactOrder {
  const uses = usesOf(before, intents, order);
  const groups: (readonly number[])[] = [];
  const sets: (Set<number> | undefined)[] = new Array(before.length);
  for (const node of order) {
    if (node >= intents && uses[node] === 0) continue;
    let set = new Set<number>();
    for (const other of before[node] as readonly number[]) {
      if (other < intents) {
        if (other !== node) set.add(other);
        continue;
      }
      const theirs = sets[other];
      if (!theirs) continue;
      if (uses[other] === 1 && theirs.size > set.size) {
        for (const one of set) theirs.add(one);
        set = theirs; // no other node uses it
      } else {
        for (const one of theirs) set.add(one);
      }
    }
    const isLarge = node >= intents && (uses[node] as number) > 1 && set.size * (uses[node] as number) > pairsOfGroup;
    sets[node] = isLarge && set.size > 1 ? new Set([intents + groups.push([...set].sort(ascending)) - 1]) : set;
  }
  return { intents: sets.slice(0, intents).map((set) => set ?? new Set()), groups };
}

/** Returns for each point the number of its direct successors that lead to an intent. */
function usesOf(before: readonly (readonly number[])[], intents: number, order: readonly number[]): readonly number[] {
  const uses: number[] = new Array(before.length).fill(0);
  for (let index = order.length - 1; index >= 0; index--) {
    const node = order[index] as number;
    if (node >= intents && uses[node] === 0) continue;
    for (const other of before[node] as readonly number[]) uses[other] = (uses[other] as number) + 1;
  }
  return uses;
}

function ascending(left: number, right: number): number {
  return left - right;
}
