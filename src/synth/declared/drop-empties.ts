import { isEmptySpread } from '../../builders/values.js';
import { isList, type Json, type JsonObject } from '../../util/json.js';
import { itemKey } from '../merge/item-key.js';
import { isDeduced, itemOf, memberOf, type Typed } from './typed.js';

/** An empty container that was left out, because the server does not record it. */
export interface DroppedEmpty {
  readonly code: 'empty-list-dropped' | 'empty-map-dropped';
  readonly path: string;
}

/**
 * Returns the object without empty associative lists and empty granular maps of free keys (labels): the server does not record who
 * declared them, so they could never be released. Other empty values have a meaning and stay. A container that becomes empty is removed,
 * too, because `{}` would be a declaration that the program did not make.
 */
export function dropEmpties(object: JsonObject, typed: Typed, dropped: DroppedEmpty[]): JsonObject {
  return (withoutEmpties(object, typed, dropped, '') ?? {}) as JsonObject;
}

function withoutEmpties(value: Json, typed: Typed | undefined, dropped: DroppedEmpty[], path: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !typed) return value;
  if (isList(value)) return typed.type.list?.relation === 'associative' ? listWithout(value, typed, dropped, path) : value;
  return typed.type.map?.relation === 'granular' ? mapWithout(value, typed, dropped, path) : value;
}

function listWithout(items: readonly Json[], typed: Typed, dropped: DroppedEmpty[], path: string): Json | undefined {
  if (items.length > 0) {
    const kept = items.map((item) => withoutEmpties(item, itemOf(typed), dropped, path + itemKey(item, typed).text) ?? item);
    return kept.some((item, index) => item !== items[index]) ? kept : items;
  }
  if (!isEmptySpread(items)) dropped.push({ code: 'empty-list-dropped', path });
  return undefined;
}

function mapWithout(map: JsonObject, typed: Typed, dropped: DroppedEmpty[], path: string): Json | undefined {
  const names = Object.keys(map);
  if (names.length === 0) {
    if (!hasFreeKeys(typed)) return map;
    dropped.push({ code: 'empty-map-dropped', path });
    return undefined;
  }
  let changed: Map<string, Json | undefined> | undefined;
  for (const name of names) {
    const value = map[name];
    if (typeof value !== 'object' || value === null) continue;
    const kept = withoutEmpties(value, memberOf(typed, name), dropped, `${path}.${name}`);
    if (kept === value) continue;
    changed ??= new Map();
    changed.set(name, kept);
  }
  if (!changed) return map;
  const instead = changed;
  const members = names.map((name) => [name, instead.has(name) ? instead.get(name) : map[name]] as const);
  const kept = members.filter(([, member]) => member !== undefined);
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as JsonObject);
}

/** Returns true for a map from free names to values of one type; false if any value is allowed (`type: object` alone). */
function hasFreeKeys(typed: Typed): boolean {
  const { map, scalar, list } = typed.type;
  if (!map?.element || map.fields.size > 0 || scalar || list) return false;
  const element = memberOf(typed, '');
  return element !== undefined && !isDeduced(element);
}
