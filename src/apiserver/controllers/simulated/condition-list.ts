import type { JsonObject } from '../../../util/json.js';
import { listOf } from '../../api/json-access.js';

/** A condition that a controller sets. */
export interface NewCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Returns the conditions of a status. */
export function conditionsIn(status: JsonObject): readonly JsonObject[] {
  return listOf(status.conditions);
}

export function conditionIn(conditions: readonly JsonObject[], type: string): JsonObject | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function withoutCondition(conditions: readonly JsonObject[], type: string): readonly JsonObject[] {
  return conditions.filter((condition) => condition.type !== type);
}

/** Returns the conditions with one that has changed at the end. One of the same status and reason stays as it is. Source: observed. */
export function withChanged(conditions: readonly JsonObject[], condition: NewCondition, now: string): readonly JsonObject[] {
  const before = conditionIn(conditions, condition.type);
  if (before?.status === condition.status && before.reason === condition.reason) return conditions;
  return withWritten(conditions, condition, now);
}

/** Returns the conditions with one at the end, written now. Its transition is that of its status. */
export function withWritten(conditions: readonly JsonObject[], condition: NewCondition, now: string): readonly JsonObject[] {
  const before = conditionIn(conditions, condition.type);
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
  const { type, status, reason, message } = condition;
  const written: JsonObject = { type, status, lastUpdateTime: now, lastTransitionTime, reason, message };
  return [...withoutCondition(conditions, type), written];
}
