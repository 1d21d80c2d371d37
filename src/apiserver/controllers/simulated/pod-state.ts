import { conditionOf, isTerminating, metadataOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';

export function phaseOf(pod: JsonObject): string {
  return String(structOf(pod.status).phase ?? '');
}

/** Returns true for a pod that runs or may still run. */
export function isActive(pod: JsonObject): boolean {
  return phaseOf(pod) !== 'Succeeded' && phaseOf(pod) !== 'Failed' && !isTerminating(pod);
}

export function isReady(pod: JsonObject): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

/**
 * Returns the milliseconds until a pod is available, 0 if it is; undefined if it is not ready.
 *
 * @param now milliseconds since 1970.
 */
export function untilAvailable(pod: JsonObject, minReadySeconds: number, now: number): number | undefined {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status !== 'True') return undefined;
  return minReadySeconds === 0 ? 0 : Math.max(0, ready.lastTransitionMs + minReadySeconds * 1000 - now);
}

/** The counts of pods that every status has. */
export interface PodCounts {
  readonly ready: number;
  readonly available: number;
  /** Milliseconds until the next pod is available; undefined if none will be by itself. */
  readonly nextAvailable: number | undefined;
}

export function countPods(pods: readonly JsonObject[], minReadySeconds: number, now: number): PodCounts {
  const waits = pods.map((pod) => untilAvailable(pod, minReadySeconds, now)).filter((wait) => wait !== undefined);
  const later = waits.filter((wait) => wait > 0);
  return {
    ready: waits.length,
    available: waits.length - later.length,
    nextAvailable: later.length === 0 ? undefined : Math.min(...later),
  };
}

/**
 * Orders pods for a deletion: those without a node, those that have not started, those that are not ready, then the newest.
 * Source: Kubernetes documentation "ReplicaSet", "Scaling a ReplicaSet".
 */
export function byDeletion(left: JsonObject, right: JsonObject): number {
  const ranks = [left, right].map((pod) => [
    structOf(pod.spec).nodeName === undefined ? 0 : 1,
    phaseOf(pod) === 'Pending' ? 0 : 1,
    isReady(pod) ? 1 : 0,
    -Date.parse(String(metadataOf(pod).creationTimestamp)),
  ]);
  const difference = ranks[0]?.map((rank, index) => rank - (ranks[1]?.[index] ?? 0)).find((each) => each !== 0);
  return difference ?? 0;
}
