import type { FieldSet } from '../fields/index.js';
import type { ListType, MapType, Schema, TypeRef } from '../schema/index.js';
import type { Json, JsonObject } from '../util/json.js';
import { itemElement } from './list-items.js';
import { memberType, setMember, shapeOf, typeAt } from './position.js';

/**
 * The value without the members of a set. A container that loses its last member stays, as an empty one.
 * The result is the value itself where nothing is removed.
 */
export function remove(schema: Schema, ref: TypeRef | undefined, value: Json, set: FieldSet): Json {
  if (set.members.size === 0 && set.children.size === 0) return value;
  const shape = shapeOf(value);
  const type = typeAt(schema, ref);
  if (shape === 'scalar' || shape === 'null') return value;
  if (shape === 'list') {
    return type.list?.relation === 'associative' ? removeItems(schema, type.list, value as readonly Json[], set) : value;
  }
  return type.map?.relation === 'granular' ? removeMembers(schema, type.map, value as JsonObject, set) : value;
}

function removeMembers(schema: Schema, map: MapType, value: JsonObject, set: FieldSet): Json {
  let changed = false;
  const result: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const element = `f:${name}`;
    if (set.members.has(element)) {
      changed = true;
      continue;
    }
    const below = set.children.get(element);
    const kept = below === undefined ? member : remove(schema, memberType(map, name), member, below);
    changed ||= kept !== member;
    setMember(result, name, kept);
  }
  return changed ? result : value;
}

function removeItems(schema: Schema, list: ListType, items: readonly Json[], set: FieldSet): Json {
  let changed = false;
  const result: Json[] = [];
  for (const item of items) {
    const element = itemElement(schema, list, item).element ?? '';
    if (set.members.has(element)) {
      changed = true;
      continue;
    }
    const below = set.children.get(element);
    const kept = below === undefined ? item : remove(schema, list.element, item, below);
    changed ||= kept !== item;
    result.push(kept);
  }
  return changed ? result : items;
}
