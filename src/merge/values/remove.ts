import { type FieldSet, fieldKey } from '../../fields/index.js';
import type { ListType, MapType, Schema, TypeRef } from '../../schema/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { setMember } from '../../util/json.js';
import { itemElement } from './list-items.js';
import { memberType, shapeOf, typeAt } from './position.js';

/**
 * The treatment of a container that loses its last member: `keep-empty` keeps it as an empty container, `null` replaces it by null. Both
 * were measured, the first on Kubernetes 1.36.2, the second on 1.36.3. The choice decides what is pruned with the container, and a null
 * that the schema forbids is rejected later.
 */
export type PrunedContainers = 'keep-empty' | 'null';

/** Returns the value without the members of a set; the value itself if nothing is removed. */
export function remove(
  schema: Schema,
  ref: TypeRef | undefined,
  value: Json,
  set: FieldSet,
  prunedContainers: PrunedContainers = 'keep-empty',
): Json {
  if (set.members.size === 0 && set.children.size === 0) return value;
  const shape = shapeOf(value);
  const type = typeAt(schema, ref);
  if (shape === 'scalar' || shape === 'null') return value;
  if (shape === 'list') {
    return type.list?.relation === 'associative' ? removeItems(schema, type.list, value as readonly Json[], set, prunedContainers) : value;
  }
  return type.map?.relation === 'granular' ? removeMembers(schema, type.map, value as JsonObject, set, prunedContainers) : value;
}

function removeMembers(schema: Schema, map: MapType, value: JsonObject, set: FieldSet, prunedContainers: PrunedContainers): Json {
  let changed = false;
  const result: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const element = fieldKey(name);
    if (set.members.has(element)) {
      changed = true;
      continue;
    }
    const below = set.children.get(element);
    const kept = below === undefined ? member : remove(schema, memberType(map, name), member, below, prunedContainers);
    changed ||= kept !== member;
    setMember(result, name, kept);
  }
  if (prunedContainers === 'null' && Object.keys(result).length === 0) return null;
  return changed ? result : value;
}

function removeItems(schema: Schema, list: ListType, items: readonly Json[], set: FieldSet, prunedContainers: PrunedContainers): Json {
  let changed = false;
  const result: Json[] = [];
  for (const item of items) {
    const element = itemElement(schema, list, item).element ?? '';
    if (set.members.has(element)) {
      changed = true;
      continue;
    }
    const below = set.children.get(element);
    const kept = below === undefined ? item : remove(schema, list.element, item, below, prunedContainers);
    changed ||= kept !== item;
    result.push(kept);
  }
  if (prunedContainers === 'null' && result.length === 0) return null;
  return changed ? result : items;
}
