import type { Json, JsonObject } from '../../../util/json.js';
import { listOf, memberAt, structOf } from '../../api/json-access.js';
import { conditionIn, type NewCondition } from './condition-list.js';
import type { ControllerContext } from './controller-context.js';
import type { JobPods } from './job-pods.js';
import { numberAt } from './workload-object.js';

/** The end of a Job that is decided. */
export interface JobEnd {
  readonly isSuccess: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Returns the end of a Job, once it is decided. Source: Kubernetes documentation "Jobs", "Job termination and cleanup". */
export function jobEnd(context: ControllerContext, job: JsonObject, pods: JobPods, startTime: Json | undefined): JobEnd | undefined {
  const target = conditionIn(listOf(structOf(job.status).conditions), 'FailureTarget');
  if (target !== undefined) return { isSuccess: false, reason: String(target.reason), message: String(target.message) };
  const limit = numberAt(job, 'spec.backoffLimit', 6);
  if (pods.failed > limit || restartsExceed(job, pods, limit)) {
    return { isSuccess: false, reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  }
  if (isLate(context, job, startTime)) {
    return { isSuccess: false, reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  }
  const completions = memberAt(job, 'spec.completions');
  const isDone = typeof completions === 'number' ? pods.succeeded >= completions : pods.succeeded > 0 && pods.active.length === 0;
  return isDone ? { isSuccess: true, reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' } : undefined;
}

/** With `restartPolicy: OnFailure`, the restarts of containers count. */
function restartsExceed(job: JsonObject, { active }: JobPods, limit: number): boolean {
  if (memberAt(job, 'spec.template.spec.restartPolicy') !== 'OnFailure') return false;
  const statuses = active.flatMap(({ status }) => [
    ...listOf(structOf(status).initContainerStatuses),
    ...listOf(structOf(status).containerStatuses),
  ]);
  const restarts = statuses.reduce((total, status) => total + numberAt(status, 'restartCount'), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function isLate(context: ControllerContext, job: JsonObject, startTime: Json | undefined): boolean {
  const seconds = memberAt(job, 'spec.activeDeadlineSeconds');
  if (typeof seconds !== 'number' || typeof startTime !== 'string') return false;
  const left = Date.parse(startTime) + seconds * 1000 - context.clock();
  if (left > 0) context.lookAgain(job, left);
  return left <= 0;
}

/** Returns the conditions with the end of the Job: first the decision, and the end once no pod runs. */
export function withEnd(
  conditions: readonly JsonObject[],
  end: JobEnd | undefined,
  { isOver, now }: { readonly isOver: boolean; readonly now: string },
): readonly JsonObject[] {
  if (end === undefined) return conditions;
  const { isSuccess, reason, message } = end;
  const decided = withNew(conditions, { type: isSuccess ? 'SuccessCriteriaMet' : 'FailureTarget', status: 'True', reason, message }, now);
  return isOver ? withNew(decided, { type: isSuccess ? 'Complete' : 'Failed', status: 'True', reason, message }, now) : decided;
}

/** Returns the conditions of a Job that is suspended, or is no longer. */
export function withSuspension(conditions: readonly JsonObject[], isSuspended: boolean, now: string): readonly JsonObject[] {
  const before = conditionIn(conditions, 'Suspended');
  if (isSuspended === (before?.status === 'True')) return conditions;
  const [reason, message] = isSuspended ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed'];
  const written = conditionOf({ type: 'Suspended', status: isSuspended ? 'True' : 'False', reason, message }, now);
  return before === undefined ? [...conditions, written] : conditions.map((condition) => (condition === before ? written : condition));
}

function withNew(conditions: readonly JsonObject[], condition: NewCondition, now: string): readonly JsonObject[] {
  return conditionIn(conditions, condition.type) === undefined ? [...conditions, conditionOf(condition, now)] : conditions;
}

function conditionOf({ type, status, reason, message }: NewCondition, now: string): JsonObject {
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}
