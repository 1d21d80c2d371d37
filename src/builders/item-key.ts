import type { ListType, Schema } from '../schema/model.js';
import { resolve } from '../schema/resolve.js';
import type { Json } from '../util/json.js';
import { peek } from './values.js';

/** The identity of a list item by its keys. */
export interface ItemKey {
  /** The identity as text, with defaults filled in: equal for equal identities. */
  readonly identity: string;
  /** The keys that the item declares, such as `[name="http"]`; undefined if it declares none. */
  readonly text: string | undefined;
  /** Keys that the schema requires and the item omits; all keys if the item has none and none has a default. */
  readonly missing: readonly string[];
}

/**
 * Returns the identity of an item that is a builder or a literal. An omitted key takes its default; an item without any key is invalid.
 * Source: Kubernetes documentation "Server-Side Apply", list-map keys; optional keys since 1.34.
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
