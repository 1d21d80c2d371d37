import { isJsonObject, type Json } from '../../util/json.js';
import { itemOf, type Typed } from '../declared/typed.js';

/** The key of an item of an associative list. */
export interface ItemKey {
  /** A text that is equal for items that the server merges. */
  readonly identity: string;
  /** The key in field paths: `[port=80,protocol="TCP"]` or `[="value"]`. */
  readonly text: string;
}

/**
 * Returns the key of an item: its list map keys with defaults, or the value itself in a set.
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
