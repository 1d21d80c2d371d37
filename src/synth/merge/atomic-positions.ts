import { isJsonObject, type Json } from '../../util/json.js';
import { isDeduced, itemOf, memberOf, type Typed } from '../declared/typed.js';
import { itemKey } from './item-key.js';

/** A declared value that is owned as a whole. */
export interface AtomicPosition {
  readonly kind: 'list' | 'map';
  /** Field path with list keys, such as `.spec.listeners[port=443].services`. */
  readonly path: string;
  /** Path of its schema below the schema of the object, such as `properties.spec.properties.listeners`. */
  readonly schemaPath: string;
  readonly value: Json;
  readonly typed: Typed;
}

/** Yields the outermost atomic lists and maps among the declared fields, as far as the schema is known. */
export function* atomicPositions(value: Json, typed: Typed | undefined, path = '', schemaPath = ''): Generator<AtomicPosition> {
  if (!typed) return;
  if (Array.isArray(value)) {
    const { list } = typed.type;
    if (!list) return;
    if (list.relation === 'atomic') {
      yield { kind: 'list', path, schemaPath, value, typed };
      return;
    }
    for (const item of value as readonly Json[]) {
      yield* atomicPositions(item, itemOf(typed), path + itemKey(item, typed).text, step(schemaPath, 'items'));
    }
  } else if (isJsonObject(value)) {
    const { map } = typed.type;
    if (!map) return;
    if (map.relation === 'atomic') {
      yield { kind: 'map', path, schemaPath, value, typed };
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      const below = map.fields.has(name) || isDeduced(typed) ? `properties.${name}` : 'additionalProperties';
      yield* atomicPositions(member, memberOf(typed, name), `${path}.${name}`, step(schemaPath, below));
    }
  }
}

/** Appends a step to a schema path. */
export function step(schemaPath: string, below: string): string {
  return schemaPath === '' ? below : `${schemaPath}.${below}`;
}
