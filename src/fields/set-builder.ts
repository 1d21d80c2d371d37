import { serializeElement } from './element.js';
import { emptyFieldSet, type FieldSet } from './field-set.js';
import type { FieldPath } from './path.js';

/** A field set while it is made. It is a `FieldSet` itself; whoever made it stops writing before handing it on. */
export class FieldSetBuilder implements FieldSet {
  readonly members = new Set<string>();
  readonly children = new Map<string, FieldSetBuilder>();

  /** Makes the path of serialised elements a member; the empty path is never one. */
  insert(path: readonly string[]): void {
    let node: FieldSetBuilder = this;
    for (let index = 0; index < path.length - 1; index++) {
      const element = path[index] as string;
      let child = node.children.get(element);
      if (child === undefined) {
        child = new FieldSetBuilder();
        node.children.set(element, child);
      }
      node = child;
    }
    const last = path.at(-1);
    if (last !== undefined) node.members.add(last);
  }
}

/** The set of the given paths. */
export function fieldSetOfPaths(paths: Iterable<FieldPath>): FieldSet {
  const set = new FieldSetBuilder();
  for (const path of paths) set.insert(path.map(serializeElement));
  return set.members.size === 0 && set.children.size === 0 ? emptyFieldSet : set;
}
