import { median } from '../../bench/figures.js';
import type { Assessment } from './assess-message.js';
import type { CompilerResult, MistakeOutcome, MistakesResult } from './measure-mistakes.js';
import { type Way, ways } from './mistake.js';

/** The report as Markdown tables: totals for each compiler, and with `all` each mistake and the messages that are worst. */
export function mistakesText({ results, absent }: MistakesResult, all: boolean): string {
  const lines = absent.length === 0 ? [] : [`Without ${absent.join(', ')}: no directory has these CRDs.`, ''];
  const [first] = results;
  if (all && first !== undefined) lines.push(`Each mistake with ${first.compiler}:`, '', ...detailTable(first), '');
  for (const result of results) {
    lines.push(`${result.rows.length} mistakes with ${result.compiler}:`, '', ...totalsTable(result), '', ...behindPeers(result, all), '');
  }
  return lines.map((line) => `${line}\n`).join('');
}

function totalsTable({ rows }: CompilerResult): string[] {
  const body = ways.map((way) => {
    const written = rows.filter(({ outcomes }) => outcomes[way] !== 'unwritable');
    const accepted = written.filter(({ outcomes, mistake }) => outcomes[way] === 'accepted' && mistake.guess !== true).length;
    const assessed = assessmentsOf(rows, way);
    const suggestible = assessed.filter(({ suggests }) => suggests !== undefined);
    const count = (pick: (assessment: Assessment) => boolean) => assessed.filter(pick).length;
    const cells = [
      written.length,
      assessed.length,
      accepted,
      `${count(({ names }) => names)} of ${assessed.length}`,
      `${count(({ names, marks }) => names || marks)} of ${assessed.length}`,
      `${count(({ suggests }) => suggests === true)} of ${suggestible.length}`,
      count(({ cut }) => cut),
      assessed.length === 0 ? '–' : median(assessed.map(({ message }) => message.text.length)),
      assessed.length === 0 ? '–' : Math.max(...assessed.map(({ message }) => message.text.length)),
    ];
    return `| ${[way, ...cells].join(' | ')} |`;
  });
  const head = [
    'written as',
    'written',
    'refused',
    'accepted',
    'names the field',
    'names or marks it',
    'suggests',
    'cut lists',
    'median length',
    'longest',
  ];
  return [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...body];
}

/** Where a peer suggests what was meant, or refuses, and we do not. */
function behindPeers({ rows }: CompilerResult, all: boolean): string[] {
  const [ours, peers] = [ways.slice(0, 2), ways.slice(2)];
  return ours.map((way) => {
    const suggests = (outcome: MistakeOutcome) => typeof outcome !== 'string' && outcome.suggests === true;
    const missing = rows.filter(({ outcomes }) => {
      return outcomes[way] !== 'unwritable' && !suggests(outcomes[way]) && peers.some((peer) => suggests(outcomes[peer]));
    });
    const named = missing.map(({ kind, mistake }) => `${kind} ${mistake.field}`);
    return `As ${way}, a peer suggests what was meant and ours does not: ${missing.length}${all && named.length > 0 ? ` (${named.join(', ')})` : ''}`;
  });
}

function assessmentsOf(rows: CompilerResult['rows'], way: Way): Assessment[] {
  return rows.flatMap(({ outcomes }) => (typeof outcomes[way] === 'string' ? [] : [outcomes[way] as Assessment]));
}

function detailTable({ rows }: CompilerResult): string[] {
  const body = rows.map(({ kind, mistake, outcomes }) => {
    const wanted = mistake.meant === undefined ? mistake.field : `${mistake.field} → ${mistake.meant}`;
    return `| ${[kind, mistake.what, wanted, ...ways.map((way) => cell(outcomes[way]))].join(' | ')} |`;
  });
  return [`| kind | mistake | field | ${ways.join(' | ')} |`, `|${' --- |'.repeat(3 + ways.length)}`, ...body];
}

function cell(outcome: MistakeOutcome): string {
  if (outcome === 'unwritable') return '–';
  if (outcome === 'accepted') return '**accepted**';
  const { message, names, marks, suggests, cut } = outcome;
  const words = [
    names ? 'names' : marks ? 'marks' : 'neither',
    ...(suggests ? ['suggests'] : suggests === false ? ['no suggestion'] : []),
    ...(cut ? ['cut'] : []),
  ];
  return `TS${message.code} ${words.join(', ')} (${message.text.length})`;
}
