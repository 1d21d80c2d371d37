import type { HistoryPlan } from './history.js';
import { inspect } from './invariants.js';
import { type PlayedHistory, play } from './play.js';
import { embeddedSite, isForReal, type OpenSite, realAge, realSite } from './site.js';
import { storyOf } from './story.js';

/** What became of histories that were played on both servers. */
export interface Agreement {
  readonly same: number;
  /** Those that differed, each time too late by the clock of the real server for a comparison. */
  readonly late: number;
  readonly different: readonly string[];
}

/** Histories at once: each waits most of its time. */
const lanes = 12;
const tries = 3;
/** Milliseconds: later, times of the server are of another second than those of the history. */
const maxLag = 300;

/**
 * Plays histories on the embedded server and on a real one, with the same faults at the same requests, and compares their stories line by line: each request, each
 * answer's code, each state of each object, each report.
 */
export async function playForReal(kubeconfig: string, plans: Iterable<HistoryPlan>): Promise<Agreement> {
  const open = realSite(kubeconfig);
  const agreement = { same: 0, late: 0, different: [] as string[] };
  const rest = plans[Symbol.iterator]();
  const work = async () => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      const expected = await play(next.value, embeddedSite(realAge));
      const found = await differenceOnReal(expected, open);
      if (found === undefined) agreement.same++;
      else if (found === 'late') agreement.late++;
      else agreement.different.push(found);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return agreement;
}

/** The random histories that one namespace of a real server can play, in order. */
export function* plansForReal(historyOf: (number: number) => HistoryPlan, count: number): Generator<HistoryPlan> {
  let found = 0;
  for (let number = 0; found < count; number++) {
    const plan = historyOf(number);
    if (!isForReal(plan)) continue;
    found++;
    yield plan;
  }
}

async function differenceOnReal(expected: PlayedHistory, open: OpenSite): Promise<string | 'late' | undefined> {
  for (let number = 0; number < tries; number++) {
    const real = await play(expected.plan, open);
    const found = await differenceOf(expected, real);
    if (found === undefined || real.lag <= maxLag) return found;
  }
  return 'late';
}

async function differenceOf(expected: PlayedHistory, real: PlayedHistory): Promise<string | undefined> {
  const [left, right] = [linesOf(expected), linesOf(real)];
  const index = left.findIndex((line, at) => line !== right[at]);
  const { violations } = await inspect(real);
  if (index < 0 && left.length === right.length && violations.length === 0) return undefined;
  const at = index < 0 ? left.length : index;
  return [
    'The story differs:',
    ...left.slice(Math.max(0, at - 3), at).map((line) => `      both: ${line}`),
    `  embedded: ${left[at] ?? 'it is over'}`,
    `      real: ${right[at] ?? 'it is over'}`,
    storyOf(real, violations),
  ].join('\n');
}

/** The story of a history, without what differs from server to server: uids, versions, the content of records. */
function linesOf({ ledger, runs }: PlayedHistory): readonly string[] {
  const told = ledger.lines.map(({ at, who, text }) => `${at} ${who}: ${plain(text)}`);
  const reported = runs.flatMap(({ computer, entries }) =>
    entries.map(({ object, result, error, forcedConflicts, yielded, released }) =>
      plain(`${computer.name} reports ${JSON.stringify({ object, result, error, forcedConflicts, yielded, released })}`),
    ),
  );
  return [...told, ...reported];
}

function plain(text: string): string {
  return (
    text
      .replace(/^(wrote (?:(?:Secret|Lease) |ConfigMap sim\.)\S*) as \d+.*$/s, '$1')
      .replace(/ as \d+/, '')
      // Whether an update is proved depends on the second in which it is answered.
      .replace('"result":"applied"', '"result":"updated"')
      .replace(/simulate-[0-9a-f]{8}/g, 'default')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'UID')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  );
}
