import type { CorpusResult } from './run-corpus.js';

/** The report for people about a corpus directory's objects; `all` also lists what holds. */
export function objectsText({ outcomes, refusals }: CorpusResult, all: boolean): string {
  const lines = outcomes.flatMap(({ what, failure, note }) => {
    if (failure !== undefined) return [`FAILED ${what}`, `       ${failure}`];
    if (!all && !note?.startsWith('beyond')) return [];
    return [`ok     ${what}`, ...(note === undefined ? [] : [`       ${note}`])];
  });
  const counts = Object.entries(refusals).map(([by, count]) => `${by} ${count}`);
  return [...lines, `Invalid objects refused by: ${counts.join(', ')}`].map((line) => `  ${line}\n`).join('');
}
