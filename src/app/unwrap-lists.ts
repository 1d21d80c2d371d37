import { isJsonObject, isList, type Json, type JsonObject } from '../util/json.js';

/**
 * The objects of a List, as kubectl unwraps it: items of a typed list (`DeploymentList`) that do not say their kind are of the kind before
 * `List`. An item may be a List again; `items: null` holds nothing. Anything else is itself.
 */
export function unwrapLists(value: Json): readonly Json[] {
  if (!isListObject(value)) return [value];
  const { apiVersion, kind, items } = value;
  const itemKind = String(kind).slice(0, -'List'.length);
  return (isList(items) ? items : []).flatMap((item) => {
    const isNamed = !isJsonObject(item) || item.kind !== undefined || item.apiVersion !== undefined || itemKind === '';
    return unwrapLists(isNamed ? item : { apiVersion: apiVersion as Json, kind: itemKind, ...item });
  });
}

function isListObject(value: Json): value is JsonObject {
  if (!isJsonObject(value) || typeof value.kind !== 'string' || !value.kind.endsWith('List')) return false;
  return isList(value.items) || value.items === null || (value.kind === 'List' && value.items === undefined);
}
