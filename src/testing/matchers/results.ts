import type { ObjectReport, PlannedObject } from '../../deploy/index.js';
import { sentence } from '../../util/error.js';
import { isJsonObject } from '../../util/json.js';

/** Returns the objects of a report of a run, or the object itself; undefined for any other value. */
export function reportedObjects(received: unknown): readonly ObjectReport[] | undefined {
  return objectsOf<ObjectReport>(received, 'object');
}

/** Returns the objects of a plan, or the planned object itself; undefined for any other value. */
export function plannedObjects(received: unknown): readonly PlannedObject[] | undefined {
  return objectsOf<PlannedObject>(received, 'plan');
}

function objectsOf<T extends { readonly event: string }>(received: unknown, event: T['event']): readonly T[] | undefined {
  if (!isJsonObject(received)) return undefined;
  if (received.event === event) return [received as unknown as T];
  const { objects, summary } = received;
  const ofPlan = isJsonObject(summary) && summary.event === 'plan-summary';
  if (!Array.isArray(objects) || !isJsonObject(summary) || ofPlan !== (event === 'plan')) return undefined;
  return objects as unknown as readonly T[];
}

/** Returns the reasons why objects of a run failed, a line each. */
export function failureLines(objects: readonly ObjectReport[]): readonly string[] {
  return objects.flatMap(({ object, result, error, reason, conflicts, readiness }) => {
    if (result === 'conflict') {
      const fields = conflicts.map(({ field, from }) => `${field} of ${from}`).join(', ');
      return [`${object}: conflict over ${fields}`];
    }
    if (error !== undefined) return [`${object}: ${[error.message, error.next ?? ''].filter(Boolean).map(sentence).join(' ')}`];
    if (result === 'failed' || result === 'skipped') return [`${object}: ${result}${reason === undefined ? '' : `, ${reason}`}`];
    if (readiness !== undefined && readiness.state !== 'current') return [`${object}: not ready, ${readiness.message ?? readiness.state}`];
    return [];
  });
}

/** Returns the reasons why a deploy of objects of a plan would fail, a line each. */
export function planFailureLines(objects: readonly PlannedObject[]): readonly string[] {
  return objects.flatMap(({ object, action, error, reason, fields }) => {
    if (error !== undefined) return [`${object}: ${[error.message, error.next ?? ''].filter(Boolean).map(sentence).join(' ')}`];
    if (action !== 'blocked') return [];
    const stopping = fields.filter(({ change }) => change === 'conflict' || change === 'rejected');
    const why =
      stopping.length === 0 ? (reason ?? 'no reason is known') : stopping.map(({ field, change }) => `${change} ${field}`).join(', ');
    return [`${object}: blocked, ${why}`];
  });
}
