import { isJsonObject, type JsonObject } from '../../../util/json.js';

/** Lists that JSON shows as null if they are empty: an empty list is owned as an empty list when it is written, and decoded as null. */
const lists: Readonly<Record<string, readonly [string, ...string[]]>> = {
  ClusterRole: ['rules'],
  HorizontalPodAutoscaler: ['status', 'currentMetrics'],
  Role: ['rules'],
};

/** Returns the object with its empty lists as null. Source: observed. */
export function withNullLists(object: JsonObject): JsonObject {
  const path = lists[String(object.kind)];
  return path === undefined ? object : nullEmptyList(object, path);
}

function nullEmptyList(value: JsonObject, [name, ...inner]: readonly string[]): JsonObject {
  const member = name === undefined ? undefined : value[name];
  if (name === undefined || member === undefined) return value;
  if (Array.isArray(member)) return member.length > 0 ? value : { ...value, [name]: null };
  if (!isJsonObject(member)) return value;
  const changed = nullEmptyList(member, inner);
  return changed === member ? value : { ...value, [name]: changed };
}
