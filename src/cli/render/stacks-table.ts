import pc from 'picocolors';
import type { ObjectProblem, ObservedStack, StackHealth } from '../../inspect/observed-stacks.js';
import type { Host } from '../process/host.js';
import { alignedRows, linesOf } from './columns.js';
import { onOneLine } from './printable.js';
import { wrap } from './wrap.js';

const healthTexts = { 'not-ready': 'not ready', 'not-known': 'not known', ready: 'ready' } as const;
/** The order of the rows: what needs attention comes first. */
const states = Object.keys(healthTexts) as readonly StackHealth['state'][];
const healthColors = { 'not-ready': 'red', 'not-known': 'yellow', ready: 'green' } as const;
const notKnown = 'not known';
/** The number of objects of a stack that are shown at once. */
export const maxProblems = 5;

/**
 * Returns the table of stacks for people: those that are not ready first, and below each the objects that are not.
 *
 * @param host with the width of the terminal, if there is one: where a row is wider, its last columns stand below the others.
 */
export function stacksTable(stacks: readonly ObservedStack[], { width, color }: Pick<Host, 'width' | 'color'>): string {
  if (stacks.length === 0) return 'no stacks\n';
  const colors = pc.createColors(color);
  const sorted = states.flatMap((state) => stacks.filter(({ health }) => health.state === state));
  const head = ['HEALTH', 'DEPLOYED', 'RESULT', 'BY', 'OBJECTS', 'STACK'];
  const rows = sorted.map((stack) => {
    const { at, result, by, objects, name } = stackTexts(stack);
    return [healthTexts[stack.health.state], at, result, by, objects, name];
  });
  const lines = alignedRows([head, ...rows]);
  const isNarrow = width !== undefined && lines.some((line) => line.length > width);
  const [title = '', ...firsts] = isNarrow
    ? alignedRows([head, ...rows].map(([health = '', at = '', result = '', , , stack = '']) => [health, at, result, stack]))
    : lines;
  return linesOf([
    title,
    ...firsts.flatMap((line, index) => {
      const stack = sorted[index] as ObservedStack;
      const [, , , by, objects] = rows[index] as readonly string[];
      const text = healthTexts[stack.health.state];
      return [
        colors[healthColors[stack.health.state]](text) + line.slice(text.length),
        ...(isNarrow ? [`  by ${by}: ${objects}`] : []),
        ...detailsOf(stack).flatMap((detail) => wrap(`  ${detail}`, 4, width ?? Number.POSITIVE_INFINITY)),
      ];
    }),
  ]);
}

/** Returns the texts of the columns of a stack, each on one line. */
export function stackTexts(stack: ObservedStack): Readonly<Record<'at' | 'result' | 'by' | 'objects' | 'name', string>> {
  const { last, historyNotRead } = stack;
  const absent = historyNotRead === undefined ? '-' : notKnown;
  return {
    at: last?.at.replace(/\.\d+Z$/, 'Z') ?? absent,
    result: last?.result ?? absent,
    by: last === undefined ? absent : onOneLine(last.by ?? '-'),
    objects: objectsText(stack),
    name: nameText(stack),
  };
}

function nameText({ app, instance, stack, damaged, laterVersion }: ObservedStack): string {
  const mark = damaged !== undefined ? ' (damaged)' : laterVersion !== undefined ? ' (of a later version)' : '';
  return onOneLine([app, instance, stack].join('/')) + mark;
}

function objectsText({ owned, shared, pending }: ObservedStack): string {
  return [`${owned} owned`, ...(shared > 0 ? [`${shared} shared`] : []), ...(pending > 0 ? [`${pending} pending`] : [])].join(', ');
}

function detailsOf(stack: ObservedStack): readonly string[] {
  const { problems } = stack.health;
  const more = problems.length - maxProblems;
  return [
    ...problems.slice(0, maxProblems).map(problemText),
    ...(more > 0 ? [`and ${more} more, which \`-o json\` lists`] : []),
    ...historyNotes(stack),
  ];
}

export function historyNotes({ historyNotRead }: ObservedStack): readonly string[] {
  return historyNotRead === undefined ? [] : [`its history was not read: ${onOneLine(historyNotRead)}`];
}

export function problemText({ object, state, message }: ObjectProblem): string {
  return onOneLine(`${object}: ${state === 'not-known' ? 'not known' : state}: ${message}`);
}
