import { isJsonObject, type Json } from '../../util/json.js';

/** Returns true for undefined and null: neither a merge patch nor a built-in type can hold a null. */
export function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** Returns a value without null members; the value itself if it has none. */
export function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(withoutNulls);
    return items.every((item, index) => item === (value as readonly Json[])[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => !isAbsent(member)) as [string, Json][];
  const cleaned = members.map(([name, member]) => [name, withoutNulls(member)] as const);
  const isSame = members.length === Object.keys(value).length && cleaned.every(([, member], index) => member === members[index]?.[1]);
  return isSame ? value : Object.fromEntries(cleaned);
}
