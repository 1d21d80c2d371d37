import type { Assembly } from '../../assembly/types.js';
import { notAsApplied } from '../../engine/inventory/not-as-applied.js';
import { untoldWarning } from '../../engine/inventory/untold-changes.js';
import { defaultContentionLimit } from '../../engine/report/contention.js';
import type { EventHost } from '../../engine/report/events.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import type { RunOptions } from '../../engine/run/options.js';
import type { ContendedField, DriftOptions, DriftSummary, ObjectDrift } from '../../inspect/drift/drift.js';
import { contendedFields, hasDrifted, report } from '../../inspect/drift/drift.js';
import { observeObjects } from '../../inspect/status/status.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { exitCodeOf } from '../../util/error.js';
import { deploy } from '../deploy/deploy.js';
import { describeUnrepaired, type Unrepairable, type UnrepairedObject } from './unrepaired.js';

export type RepairOptions = DriftOptions & RunOptions;

/**
 * Reports drift and applies the drifted objects again, by their policies, under the locks of a deploy. Restores what was applied last: an
 * object whose intent is not known to be that is named, and left as it is. Also reports objects with contended fields, and leaves them.
 *
 * @returns the exit code: 4 if an object was not repaired, 5 if only a contention was the reason.
 * @throws FieldwiseError as `status` and `deploy`; `repair-outdated` if another run deployed one of the objects meanwhile.
 */
export async function repair(
  assembly: Assembly,
  cluster: ClusterClient,
  options: RepairOptions,
  host: (event: ObjectDrift | DriftSummary | ContendedField | UnrepairedObject | RunDiagnostic) => void,
  deployHost: EventHost,
): Promise<{ readonly exitCode: number }> {
  const observations = await observeObjects(assembly, cluster, { ...options, onInputs: host });
  const found = report(observations, host);
  const targets = new Map<string, Set<number>>();
  const unrepairable: Unrepairable[] = [];
  let contended = 0;
  for (const { step, ...observation } of observations.filter(hasDrifted)) {
    const { status, known } = observation;
    const { stack, object } = status;
    const now = new Date(cluster.machine.wall());
    const fieldsInContention = contendedFields(known?.contention, status.drift, options.contentionLimit ?? defaultContentionLimit, now);
    for (const contention of fieldsInContention) host({ event: 'contention', stack, object, ...contention });
    contended += fieldsInContention.length;
    if (step === undefined || unrepairableStates.has(status.state)) continue;
    const reason = notAsApplied(step, known);
    if (reason !== undefined) unrepairable.push({ observation: { ...observation, step }, reason });
    else if (fieldsInContention.length === 0) targets.set(stack, (targets.get(stack) ?? new Set()).add(step.index));
  }
  const isTarget = ({ step, status }: (typeof observations)[number]) => step !== undefined && targets.get(status.stack)?.has(step.index);
  const untold = untoldWarning(observations.filter((one) => !isTarget(one)).map(({ known }) => known));
  if (untold !== undefined) host(untold);
  for (const object of await describeUnrepaired(assembly, cluster, options, unrepairable)) host(object);
  const run = { ...options, reconcile: 'full' as const, targets, onlyAsApplied: true };
  const deployed = targets.size === 0 ? found : await deploy(assembly, cluster, run, deployHost);
  if (deployed.exitCode !== 0) return { exitCode: deployed.exitCode };
  if (unrepairable.length > 0) return { exitCode: exitCodeOf('resource') };
  return { exitCode: contended > 0 ? exitCodeOf('conflict') : found.exitCode };
}

/** The states in which an apply is impossible, or would be lost with the object. */
const unrepairableStates: ReadonlySet<string> = new Set(['unknown', 'terminating']);
