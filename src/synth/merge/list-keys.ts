import { areAcceptedKeys, type KeySuggestion, suggestKeys } from '../../schema/index.js';
import { isJsonObject, type Json } from '../../util/json.js';
import { itemOf, memberOf, type Typed } from '../declared/typed.js';
import { step } from './atomic-positions.js';

/** An atomic list of objects that its CRD could declare as an associative list. */
export interface KeyableList {
  /** Path of its schema below the schema of the object. */
  readonly schemaPath: string;
  /** Its list map keys, which the server accepts. */
  readonly keys: readonly string[];
}

/** Returns true if the items of a list are objects. */
export function isListOfObjects(list: Typed): boolean {
  return (itemOf(list)?.type.map?.fields.size ?? 0) > 0;
}

/**
 * Returns the atomic lists of objects at and below a declared atomic list whose keys are known with high confidence. A list in the items of
 * another one is left out if the outer one is: its keys would have no effect.
 */
export function keyableLists(value: Json, list: Typed, schemaPath: string): readonly KeyableList[] {
  const found = new Map<string, KeyableList>();
  collect(value, list, schemaPath, found);
  return [...found.values()];
}

/** Suggests list map keys for a list by the names of its fields. The name of the list is the last one of the path. */
export function suggestionFor({ schema, type }: Typed, schemaPath: string): KeySuggestion {
  if (type.list === undefined) return { keys: [], confidence: 'none', reason: 'it is not a list' };
  if (type.scalar !== undefined) return { keys: [], confidence: 'none', reason: 'it may be another value than a list' };
  const [name = ''] = schemaPath.slice(schemaPath.lastIndexOf('properties.') + 'properties.'.length).split('.');
  const suggestion = suggestKeys(schema, name, type.list);
  if (suggestion.confidence !== 'high') return suggestion;
  const accepted = type.list.nullable !== true && areAcceptedKeys(schema, type.list.element, suggestion.keys);
  return accepted ? suggestion : { ...suggestion, confidence: 'low', reason: `the server rejects ${suggestion.keys.join(', ')} as a key` };
}

function collect(value: Json, typed: Typed | undefined, schemaPath: string, found: Map<string, KeyableList>): void {
  if (!typed) return;
  if (Array.isArray(value)) {
    if (typed.type.list?.relation === 'atomic' && isListOfObjects(typed)) {
      const { keys, confidence } = suggestionFor(typed, schemaPath);
      if (confidence !== 'high') return;
      found.set(schemaPath, { schemaPath, keys });
    }
    for (const item of value as readonly Json[]) collect(item, itemOf(typed), step(schemaPath, 'items'), found);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (!typed.type.map?.fields.has(name) || member === undefined) continue;
      collect(member, memberOf(typed, name), step(schemaPath, `properties.${name}`), found);
    }
  }
}
