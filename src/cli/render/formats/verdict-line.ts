import { pluralize } from '../../../util/pluralize.js';
import type { RecordedRun } from './recorded-run.js';
import type { RunFigures } from './run-figures.js';

/** How many managers the verdict names. */
const namedLosers = 3;

const words = {
  plan: {
    take: 'takes',
    release: 'releases',
    recreate: 'recreates',
    block: 'blocked',
    end: 'not planned',
    nothing: 'Nothing changes.',
  },
  deploy: {
    take: 'took',
    release: 'released',
    recreate: 'recreated',
    block: 'failed',
    end: 'not deployed',
    nothing: 'Nothing changed.',
  },
} as const;

/**
 * Formats the figures that decide whether somebody has to look: `+1 ~800 −0 · takes 2 fields from helm · releases 1 · blocked 0`, created, updated and
 * deleted objects first.
 *
 * @param name formats the name of a field manager.
 */
export function verdictLine(
  run: Pick<RecordedRun, 'verb' | 'objects' | 'errors'>,
  figures: RunFigures,
  name: (text: string) => string = (text) => text,
): string {
  const { taken, losers, created, updated, deleted, adopted, released, recreated, blocked, wouldTake, skipped, notCompared, notJudged } =
    figures;
  const verb = words[run.verb];
  const codes = [...new Set(run.errors.map(({ code }) => code))].join(', ');
  if (codes !== '' && run.objects.every(({ risk }) => risk === 'skipped')) return `${verb.end}: ${codes}`;
  if (codes === '' && run.objects.every(({ risk }) => risk === 'unchanged') && notCompared + notJudged === 0) return verb.nothing;
  const facts = [
    `+${created} ~${updated} −${deleted}`,
    taken === 0 ? `${verb.take} 0` : `${verb.take} ${pluralize(taken, 'field')}${losersText(losers, name)}`,
    `${verb.release} ${released}`,
    ...(adopted > 0 ? [`existing ${adopted}`] : []),
    ...(recreated > 0 ? [`${verb.recreate} ${recreated}`] : []),
    `${verb.block} ${blocked}${wouldTake > 0 ? `, which would take ${pluralize(wouldTake, 'field')}` : ''}`,
    ...(notCompared > 0 ? [`${pluralize(notCompared, 'field')} not compared`] : []),
    ...(notJudged > 0 ? [`${pluralize(notJudged, 'object')} not judged by the server`] : []),
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
