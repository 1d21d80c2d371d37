import { type ConstructTree, contains } from './construct-tree.js';

/** `node.addDependency`: everything at and below `dependent` comes after everything at and below `dependency` (positions in the tree). */
export interface ConstructDependency {
  readonly dependent: number;
  readonly dependency: number;
}

/** The dependencies of an app in program order. */
export interface ConstructDependencies {
  readonly all: readonly ConstructDependency[];
  /** Per construct that depends on some inside it, those: only what stands outside of all of them comes after them. */
  readonly inner: ReadonlyMap<number, readonly number[]>;
  /** Per construct that some inside it depend on, those: they come after what stands outside of all of them. */
  readonly innerDependents: ReadonlyMap<number, readonly number[]>;
}

/** Reads the dependencies of all constructs; those on constructs of another app say nothing here. */
export function constructDependencies(tree: ConstructTree): ConstructDependencies {
  const all: ConstructDependency[] = [];
  const inner = new Map<number, number[]>();
  const innerDependents = new Map<number, number[]>();
  for (const [dependent, { node }] of tree.constructs.entries()) {
    for (const construct of node.dependencies) {
      const dependency = tree.positions.get(construct);
      if (dependency === undefined || dependency === dependent) continue;
      all.push({ dependent, dependency });
      if (contains(tree, dependent, dependency)) addTo(inner, dependent, dependency);
      else if (contains(tree, dependency, dependent)) addTo(innerDependents, dependency, dependent);
    }
  }
  return { all, inner, innerDependents };
}

export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
