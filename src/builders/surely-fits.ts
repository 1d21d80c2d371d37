import type { ListType, MapType, Schema, TypeRef } from '../schema/model.js';
import { resolve } from '../schema/resolve.js';
import { isJsonObject, isList, type Json, type JsonObject } from '../util/json.js';
import { isWellFormed } from '../util/well-formed.js';
import { checkScalar } from './check-scalar.js';

/**
 * Returns true if `ValueCheck` finds nothing in a plain value; false if it may find something. It copies nothing and notes no path, and
 * leaves everything rare to `ValueCheck`, so that it takes a fraction of the time.
 */
export function surelyFits(schema: Schema, value: Json, ref: TypeRef): boolean {
  const { scalar, list, map, valueValidation } = resolve(schema, ref);
  if (valueValidation !== undefined || value === null || typeof value === 'bigint') return false;
  if (isList(value)) return list !== undefined && scalar?.format === undefined && listFits(schema, value, list);
  if (isJsonObject(value)) return map !== undefined && scalar?.format === undefined && membersFit(schema, value, map);
  if (typeof value === 'string' && !isWellFormed(value)) return false;
  return scalar !== undefined && checkScalar(scalar, value) === undefined;
}

/** Returns true if `ValueCheck` finds nothing in the members of an object. */
export function membersFit(schema: Schema, value: JsonObject, { fields, element, pruned }: MapType): boolean {
  for (const name of Object.keys(value)) {
    const field = fields.get(name);
    if (field === undefined && (pruned || !isWellFormed(name))) return false;
    const ref = field?.type ?? element;
    const member = value[name];
    if (ref === undefined || member === undefined || !surelyFits(schema, member, ref)) return false;
  }
  return true;
}

/** More items are compared faster by `ValueCheck`. */
const maxCompared = 20;

function listFits(schema: Schema, items: readonly Json[], list: ListType): boolean {
  const { relation, element } = list;
  if (relation === 'associative' && (items.length > maxCompared || !areIdentified(schema, items, list))) return false;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (item === undefined || !surelyFits(schema, item, element)) return false;
  }
  return true;
}

/** Returns true if the items have all keys that are required, and differ in the first one. */
function areIdentified(schema: Schema, items: readonly Json[], { keys, element }: ListType): boolean {
  const [first, ...others] = keys;
  if (first === undefined) return false;
  const required = resolve(schema, element).map?.required ?? [];
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (item === undefined || !isJsonObject(item)) return false;
    const identity = item[first];
    if (identity === undefined || typeof identity === 'object') return false;
    for (const key of others) if (item[key] === undefined && required.includes(key)) return false;
    for (let before = 0; before < index; before++) if ((items[before] as JsonObject)[first] === identity) return false;
  }
  return true;
}
