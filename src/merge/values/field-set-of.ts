import { type FieldSet, FieldSetBuilder, fieldKey } from '../../fields/index.js';
import type { ListType, MapType, Schema, TypeRef } from '../../schema/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { itemsByElement } from './list-items.js';
import { shapeOf, typeAt } from './position.js';

/**
 * Returns the fields that an intent declares. Scalars and atomics are members; items of associative lists and undeclared keys always are; a
 * declared struct only if it is empty or null; an empty associative list declares nothing. Source: Kubernetes documentation "Server-Side
 * Apply", "Field management"; KEP-555.
 */
export function fieldSetOf(schema: Schema, ref: TypeRef, value: Json): FieldSet {
  const set = new FieldSetBuilder();
  const type = typeAt(schema, ref);
  if (shapeOf(value) === 'map' && type.map) collectMembers(schema, type.map, value as JsonObject, set);
  return set;
}

function collect(schema: Schema, ref: TypeRef | undefined, value: Json, element: string, into: FieldSetBuilder, always: boolean): void {
  if (always) into.addMember(element);
  const shape = shapeOf(value);
  if (shape === 'scalar' || shape === 'null') {
    into.addMember(element);
    return;
  }
  const type = typeAt(schema, ref);
  const below = new FieldSetBuilder();
  if (shape === 'list') {
    if (type.list?.relation !== 'associative') into.addMember(element);
    else collectItems(schema, type.list, value as readonly Json[], below);
  } else {
    const empty = Object.keys(value as JsonObject).length === 0;
    if (empty || type.map?.relation !== 'granular') into.addMember(element);
    else collectMembers(schema, type.map, value as JsonObject, below);
  }
  if (below.members.size > 0 || below.children.size > 0) into.setChild(element, below);
}

function collectMembers(schema: Schema, map: MapType, value: JsonObject, into: FieldSetBuilder): void {
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const declared = map.fields.get(name);
    collect(schema, declared?.type ?? map.element, member, fieldKey(name), into, declared === undefined);
  }
}

// Fields of items with the same key cannot be distinguished: only the item itself counts. The same holds for items without identity: a
// valid intent has none, but pruning makes them, and their list keeps them.
function collectItems(schema: Schema, list: ListType, items: readonly Json[], into: FieldSetBuilder): void {
  let identified = 0;
  for (const [element, same] of itemsByElement(schema, list, items)) {
    identified += same.length;
    if (same.length > 1) into.addMember(element);
    else collect(schema, list.element, same[0] as Json, element, into, true);
  }
  if (identified < items.length) into.addMember('');
}
