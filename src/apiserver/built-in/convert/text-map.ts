import { resolve, type Schema, type TypeRef } from '../../../schema/index.js';
import type { JsonObject } from '../../../util/json.js';

/** Returns true for a map of plain texts with at least one member, which a Go struct holds and shows as it is. */
export function isTextMap(schema: Schema, element: TypeRef | undefined, value: JsonObject): boolean {
  if (element === undefined) return false;
  const { scalar, map, list } = resolve(schema, element);
  if (scalar?.kind !== 'string' || scalar.format !== undefined || map !== undefined || list !== undefined) return false;
  let isEmpty = true;
  for (const name in value) {
    if (typeof value[name] !== 'string') return false;
    isEmpty = false;
  }
  return !isEmpty;
}
