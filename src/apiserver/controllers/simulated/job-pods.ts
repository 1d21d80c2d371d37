import { finalizersOf, isTerminating, metadataOf, uidOf } from '../../../fields/object.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { listOf, memberAt, structOf } from '../../api/json-access.js';
import type { ControllerContext } from './controller-context.js';
import { completedIndexes } from './job-indexes.js';
import { isActive, phaseOf } from './pod-state.js';
import { numberAt } from './workload-object.js';

/** Finalizer of the pods of a Job until they are counted. Source: Kubernetes documentation "Jobs", "Job tracking with finalizers". */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** The pods of a Job at one look, and how many have ended so far. */
export interface JobPods {
  readonly all: readonly JsonObject[];
  readonly active: readonly JsonObject[];
  readonly terminating: readonly JsonObject[];
  /** Pods that have ended and still have their finalizer. */
  readonly uncounted: readonly JsonObject[];
  /** All that have succeeded or failed, those that are gone included. */
  readonly succeeded: number;
  readonly failed: number;
  /** Milliseconds since 1970; undefined if no pod has failed since the last success. */
  readonly lastFailure: number | undefined;
}

export function jobPods(context: ControllerContext, job: JsonObject): JobPods {
  const all = context.controlled('Pod', job);
  const uncounted = all.filter((pod) => hasEnded(pod) && isTracked(pod));
  const counted = countsBefore(job, uncounted);
  const count = (phase: 'succeeded' | 'failed') => counted[phase] + uncounted.filter((pod) => endOf(pod) === phase).length;
  const failures = all.filter((pod) => phaseOf(pod) === 'Failed').map(endTime);
  return {
    ...{ all, uncounted, active: all.filter(isActive) },
    terminating: all.filter((pod) => isTerminating(pod) && !hasEnded(pod)),
    succeeded: count('succeeded'),
    failed: count('failed'),
    lastFailure: failures.length === 0 ? undefined : Math.max(...failures),
  };
}

const isTracked = (pod: JsonObject) => finalizersOf(pod).includes(trackingFinalizer);
const hasEnded = (pod: JsonObject) => phaseOf(pod) === 'Succeeded' || phaseOf(pod) === 'Failed';
const endOf = (pod: JsonObject) => (phaseOf(pod) === 'Succeeded' ? 'succeeded' : 'failed');

function endTime(pod: JsonObject): number {
  const times = listOf(structOf(pod.status).containerStatuses).map((status) =>
    Date.parse(String(memberAt(status, 'state.terminated.finishedAt'))),
  );
  return Math.max(...times.filter((time) => !Number.isNaN(time)), Date.parse(String(metadataOf(pod).creationTimestamp)));
}

/** Returns the counts of the status, with the pods that were recorded there and have lost their finalizer since. */
function countsBefore(job: JsonObject, uncounted: readonly JsonObject[]): { readonly succeeded: number; readonly failed: number } {
  const tracked = new Set(uncounted.map(uidOf));
  const released = (phase: string) => recordedIn(job, phase).filter((uid) => !tracked.has(uid)).length;
  return {
    succeeded: numberAt(job, 'status.succeeded') + released('succeeded'),
    failed: numberAt(job, 'status.failed') + released('failed'),
  };
}

function recordedIn(job: JsonObject, phase: string): readonly string[] {
  const uids = memberAt(job, `status.uncountedTerminatedPods.${phase}`);
  return Array.isArray(uids) ? uids.map(String) : [];
}

/** Returns the members of the status that count ended pods: those without a finalizer as numbers, the others by their uid. */
export function countedPods(job: JsonObject, pods: JobPods): JsonObject {
  const { succeeded, failed } = countsBefore(job, pods.uncounted);
  const uids = (phase: string): Json => pods.uncounted.filter((pod) => endOf(pod) === phase).map((pod) => uidOf(pod));
  const lists = { succeeded: uids('succeeded'), failed: uids('failed') };
  const isIndexed = memberAt(job, 'spec.completionMode') === 'Indexed';
  const completed = isIndexed ? completedIndexes(job, pods) : '';
  return {
    succeeded: succeeded === 0 ? undefined : succeeded,
    failed: failed === 0 ? undefined : failed,
    uncountedTerminatedPods: Object.fromEntries(Object.entries(lists).filter(([, list]) => Array.isArray(list) && list.length > 0)),
    ...(completed === '' ? {} : { completedIndexes: completed }),
  };
}
