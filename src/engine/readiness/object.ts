import { conditionOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

export const specOf = (object: JsonObject): JsonObject => member(object, 'spec');
export const statusOf = (object: JsonObject): JsonObject => member(object, 'status');

/** Returns a member of an object that is itself an object; empty where it is not. */
export function member(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** Returns the objects of a list; empty where the value is not a list. */
export function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

/** Returns a number of an object, or the default where there is none. */
export function count(value: Json | undefined, absent = 0): number {
  return typeof value === 'number' ? value : absent;
}

/** The evidence of a failure that stands in a condition. */
export function conditionEvidence(type: string): (object: JsonObject) => string | undefined {
  return (object) => {
    const found = conditionOf(object, type);
    return found && [found.status, found.reason, found.lastUpdateTime, found.observedGeneration ?? ''].join(' ');
  };
}
