import { finalizersOf, isTerminating, nameOf, uidOf } from '../../../fields/object.js';
import { type JsonObject, jsonEqual } from '../../../util/json.js';
import { memberAt, structOf } from '../../api/json-access.js';
import { conditionIn, conditionsIn } from './condition-list.js';
import type { ControllerContext } from './controller-context.js';
import { createPods, deletePods } from './create-pods.js';
import { type JobEnd, jobEnd, withEnd, withSuspension } from './job-conditions.js';
import { indexAnnotation, missingIndexes, withIndexVariable } from './job-indexes.js';
import { countedPods, type JobPods, jobPods, trackingFinalizer } from './job-pods.js';
import { isReady } from './pod-state.js';
import { podFrom } from './pod-template.js';
import { defined, numberAt } from './workload-object.js';

const component = 'job-controller';

/** The times of a Job that the simulation shortens. */
export interface JobTimes {
  /** Milliseconds of the pause after the first failed pod; each further failure doubles it. */
  readonly firstPause: number;
}

/** Runs the pods of a Job to completion, and writes its status. Source: Kubernetes documentation "Jobs". */
export async function syncJob(context: ControllerContext, job: JsonObject, times: JobTimes): Promise<void> {
  const before = structOf(job.status);
  const isFinished = ['Complete', 'Failed'].some((type) => conditionIn(conditionsIn(before), type)?.status === 'True');
  const pods = jobPods(context, job);
  if (isFinished || isTerminating(job)) return untrack(context, pods.all);
  const isSuspended = memberAt(job, 'spec.suspend') === true;
  const startTime = before.startTime ?? (isSuspended ? undefined : context.time);
  const end = jobEnd(context, job, pods, startTime);
  const failure = await manage(context, job, pods, { end, isSuspended, times });
  const after = failure.created === 0 ? pods : jobPods(context, job);
  const conditions = withEnd(withSuspension(conditionsIn(before), isSuspended, context.time), end, {
    isOver: after.active.length === 0 && after.terminating.length === 0 && after.uncounted.length === 0,
    now: context.time,
  });
  await writeStatus(context, job, { pods: after, conditions, startTime: isSuspended ? undefined : startTime });
  await untrack(context, after.uncounted);
  if (failure.message !== undefined) throw new Error(failure.message);
}

interface Plan {
  readonly end: JobEnd | undefined;
  readonly isSuspended: boolean;
  readonly times: JobTimes;
}

interface Managed {
  readonly created: number;
  readonly message?: string | undefined;
}

async function manage(context: ControllerContext, job: JsonObject, pods: JobPods, { end, isSuspended, times }: Plan): Promise<Managed> {
  const wanted = end !== undefined || isSuspended ? 0 : wantedPods(job, pods);
  if (pods.active.length > wanted) {
    await deletePods(context, job, component, pods.active.slice(wanted));
    return { created: 1 };
  }
  const missing = wanted - pods.active.length - pods.terminating.length;
  if (missing <= 0) return { created: 0 };
  const pause = pods.lastFailure === undefined ? 0 : pods.lastFailure + times.firstPause * 2 ** (pods.failed - 1) - context.clock();
  if (pause > 0) {
    context.lookAgain(job, pause);
    return { created: 0 };
  }
  return { created: missing, message: await createPods(context, job, component, newPods(job, pods, missing)) };
}

/** Returns the number of pods that run at the same time now. */
function wantedPods(job: JsonObject, pods: JobPods): number {
  const parallelism = numberAt(job, 'spec.parallelism', 1);
  const completions = memberAt(job, 'spec.completions');
  if (typeof completions === 'number') return Math.min(parallelism, completions - pods.succeeded);
  // A work queue: once a pod has succeeded, no other one is started.
  return pods.succeeded > 0 ? pods.active.length : parallelism;
}

function newPods(job: JsonObject, pods: JobPods, count: number): readonly JsonObject[] {
  const template = structOf(structOf(job.spec).template);
  const finalizers = [trackingFinalizer];
  if (memberAt(job, 'spec.completionMode') !== 'Indexed') {
    const pod = podFrom(job, template, { finalizers });
    return Array.from({ length: count }, () => pod);
  }
  return missingIndexes(job, pods, count).map((index) => {
    const mark = { [indexAnnotation]: String(index) };
    const pod = podFrom(job, template, { generateName: `${nameOf(job)}-${index}-`, labels: mark, annotations: mark, finalizers });
    return { ...pod, spec: { ...withIndexVariable(structOf(pod.spec)), hostname: `${nameOf(job)}-${index}` } };
  });
}

interface JobState {
  readonly pods: JobPods;
  readonly conditions: readonly JsonObject[];
  readonly startTime: JsonObject[string];
}

async function writeStatus(context: ControllerContext, job: JsonObject, { pods, conditions, startTime }: JobState): Promise<void> {
  const before = structOf(job.status);
  const counted = countedPods(job, pods);
  const isComplete = conditionIn(conditions, 'Complete') !== undefined;
  const active = pods.active.length;
  const status = defined({
    conditions: conditions.length === 0 ? undefined : conditions,
    startTime,
    completionTime: isComplete ? (before.completionTime ?? context.time) : undefined,
    active: active === 0 ? undefined : active,
    ready: pods.active.filter(isReady).length,
    terminating: pods.terminating.length,
    ...counted,
  });
  if (jsonEqual(status, before)) return;
  await context.updateStatus('Job', { ...job, status });
  await recordEnd(context, job, conditionsIn(before), conditions);
}

async function recordEnd(
  context: ControllerContext,
  job: JsonObject,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): Promise<void> {
  const isNew = ({ type, status }: JsonObject) => conditionIn(before, String(type))?.status !== status;
  for (const { type, status, reason, message } of after.filter(isNew)) {
    if (type === 'Complete') await context.event(job, component, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
    if (type === 'Failed') await context.event(job, component, { type: 'Warning', reason: String(reason), message: String(message) });
    if (type === 'Suspended')
      await context.event(job, component, {
        type: 'Normal',
        reason: status === 'True' ? 'Suspended' : 'Resumed',
        message: String(message),
      });
  }
}

/** Removes the finalizer from pods that are counted: only then may they vanish. */
async function untrack(context: ControllerContext, pods: readonly JsonObject[]): Promise<void> {
  for (const pod of pods.filter((each) => finalizersOf(each).includes(trackingFinalizer))) {
    const finalizers = finalizersOf(pod).filter((each) => each !== trackingFinalizer);
    await context.patchMetadata('Pod', pod, { uid: uidOf(pod), finalizers: finalizers.length === 0 ? null : finalizers });
  }
}
