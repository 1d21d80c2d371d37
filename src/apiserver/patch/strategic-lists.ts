import { goType, goValue } from '../../merge/index.js';
import type { TypeRef } from '../../schema/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { internalError, StatusError } from '../api/status-error.js';
import { has, unknownDirective, wrongType } from './directives.js';
import { sorted } from './patched-text.js';

/** The merge strategy of a list. */
export interface ListMerge {
  readonly element: TypeRef | undefined;
  /** Patch merge key of a list of objects. */
  readonly key: string | undefined;
  readonly merge: (element: TypeRef | undefined, live: JsonObject, item: JsonObject) => JsonObject;
  /** Removes scalar items of the patch instead of adding them. */
  readonly removing?: boolean;
}

/** Merges a list with its patch. @throws StatusError 500 */
export function mergeLists(how: ListMerge, live: readonly Json[], patch: readonly Json[]): readonly Json[] {
  if (live.length === 0 && patch.length === 0) return live;
  if (!containsMaps(live, patch)) {
    if (how.removing) {
      const removed = placesOf(patch);
      return live.filter((item) => !removed.has(valueText(item)));
    }
    const all = [...live, ...patch];
    const places = placesOf(all);
    const unique = all.filter((item, index) => places.get(valueText(item)) === index);
    return reordered(unique, patch, live, how.key);
  }
  const { key } = how;
  if (key === undefined) throw internalError('cannot merge lists without merge key for struct');
  const { kept, changes } = afterDirectives(live as readonly JsonObject[], patch as readonly JsonObject[], key);
  const merged = [...kept];
  const places = placesOf(kept.map((item) => item[key]));
  for (const item of changes) {
    if (!has(item, key)) throw missingKeyError(item, key);
    const text = valueText(item[key]);
    const index = places.get(text) ?? merged.length;
    places.set(text, index);
    const found = merged[index];
    merged[index] = found === undefined ? item : how.merge(how.element, found, item);
  }
  return reordered(merged, changes, kept, key);
}

/** Applies the `$patch` directives among the items of a patch; returns the remaining items of the list and of the patch. */
function afterDirectives(live: readonly JsonObject[], patch: readonly JsonObject[], key: string) {
  const deleted: Json[] = [];
  let replaces = false;
  const changes = patch.filter((item) => !has(item, '$patch'));
  for (const item of patch) {
    if (!has(item, '$patch')) continue;
    if (item.$patch === 'replace') replaces = true;
    else if (item.$patch === 'delete') {
      if (!has(item, key)) throw missingKeyError(item, key);
      deleted.push(item[key] as Json);
    } else if (item.$patch === 'merge') throw internalError('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(item);
  }
  if (replaces) return { kept: changes, changes: [] };
  const places = placesOf(deleted);
  return { kept: deleted.length === 0 ? live : live.filter((item) => !places.has(valueText(item[key]))), changes };
}

/** Returns true if the items are maps. @throws StatusError 500 if they differ in type, 422 for lists of lists */
export function containsMaps(live: readonly Json[], patch: readonly Json[]): boolean {
  const [first, ...others] = [...live, ...patch];
  if (first === undefined) throw internalError('no elements in any given slices');
  if (Array.isArray(first)) throw new StatusError(422, undefined, 'lists of lists are not supported');
  const isMixed = others.some((item) => goType(item) !== goType(first));
  if (isMixed) throw internalError(`list element types are not identical: ${goValue([live, patch] as Json)}`);
  return isJsonObject(first);
}

/**
 * Orders merged items: those that the patch names are in the order of the patch, and all others keep their position among them.
 *
 * @param order the items that the patch names, in its order
 * @param live the list before the patch
 * @throws StatusError 500
 */
export function reordered(items: readonly Json[], order: readonly Json[], live: readonly Json[], key: string | undefined): readonly Json[] {
  if (key !== undefined) checkFound(items, order, key);
  const orderPlaces = placesOf(order.map((item) => itemIdentity(item, key)));
  const livePlaces = placesOf(live.map((item) => itemIdentity(item, key)));
  const inOrder = (item: Json) => orderPlaces.get(valueText(itemIdentity(item, key))) ?? -1;
  const inLive = (item: Json) => livePlaces.get(valueText(itemIdentity(item, key))) ?? -1;
  const named = sortedBy(
    items.filter((item) => inOrder(item) >= 0),
    inOrder,
  );
  const others = sortedBy(
    items.filter((item) => inOrder(item) < 0),
    inLive,
  );
  const result: Json[] = [];
  let [nextNamed, nextOther] = [0, 0];
  while (nextNamed < named.length && nextOther < others.length) {
    const [first, second] = [inLive(others[nextOther] as Json), inLive(named[nextNamed] as Json)];
    const isOther = first >= 0 && second >= 0 && first < second;
    result.push((isOther ? others[nextOther++] : named[nextNamed++]) as Json);
  }
  return [...result, ...named.slice(nextNamed), ...others.slice(nextOther)];
}

/** Checks that no item is looked for beyond an item of the order that is not a map. @throws StatusError 500 */
function checkFound(items: readonly Json[], order: readonly Json[], key: string): void {
  const odd = order.findIndex((item) => !isJsonObject(item));
  if (odd < 0) return;
  const found = placesOf(order.slice(0, odd).map((item) => (item as JsonObject)[key]));
  const isFound = (item: Json) => found.has(valueText(itemIdentity(item, key)));
  if (!items.every(isFound)) throw internalError(`value for key ${odd} is not a map`);
}

/**
 * Sorts items by place. An item without one, -1, is inserted before all items so far, and one with a place behind the last that has no
 * greater place, or before all, as the server's sort does. Source: observed.
 */
function sortedBy(items: readonly Json[], positionOf: (item: Json) => number): Json[] {
  interface Node {
    readonly item: Json;
    readonly place: number;
    next: Node | undefined;
  }
  let first: Node | undefined;
  // Those with a place, in order.
  const placed: Node[] = [];
  for (const item of items) {
    const place = positionOf(item);
    const index = place < 0 ? 0 : placed.length - countAbove(placed, place);
    const before = placed[index - 1];
    const node: Node = { item, place, next: before === undefined ? first : before.next };
    if (before === undefined) first = node;
    else before.next = node;
    if (place >= 0) placed.splice(index, 0, node);
  }
  const result: Json[] = [];
  for (let node = first; node !== undefined; node = node.next) result.push(node.item);
  return result;
}

/** Returns how many nodes of a sorted list have a greater place. */
function countAbove(placed: readonly { readonly place: number }[], place: number): number {
  let [low, high] = [0, placed.length];
  if (high === 0 || (placed[high - 1] as { place: number }).place <= place) return 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((placed[middle] as { place: number }).place <= place) low = middle + 1;
    else high = middle;
  }
  return placed.length - low;
}

