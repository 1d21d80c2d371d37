import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
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
  if (!typed) return value;
  if (Array.isArray(value) && typed.type.list?.relation === 'associative') {
    if (value.length > 0) {
      const items = value as readonly Json[];
      return items.map((item) => withoutEmpties(item, itemOf(typed), dropped, path + itemKey(item, typed).text) ?? item);
    }
    dropped.push({ code: 'empty-list-dropped', path });
    return undefined;
  }
  if (!isJsonObject(value) || typed.type.map?.relation !== 'granular') return value;
  const names = Object.keys(value);
  if (names.length === 0) {
    if (!hasFreeKeys(typed)) return value;
    dropped.push({ code: 'empty-map-dropped', path });
    return undefined;
  }
  const members = names.map(
    (name) => [name, withoutEmpties(value[name] as Json, memberOf(typed, name), dropped, `${path}.${name}`)] as const,
  );
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
