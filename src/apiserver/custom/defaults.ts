import { isJsonObject, type Json, type JsonObject, setMember } from '../../util/json.js';
import { mapChildren, memberSchema, propertiesOf, type StructuralSchema } from './structural-schema.js';

/**
 * Adds the defaults of the schema to properties that are absent, and puts them in the place of nulls that are not nullable, those in lists and
 * in maps included. Source: Kubernetes documentation "CustomResourceDefinitions", "Defaulting" and "Defaulting and Nullable".
 */
export function withDefaults(object: JsonObject, schema: StructuralSchema): JsonObject {
  return fill(object, schema) as JsonObject;
}

function fill(sent: Json, schema: StructuralSchema): Json {
  const value = sent === null && schema.default !== undefined && schema.nullable !== true ? (schema.default as Json) : sent;
  if (!isJsonObject(value)) return mapChildren(value, schema, fill);
  const result: Record<string, Json> = { ...value } as Record<string, Json>;
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const isAbsent = !Object.hasOwn(result, name) || result[name] === undefined;
    if (property.default !== undefined && isAbsent) setMember(result, name, property.default as Json);
  }
  return mapChildren(result, schema, fill);
}

/** Removes nulls that are not nullable and have no default, as decoding a stored object does. */
export function withoutNulls(value: Json, schema: StructuralSchema): Json {
  if (!isJsonObject(value)) return mapChildren(value, schema, withoutNulls);
  const kept = Object.entries(value).filter(([name, member]) => {
    const child = memberSchema(schema, name);
    return member !== null || child === undefined || child.nullable === true || child.default !== undefined;
  });
  return mapChildren(Object.fromEntries(kept) as JsonObject, schema, withoutNulls);
}
