import type { Assembly } from '../../assembly/types.js';
import type { ObjectReference } from '../../engine/addresses/object-reference.js';
import type { Contention } from '../../engine/report/contention.js';
import { isRecent } from '../../engine/report/contention.js';
import type { RewrittenField } from '../../engine/report/rewritten-field.js';
import type { ReportedError, RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { ownerText } from '../../ownership/index.js';
import { exitCodeOf } from '../../util/error.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import { type ObjectStatus, type Observation, observeObjects, type StatusOptions } from '../status/status.js';
import type { DriftedField } from './drifted-field.js';

/** An object of a stack that others have changed. */
export interface ObjectDrift extends ObjectReference, IntegersAsText {
  readonly event: 'drift';
  /**
   * `released`: the stack no longer owns fields of it. `absent`: it no longer exists. `terminating`: it is being deleted.
   * `unknown`: see `error`. `rewritten`: nothing drifted, and the server keeps other values than declared.
   */
  readonly state: 'drifted' | 'released' | 'absent' | 'terminating' | 'rewritten' | 'unknown';
  readonly fields: readonly DriftedField[];
  /** Declared fields of which the server keeps another value, or none; absent if there are none. No drift. */
  readonly rewritten?: readonly RewrittenField[];
  /** Fields whose values could not be read: they are not compared. */
  readonly notCompared?: readonly string[];
  readonly error?: ReportedError;
}

export interface DriftSummary {
  readonly event: 'drift-summary';
  /** The number of inspected objects. */
  readonly objects: number;
  /** The number of them that drifted, were released, are absent or are being deleted. */
  readonly drifted: number;
  readonly fields: number;
  readonly exitCode: number;
}

export type DriftOptions = StatusOptions;

/**
 * Reports the fields of the selected stacks that others have changed since they were applied, with their owners now. Changes nothing.
 *
 * @throws FieldwiseError as `status`.
 */
export async function drift(
  assembly: Assembly,
  cluster: ClusterClient,
  options: DriftOptions,
  host: (event: ObjectDrift | DriftSummary | RunDiagnostic) => void,
): Promise<DriftSummary> {
  return report(await observeObjects(assembly, cluster, { ...options, onWarning: host, onInputs: host }), host);
}

export function report(observations: readonly Observation[], host: (event: ObjectDrift | DriftSummary) => void): DriftSummary {
  const found = observations.filter(hasDrifted).map(({ status }) => driftOf(status));
  for (const object of found) host(object);
  for (const { status } of observations) if (status.state === 'rewritten') host(driftOf(status));
  const summary: DriftSummary = {
    event: 'drift-summary',
    objects: observations.length,
    drifted: found.filter(({ state }) => state !== 'unknown').length,
    fields: found.reduce((sum, { fields }) => sum + fields.length, 0),
    exitCode: found.some(({ error }) => error) ? exitCodeOf('resource') : 0,
  };
  host(summary);
  return summary;
}

/** The states in which nothing of the applied intent is left, or nothing will be. */
export const driftedFromLiveStates: ReadonlySet<string> = new Set(['released', 'absent', 'terminating']);

/** Returns true if others changed or removed an object; an object that was never applied has not drifted. */
export function hasDrifted({ status, known }: Observation): boolean {
  if (driftedFromLiveStates.has(status.state)) return known?.uid !== undefined;
  return status.state === 'drifted' || status.state === 'unknown';
}

export function driftOf({
  event: _,
  readiness: __,
  drift: fields,
  yielded: ___,
  pending: ____,
  otherWriters: _____,
  ...status
}: ObjectStatus): ObjectDrift {
  return { event: 'drift', ...status, state: status.state as ObjectDrift['state'], fields };
}

/** A field that this stack and another manager take from each other. */
export interface ContendedField extends Contention {
  readonly event: 'contention';
  readonly stack: string;
  /** `Kind namespace/name`. */
  readonly object: string;
}

/** Returns the recent contentions that were counted at least `limit` times and whose field the same manager owns again. */
export function contendedFields(
  contention: readonly Contention[] = [],
  drift: readonly DriftedField[],
  limit: number,
  now: Date,
): readonly Contention[] {
  return contention.filter(
    (contended) =>
      contended.count >= limit &&
      isRecent(contended, now) &&
      drift.some(
        ({ field, owners }) =>
          field === contended.field &&
          owners.some(({ manager, operation, subresource = '' }) => ownerText({ manager, operation, subresource }) === contended.from),
      ),
  );
}
