import type { Assembly } from '../../assembly/types.js';
import type { Cluster } from '../../cluster/index.js';
import { ownerText } from '../../ownership/index.js';
import { exitCodeOf } from '../../util/error.js';
import { deploy } from '../deploy.js';
import type { EventHost } from '../events.js';
import type { Take } from '../inventory/takes.js';
import { defaultFightLimit, isRecent } from '../inventory/takes.js';
import type { RunOptions } from '../options.js';
import type { Place } from '../place.js';
import type { ReportedError } from '../run-warning.js';
import type { DriftedField } from './drifted-field.js';
import { type ObjectStatus, type Sight, type StatusOptions, sightsOf } from './status.js';

/** An object of which others changed what a stack had applied. */
export interface ObjectDrift extends Place {
  readonly event: 'drift';
  /**
   * `released`: the stack owns nothing of it any more. `missing`: it does not exist any more. `terminating`: it is being deleted.
   * `unknown`: see `error`.
   */
  readonly state: 'drifted' | 'released' | 'missing' | 'terminating' | 'unknown';
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
  cluster: Cluster,
  options: DriftOptions,
  host: (event: ObjectDrift | DriftSummary) => void,
): Promise<DriftSummary> {
  return report(await sightsOf(written, cluster, options), host);
}

export type RepairOptions = DriftOptions & RunOptions;

/**
 * Tells the drift and applies the drifted objects again, by their policies and with what the program declares now, under the locks of a
 * deploy. Objects over whose fields stack and manager fight are told and left as they are.
 *
 * @throws FieldwiseError as `status` and `deploy`.
 */
export async function repair(
  written: Assembly,
  cluster: Cluster,
  options: RepairOptions,
  host: (event: ObjectDrift | DriftSummary | Fight) => void,
  deploying: EventHost,
): Promise<{ readonly exitCode: number }> {
  const sights = await sightsOf(written, cluster, options);
  const found = report(sights, host);
  const only = new Map<string, Set<number>>();
  let fights = 0;
  for (const { status, known, index } of sights.filter(hasDrifted)) {
    const { stack, object } = status;
    const fought = foughtOver(known?.takes, status.drift, options.fightLimit ?? defaultFightLimit);
    for (const take of fought) host({ event: 'fight', stack, object, ...take });
    fights += fought.length;
    if (fought.length === 0 && index !== undefined && !unrepaired.has(status.state))
      only.set(stack, (only.get(stack) ?? new Set()).add(index));
  }
  const ended = only.size === 0 ? found : await deploy(written, cluster, { ...options, reconcile: 'full', only }, deploying);
  if (ended.exitCode !== 0) return { exitCode: ended.exitCode };
  return { exitCode: fights > 0 ? exitCodeOf('conflict') : found.exitCode };
}

/** Nobody knows what to do, or what is applied would go with the object. */
const unrepaired: ReadonlySet<string> = new Set(['unknown', 'terminating']);

function report(sights: readonly Sight[], host: (event: ObjectDrift | DriftSummary) => void): DriftSummary {
  const found = sights.filter(hasDrifted).map(({ status }) => driftOf(status));
  for (const object of found) host(object);
  const summary: DriftSummary = {
    event: 'drift-summary',
    objects: sights.length,
    drifted: found.filter(({ state }) => state !== 'unknown').length,
    fields: found.reduce((sum, { fields }) => sum + fields.length, 0),
    exitCode: found.some(({ error }) => error) ? exitCodeOf('resource') : 0,
  };
  host(summary);
  return summary;
}

/** Nothing is left of what was applied, or nothing will be. */
const ended: ReadonlySet<string> = new Set(['released', 'missing', 'terminating']);

/** What was never applied has not drifted. */
function hasDrifted({ status, known }: Sight): boolean {
  if (ended.has(status.state)) return known?.uid !== undefined;
  return status.state === 'drifted' || status.state === 'unknown';
}

function driftOf({
  event: _,
  readiness: __,
  drift: fields,
  yielded: ___,
  pending: ____,
  foreign: _____,
  ...status
}: ObjectStatus): ObjectDrift {
  return { event: 'drift', ...status, state: status.state as ObjectDrift['state'], fields };
}

/** A field that this stack and another manager take from each other. */
export interface Fight extends Take {
  readonly event: 'fight';
  readonly stack: string;
  /** `Kind namespace/name`. */
  readonly object: string;
}

/** The takes of `limit` times or more whose fields have drifted to the same manager again. */
export function foughtOver(takes: readonly Take[] = [], drift: readonly DriftedField[], limit: number, now = new Date()): readonly Take[] {
  return takes.filter(
    (take) =>
      take.times >= limit &&
      isRecent(take, now) &&
      drift.some(
        ({ field, owners }) =>
          field === take.field &&
          owners.some(({ manager, operation, subresource = '' }) => ownerText({ manager, operation, subresource }) === take.from),
      ),
  );
}
