import { memberType, shapeOf, typeAt } from '../../src/merge/values/position.js';
import { type Field, objectMetaName, type RootType, type Schema, type TypeRef } from '../../src/schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';

/** Decodes a custom resource as a server does: removes undeclared keys and adds defaults. Covers only the needs of the scenarios. */
export function decodeCustom(root: RootType, object: JsonObject): JsonObject {
  return normalized(defaulted(root, prune(root.schema, root.type, object) as JsonObject), root);
}

/** The object as its metadata read back from storage: without nulls and empty containers. */
export function normalized(object: JsonObject, root: RootType): JsonObject {
  return typedMetadata(root.schema, root.type, object) as JsonObject;
}

function typedMetadata(schema: Schema, ref: TypeRef | undefined, value: Json): Json {
  const type = typeAt(schema, ref);
  if (shapeOf(value) === 'list') return (value as readonly Json[]).map((item) => typedMetadata(schema, type.list?.element, item));
  if (shapeOf(value) !== 'map' || !type.map) return value;
  const map = type.map;
  const members = Object.entries(value as JsonObject);
  if (ref !== undefined && 'name' in ref && ref.name === objectMetaName) return Object.fromEntries(members.flatMap(typedMember));
  return Object.fromEntries(members.map(([name, member]) => [name, typedMetadata(schema, memberType(map, name), member as Json)]));
}

/** The object with the defaults of its schema. */
export function defaulted(root: RootType, object: JsonObject): JsonObject {
  return fill(root.schema, root.type, object) as JsonObject;
}

function prune(schema: Schema, ref: TypeRef | undefined, value: Json): Json {
  const type = typeAt(schema, ref);
  if (shapeOf(value) === 'list') return (value as readonly Json[]).map((item) => prune(schema, type.list?.element, item));
  if (shapeOf(value) !== 'map' || !type.map) return value;
  const map = type.map;
  const members = Object.entries(value as JsonObject).filter(([name]) => memberType(map, name) !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, prune(schema, memberType(map, name), member as Json)]));
}

function fill(schema: Schema, ref: TypeRef | undefined, value: Json): Json {
  const type = typeAt(schema, ref);
  if (shapeOf(value) === 'list') return (value as readonly Json[]).map((item) => fill(schema, type.list?.element, item));
  if (shapeOf(value) !== 'map' || !type.map) return value;
  const result: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value as JsonObject)) {
    const field = type.map.fields.get(name);
    if (member === null && field && !field.nullable && field.default !== undefined) continue;
    result[name] = fill(schema, memberType(type.map, name), member as Json);
  }
  for (const [name, field] of type.map.fields) addDefault(schema, name, field, result);
  return result;
}

function addDefault(schema: Schema, name: string, field: Field, into: Record<string, Json>): void {
  // The defaults of ObjectMeta are those of Go's zero values, which nothing fills in.
  if (into[name] !== undefined || field.default === undefined || field.default === '') return;
  into[name] = fill(schema, field.type, field.default);
}

// Metadata, also that of embedded objects, passes through Go's ObjectMeta, which has no nulls and omits empty values.
function typedMember([name, value]: [string, Json | undefined]): [string, Json][] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.length > 0 ? [[name, value as Json]] : [];
  if (!isJsonObject(value)) return [[name, value]];
  const members = Object.entries(value).map(([key, member]) => [key, member ?? ''] as const);
  return members.length > 0 ? [[name, Object.fromEntries(members)]] : [];
}
