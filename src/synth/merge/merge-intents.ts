import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { itemOf, memberOf, type Typed } from '../declared/typed.js';
import { itemKey } from './item-key.js';

/** A path with two different values. */
export interface Clash {
  readonly path: string;
  readonly left: Json;
  readonly right: Json;
}

/**
 * Merges two intents for the same object. Granular maps are merged member by member, associative lists item by item; scalars, atomic values
 * and lists of unknown type must be equal. Adds the others to `clashes`, and keeps the left value.
 */
export function mergeIntents(left: Json, right: Json, typed: Typed | undefined, clashes: Clash[], path = ''): Json {
  if (isJsonObject(left) && isJsonObject(right) && typed?.type.map?.relation !== 'atomic') {
    return mergeMaps(left, right, typed, clashes, path);
  }
  if (Array.isArray(left) && Array.isArray(right) && typed?.type.list?.relation === 'associative') {
    return mergeLists(left as readonly Json[], right as readonly Json[], typed, clashes, path);
  }
  if (!jsonEqual(left, right)) clashes.push({ path: path || '.', left, right });
  return left;
}

function mergeMaps(left: JsonObject, right: JsonObject, typed: Typed | undefined, clashes: Clash[], path: string): JsonObject {
  const merged = new Map(Object.entries(left));
  for (const [name, value] of Object.entries(right)) {
    const before = merged.get(name);
    if (value === undefined) continue;
    merged.set(name, before === undefined ? value : mergeIntents(before, value, memberOf(typed, name), clashes, `${path}.${name}`));
  }
  return Object.fromEntries(merged);
}

function mergeLists(left: readonly Json[], right: readonly Json[], typed: Typed, clashes: Clash[], path: string): Json {
  const merged = new Map(left.map((item) => [itemKey(item, typed).identity, item]));
  for (const item of right) {
    const { identity, text } = itemKey(item, typed);
    const before = merged.get(identity);
    merged.set(identity, before === undefined ? item : mergeIntents(before, item, itemOf(typed), clashes, path + text));
  }
  return [...merged.values()];
}
