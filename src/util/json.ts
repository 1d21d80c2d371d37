/** A JSON value as it is exchanged with an API server. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A JSON object; `undefined` members do not exist on the wire. */
export type JsonObject = { readonly [name: string]: Json | undefined };

/** Returns true for objects that are neither null nor arrays. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns true for JSON arrays, and keeps their type. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Returns true for a map without members. */
export function isEmptyMap(value: Json | undefined): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Returns true for lists and maps. */
export function isContainer(value: Json | undefined): value is readonly Json[] | JsonObject {
  return Array.isArray(value) || isJsonObject(value);
}

/** Returns true if walking a list or map takes longer than looking it up: it holds other containers, or many members. */
export function isLarge(value: object): boolean {
  let count = 0;
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    count += 1;
    if (count > 8 || (typeof member === 'object' && member !== null)) return true;
  }
  return false;
}

/**
 * Returns true if one value is a `bigint` (a whole number beyond 2^53 as it was read) and the other is a number written with the same
 * digits.
 */
export function isSameNumber(left: unknown, right: unknown): boolean {
  if (typeof left === 'bigint') return typeof right === 'number' && String(left) === String(right);
  return typeof right === 'bigint' && typeof left === 'number' && String(left) === String(right);
}

/** Compares JSON values deeply: member order is ignored, item order counts, `undefined` members do not exist. */
export function jsonEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right || isSameNumber(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index++) if (!jsonEqual(left[index], right[index])) return false;
    return true;
  }
  return !Array.isArray(right) && equalMaps(left as JsonObject, right as JsonObject);
}

function equalMaps(left: JsonObject, right: JsonObject): boolean {
  let count = 0;
  for (const name of Object.keys(left)) {
    const value = left[name];
    if (value === undefined) continue;
    count += 1;
    if (!Object.hasOwn(right, name) || !jsonEqual(value, right[name])) return false;
  }
  for (const name of Object.keys(right)) if (right[name] !== undefined) count -= 1;
  return count === 0;
}

/** Returns true for a number, also for one that only a `bigint` holds exactly; it compares as a number does. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Returns true for a whole number, also for one that only a `bigint` holds exactly. */
export function isInteger(value: unknown): value is number {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/** Sets a member, even one named `__proto__`. */
export function setMember(map: Record<string, Json>, name: string, value: Json): void {
  if (name === '__proto__') Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
  else map[name] = value;
}
