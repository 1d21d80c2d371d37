/** A JSON value as it travels to and from an API server. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A JSON object; `undefined` members do not exist on the wire. */
export type JsonObject = { readonly [name: string]: Json | undefined };

/** True for objects that are neither null nor arrays. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for JSON arrays, with their type kept. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Deep equality of JSON values: member order is ignored, item order counts, `undefined` members do not exist. */
export function jsonEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => jsonEqual(item, right[index]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = definedNames(left);
  return (
    names.length === definedNames(right).length && names.every((name) => Object.hasOwn(right, name) && jsonEqual(left[name], right[name]))
  );
}

function definedNames(value: JsonObject): string[] {
  return Object.keys(value).filter((name) => value[name] !== undefined);
}
