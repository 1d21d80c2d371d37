import type { Assembly } from '../../assembly/types.js';
import type { Contention } from '../../engine/inventory/contention.js';
import { isRecent } from '../../engine/inventory/contention.js';
import type { ReportedError } from '../../engine/report/run-diagnostic.js';
import type { ObjectReference } from '../../engine/target/object-reference.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { ownerText } from '../../ownership/index.js';
import { exitCodeOf } from '../../util/error.js';
import { type ObjectStatus, type Observation, observeObjects, type StatusOptions } from '../status/status.js';
import type { DriftedField } from './drifted-field.js';

/** An object of which others changed what a stack had applied. */
export interface ObjectDrift extends ObjectReference {
  readonly event: 'drift';
  /**
   * `released`: the stack owns nothing of it any more. `absent`: it does not exist any more. `terminating`: it is being deleted.
   * `unknown`: see `error`.
   */
  readonly state: 'drifted' | 'released' | 'absent' | 'terminating' | 'unknown';
  readonly fields: readonly DriftedField[];
  readonly error?: ReportedError;
}

export interface DriftSummary {
  readonly event: 'drift-summary';
  /** Objects looked at. */
  readonly objects: number;
  /** Of them, those that drifted, were released, are missing or are being deleted. */
  readonly drifted: number;
  readonly fields: number;
  readonly exitCode: number;
}

export type DriftOptions = StatusOptions;

/**
 * Which fields of the chosen stacks others have changed since they were applied, and to whom they belong now. Changes nothing.
 *
 * @throws FieldwiseError as `status`.
 */
export async function drift(
  written: Assembly,
  cluster: ClusterClient,
  options: DriftOptions,
  host: (event: ObjectDrift | DriftSummary) => void,
): Promise<DriftSummary> {
  return report(await observeObjects(written, cluster, options), host);
}

export function report(observations: readonly Observation[], host: (event: ObjectDrift | DriftSummary) => void): DriftSummary {
  const found = observations.filter(hasDrifted).map(({ status }) => driftOf(status));
  for (const object of found) host(object);
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

/** Nothing is left of what was applied, or nothing will be. */
export const driftedFromLiveStates: ReadonlySet<string> = new Set(['released', 'absent', 'terminating']);

/** What was never applied has not drifted. */
export function hasDrifted({ status, known }: Observation): boolean {
  if (driftedFromLiveStates.has(status.state)) return known?.uid !== undefined;
  return status.state === 'drifted' || status.state === 'unknown';
}

function driftOf({
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

/** The takes of `limit` times or more whose fields have drifted to the same manager again. */
export function contendedFields(
  contention: readonly Contention[] = [],
  drift: readonly DriftedField[],
  limit: number,
  now = new Date(),
): readonly Contention[] {
  return contention.filter(
    (take) =>
      take.count >= limit &&
      isRecent(take, now) &&
      drift.some(
        ({ field, owners }) =>
          field === take.field &&
          owners.some(({ manager, operation, subresource = '' }) => ownerText({ manager, operation, subresource }) === take.from),
      ),
  );
}
