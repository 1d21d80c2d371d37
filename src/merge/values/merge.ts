import type { ListType, MapType, Schema, TypeRef } from '../../schema/index.js';
import { type Json, type JsonObject, jsonEqual, setMember } from '../../util/json.js';
import { itemElement, itemsByElement } from './list-items.js';
import { memberOf, memberType, shapeOf, typeAt } from './position.js';

/**
 * Merges an intent into a live value. The intent wins at leaves and nothing is deleted: null erases a scalar or an atomic, and does nothing
 * to a populated granular map or associative list. Returns `live` itself if nothing changes. Source: Kubernetes documentation "Server-Side
 * Apply", "Merge strategy".
 */
export function merge(schema: Schema, ref: TypeRef, live: Json, intent: Json): Json {
  return mergeAt(schema, ref, live, intent);
}

function mergeAt(schema: Schema, ref: TypeRef | undefined, live: Json | undefined, intent: Json): Json {
  if (live === undefined || live === null || live === intent) return intent;
  const [from, to] = [shapeOf(live), shapeOf(intent)];
  if (from === 'scalar' || to === 'scalar' || (to !== 'null' && from !== to)) return intent;
  const type = typeAt(schema, ref);
  if (from === 'list' && type.list?.relation === 'associative') {
    const items = live as readonly Json[];
    if (items.length === 0) return jsonEqual(live, intent) ? live : intent;
    // Where a map may stand in the place of the list, a server takes the null for one and lets it win.
    if (to === 'null' && type.map !== undefined) return intent;
    return to === 'null' ? live : mergeItems(schema, type.list, items, intent as readonly Json[]);
  }
  if (from === 'map' && type.map?.relation === 'granular') {
    if (Object.keys(live).length === 0) return jsonEqual(live, intent) ? live : intent;
    return to === 'null' ? live : mergeMembers(schema, type.map, live as JsonObject, intent as JsonObject);
  }
  return jsonEqual(live, intent) ? live : intent;
}

function mergeMembers(schema: Schema, map: MapType, live: JsonObject, intent: JsonObject): JsonObject {
  let result: Record<string, Json> | undefined;
  for (const name of Object.keys(intent)) {
    const wanted = intent[name];
    if (wanted === undefined) continue;
    const current = memberOf(live, name);
    const merged = mergeAt(schema, memberType(map, name), current, wanted);
    if (merged === current) continue;
    result ??= { ...live } as Record<string, Json>;
    setMember(result, name, merged);
  }
  return result ?? live;
}

// Keeps the order of both lists where they agree, and the intent's order of the items that it names.
function mergeItems(schema: Schema, list: ListType, live: readonly Json[], intent: readonly Json[]): readonly Json[] {
  if (intent.length === 0) return live;
  if (sameElements(schema, list, live, intent)) {
    const merged = live.map((item, index) => mergeAt(schema, list.element, item, intent[index] as Json));
    return sameItems(merged, live) ? live : merged;
  }
  const current = itemsByElement(schema, list, live);
  const wanted = itemsByElement(schema, list, intent);
  const liveElements = live.map((item) => itemElement(schema, list, item).element ?? '');
  const intentElements = [...wanted.keys()];
  const shared = intentElements.filter((element) => current.has(element));
  const result: Json[] = [];
  const emit = (element: string): void => {
    // Duplicate items cannot be merged one by one: the intent's item replaces all of them.
    const matches = current.get(element) ?? [];
    const match = matches.length === 1 ? matches[0] : undefined;
    result.push(mergeAt(schema, list.element, match, wanted.get(element)?.[0] as Json));
  };
  let nextLive = 0;
  let nextIntent = 0;
  let nextShared = 0;
  while (nextLive < live.length || nextIntent < intentElements.length) {
    const left = liveElements[nextLive];
    const right = intentElements[nextIntent];
    if (left !== undefined && left !== right && left !== shared[nextShared]) {
      // A foreign item keeps its position; the intent decides the position of the items that it names.
      if (!wanted.has(left)) result.push(live[nextLive] as Json);
      nextLive += 1;
      continue;
    }
    if (right === undefined) break;
    emit(right);
    nextIntent += 1;
    if (right === shared[nextShared]) nextShared += 1;
    if (left === right) nextLive += 1;
  }
  return sameItems(result, live) ? live : result;
}

/** Returns true if two lists have the same items at the same positions, each of them once. */
function sameElements(schema: Schema, list: ListType, live: readonly Json[], intent: readonly Json[]): boolean {
  if (live.length !== intent.length) return false;
  const seen = new Set<string>();
  for (let index = 0; index < live.length; index++) {
    const { element } = itemElement(schema, list, live[index] as Json);
    if (element === undefined || element !== itemElement(schema, list, intent[index] as Json).element) return false;
    seen.add(element);
  }
  return seen.size === live.length;
}

function sameItems(left: readonly Json[], right: readonly Json[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
