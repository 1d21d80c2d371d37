import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/**
 * Refuses a patch that would change a value on its way: a list is written as a whole, with the items of others, and a merge patch carries
 * no null.
 *
 * @param target the object that the patch is to produce.
 * @throws FieldwiseError `value-inexact`
 */
export function requireExact(patch: JsonObject, target: JsonObject, manager: string): void {
  const list = listWithNull(patch, target, '');
  if (list === undefined) return;
  const what = `The object has a null in the list ${list}, and a client-side merge would write the list without it`;
  throw new FieldwiseError('value-inexact', 'resource', what, {
    location: { manager },
    next: 'Nothing was sent. Apply this object under the strategy server-side.',
  });
}

function listWithNull(patch: JsonObject, target: JsonObject, path: string): string | undefined {
  return Object.entries(patch)
    .map(([name, change]) => {
      const value = target[name];
      if (Array.isArray(change)) return hasNull(value) ? `${path}.${name}` : undefined;
      return isJsonObject(change) && isJsonObject(value) ? listWithNull(change, value, `${path}.${name}`) : undefined;
    })
    .find((found) => found !== undefined);
}

function hasNull(value: Json | undefined): boolean {
  return value === null || membersOf(value).some(hasNull);
}

function membersOf(value: Json | undefined): readonly (Json | undefined)[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
