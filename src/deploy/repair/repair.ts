import type { Assembly } from '../../assembly/types.js';
import { defaultFightLimit } from '../../engine/inventory/takes.js';
import type { EventHost } from '../../engine/run/events.js';
import type { RunOptions } from '../../engine/run/options.js';
import type { DriftOptions, DriftSummary, Fight, ObjectDrift } from '../../inspect/drift/drift.js';
import { foughtOver, hasDrifted, report } from '../../inspect/drift/drift.js';
import { sightsOf } from '../../inspect/status/status.js';
import type { Cluster } from '../../kubernetes/index.js';
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
