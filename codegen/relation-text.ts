import type { Schema, TypeRef } from '../src/schema/index.js';
import { resolve } from '../src/schema/index.js';

/** Returns the sharing rule of a field, for its doc comment; undefined if there is none. */
export function relationText(schema: Schema, ref: TypeRef): string | undefined {
  const { scalar, list, map } = resolve(schema, ref);
  if (scalar !== undefined) return undefined;
  if (list !== undefined && map === undefined) {
    if (list.relation === 'atomic') return 'Atomic list: one owner, replaced as a whole.';
    return list.keys.length === 0
      ? 'Set: each value has owners of its own.'
      : `List keyed by ${list.keys.join(' + ')}: each item has owners of its own.`;
  }
  if (map?.relation === 'atomic' && list === undefined) return 'Atomic: one owner, replaced as a whole.';
  return undefined;
}
