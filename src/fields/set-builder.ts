import { serializeElement } from './element.js';
import { emptyFieldSet, type FieldSet } from './field-set.js';
import type { FieldPath } from './path.js';

/** A field set while it is made. It is a `FieldSet` itself; whoever made it stops writing before handing it on. */
export class FieldSetBuilder implements FieldSet {
  // Most nodes have only the one or the other, and every object stored has dozens of nodes.
  #members: Set<string> | undefined;
  #children: Map<string, FieldSetBuilder> | undefined;

  get members(): ReadonlySet<string> {
    return this.#members ?? emptyFieldSet.members;
  }

  get children(): ReadonlyMap<string, FieldSet> {
    return this.#children ?? emptyFieldSet.children;
  }

  addMember(element: string): void {
    this.#members ??= new Set();
    this.#members.add(element);
  }

  setChild(element: string, child: FieldSetBuilder): void {
    this.#children ??= new Map();
    this.#children.set(element, child);
  }

  /** Makes the path of serialised elements a member; the empty path is never one. */
  insert(path: readonly string[]): void {
    let node: FieldSetBuilder = this;
    for (let index = 0; index < path.length - 1; index++) {
      const element = path[index] as string;
      let child = node.#children?.get(element);
      if (child === undefined) {
        child = new FieldSetBuilder();
        node.setChild(element, child);
      }
      node = child;
    }
    const last = path.at(-1);
    if (last !== undefined) node.addMember(last);
  }
}

/** The set of the given paths. */
export function fieldSetOfPaths(paths: Iterable<FieldPath>): FieldSet {
  const set = new FieldSetBuilder();
  for (const path of paths) set.insert(path.map(serializeElement));
  return set.members.size === 0 && set.children.size === 0 ? emptyFieldSet : set;
}
