import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** A condition of an object's status. Source: Kubernetes API conventions, "Typical status properties". */
export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** The generation that it describes; absent where its controller does not say. */
  readonly observedGeneration?: number;
  /** Milliseconds since 1970; NaN where absent. */
  readonly lastTransitionMs: number;
  /** The time of its controller's last write, verbatim; empty where absent. */
  readonly lastUpdateTime: string;
}

export const metadataOf = (object: JsonObject): JsonObject => member(object, 'metadata');
export const specOf = (object: JsonObject): JsonObject => member(object, 'spec');
export const statusOf = (object: JsonObject): JsonObject => member(object, 'status');

export function member(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

export function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

/** Returns a number of an object, or the default where there is none. */
export function count(value: Json | undefined, absent = 0): number {
  return typeof value === 'number' ? value : absent;
}

export function conditionsOf(object: JsonObject): readonly StatusCondition[] {
  return listOf(statusOf(object).conditions).map(({ type, status, reason, message, observedGeneration, ...times }) => ({
    type: String(type),
    status: String(status),
    reason: String(reason ?? ''),
    message: String(message ?? ''),
    ...(typeof observedGeneration === 'number' ? { observedGeneration } : {}),
    lastTransitionMs: Date.parse(String(times.lastTransitionTime)),
    lastUpdateTime: String(times.lastUpdateTime ?? times.lastTransitionTime ?? ''),
  }));
}

export function conditionOf(object: JsonObject, type: string): StatusCondition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

/** Returns a function that reads the evidence of a failure from a condition. */
export function conditionEvidence(type: string): (object: JsonObject) => string | undefined {
  return (object) => {
    const found = conditionOf(object, type);
    return found && [found.status, found.reason, found.lastUpdateTime, found.observedGeneration ?? ''].join(' ');
  };
}
