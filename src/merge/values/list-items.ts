import { serializeValue } from '../../fields/index.js';
import type { ListType, Schema } from '../../schema/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { onceFor } from '../../util/once-for.js';
import { remembered } from '../../util/remembered.js';
import { memberOf, shapeOf, typeAt } from './position.js';

/**
 * The identity of a list item. A key that the item omits takes its default. From Kubernetes 1.34 on, only an item without any key is an
 * error.
 */
export interface KeyedItem {
  /** Serialized path element, such as `k:{"name":"web"}` or `v:"a"`; absent if the item has no identity. */
  readonly element?: string;
  /** Why the item has no identity, in the words of the server. */
  readonly error?: string;
}

/** Returns the identity of an item of an associative list. Source: Kubernetes documentation "Server-Side Apply", "Merge strategy". */
export function itemElement(schema: Schema, list: ListType, item: Json): KeyedItem {
  return list.keys.length === 0 ? setElement(item) : keyElement(schema, list, item);
}

function setElement(item: Json): KeyedItem {
  switch (shapeOf(item)) {
    case 'scalar':
      return { element: `v:${serializeValue(item)}` };
    case 'null':
      return { error: "associative list without keys has an element that's an explicit null" };
    case 'map':
      return { error: "associative list without keys has an element that's a map type" };
    case 'list':
      return { error: 'not supported: associative list with lists as elements' };
  }
}

function keyElement(schema: Schema, list: ListType, item: Json): KeyedItem {
  const shape = shapeOf(item);
  if (shape === 'null') return { error: 'associative list with keys may not have a null element' };
  if (shape !== 'map') return { error: 'associative list with keys may not have non-map elements' };
  const name = list.keys.length === 1 ? memberOf(item as JsonObject, list.keys[0] as string) : undefined;
  if (typeof name === 'string') return namedElements(list)(name);
  return computedElement(schema, list, item as JsonObject);
}

/** Returns the identities of items by the text of their only key: the lists of many objects hold the same few names. */
const namedElements = onceFor((list: ListType) =>
  remembered((name): KeyedItem => ({ element: `k:{${serializeValue(list.keys[0])}:${serializeValue(name)}}` })),
);

function computedElement(schema: Schema, list: ListType, item: JsonObject): KeyedItem {
  let text = '';
  for (const name of list.keys) {
    const own = memberOf(item, name);
    // An explicit null is a key value; only an absent key takes the default.
    const value = own === undefined ? keyDefault(schema, list, name) : own;
    if (value !== undefined) text += `${text === '' ? '' : ','}${serializeValue(name)}:${serializeValue(value)}`;
  }
  if (text !== '') return { element: `k:{${text}}` };
  const names = list.keys.map((name) => JSON.stringify(name)).join(' ');
  return {
    error: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

function keyDefault(schema: Schema, list: ListType, name: string): Json | undefined {
  return typeAt(schema, list.element).map?.fields.get(name)?.default;
}

/** Returns the items of an associative list by their elements, in order; items without identity are omitted. */
export function itemsByElement(schema: Schema, list: ListType, items: readonly Json[]): Map<string, Json[]> {
  const result = new Map<string, Json[]>();
  for (const item of items) {
    const { element } = itemElement(schema, list, item);
    if (element === undefined) continue;
    const known = result.get(element);
    if (known === undefined) result.set(element, [item]);
    else known.push(item);
  }
  return result;
}
