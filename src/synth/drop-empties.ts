import { isEmptySpread } from '../builders/values.js';
import { isList, type Json, type JsonObject } from '../util/json.js';
import { itemKey } from './item-key.js';
import { isDeduced, itemOf, memberOf, type Typed } from './typed.js';

/** An empty container that says nothing to the server, and so was left out. */
export interface DroppedEmpty {
  readonly code: 'empty-list-dropped' | 'empty-map-dropped';
  readonly path: string;
}

/**
 * The object without empty associative lists and empty granular maps of free keys (labels): the server does not record who declared
 * them, so they could never be released. Everything else that is empty means something and stays. A container that held nothing
 * else goes with them, because sent as `{}` it would be a declaration that the program did not make.
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

/** A map from names of the user's choice to values of one type. What may be anything (`type: object` and no more) is none. */
function hasFreeKeys(typed: Typed): boolean {
  const { map, scalar, list } = typed.type;
  if (!map?.element || map.fields.size > 0 || scalar || list) return false;
  const element = memberOf(typed, '');
  return element !== undefined && !isDeduced(element);
}
