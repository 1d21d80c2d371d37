import type { PlanEvent, PlannedObject, PlanSummary } from '../../deploy/index.js';
import { parseExactJson } from '../../util/exact-json.js';
import { recordPlannedObject } from '../render/formats/record-planned-object.js';
import { isRisky } from '../render/shown-fields.js';
import type { FailOn } from './fail-on.js';

/** The weight of a plan as a whole; `failed`: there is no whole plan. */
export const verdicts = ['unchanged', 'harmless', 'risky', 'blocked', 'failed'] as const;

export type PlanVerdict = (typeof verdicts)[number];

/**
 * Weighs a plan.
 *
 * @param events the plan as JSON lines; empty if the diff wrote none.
 * @param exitCode the exit code of the diff.
 * @throws an error of JSON.
 */
export function planVerdict(events: string, exitCode: number): PlanVerdict {
  const read = events.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseExactJson(line) as unknown as PlanEvent]));
  // A diff of several environments has several.
  const summaries = read.filter((event): event is PlanSummary => event.event === 'plan-summary');
  if (summaries.length === 0 || (exitCode !== 0 && summaries.every((summary) => summary.exitCode !== exitCode))) return 'failed';
  if (exitCode !== 0) return 'blocked';
  const planned = read.filter((event): event is PlannedObject => event.event === 'plan');
  const objects = planned.map((object) => ({ object, recorded: recordPlannedObject(object) }));
  if (objects.some(({ recorded }) => recorded.risk === 'blocked')) return 'blocked';
  if (objects.some(({ object, recorded }) => isRisky(object, recorded))) return 'risky';
  return summaries.some(({ differs }) => differs) ? 'harmless' : 'unchanged';
}

/** Returns the exit code of a job: that of the diff, or 1 for a plan that is permitted by the cluster and not by the job. */
export function jobExitCode(verdict: PlanVerdict, exitCode: number, failOn: FailOn): number {
  if (verdict === 'failed') return exitCode === 0 ? 4 : exitCode;
  if (failOn === 'never') return 0;
  if (verdict === 'blocked') return exitCode === 0 ? 4 : exitCode;
  const lightest = { blocked: 'blocked', risky: 'risky', changes: 'harmless' } as const;
  return verdicts.indexOf(verdict) >= verdicts.indexOf(lightest[failOn]) ? 1 : 0;
}
