import { isJsonObject, isList, type Json, type JsonObject } from '../util/json.js';

/**
 * Returns the objects of a List, as kubectl unwraps it: items of a typed list (`DeploymentList`) without a kind get the kind before `List`.
 * An item may be another List; `items: null` is empty. Returns any other value as the only object.
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
