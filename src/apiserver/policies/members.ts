import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** Returns an object; empty for any other value. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns the objects of a list; empty for any other value. */
export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

/** Returns the texts of a list; empty for any other value. */
export function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter((each): each is string => typeof each === 'string') : [];
}

/** Returns a text; empty for any other value. */
export function memberText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
