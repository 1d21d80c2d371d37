import { conditionOf, metadataOf, nameOf, uidOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import type { CauseEvent } from '../../report/readiness-cause.js';
import { count, member } from '../object.js';
import { volumeFields } from './reference-fields.js';
import { certainAfterSeconds, type Symptom } from './symptom.js';

/** Returns the refusal of pods that a Deployment, ReplicaSet or ReplicationController reports in its condition `ReplicaFailure`. */
export function refusedReplicas(workload: JsonObject, isOld: boolean): Symptom | undefined {
  const failure = conditionOf(workload, 'ReplicaFailure');
  if (failure?.status !== 'True' || failure.reason !== 'FailedCreate') return undefined;
  return refusal(workload, failure.message || 'replicas cannot be created', isOld);
}

const creationReasons: ReadonlySet<string> = new Set(['FailedCreate', 'FailedDaemonPod']);

/** Returns the refusal of pods that the newest event of a workload reports. */
export function refusedByEvents(
  workload: JsonObject,
  events: readonly JsonObject[],
  isOld: (event: JsonObject) => boolean,
): Symptom | undefined {
  const newest = events.filter((event) => creationReasons.has(String(event.reason))).at(-1);
  if (!newest) return undefined;
  return { ...refusal(workload, String(newest.message ?? ''), isOld(newest)), event: causeEvent(newest) };
}

function refusal(workload: JsonObject, text: string, isOld: boolean): Symptom {
  const cause = /exceeded quota|must specify/.test(text) ? 'quota' : 'admission';
  return {
    cause,
    key: `refused ${uidOf(workload)}`,
    reason: 'FailedCreate',
    message: `${cause === 'quota' ? 'a quota refuses new pods' : 'new pods are refused'}: ${text.replace(/^Error creating: /, '')}`,
    fields: (template) => refusedFields(text, template),
    certainAfterSeconds: certainAfterSeconds.refused,
    mayBeOld: isOld,
  };
}

function refusedFields(text: string, template: string): readonly string[] {
  if (/service account|serviceaccount/i.test(text)) return [`${template}.spec.serviceAccountName`, `${template}.spec.serviceAccount`];
  if (/exceeded quota/.test(text)) return ['.spec.replicas', '.spec.parallelism', `${template}.spec.containers`];
  if (/violates PodSecurity/.test(text)) return [`${template}.spec.securityContext`, `${template}.spec.containers`];
  if (/priority class|PriorityClass/.test(text)) return [`${template}.spec.priorityClassName`];
  return [`${template}.spec.containers`];
}

const volumeReasons: ReadonlySet<string> = new Set(['FailedMount', 'FailedAttachVolume', 'FailedMapVolume', 'FailedCreatePodSandBox']);

/** Reasons of events after which the volumes of a pod are mounted. */
const laterReasons: ReadonlySet<string> = new Set(['Pulling', 'Pulled', 'Created', 'Started']);

/** Returns the volume that a pod whose containers are not created waits for, by its events, from the oldest to the newest. */
export function failedVolume(pod: JsonObject, events: readonly JsonObject[], isOld: boolean): Symptom | undefined {
  const newest = events.filter(({ reason }) => volumeReasons.has(String(reason)) || laterReasons.has(String(reason))).at(-1);
  if (!newest || !volumeReasons.has(String(newest.reason))) return undefined;
  const { reason, message } = causeEvent(newest);
  const what = reason === 'FailedCreatePodSandBox' ? 'has no sandbox' : 'cannot mount its volumes';
  return {
    cause: 'volume',
    key: `volume ${uidOf(pod)}`,
    reason,
    message: `Pod ${nameOf(pod)} ${what}: ${message}`,
    pod,
    event: causeEvent(newest),
    fields: (template) => volumeFields(pod, message, template),
    certainAfterSeconds: certainAfterSeconds.volume,
    mayBeOld: isOld,
  };
}

/** Returns the part of an event that a report shows. */
export function causeEvent(event: JsonObject): CauseEvent {
  const times = Math.max(count(event.count), count(member(event, 'series').count));
  return {
    reason: String(event.reason ?? ''),
    message: String(event.message ?? event.note ?? ''),
    ...(times > 0 ? { count: times } : {}),
  };
}

/** Returns events from the oldest to the newest. */
export function byTime(events: readonly JsonObject[]): readonly JsonObject[] {
  return [...events].sort((left, right) => timeOf(left) - timeOf(right));
}

/** Returns the time of the last occurrence of an event, by the clock of its reporter. */
export function timeOf(event: JsonObject): number {
  const { lastObservedTime } = member(event, 'series');
  const time = lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? metadataOf(event).creationTimestamp;
  return Date.parse(String(time)) || 0;
}
