import { isJsonObject, type Json } from '../util/json.js';

const marked = new WeakSet<object>();

/**
 * Marks a list whose items were given with empty maps or lists that their Go struct leaves out. A server compares lists of structs in
 * memory, where empty is not absent: it finds such a list changed, though nothing in its JSON is. Source: observed.
 */
export function markExplicitEmpty(list: readonly Json[]): void {
  marked.add(list);
}

/** Whether a value that is equal to another as JSON holds marked lists that are not the other's own. */
export function hasExplicitEmpty(value: Json | undefined, other: Json | undefined): boolean {
  if (value === other || typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    const others = other as readonly Json[];
    return marked.has(value) || (value as readonly Json[]).some((item, index) => hasExplicitEmpty(item, others[index]));
  }
  return (
    isJsonObject(other) && Object.keys(value).some((name) => hasExplicitEmpty((value as Readonly<Record<string, Json>>)[name], other[name]))
  );
}
