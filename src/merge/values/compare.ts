import { type FieldSet, FieldSetBuilder, fieldKey, recursiveDifference } from '../../fields/index.js';
import type { ListType, MapType, Schema, TypeRef } from '../../schema/index.js';
import { type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { type ExplicitEmptyLists, hasExplicitEmpty } from './explicit-empty.js';
import { itemsByElement } from './list-items.js';
import { memberOf, memberType, type Shape, shapeOf, typeAt } from './position.js';

/** The differences between two values of one type. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/**
 * Compares two values of one type. Scalars and atomics are leaves. Two containers that are null or empty are also compared as leaves, so
 * that absent, null and `{}` stay distinct. If one value is absent, its path and everything below it counts.
 *
 * @param explicitEmptyLists lists of `right` that count as modified although they are equal as JSON
 */
export function compare(schema: Schema, ref: TypeRef, left: Json, right: Json, explicitEmptyLists?: ExplicitEmptyLists): Comparison {
  const cursor: CompareCursor = {
    schema,
    explicitEmptyLists: explicitEmptyLists?.size === 0 ? undefined : explicitEmptyLists,
    path: [],
    added: new FieldSetBuilder(),
    removed: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
  };
  compareAt(cursor, ref, left, right);
  return { added: cursor.added, removed: cursor.removed, modified: cursor.modified };
}

/** Returns a comparison without the fields at or below the members of `ignored`. */
export function withoutIgnored(comparison: Comparison, ignored: FieldSet | undefined): Comparison {
  if (ignored === undefined) return comparison;
  return {
    added: recursiveDifference(comparison.added, ignored),
    removed: recursiveDifference(comparison.removed, ignored),
    modified: recursiveDifference(comparison.modified, ignored),
  };
}

interface CompareCursor {
  readonly schema: Schema;
  /** Undefined if there are none. */
  readonly explicitEmptyLists: ExplicitEmptyLists | undefined;
  /** Serialized elements from the root to the current position. */
  readonly path: string[];
  readonly added: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
}

function compareAt(cursor: CompareCursor, ref: TypeRef | undefined, left: Json | undefined, right: Json | undefined): void {
  if (left === right) return;
  const [from, to] = [left === undefined ? undefined : shapeOf(left), right === undefined ? undefined : shapeOf(right)];
  const leftKind = from === 'null' ? undefined : from;
  const rightKind = to === 'null' ? undefined : to;
  if (leftKind !== undefined && rightKind !== undefined && leftKind !== rightKind) {
    // The shape changed: everything below the old value is removed, and everything below the new one is added.
    compareAs(cursor, ref, leftKind, left, null);
    compareAs(cursor, ref, rightKind, null, right);
  } else {
    const leaf = compareAs(cursor, ref, rightKind ?? leftKind ?? 'scalar', left, right);
    if (leaf) return;
    // A server compares a null as the null of a map first, where a map may stand in the place of the list.
    const isNull = from === 'null' || to === 'null';
    if (isNull && (from === 'list' || to === 'list') && typeAt(cursor.schema, ref).map !== undefined) cursor.modified.insert(cursor.path);
  }
  if (left === undefined) cursor.added.insert(cursor.path);
  else if (right === undefined) cursor.removed.insert(cursor.path);
}

/** Compares values of one shape; returns true if they count as a leaf. */
function compareAs(
  cursor: CompareCursor,
  ref: TypeRef | undefined,
  shape: Shape,
  left: Json | undefined,
  right: Json | undefined,
): boolean {
  const type = typeAt(cursor.schema, ref);
  if (shape === 'list' && type.list?.relation === 'associative') {
    const [leftItems, rightItems] = [(left ?? []) as readonly Json[], (right ?? []) as readonly Json[]];
    if (leftItems.length === 0 && rightItems.length === 0) return compareLeaf(cursor, left, right);
    compareItems(cursor, type.list, leftItems, rightItems);
    return false;
  }
  if (shape === 'map' && type.map?.relation === 'granular') {
    const [leftMap, rightMap] = [(left ?? {}) as JsonObject, (right ?? {}) as JsonObject];
    if (isEmptyMap(leftMap) && isEmptyMap(rightMap)) return compareLeaf(cursor, left, right);
    compareMembers(cursor, type.map, leftMap, rightMap);
    return false;
  }
  return compareLeaf(cursor, left, right);
}

function compareLeaf(cursor: CompareCursor, left: Json | undefined, right: Json | undefined): true {
  if (left === undefined) cursor.added.insert(cursor.path);
  else if (right === undefined) cursor.removed.insert(cursor.path);
  else if (!jsonEqual(left, right) || isExplicitlyEmptied(cursor, left, right)) cursor.modified.insert(cursor.path);
  return true;
}

function isExplicitlyEmptied({ explicitEmptyLists }: CompareCursor, left: Json, right: Json): boolean {
  return explicitEmptyLists !== undefined && hasExplicitEmpty(explicitEmptyLists, right, left);
}

function compareMembers(cursor: CompareCursor, map: MapType, left: JsonObject, right: JsonObject): void {
  for (const name of Object.keys(left)) step(cursor, memberType(map, name), fieldKey(name), left[name], memberOf(right, name));
  for (const name of Object.keys(right)) {
    if (memberOf(left, name) === undefined) step(cursor, memberType(map, name), fieldKey(name), undefined, right[name]);
  }
}

function step(cursor: CompareCursor, ref: TypeRef | undefined, element: string, left: Json | undefined, right: Json | undefined): void {
  if (left === right) return;
  cursor.path.push(element);
  compareAt(cursor, ref, left, right);
  cursor.path.pop();
}

// Servers before 1.29 stored objects with duplicate keys, and verbs other than apply still do without field validation.
function compareItems(cursor: CompareCursor, list: ListType, left: readonly Json[], right: readonly Json[]): void {
  const leftItems = itemsByElement(cursor.schema, list, left);
  const rightItems = itemsByElement(cursor.schema, list, right);
  for (const element of new Set([...leftItems.keys(), ...rightItems.keys()])) {
    const from = leftItems.get(element) ?? [];
    const to = rightItems.get(element) ?? [];
    if (from.length <= 1 && to.length <= 1) {
      step(cursor, list.element, element, from[0], to[0]);
      continue;
    }
    cursor.path.push(element);
    if (from.length > 1 && to.length > 1) {
      if (!jsonEqual(from, to)) cursor.modified.insert(cursor.path);
    } else if (from.length > 1) {
      if (to.length === 1) compareAt(cursor, list.element, undefined, to[0]);
      cursor.removed.insert(cursor.path);
    } else {
      if (from.length === 1) compareAt(cursor, list.element, from[0], undefined);
      cursor.added.insert(cursor.path);
    }
    cursor.path.pop();
  }
}

function isEmptyMap(map: JsonObject): boolean {
  for (const name in map) if (map[name] !== undefined) return false;
  return true;
}
