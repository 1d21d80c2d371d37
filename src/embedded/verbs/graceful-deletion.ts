import { finalizersOf, metadataOf } from '../../kubernetes/object.js';
import type { JsonObject } from '../../util/json.js';
import type { Clock } from '../storage/clock.js';
import { timestamp } from '../storage/clock.js';

/** The result of a DELETE of a Pod. */
export interface GracefulDeletion {
  /** The Pod as it is to be written; the stored one if its deletion goes on as it is. */
  readonly pod: JsonObject;
  /** The Pod ends with this request: nothing has to be stopped, and nobody holds it. */
  readonly ends: boolean;
}

/**
 * Marks a Pod for deletion at the end of its grace period, or shortens that period. A Pod that no node runs has none.
 * Source: Kubernetes documentation "Pod Lifecycle", "Termination of Pods"; API reference, DeleteOptions.
 *
 * @param seconds the period that the request asks for
 */
export function deleteGracefully(
  clock: Clock,
  stored: JsonObject,
  finalizers: readonly string[],
  seconds: number | undefined,
): GracefulDeletion {
  const metadata = metadataOf(stored);
  const asked = seconds !== undefined && seconds < 0 ? 1 : seconds;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined) {
    const period = gracePeriod(stored, asked);
    const generation = metadata.generation === undefined ? {} : { generation: metadata.generation + 1 };
    const held = finalizers.length === 0 ? {} : { finalizers };
    const marks = { deletionTimestamp: timestamp(later(clock, period)), deletionGracePeriodSeconds: period };
    const pod = { ...stored, metadata: { ...metadata, ...held, ...marks, ...generation } };
    return { pod, ends: period === 0 && finalizers.length === 0 };
  }
  const before = Number(deletionGracePeriodSeconds ?? 0);
  if (asked === undefined || asked >= before) {
    const isNew = finalizers.length > finalizersOf(stored).length;
    return { pod: isNew ? { ...stored, metadata: { ...metadata, finalizers } } : stored, ends: false };
  }
  const moved = Date.parse(deletionTimestamp) - (before - asked) * 1000;
  const marks = { deletionTimestamp: timestamp(() => moved), deletionGracePeriodSeconds: asked };
  return { pod: { ...stored, metadata: { ...metadata, ...marks } }, ends: asked === 0 && finalizers.length === 0 };
}

function later(clock: Clock, seconds: number): Clock {
  return () => clock() + seconds * 1000;
}

function gracePeriod({ spec, status }: JsonObject, asked: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds = 30 } = (spec ?? {}) as { nodeName?: string; terminationGracePeriodSeconds?: number };
  const { phase } = (status ?? {}) as { phase?: string };
  if (!nodeName || phase === 'Failed' || phase === 'Succeeded') return 0;
  return asked ?? terminationGracePeriodSeconds;
}
