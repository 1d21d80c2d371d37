import { isJsonObject, type Json } from '../util/json.js';
import { itemOf, type Typed } from './typed.js';

/** How one item of an associative list is told from the others. */
export interface ItemKey {
  /** Equal for items that the server merges. */
  readonly identity: string;
  /** As paths show it: `[port=80,protocol="TCP"]` or `[="value"]`. */
  readonly text: string;
}

/**
 * The key of an item: its list map keys, defaults filled in, or the value itself in a set.
 * Source: Kubernetes documentation "Server-Side Apply", "Merge strategy"; defaults of keys: KEP-555.
 */
export function itemKey(item: Json, list: Typed): ItemKey {
  const keys = list.type.list?.keys ?? [];
  if (keys.length === 0 || !isJsonObject(item)) {
    const value = JSON.stringify(item);
    return { identity: value, text: `[=${value}]` };
  }
  const fields = itemOf(list)?.type.map?.fields;
  const parts = keys
    .map((name) => [name, item[name] ?? fields?.get(name)?.default] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return { identity: parts.join(','), text: `[${parts.join(',')}]` };
}
