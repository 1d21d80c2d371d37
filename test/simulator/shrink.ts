import type { FaultPoint, HistoryPlan, PlannedFault } from './history.js';

/** The most histories that are played to find a shorter one. */
const maxAttempts = 400;

/**
 * Makes a history shorter as long as it still fails.
 *
 * @param fails plays a history and says whether it does.
 */
export async function shrink(plan: HistoryPlan, fails: (plan: HistoryPlan) => Promise<boolean>): Promise<HistoryPlan> {
  let shortest = plan;
  let attempts = 0;
  for (;;) {
    let found: HistoryPlan | undefined;
    for (const candidate of shorterOnes(shortest)) {
      if (attempts++ >= maxAttempts) return shortest;
      if (!(await fails(candidate))) continue;
      found = candidate;
      break;
    }
    if (found === undefined) return shortest;
    shortest = found;
  }
}

/** Histories that are a little shorter, or simpler, the greatest steps first. */
function* shorterOnes(plan: HistoryPlan): Generator<HistoryPlan> {
  const { runs, acts, faults } = plan;
  if (runs.length > 1) for (const index of runs.keys()) yield withoutRun(plan, index);
  for (const index of acts.keys()) yield { ...plan, acts: acts.toSpliced(index, 1) };
  for (const index of faults.keys()) yield { ...plan, faults: faults.toSpliced(index, 1) };
  if (plan.maxLatency > 0) yield { ...plan, maxLatency: 0 };
  if (plan.concurrency > 1) yield { ...plan, concurrency: 1 };
  for (const [index, run] of runs.entries()) for (const at of earlier(run.at)) yield { ...plan, runs: runs.with(index, { ...run, at }) };
  for (const [index, act] of acts.entries())
    for (const at of earlier(act.at ?? 0)) yield { ...plan, acts: acts.with(index, { ...act, at }) };
  for (const [index, fault] of faults.entries())
    for (const simpler of simplerFaults(fault)) yield { ...plan, faults: faults.with(index, simpler) };
}

function withoutRun(plan: HistoryPlan, index: number): HistoryPlan {
  const moved = <Placed extends FaultPoint>(place: Placed): Placed => ({ ...place, run: place.run > index ? place.run - 1 : place.run });
  const faults = plan.faults.filter(({ run }) => run !== index).map(moved);
  const acts = plan.acts.flatMap((act) => {
    if (act.before === undefined) return [act];
    return act.before.run === index ? [] : [{ ...act, before: moved(act.before) }];
  });
  return { ...plan, runs: plan.runs.toSpliced(index, 1), acts, faults };
}

/** Rounder times before one. */
function earlier(at: number): number[] {
  const round = [0, 1_000, 10_000].filter((time) => time < at);
  const halved = Math.floor(at / 2);
  return halved > 0 && halved < at ? [...round, halved] : round;
}

function* simplerFaults({ fault, ...place }: PlannedFault): Generator<PlannedFault> {
  if (!('ms' in fault)) return;
  const { ms } = fault;
  for (const shorter of [50, 2_000, 6_000, 11_000, 16_000, 40_000]) if (shorter < ms) yield { ...place, fault: { ...fault, ms: shorter } };
}
