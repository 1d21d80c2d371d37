import { isJsonObject, type Json } from '../../util/json.js';

/**
 * Lists, by identity, whose items were sent with empty maps or lists that their Go struct omits. A server compares lists of structs in
 * memory, where empty differs from absent: such a list counts as changed although its JSON is equal. Source: observed.
 */
export type ExplicitEmptyLists = ReadonlySet<readonly Json[]>;

/** Returns true if a value that equals another as JSON holds one of these lists, and the other holds a different list in its place. */
export function hasExplicitEmpty(lists: ExplicitEmptyLists, value: Json | undefined, other: Json | undefined): boolean {
  if (value === other || typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    const others = other as readonly Json[];
    return lists.has(value) || (value as readonly Json[]).some((item, index) => hasExplicitEmpty(lists, item, others[index]));
  }
  return isJsonObject(other) && Object.entries(value).some(([name, member]) => hasExplicitEmpty(lists, member, other[name]));
}
