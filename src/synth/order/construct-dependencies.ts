import { type ConstructTree, contains } from '../declared/construct-tree.js';

/**
 * A dependency of `node.addDependency`, as positions in the tree: everything at and below `dependent` comes after everything at and below
 * `dependency`.
 */
export interface ConstructDependency {
  readonly dependent: number;
  readonly dependency: number;
}

/** The dependencies of an app in program order. */
export interface ConstructDependencies {
  readonly all: readonly ConstructDependency[];
  /** For each construct that depends on constructs inside it, those constructs: only the rest of the outer construct comes after them. */
  readonly inner: ReadonlyMap<number, readonly number[]>;
  /** For each construct on which constructs inside it depend, those constructs: they come after the rest of the outer construct. */
  readonly innerDependents: ReadonlyMap<number, readonly number[]>;
}

/** Reads the dependencies of all constructs; ignores those on constructs of another app. */
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

/** Appends a value to the list of a key. */
export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
