import { metadataOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import type { SettledReadiness } from '../report/readiness-state.js';
import type { CauseFinder } from './causes/cause-finder.js';
import type { Explanation } from './causes/cause-search.js';
import { specOf, statusOf } from './object.js';

/**
 * Returns the readiness with which a wait ends, led by its cause: the one that ended the wait, else the best one of a last look. Never
 * rejects.
 *
 * @param now returns milliseconds since 1970.
 */
export async function explain(
  finder: CauseFinder,
  workload: JsonObject,
  readiness: SettledReadiness,
  found: Explanation | undefined,
  now: () => number,
): Promise<SettledReadiness> {
  try {
    const best = found ?? (isObserved(workload) ? await finder.look(workload, now()) : undefined);
    const cause = best && (await finder.describe({ ...best, certain: best.certain || readiness.state === 'failed' }, workload));
    const notLookedAt = finder.notLookedAt.length > 0 ? { notLookedAt: finder.notLookedAt } : {};
    if (!best || !cause) return { ...readiness, ...notLookedAt };
    // A Pod, and a workload whose replicas are refused, say the same themselves.
    const others = workload.kind === 'Pod' ? [] : readiness.message.split('; ').filter((part) => !cause.message.includes(part));
    const message = [cause.message, ...others].join('; ');
    const reason = readiness.state === 'failed' ? readiness.reason : best.symptom.reason;
    return { ...readiness, reason, message, cause, ...notLookedAt };
  } catch {
    return readiness; // The failure itself must be reported in any case.
  }
}

/** Returns true if the controller of a workload has seen its newest generation and rolls it out: before that, its pods say nothing. */
export function isObserved(workload: JsonObject): boolean {
  if (specOf(workload).paused === true) return false;
  const { observedGeneration } = statusOf(workload);
  if (observedGeneration === undefined) return workload.kind === 'Pod' || workload.kind === 'Job';
  return observedGeneration === metadataOf(workload).generation || workload.kind === 'Pod';
}
