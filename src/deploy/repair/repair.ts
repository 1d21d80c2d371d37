import type { Assembly } from '../../assembly/types.js';
import { defaultContentionLimit } from '../../engine/inventory/contention.js';
import type { EventHost } from '../../engine/report/events.js';
import type { RunOptions } from '../../engine/run/options.js';
import type { ContendedField, DriftOptions, DriftSummary, ObjectDrift } from '../../inspect/drift/drift.js';
import { contendedFields, hasDrifted, report } from '../../inspect/drift/drift.js';
import { observeObjects } from '../../inspect/status/status.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { exitCodeOf } from '../../util/error.js';
import { deploy } from '../deploy/deploy.js';

export type RepairOptions = DriftOptions & RunOptions;

/**
 * Tells the drift and applies the drifted objects again, by their policies and with what the program declares now, under the locks of a
 * deploy. Objects over whose fields stack and manager fight are told and left as they are.
 *
 * @throws FieldwiseError as `status` and `deploy`.
 */
export async function repair(
  written: Assembly,
  cluster: ClusterClient,
  options: RepairOptions,
  host: (event: ObjectDrift | DriftSummary | ContendedField) => void,
  deploying: EventHost,
): Promise<{ readonly exitCode: number }> {
  const observations = await observeObjects(written, cluster, options);
  const found = report(observations, host);
  const only = new Map<string, Set<number>>();
  let contended = 0;
  for (const { status, known, index } of observations.filter(hasDrifted)) {
    const { stack, object } = status;
    const fieldsInContention = contendedFields(known?.contention, status.drift, options.contentionLimit ?? defaultContentionLimit);
    for (const take of fieldsInContention) host({ event: 'contention', stack, object, ...take });
    contended += fieldsInContention.length;
    if (fieldsInContention.length === 0 && index !== undefined && !unrepairableStates.has(status.state))
      only.set(stack, (only.get(stack) ?? new Set()).add(index));
  }
  const deployed = only.size === 0 ? found : await deploy(written, cluster, { ...options, reconcile: 'full', targets: only }, deploying);
  if (deployed.exitCode !== 0) return { exitCode: deployed.exitCode };
  return { exitCode: contended > 0 ? exitCodeOf('conflict') : found.exitCode };
}

/** Nobody knows what to do, or what is applied would go with the object. */
const unrepairableStates: ReadonlySet<string> = new Set(['unknown', 'terminating']);
