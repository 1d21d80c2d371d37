import { serializeElement } from './element.js';
import { emptyFieldSet, type FieldSet, isEmpty } from './field-set.js';
import type { FieldPath } from './path.js';

/**
 * Operations on field sets, node by node. Every result shares structure with the operands, and is the operand itself if nothing changes.
 * Source: KEP-555, "Server-Side Apply"; the behavior of a server.
 */

/** Returns the members of either set. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmpty(right)) return left;
  if (isEmpty(left)) return right;
  let members = left.members;
  if (!includes(members, right.members)) members = new Set([...members, ...right.members]);
  let children: Map<string, FieldSet> | undefined;
  for (const [element, child] of right.children) {
    const known = left.children.get(element);
    const result = known === undefined ? child : union(known, child);
    if (result === known) continue;
    children ??= new Map(left.children);
    children.set(element, result);
  }
  return members === left.members && children === undefined ? left : { members, children: children ?? left.children };
}

/** Returns the members of both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  const members = new Set<string>();
  for (const element of left.members) if (right.members.has(element)) members.add(element);
  const children = new Map<string, FieldSet>();
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    const result = other === undefined ? emptyFieldSet : intersection(child, other);
    if (!isEmpty(result)) children.set(element, result);
  }
  return makeFieldSet(members, children);
}

/** Returns the members of `left` that are not in `right`. Exact: removing `a` keeps `a.b`, and removing `a.b` keeps `a`. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return subtract(left, right, false);
}

/** Returns the difference, where a removed member also removes everything below it. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  return subtract(left, right, true);
}

function subtract(left: FieldSet, right: FieldSet, recursive: boolean): FieldSet {
  if (left === right) return emptyFieldSet;
  if (isEmpty(right)) return left;
  let members: ReadonlySet<string> = left.members;
  for (const element of right.members) {
    if (!members.has(element)) continue;
    if (members === left.members) members = new Set(members);
    (members as Set<string>).delete(element);
  }
  let children: ReadonlyMap<string, FieldSet> = left.children;
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    const isRemoved = recursive && right.members.has(element);
    const result = isRemoved ? emptyFieldSet : other === undefined ? child : subtract(child, other, recursive);
    if (result === child) continue;
    if (children === left.children) children = new Map(children);
    if (isEmpty(result)) (children as Map<string, FieldSet>).delete(element);
    else (children as Map<string, FieldSet>).set(element, result);
  }
  return members === left.members && children === left.children ? left : makeFieldSet(members, children);
}

/** Returns true if exactly this path is a member. */
export function has(set: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = set;
  for (let index = 0; index < path.length - 1; index++) {
    node = node.children.get(serializeElement(path[index]!));
    if (node === undefined) return false;
  }
  const last = path.at(-1);
  return last !== undefined && node.members.has(serializeElement(last));
}

/** Returns the set without members that have others below them. */
export function leaves(set: FieldSet): FieldSet {
  const members = new Set([...set.members].filter((element) => !set.children.has(element)));
  return makeFieldSet(members, new Map([...set.children].map(([element, child]) => [element, leaves(child)])));
}

/** Returns true if two sets have the same members. */
export function equalSets(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  if (left.members.size !== right.members.size || left.children.size !== right.children.size) return false;
  if (!includes(left.members, right.members)) return false;
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    if (other === undefined || !equalSets(child, other)) return false;
  }
  return true;
}

/** Returns true if `left` contains every member of `right`. */
export function containsSet(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  if (!includes(left.members, right.members)) return false;
  for (const [element, child] of right.children) {
    const other = left.children.get(element);
    if (other === undefined || !containsSet(other, child)) return false;
  }
  return true;
}

function includes(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  for (const element of right) if (!left.has(element)) return false;
  return true;
}

function makeFieldSet(members: ReadonlySet<string>, children: ReadonlyMap<string, FieldSet>): FieldSet {
  return members.size === 0 && children.size === 0 ? emptyFieldSet : { members, children };
}
