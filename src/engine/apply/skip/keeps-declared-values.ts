import { isJsonObject, isList, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { canonicalQuantity } from '../../../util/quantity.js';

/**
 * Returns true if a live object has the values of an intent as a server writes them: equal quantities in another form, members with the value
 * `false`, `0` or nothing left out, members and items of others beside the declared ones. False where another value may stand for a declared
 * one.
 */
export function keepsDeclaredValues(live: JsonObject, { apiVersion: _, kind: __, ...declared }: JsonObject): boolean {
  return isKept(live, declared); // the items of a list do not repeat their kind
}

function isKept(live: Json | undefined, declared: Json | undefined): boolean {
  if (live === undefined || live === null) return isNothing(declared);
  if (isJsonObject(declared)) return isJsonObject(live) && Object.keys(declared).every((name) => isKept(live[name], declared[name]));
  if (isList(declared)) return isList(live) && areKept(live, declared);
  return declared !== undefined && declared !== null && (jsonEqual(live, declared) || isSameQuantity(live, declared));
}

/** Returns true if the declared items stand in their order, others between them. */
function areKept(live: readonly Json[], declared: readonly Json[]): boolean {
  let next = 0;
  return declared.every((item) => {
    while (next < live.length && !isKept(live[next], item)) next += 1;
    next += 1;
    return next <= live.length;
  });
}

/** Returns true for what a server leaves out of an object. */
function isNothing(value: Json | undefined): boolean {
  if (isJsonObject(value)) return Object.values(value).every(isNothing);
  return isList(value) ? value.length === 0 : value === undefined || value === null || value === '' || value === 0 || value === false;
}

/** Returns true for another form of a quantity. A server writes a declared number as text, and never a declared text as a number. */
function isSameQuantity(live: Json, declared: Json): boolean {
  if (typeof live !== 'string' || (typeof declared !== 'string' && typeof declared !== 'number')) return false;
  const quantity = canonicalQuantity(live);
  return quantity !== undefined && quantity === canonicalQuantity(String(declared));
}
