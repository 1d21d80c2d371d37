import type { Violation } from './invariants.js';
import type { PlayedHistory } from './play.js';

/** Characters. */
const longestText = 240;

/**
 * Tells a history so that a person can read it: what each run did, what was lost, what became of the objects.
 *
 * @param options.everything with the requests that only read, too, and each line whole.
 */
export function storyOf(
  { plan, ledger, runs }: PlayedHistory,
  violations: readonly Violation[],
  { everything = false }: { readonly everything?: boolean } = {},
): string {
  const told = ledger.lines.filter(({ who, text }) => everything || !isReading(who, text));
  const width = Math.max(...told.map(({ who }) => who.length));
  const lines = told.map(({ at, who, text }) => `${seconds(at)}  ${who.padEnd(width)}  ${everything ? text : shortened(text)}`);
  const reports = runs.map(({ computer, outcome, entries }) => {
    const results = entries.map(({ object, result }) => `${result} ${object}`).join(', ');
    return `${computer.name}: ${outcome === undefined ? 'did not end' : `exit code ${outcome.exitCode}`}${results && `; ${results}`}`;
  });
  return [
    ...violations.map(({ invariant, text }) => `BROKEN: ${invariant}: ${text}`),
    'What happened, with seconds since the beginning:',
    ...lines,
    'What the runs reported:',
    ...reports,
    `Again: npm run campaign -- simulate --history '${JSON.stringify(plan)}'`,
  ].join('\n');
}

/** Says how much of a long line, such as that of a record, is left out. */
function shortened(text: string): string {
  return text.length > longestText + 40
    ? `${text.slice(0, longestText)}… (${text.length - longestText} characters more: see --history)`
    : text;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3).padStart(9);
}

/** Requests that change nothing, without a fault, and the server's part of them. */
function isReading(who: string, text: string): boolean {
  if (text.includes('←')) return false;
  return /^GET |dry run|selfsubjectaccessreviews/.test(text) || (who === 'server' && / of .*: 20\d$/.test(text));
}