/**
 * Checks that the items of a patch are in the order of `$setElementOrder`. Items with `$patch: delete` are ignored; items with another
 * directive are skipped, unless they follow the last element of the order.
 *
 * @throws StatusError 500
 */
export function checkOrder(patch: readonly Json[], order: readonly Json[], key: string | undefined): void {
  if (order.length === 0) return;
  const odd = key === undefined ? undefined : patch.find((item) => !isJsonObject(item));
  if (odd !== undefined) throw wrongType({}, odd);
  const directiveOf = (item: Json | undefined) => (key !== undefined && isJsonObject(item) ? item.$patch : undefined);
  const identity = (item: Json) => (key === undefined ? item : itemIdentity(item, key));
  const items = patch.filter((item) => directiveOf(item) !== 'delete');
  let at = 0;
  for (const named of order) {
    while (directiveOf(items[at]) !== undefined) at += 1;
    if (at === items.length) return;
    if (jsonEqual(identity(items[at] as Json), identity(named))) at += 1;
  }
  if (at === items.length) return;
  throw internalError(
    `The order in patch list:\n${goValue(patch as Json)}\n doesn't match $setElementOrder list:\n${goValue(order as Json)}\n`,
  );
}

/** Returns the merge key of an item; scalar items are their own identity. @throws StatusError 500 if an item is not a map or has no key */
function itemIdentity(item: Json, key: string | undefined): Json | undefined {
  if (key === undefined) {
    if (isJsonObject(item)) throw missingKeyError(item, '');
    return item;
  }
  if (!isJsonObject(item)) throw wrongType({}, item);
  if (!has(item, key)) throw missingKeyError(item, key);
  return item[key];
}

function missingKeyError(item: JsonObject, key: string): StatusError {
  return internalError(`map: ${goValue(item)} does not contain declared merge key: ${key}`);
}

/** Returns the first index of each value. */
function placesOf(values: readonly (Json | undefined)[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const text = valueText(value);
    if (value !== undefined && !places.has(text)) places.set(text, index);
  }
  return places;
}

/** Returns the same text for equal values. */
function valueText(value: Json | undefined): string {
  return typeof value === 'string' ? `"${value}` : value === undefined ? '' : stringifyExactJson(sorted(value));
}
