import { isJsonObject, type Json } from '../../util/json.js';

/** Neither a merge patch nor a built-in type can hold a null: it is the same as nothing. */
export function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** A value without members that are null; the value itself where it has none. */
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
