import { serializeElement } from './element.js';
import { emptyFieldSet, type FieldSet } from './field-set.js';
import type { FieldPath } from './path.js';

/** A field set under construction. It is a `FieldSet` itself; its creator stops writing before passing it on. */
export class FieldSetBuilder implements FieldSet {
  // Most nodes have members or children, not both, and every stored object has dozens of nodes: empty collections are shared.
  members: ReadonlySet<string> = emptyFieldSet.members;
  children: ReadonlyMap<string, FieldSet> = emptyFieldSet.children;

  addMember(element: string): void {
    if (this.members === emptyFieldSet.members) this.members = new Set();
    (this.members as Set<string>).add(element);
  }

  setChild(element: string, child: FieldSetBuilder): void {
    if (this.children === emptyFieldSet.children) this.children = new Map();
    (this.children as Map<string, FieldSet>).set(element, child);
  }

  /** Adds the path of serialized elements; the empty path is never a member. */
  insert(path: readonly string[]): void {
    let node: FieldSetBuilder = this;
    for (let index = 0; index < path.length - 1; index++) {
      const element = path[index] as string;
      let child = node.children.get(element) as FieldSetBuilder | undefined;
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

/** Returns the set of the given paths. */
export function fieldSetOfPaths(paths: Iterable<FieldPath>): FieldSet {
  const set = new FieldSetBuilder();
  for (const path of paths) set.insert(path.map(serializeElement));
  return set.members.size === 0 && set.children.size === 0 ? emptyFieldSet : set;
}
