import type { ListType, Schema } from '../schema/model.js';
import { resolve } from '../schema/resolve.js';
import type { Json } from '../util/json.js';
import { peek } from './values.js';

/** The identity of a list item by its keys. */
export interface ItemKey {
  /** Equal for equal identities: keys with defaults filled in. */
  readonly identity: string;
  /** As the item says it, such as `[name="http"]`; undefined when it says none of its keys. */
  readonly text: string | undefined;
  /** Keys that the schema requires and the item does not give; all keys, when it gives none and none has a default. */
  readonly missing: readonly string[];
}

/**
 * Reads the identity of an item that is a builder or a literal. A key that is left out takes its default; an item with no key
 * at all is no item. Source: Kubernetes documentation "Server-Side Apply", list-map keys; optional keys since 1.34.
 */
export function itemKey(schema: Schema, list: ListType, item: unknown): ItemKey {
  const element = resolve(schema, list.element).map;
  const identity: (Json | undefined)[] = [];
  const declaredKeys: string[] = [];
  const missing: string[] = [];
  for (const key of list.keys) {
    const value = peek(item, key) as Json | undefined;
    if (value === undefined || value === null) {
      if (element?.required.includes(key)) missing.push(key);
      identity.push(element?.fields.get(key)?.default);
    } else {
      declaredKeys.push(`${key}=${JSON.stringify(value)}`);
      identity.push(value);
    }
  }
  if (identity.every((value) => value === undefined)) missing.splice(0, Number.POSITIVE_INFINITY, ...list.keys);
  return {
    identity: JSON.stringify(identity.map((value) => (value === undefined ? [] : value))),
    text: declaredKeys.length > 0 ? `[${declaredKeys.join(',')}]` : undefined,
    missing,
  };
}
