import { emptyFieldSet, type FieldSet, itemNames, type PathElement, parseElement, serializeElement } from '../../fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/**
 * Returns the fields of a set with the values of a live object, as an apply configuration without apiVersion, kind and name: if the owner
 * of the set applies it, nothing changes, not even the order of lists. Needs no schema: the set shows which lists are associative and by
 * which keys. Fields that no longer exist are omitted.
 */
export function extractOwnedFields(live: JsonObject, set: FieldSet): JsonObject {
  return extractMap(live, set) ?? {};
}

function extractValue(value: Json, member: boolean, below: FieldSet | undefined): Json | undefined {
  if (below === undefined) return member ? value : undefined;
  const part = isJsonObject(value)
    ? extractMap(value, below)
    : Array.isArray(value)
      ? extractList(value as readonly Json[], below)
      : undefined;
  if (part !== undefined || !member) return part;
  return isJsonObject(value) ? {} : Array.isArray(value) ? [] : value;
}

function extractMap(map: JsonObject, set: FieldSet): JsonObject | undefined {
  const members = Object.entries(map).flatMap(([name, value]) => {
    const text = serializeElement({ kind: 'field', name });
    const part = value === undefined ? undefined : extractValue(value, set.members.has(text), set.children.get(text));
    return part === undefined ? [] : [[name, part] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

function extractList(items: readonly Json[], set: FieldSet): readonly Json[] | undefined {
  const named = itemNames(items, set);
  const parts = items.flatMap((item, index) => {
    const text = named.get(index);
    const part = text === undefined ? undefined : extractValue(item, set.members.has(text), set.children.get(text));
    return text === undefined || part === undefined ? [] : [withKeys(part, parseElement(text), set.children.get(text) ?? emptyFieldSet)];
  });
  return parts.length > 0 ? parts : undefined;
}

/** Adds the keys of an item. An owner may have omitted a key with a default, and another key names the item then. */
function withKeys(part: Json, element: PathElement, below: FieldSet): Json {
  if (element.kind !== 'key' || !isJsonObject(part)) return part;
  const names = element.keys.some(([name]) => below.members.has(serializeElement({ kind: 'field', name })));
  return names ? part : { ...Object.fromEntries(element.keys), ...part };
}
