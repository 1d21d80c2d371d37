import { type FieldSet, fieldKey } from '../../fields/index.js';
import type { Schema, TypeRef } from '../../schema/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { setMember } from '../../util/json.js';
import { itemElement } from './list-items.js';
import { memberType, shapeOf, typeAt } from './position.js';

/**
 * Returns the part of a value that a set of fields names, keys of list items included: a manager's declaration, read back from the live
 * object. An atomic member is taken whole; a container that is owned as a leaf is returned empty, without the members that others own.
 *
 * @returns undefined if the set names nothing in the value.
 */
export function extract(schema: Schema, ref: TypeRef | undefined, value: Json, set: FieldSet): Json | undefined {
  const type = typeAt(schema, ref);
  const shape = shapeOf(value);
  if (shape === 'map' && type.map?.relation === 'granular') {
    const result: Record<string, Json> = {};
    for (const [name, member] of Object.entries(value as JsonObject)) {
      if (member === undefined) continue;
      const kept = extractBelow(schema, memberType(type.map, name), member, set, fieldKey(name));
      if (kept !== undefined) setMember(result, name, kept);
    }
    return Object.keys(result).length > 0 ? result : undefined;
  }
  if (shape === 'list' && type.list?.relation === 'associative') {
    const { list } = type;
    const result: Json[] = [];
    for (const item of value as readonly Json[]) {
      const kept = extractBelow(schema, list.element, item, set, itemElement(schema, list, item).element ?? '');
      if (kept === undefined) continue;
      result.push(shapeOf(item) === 'map' ? withKeys(item as JsonObject, kept, list.keys) : kept);
    }
    return result.length > 0 ? result : undefined;
  }
  return undefined;
}

function extractBelow(schema: Schema, ref: TypeRef | undefined, value: Json, set: FieldSet, element: string): Json | undefined {
  const below = set.children.get(element);
  const kept = below === undefined ? undefined : extract(schema, ref, value, below);
  if (kept !== undefined) return kept;
  if (!set.members.has(element)) return undefined;
  return below === undefined && !isPopulated(schema, ref, value) ? value : emptyLike(value);
}

/** Returns true for a container whose members have owners of their own: who owns it as a leaf declared it empty or null. */
function isPopulated(schema: Schema, ref: TypeRef | undefined, value: Json): boolean {
  const type = typeAt(schema, ref);
  const shape = shapeOf(value);
  if (shape === 'map') return type.map?.relation === 'granular';
  return shape === 'list' && type.list?.relation === 'associative';
}

// If nothing is left of a container that the set names, it was declared empty.
function emptyLike(value: Json): Json {
  const shape = shapeOf(value);
  return shape === 'map' ? {} : shape === 'list' ? [] : value;
}

function withKeys(item: JsonObject, kept: Json, keys: readonly string[]): Json {
  const names = keys.filter((name) => item[name] !== undefined);
  return { ...Object.fromEntries(names.map((name) => [name, item[name] as Json])), ...(kept as JsonObject) };
}
