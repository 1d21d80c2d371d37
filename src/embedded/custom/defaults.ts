import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { mapChildren, memberSchema, propertiesOf, type StructuralSchema } from './structural-schema.js';

/**
 * Adds the defaults of the schema to properties that are absent, or null but not nullable.
 * Source: Kubernetes documentation "CustomResourceDefinitions", "Defaulting" and "Defaulting and Nullable".
 */
export function withDefaults(object: JsonObject, schema: StructuralSchema): JsonObject {
  return fill(object, schema) as JsonObject;
}

function fill(value: Json, schema: StructuralSchema): Json {
  if (!isJsonObject(value)) return mapChildren(value, schema, fill);
  const result: Record<string, Json> = { ...value } as Record<string, Json>;
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    if (property.default === undefined) continue;
    if (result[name] === undefined || (result[name] === null && property.nullable !== true)) result[name] = property.default as Json;
  }
  return mapChildren(result, schema, fill);
}

/** Removes nulls that are not nullable and have no default, as decoding a stored object does. */
export function withoutNulls(value: Json, schema: StructuralSchema): Json {
  if (!isJsonObject(value)) return mapChildren(value, schema, withoutNulls);
  const kept = Object.entries(value).filter(([name, member]) => {
    const child = memberSchema(schema, name);
    const hasDefault = propertiesOf(schema)[name]?.default !== undefined;
    return member !== null || child === undefined || child.nullable === true || hasDefault;
  });
  return mapChildren(Object.fromEntries(kept) as JsonObject, schema, withoutNulls);
}
