import type { Schema, TypeRef } from '../src/schema/index.js';
import { acceptsAny, isAnyJson, resolve } from '../src/schema/index.js';

/**
 * Returns the sharing rule of a field, for its doc comment; undefined if there is none.
 *
 * @param insideAtomic the field stands inside of a list or map with one owner, so that owners cannot share what is in it
 */
export function relationText(schema: Schema, ref: TypeRef, insideAtomic: boolean): string | undefined {
  const type = resolve(schema, ref);
  const { scalar, list, map } = type;
  if (acceptsAny(type) && !isAnyJson(type)) return 'Any value: the schema describes the objects and lists among them.';
  if (scalar !== undefined) return undefined;
  if (list !== undefined && map === undefined) {
    if (list.relation === 'atomic') return 'Atomic list: one owner, replaced as a whole.';
    const owners = insideAtomic ? 'it is part of an atomic value, which has one owner' : undefined;
    return list.keys.length === 0
      ? `Set: ${owners ?? 'each value has owners of its own'}.`
      : `List keyed by ${list.keys.join(' + ')}: ${owners ?? 'each item has owners of its own'}.`;
  }
  if (map?.relation === 'atomic' && list === undefined) return 'Atomic: one owner, replaced as a whole.';
  return undefined;
}
