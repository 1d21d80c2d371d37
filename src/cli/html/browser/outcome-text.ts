import type { Outcome } from './what-if.js';

export type OutcomeCounts = Readonly<Record<Outcome, number>>;

/** Counts outcomes. */
export function outcomeCounts(outcomes: Iterable<Outcome>): OutcomeCounts {
  const counts = { removed: 0, 'removed-with': 0, 'perhaps-removed': 0, kept: 0 };
  for (const outcome of outcomes) counts[outcome] += 1;
  return counts;
}

/** Formats counts as `2 removed, 1 removed with them, 3 stay with others`. */
export function outcomeText(counts: OutcomeCounts): string {
  const facts = [
    counts.removed > 0 ? `${counts.removed} removed` : '',
    counts['removed-with'] > 0 ? `${counts['removed-with']} removed with them` : '',
    counts['perhaps-removed'] > 0 ? `${counts['perhaps-removed']} perhaps removed` : '',
    counts.kept > 0 ? `${counts.kept} stay with others` : '',
  ].filter((fact) => fact !== '');
  return facts.join(', ') || 'nothing changes';
}
