import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { remembered } from '../../util/remembered.js';

/** Returns a list of values; empty if the value is not a list. */
export function valuesOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** Returns a list of structs; empty if the value is not a list. */
export function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonObject[]) : [];
}

const namesOf = remembered((path) => path.split('.'));

/** Returns the value at a dotted path. */
export function memberAt(value: Json | undefined, path: string): Json | undefined {
  let member = value;
  for (const name of namesOf(path)) member = isJsonObject(member) ? member[name] : undefined;
  return member;
}

/** Returns for each value if the same one stands before it. */
export function repeatsOf(values: readonly (Json | undefined)[]): readonly boolean[] {
  const known = new Set<Json | undefined>();
  return values.map((value) => known.size === known.add(value).size);
}

/** Returns a struct; empty if the value is not an object. */
export function structOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
