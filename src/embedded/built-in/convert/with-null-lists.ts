import { isJsonObject, type JsonObject } from '../../../util/json.js';

/** Lists that JSON shows as null where there are none: an empty one is owned as such when it is written, and read back as null. */
const lists: Readonly<Record<string, readonly [string, ...string[]]>> = {
  ClusterRole: ['rules'],
  HorizontalPodAutoscaler: ['status', 'currentMetrics'],
  Role: ['rules'],
};

/** The object with null for lists that are empty. Source: observed. */
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
