import { pluralize } from '../../../util/pluralize.js';
import type { RecordedRun } from './recorded-run.js';
import type { RunFigures } from './run-figures.js';

/** How many managers the verdict names. */
const namedLosers = 3;

const words = {
  plan: {
    take: 'takes',
    release: 'releases',
    delete: 'deletes',
    recreate: 'recreates',
    block: 'blocked',
    adopt: 'adopts',
    end: 'not planned',
  },
  deploy: {
    take: 'took',
    release: 'released',
    delete: 'deleted',
    recreate: 'recreated',
    block: 'failed',
    adopt: 'adopted',
    end: 'not deployed',
  },
} as const;

/**
 * Formats the figures that decide whether somebody has to look: `takes 2 fields from helm · releases 1 · deletes 0 · nothing blocked`.
 *
 * @param name formats the name of a field manager.
 */
export function verdictLine(run: RecordedRun, figures: RunFigures, name: (text: string) => string = (text) => text): string {
  const { taken, losers, adopted, released, deleted, recreated, blocked, skipped, notCompared } = figures;
  const verb = words[run.verb];
  const codes = [...new Set(run.errors.map(({ code }) => code))].join(', ');
  if (codes !== '' && run.objects.every(({ risk }) => risk === 'skipped')) return `${verb.end}: ${codes}`;
  const facts = [
    `${verb.take} ${pluralize(taken, 'field')}${losersText(losers, name)}`,
    `${verb.release} ${released}`,
    `${verb.delete} ${deleted}`,
    ...(adopted > 0 ? [`${verb.adopt} ${adopted}`] : []),
    ...(recreated > 0 ? [`${verb.recreate} ${recreated}`] : []),
    blocked > 0 ? `${blocked} ${verb.block}` : `nothing ${verb.block}`,
    ...(notCompared > 0 ? [`${pluralize(notCompared, 'field')} not compared`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(codes === '' ? [] : [`errors: ${codes}`]),
  ];
  return facts.join(' · ');
}

function losersText(losers: RunFigures['losers'], name: (text: string) => string): string {
  const [first] = losers;
  if (first === undefined) return '';
  if (losers.length === 1) return ` from ${name(first[0])}`;
  const named = losers.slice(0, namedLosers).map(([loser, fields]) => `${name(loser)} (${fields})`);
  const others = losers.length - named.length;
  return ` from ${named.join(', ')}${others > 0 ? ` and ${pluralize(others, 'other')}` : ''}`;
}
