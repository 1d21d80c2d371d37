import type { Json, JsonObject } from '../../../util/json.js';
import { listOf } from '../convert/parts.js';

/** A ServiceAccount refers to its secrets by name alone; what else is said of them goes, once it is known who owns what. Source: observed. */
export function prepareServiceAccount(object: JsonObject): JsonObject {
  if (object.kind !== 'ServiceAccount' || object.apiVersion !== 'v1' || !Array.isArray(object.secrets)) return object;
  const named = listOf(object.secrets).map(({ name }) => (name === undefined ? {} : { name }));
  return { ...object, secrets: named as Json };
}
