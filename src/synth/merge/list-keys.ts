import { suggestKeys } from '../../schema/index.js';
import { isJsonObject, type Json } from '../../util/json.js';
import { itemOf, memberOf, type Typed } from '../declared/typed.js';
import { step } from './atomic-positions.js';

/** An atomic list of objects that its CRD could declare as an associative list. */
export interface KeyableList {
  /** Path of its schema below the schema of the object. */
  readonly schemaPath: string;
  /** A guess at its list map keys; empty if no field is suitable. */
  readonly keys: readonly string[];
  /** Members of `keys` that the schema neither requires nor defaults, so that the server rejects them as list map keys. */
  readonly optional: readonly string[];
}

/** Returns true if the items of a list are objects. */
export function isListOfObjects(list: Typed): boolean {
  return (itemOf(list)?.type.map?.fields.size ?? 0) > 0;
}

/** Returns the atomic lists of objects at and below a declared atomic list. */
export function keyableLists(value: Json, list: Typed, schemaPath: string): readonly KeyableList[] {
  const found = new Map<string, KeyableList>();
  collect(value, list, schemaPath, found);
  return [...found.values()];
}

function collect(value: Json, typed: Typed | undefined, schemaPath: string, found: Map<string, KeyableList>): void {
  if (!typed) return;
  if (Array.isArray(value)) {
    if (typed.type.list?.relation === 'atomic' && isListOfObjects(typed)) found.set(schemaPath, { schemaPath, ...guessKeys(typed) });
    for (const item of value as readonly Json[]) collect(item, itemOf(typed), step(schemaPath, 'items'), found);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (!typed.type.map?.fields.has(name) || member === undefined) continue;
      collect(member, memberOf(typed, name), step(schemaPath, `properties.${name}`), found);
    }
  }
}

function guessKeys(list: Typed): Pick<KeyableList, 'keys' | 'optional'> {
  const keys = list.type.list === undefined ? [] : suggestKeys(list.schema, list.type.list.element);
  const item = itemOf(list)?.type.map;
  const optional = keys.filter((key) => !item?.required.includes(key) && item?.fields.get(key)?.default === undefined);
  return { keys, optional };
}
