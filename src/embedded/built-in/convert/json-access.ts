import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';

/** Returns a list of structs; empty if the value is not a list. */
export function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonObject[]) : [];
}

/** Returns a struct; empty if the value is not an object. */
export function structOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
