import { metadataOf } from '../../../fields/object.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { memberAt, structOf } from '../../api/json-access.js';

/** Returns a number of the spec or status of an object. */
export function numberAt(object: JsonObject, path: string, absent = 0): number {
  const value = memberAt(object, path);
  return typeof value === 'number' ? value : absent;
}

/**
 * Returns a number of pods: one that is given, or a percentage of all of them. Source: Kubernetes documentation "Deployments", "Max
 * Unavailable".
 */
export function podNumber(value: Json | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percentage = /^(\d+)%$/.exec(String(value ?? ''))?.[1];
  if (percentage === undefined) return 0;
  const exact = (Number(percentage) * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}

export function withStatus(object: JsonObject, status: JsonObject): JsonObject {
  return { ...object, status };
}

export function withSpec(object: JsonObject, change: JsonObject): JsonObject {
  return { ...object, spec: { ...structOf(object.spec), ...change } };
}

export function withAnnotations(object: JsonObject, annotations: Readonly<Record<string, string>>): JsonObject {
  const metadata = metadataOf(object);
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

/** Compares by age: the oldest first, the name decides between objects of the same second. */
export function byAge(left: JsonObject, right: JsonObject): number {
  const rank = (object: JsonObject) => `${metadataOf(object).creationTimestamp ?? ''} ${metadataOf(object).name ?? ''}`;
  return rank(left) < rank(right) ? -1 : 1;
}

/** Returns an object without the members that are undefined. */
export function defined(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
