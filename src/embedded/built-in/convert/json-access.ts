import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';

/** A list of structs; empty where there is none. */
export function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonObject[]) : [];
}

/** A struct; empty where there is none. */
export function structOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
