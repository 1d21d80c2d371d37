import { identityKey } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { timeText } from '../../util/machine.js';
import { driftOf, hasDrifted, type ObjectDrift } from '../drift/drift.js';
import type { DatedOwner } from '../owners/owners.js';
import type { Observation } from '../status/status.js';
import { type FollowOptions, followObjects } from './follow-objects.js';

/** An object drifts, or drifts in another way than before. */
export interface SeenDrift extends ObjectDrift {
  /** The time at which the drift was seen (RFC 3339). */
  readonly at: string;
  /** The owners of the changed fields; if there are none, the managers that wrote the object after the last apply. */
  readonly by: readonly DatedOwner[];
}

/** An object no longer drifts. */
export interface DriftEnded {
  readonly event: 'drift-ended';
  readonly at: string;
  readonly stack: string;
  /** `Kind namespace/name`. */
  readonly object: string;
}

/** The last event of a watch. */
export interface WatchSummary {
  readonly event: 'watch-summary';
  /** The number of followed objects. */
  readonly objects: number;
  /** The number of them that drifted at any time. */
  readonly drifted: number;
  /** The number of them that drift at the end. */
  readonly drifting: number;
}

export type WatchEvent = SeenDrift | DriftEnded | WatchSummary | RunDiagnostic;

/**
 * Reports drift as it happens, until the signal aborts. Changes nothing.
 *
 * @throws FieldwiseError as `followObjects`.
 */
export async function watchDrift(
  assembly: Assembly,
  cluster: ClusterClient,
  options: Omit<FollowOptions, 'onWarning'>,
  host: (event: WatchEvent) => void,
): Promise<WatchSummary> {
  const reported = new Map<string, string>();
  const seen = new Set<string>();
  let objects: number | undefined;
  await followObjects(assembly, cluster, { ...options, onWarning: host }, (observations) => {
    objects ??= observations.length;
    for (const observation of observations) {
      const event = changeOf(observation, timeText(cluster.machine), reported);
      if (event?.event === 'drift' && event.state !== 'unknown') seen.add(observationKey(observation));
      if (event) host(event);
    }
  });
  const summary: WatchSummary = { event: 'watch-summary', objects: objects ?? 0, drifted: seen.size, drifting: reported.size };
  host(summary);
  return summary;
}

/** Returns the event for an object whose drift differs from what was reported last. */
function changeOf(observation: Observation, at: string, reported: Map<string, string>): SeenDrift | DriftEnded | undefined {
  const key = observationKey(observation);
  const { stack, object, otherWriters } = observation.status;
  if (!hasDrifted(observation)) return reported.delete(key) ? { event: 'drift-ended', at, stack, object } : undefined;
  const drift = driftOf(observation.status);
  const text = JSON.stringify([
    drift.state,
    drift.error?.code ?? '',
    drift.fields.map(({ field, live, owners }) => [field, live ?? null, owners]),
  ]);
  if (reported.get(key) === text) return undefined;
  reported.set(key, text);
  const owners = drift.fields.flatMap((field) => field.owners).filter(({ manager }) => manager !== drift.manager);
  return { ...drift, at, by: distinct(owners.length > 0 ? owners : otherWriters) };
}

function observationKey({ status }: Observation): string {
  return `${status.stack} ${identityKey(status)}`;
}

function distinct(owners: readonly DatedOwner[]): readonly DatedOwner[] {
  return [...new Map(owners.map((owner) => [JSON.stringify(owner), owner])).values()];
}
