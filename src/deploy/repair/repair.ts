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
 * Reports drift and applies the drifted objects again, by their policies and with the current declaration, under the locks of a deploy.
 * Reports objects with contended fields, and leaves them as they are.
 *
 * @throws FieldwiseError as `status` and `deploy`.
 */
export async function repair(
  assembly: Assembly,
  cluster: ClusterClient,
  options: RepairOptions,
  host: (event: ObjectDrift | DriftSummary | ContendedField) => void,
  deployHost: EventHost,
): Promise<{ readonly exitCode: number }> {
  const observations = await observeObjects(assembly, cluster, options);
  const found = report(observations, host);
  const targets = new Map<string, Set<number>>();
  let contended = 0;
  for (const { status, known, index } of observations.filter(hasDrifted)) {
    const { stack, object } = status;
    const fieldsInContention = contendedFields(known?.contention, status.drift, options.contentionLimit ?? defaultContentionLimit);
    for (const contention of fieldsInContention) host({ event: 'contention', stack, object, ...contention });
    contended += fieldsInContention.length;
    if (fieldsInContention.length === 0 && index !== undefined && !unrepairableStates.has(status.state))
      targets.set(stack, (targets.get(stack) ?? new Set()).add(index));
  }
  const deployed = targets.size === 0 ? found : await deploy(assembly, cluster, { ...options, reconcile: 'full', targets }, deployHost);
  if (deployed.exitCode !== 0) return { exitCode: deployed.exitCode };
  return { exitCode: contended > 0 ? exitCodeOf('conflict') : found.exitCode };
}

/** The states in which an apply is impossible, or would be lost with the object. */
const unrepairableStates: ReadonlySet<string> = new Set(['unknown', 'terminating']);
