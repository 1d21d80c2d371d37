import type { Json } from '../util/json.js';
import { parseElement, sortElements } from './element.js';
import { type FieldPath, formatPath, itemIndex } from './path.js';

/**
 * A set of field paths as a trie: `members` are the elements that belong to the set at this node, `children` the sets below. Keys are
 * elements as FieldsV1 serializes them (`f:spec`, `k:{"port":80}`, `v:"a"`, `i:0`). Immutable; no child is empty.
 */
export interface FieldSet {
  readonly members: ReadonlySet<string>;
  readonly children: ReadonlyMap<string, FieldSet>;
}

/** The set without members. */
export const emptyFieldSet: FieldSet = Object.freeze({ members: new Set<string>(), children: new Map<string, FieldSet>() });

/** Returns true for a set without members. */
export function isEmpty(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0;
}

/** A member of a set; `leaf` if the set has no member below it. */
export interface Member {
  readonly path: FieldPath;
  readonly leaf: boolean;
}

/** Returns all members: those of a node first, then those below its children, each in the order in which the server lists conflicts. */
export function membersOf(set: FieldSet, prefix: FieldPath = []): readonly Member[] {
  const members: Member[] = [];
  collect(set, prefix, members);
  return members;
}

function collect(set: FieldSet, prefix: FieldPath, into: Member[]): void {
  for (const name of sortElements(set.members)) into.push({ path: [...prefix, parseElement(name)], leaf: !set.children.has(name) });
  for (const name of sortElements(set.children.keys())) {
    collect(set.children.get(name) as FieldSet, [...prefix, parseElement(name)], into);
  }
}

/** Returns the members without others below them as text, such as `.spec.replicas`, in the order of `membersOf`. */
export function leafTexts(set: FieldSet): readonly string[] {
  return membersOf(set).flatMap(({ path, leaf }) => (leaf ? [formatPath(path)] : []));
}

/** Returns the number of members. */
export function sizeOf(set: FieldSet): number {
  let size = set.members.size;
  for (const child of set.children.values()) size += sizeOf(child);
  return size;
}

/** Returns, by item position, the serialized path element of the member or child of a set that names the item. */
export function itemNames(items: readonly Json[], set: FieldSet): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const text of new Set([...set.members, ...set.children.keys()])) {
    const element = parseElement(text);
    const index = element.kind === 'field' ? undefined : itemIndex(items, element);
    if (index !== undefined) names.set(index, text);
  }
  return names;
}
