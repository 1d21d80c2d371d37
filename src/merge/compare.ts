import { type FieldSet, FieldSetBuilder, recursiveDifference } from '../fields/index.js';
import type { ListType, MapType, Schema, TypeRef } from '../schema/index.js';
import { type Json, type JsonObject, jsonEqual } from '../util/json.js';
import { holdsEmptied } from './emptied-lists.js';
import { itemsByElement } from './list-items.js';
import { memberOf, memberType, type Shape, shapeOf, typeAt } from './position.js';

/** What differs between two values of one type. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/**
 * Compares two values of one type. Scalars and atomics are leaves. Two containers that are null or empty are compared as leaves
 * too, so that absent, null and `{}` stay apart. Where one side is absent its path counts, and everything below.
 */
export function compare(schema: Schema, ref: TypeRef, left: Json, right: Json): Comparison {
  const walk: Walk = {
    schema,
    path: [],
    added: new FieldSetBuilder(),
    removed: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
  };
  compareAt(walk, ref, left, right);
  return { added: walk.added, removed: walk.removed, modified: walk.modified };
}

/** A comparison without what stands at or below the members of `ignored`. */
export function withoutIgnored(comparison: Comparison, ignored: FieldSet | undefined): Comparison {
  if (ignored === undefined) return comparison;
  return {
    added: recursiveDifference(comparison.added, ignored),
    removed: recursiveDifference(comparison.removed, ignored),
    modified: recursiveDifference(comparison.modified, ignored),
  };
}

interface Walk {
  readonly schema: Schema;
  /** Serialised elements from the root to where the walk is. */
  readonly path: string[];
  readonly added: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
}

function compareAt(walk: Walk, ref: TypeRef | undefined, left: Json | undefined, right: Json | undefined): void {
  if (left === right) return;
  const [from, to] = [left === undefined ? undefined : shapeOf(left), right === undefined ? undefined : shapeOf(right)];
  const leftKind = from === 'null' ? undefined : from;
  const rightKind = to === 'null' ? undefined : to;
  if (leftKind !== undefined && rightKind !== undefined && leftKind !== rightKind) {
    // Another kind of value altogether: what stood below is gone, and what stands below now is new.
    compareAs(walk, ref, leftKind, left, null);
    compareAs(walk, ref, rightKind, null, right);
  } else {
    const leaf = compareAs(walk, ref, rightKind ?? leftKind ?? 'scalar', left, right);
    if (leaf) return;
  }
  if (left === undefined) walk.added.insert(walk.path);
  else if (right === undefined) walk.removed.insert(walk.path);
}

/** Compares as values of one shape; true where they count as a leaf. */
function compareAs(walk: Walk, ref: TypeRef | undefined, shape: Shape, left: Json | undefined, right: Json | undefined): boolean {
  const type = typeAt(walk.schema, ref);
  if (shape === 'list' && type.list?.relation === 'associative') {
    const [leftItems, rightItems] = [(left ?? []) as readonly Json[], (right ?? []) as readonly Json[]];
    if (leftItems.length === 0 && rightItems.length === 0) return compareLeaf(walk, left, right);
    compareItems(walk, type.list, leftItems, rightItems);
    return false;
  }
  if (shape === 'map' && type.map?.relation === 'granular') {
    const [leftMap, rightMap] = [(left ?? {}) as JsonObject, (right ?? {}) as JsonObject];
    if (isEmptyMap(leftMap) && isEmptyMap(rightMap)) return compareLeaf(walk, left, right);
    compareMembers(walk, type.map, leftMap, rightMap);
    return false;
  }
  return compareLeaf(walk, left, right);
}

function compareLeaf(walk: Walk, left: Json | undefined, right: Json | undefined): true {
  if (left === undefined) walk.added.insert(walk.path);
  else if (right === undefined) walk.removed.insert(walk.path);
  else if (!jsonEqual(left, right) || holdsEmptied(right, left)) walk.modified.insert(walk.path);
  return true;
}

function compareMembers(walk: Walk, map: MapType, left: JsonObject, right: JsonObject): void {
  for (const name of Object.keys(left)) step(walk, memberType(map, name), `f:${name}`, left[name], memberOf(right, name));
  for (const name of Object.keys(right)) {
    if (memberOf(left, name) === undefined) step(walk, memberType(map, name), `f:${name}`, undefined, right[name]);
  }
}

function step(walk: Walk, ref: TypeRef | undefined, element: string, left: Json | undefined, right: Json | undefined): void {
  if (left === right) return;
  walk.path.push(element);
  compareAt(walk, ref, left, right);
  walk.path.pop();
}

// Servers before 1.29 let duplicate keys into stored objects, and other verbs still do where validation is silent.
function compareItems(walk: Walk, list: ListType, left: readonly Json[], right: readonly Json[]): void {
  const leftItems = itemsByElement(walk.schema, list, left);
  const rightItems = itemsByElement(walk.schema, list, right);
  for (const element of new Set([...leftItems.keys(), ...rightItems.keys()])) {
    const from = leftItems.get(element) ?? [];
    const to = rightItems.get(element) ?? [];
    if (from.length <= 1 && to.length <= 1) {
      step(walk, list.element, element, from[0], to[0]);
      continue;
    }
    walk.path.push(element);
    if (from.length > 1 && to.length > 1) {
      if (!jsonEqual(from, to)) walk.modified.insert(walk.path);
    } else if (from.length > 1) {
      if (to.length === 1) compareAt(walk, list.element, undefined, to[0]);
      walk.removed.insert(walk.path);
    } else {
      if (from.length === 1) compareAt(walk, list.element, from[0], undefined);
      walk.added.insert(walk.path);
    }
    walk.path.pop();
  }
}

function isEmptyMap(map: JsonObject): boolean {
  for (const name in map) if (map[name] !== undefined) return false;
  return true;
}
