import { isJsonObject, isList, type Json, type JsonObject } from '../../util/json.js';
import { isSameValue } from '../../util/same-value.js';

/**
 * Returns true if a live object has the values of an intent as a server writes them: equal values in another form, members with the value
 * `false`, `0` or nothing left out, members and items of others beside the declared ones. False where another value may stand for a declared
 * one.
 */
export function keepsDeclaredValues(live: JsonObject, { apiVersion: _, kind: __, ...declared }: JsonObject): boolean {
  return keepsValue(live, declared); // the items of a list do not repeat their kind
}

/** Returns true if a live value is the declared one as a server writes it; see `keepsDeclaredValues`. */
export function keepsValue(live: Json | undefined, declared: Json | undefined): boolean {
  if (live === undefined || live === null) return isNothing(declared);
  if (isJsonObject(declared)) return isJsonObject(live) && Object.keys(declared).every((name) => keepsValue(live[name], declared[name]));
  if (isList(declared)) return isList(live) && areKept(live, declared);
  return declared !== undefined && declared !== null && isSameValue(live, declared);
}

/** Returns true if the declared items stand in their order, others between them. */
function areKept(live: readonly Json[], declared: readonly Json[]): boolean {
  let next = 0;
  return declared.every((item) => {
    while (next < live.length && !keepsValue(live[next], item)) next += 1;
    next += 1;
    return next <= live.length;
  });
}

/** Returns true for what a server leaves out of an object. */
function isNothing(value: Json | undefined): boolean {
  if (isJsonObject(value)) return Object.values(value).every(isNothing);
  return isList(value) ? value.length === 0 : value === undefined || value === null || value === '' || value === 0 || value === false;
}
