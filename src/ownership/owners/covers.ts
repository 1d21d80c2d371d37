import { type FieldPath, type FieldSet, serializeElement } from '../../fields/index.js';

/** Returns true if a set names the path itself, or a whole value that contains it. */
export function covers(set: FieldSet, path: FieldPath): boolean {
  return coveringLength(set, path) !== undefined;
}

/**
 * Returns the length of the member that is the path or contains it as a whole (an atomic list, for example); undefined if there is none.
 */
export function coveringLength(set: FieldSet, path: FieldPath): number | undefined {
  let node: FieldSet | undefined = set;
  for (const [index, element] of path.entries()) {
    const text = serializeElement(element);
    const below: FieldSet | undefined = node.children.get(text);
    const isLast = index === path.length - 1;
    if (node.members.has(text) && (isLast || below === undefined)) return index + 1;
    if (below === undefined) return undefined;
    node = below;
  }
  return undefined;
}

/** Returns true if a set names anything below the path. */
export function hasDescendants(set: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node.children.get(serializeElement(element));
    if (node === undefined) return false;
  }
  return true;
}
