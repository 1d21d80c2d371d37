import { goType, goValue } from '../../merge/index.js';
import type { TypeRef } from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { internalError, StatusError } from '../api/status-error.js';
import { has, unknownDirective, wrongType } from './directives.js';

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
    if (how.removing) return live.filter((item) => !patch.some((removed) => jsonEqual(removed, item)));
    const all = [...live, ...patch];
    const unique = all.filter((item, index) => all.findIndex((other) => jsonEqual(item, other)) === index);
    return reordered(unique, patch, live, how.key);
  }
  const { key } = how;
  if (key === undefined) throw internalError('cannot merge lists without merge key for struct');
  const { kept, changes } = afterDirectives(live as readonly JsonObject[], patch as readonly JsonObject[], key);
  const merged = [...kept];
  for (const item of changes) {
    if (!has(item, key)) throw missingKeyError(item, key);
    const index = merged.findIndex((other) => jsonEqual(other[key], item[key]));
    const found = merged[index];
    if (found === undefined) merged.push(item);
    else merged[index] = how.merge(how.element, found, item);
  }
  return reordered(merged, changes, kept, key);
}

/** Applies the `$patch` directives among the items of a patch; returns the remaining items of the list and of the patch. */
function afterDirectives(live: readonly JsonObject[], patch: readonly JsonObject[], key: string) {
  let kept = live;
  let replaces = false;
  const changes = patch.filter((item) => !has(item, '$patch'));
  for (const item of patch) {
    if (!has(item, '$patch')) continue;
    if (item.$patch === 'replace') replaces = true;
    else if (item.$patch === 'delete') {
      if (!has(item, key)) throw missingKeyError(item, key);
      kept = kept.filter((other) => !jsonEqual(other[key], item[key]));
    } else if (item.$patch === 'merge') throw internalError('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(item);
  }
  return replaces ? { kept: changes, changes: [] } : { kept, changes };
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
  const orderKeys = order.map((item) => identityOf(item, key));
  const liveKeys = live.map((item) => identityOf(item, key));
  const position = (keys: readonly (Json | undefined)[], item: Json) => {
    const own = identityOf(item, key);
    return keys.findIndex((other) => jsonEqual(other, own));
  };
  const inOrder = (item: Json) => position(orderKeys, item);
  const inLive = (item: Json) => position(liveKeys, item);
  const named = sortedBy(
    items.filter((item) => inOrder(item) >= 0),
    inOrder,
  );
  const others = sortedBy(
    items.filter((item) => inOrder(item) < 0),
    inLive,
  );
  const result: Json[] = [];
  while (named.length > 0 && others.length > 0) {
    const [first, second] = [inLive(others[0] as Json), inLive(named[0] as Json)];
    const next = first >= 0 && second >= 0 && first < second ? others : named;
    result.push(next.shift() as Json);
  }
  return [...result, ...named, ...others];
}

/** Sorts items by position. An item without one is inserted before all items so far, as the server's sort does. Source: observed. */
function sortedBy(items: readonly Json[], position: (item: Json) => number): Json[] {
  const result: Json[] = [];
  for (const item of items) {
    const own = position(item);
    let at = result.length;
    const goesBefore = (other: Json) => own < 0 || position(other) < 0 || own < position(other);
    while (at > 0 && goesBefore(result[at - 1] as Json)) at -= 1;
    result.splice(at, 0, item);
  }
  return result;
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
  const identity = (item: Json) => (key === undefined ? item : identityOf(item, key));
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
function identityOf(item: Json, key: string | undefined): Json | undefined {
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
