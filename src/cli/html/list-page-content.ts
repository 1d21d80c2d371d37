import type { ObservedStack } from '../../inspect/observed-stacks.js';
import { pluralize } from '../../util/pluralize.js';
import { onOneLine, printable } from '../render/printable.js';
import { historyNotes, maxProblems, problemText, stackTexts } from '../render/stacks-table.js';
import { type Markup, tag } from './markup.js';
import type { ListPageData, PageSubject, StackState } from './page-data.js';

/** The states in the order of the page: their titles, and their texts behind a number. */
const states: Readonly<Record<StackState, readonly [title: string, text: string]>> = {
  'not-ready': ['Not ready', 'not ready'],
  'in-progress': ['Not ready yet', 'not ready yet'],
  'deploy-failed': ['Ready, and the last deploy failed', 'ready after a failed deploy'],
  'not-known': ['Not known', 'not known'],
  ready: ['Ready', 'ready'],
};
const columns = [
  ['title', 'Stack'],
  ['at', 'Last deploy'],
  ['result', 'Result'],
  ['by', 'By'],
  ['objects', 'Objects'],
] as const;
/** The ready stacks up to this number are open at first. */
const openAtFirst = 20;
/** The objects of a stack that a page has. */
const mostProblems = 100;

/** Returns the content of a page about stacks, which needs no script, and the data by which its script filters. */
export function listPageContent(
  stacks: readonly ObservedStack[],
  { subject, made }: { readonly subject: PageSubject; readonly made: string },
): { readonly content: Markup; readonly data: ListPageData } {
  const groups = (Object.keys(states) as StackState[])
    .map((state) => ({ state, members: stacks.filter((stack) => stateOf(stack) === state) }))
    .filter(({ members }) => members.length > 0);
  const counts = groups.map(({ state, members }) => [state, `${members.length} ${states[state][1]}`] as const);
  const total = pluralize(stacks.length, 'stack');
  const header = tag(
    'header',
    {},
    tag('h1', {}, subject.title),
    tag('p', { class: 'headline' }, counts.length === 0 ? total : `${total}: ${counts.map(([, text]) => text).join(', ')}`),
    tag('p', { class: 'facts' }, subject.cluster, ', read ', time(made)),
  );
  const sections = groups.map(({ state, members }) => section(state, members));
  return {
    content: { html: header.html + tag('main', {}, tag('div', {}, ...sections)).html },
    data: {
      states: counts,
      stacks: groups.flatMap(({ state, members }) =>
        members.map(({ app, instance, namespaces }) => ({
          state,
          app: printable(app),
          instance: printable(instance),
          namespaces: namespaces.map(printable),
        })),
      ),
    },
  };
}

/** Tells a rollout from a failure, and names ready stacks whose last deploy failed. */
function stateOf({ health: { state, problems }, last, damaged }: ObservedStack): StackState {
  const isFailed = last?.result === 'failed';
  if (state === 'ready' && isFailed) return 'deploy-failed';
  const isRollout = problems.every((one) => one.state === 'in-progress' || one.state === 'not-known');
  return state === 'not-ready' && isRollout && !isFailed && damaged === undefined ? 'in-progress' : state;
}

function section(state: StackState, members: readonly ObservedStack[]): Markup {
  const isOpen = state !== 'ready' || members.length <= openAtFirst;
  const heading = tag('h2', { class: `of-${state}` }, states[state][0]);
  return tag(
    'details',
    { class: 'state', ...(isOpen ? { open: '' } : {}) },
    tag('summary', {}, heading, ' ', tag('span', { class: 'note' }, pluralize(members.length, 'stack'))),
    table(members),
  );
}

/** Has roles, because a small window shows rows as blocks, which takes the roles of elements away. */
function table(members: readonly ObservedStack[]): Markup {
  const head = columns.map(([style, title]) => tag('th', { class: style, scope: 'col', role: 'columnheader' }, title));
  return tag(
    'table',
    { class: 'stacks', role: 'table' },
    tag('thead', { role: 'rowgroup' }, tag('tr', { role: 'row' }, ...head)),
    ...members.map(stackRows),
  );
}

function stackRows(stack: ObservedStack): Markup {
  const { at, result, by, objects, name } = stackTexts(stack);
  const { last } = stack;
  const details = detailsOf(stack);
  const cell = (style: string, content: Markup | string) => tag('td', { class: style, role: 'cell' }, content);
  return tag(
    'tbody',
    { role: 'rowgroup' },
    tag(
      'tr',
      { role: 'row' },
      tag('th', { class: 'title', scope: 'row', role: 'rowheader' }, name),
      cell('at', last ? time(at) : at),
      cell(`result ${last?.result ?? 'absent'}`, result),
      cell(last ? 'by' : 'by absent', by),
      cell('objects', objects),
    ),
    ...(details.length > 0
      ? [tag('tr', { role: 'row' }, tag('td', { class: 'details', colspan: String(columns.length), role: 'cell' }, ...details))]
      : []),
  );
}

/** The objects that are not ready, the first ones open, and the reasons why something is not known. */
function detailsOf(stack: ObservedStack): readonly Markup[] {
  const { damaged, laterVersion, health } = stack;
  const problems = health.problems.slice(0, mostProblems).map(problemText);
  const left = health.problems.length - problems.length;
  const folded = [...problems.slice(maxProblems), ...(left > 0 ? [`and ${left} more, which \`fieldwise list -o json\` lists`] : [])];
  const notes = [damaged, laterVersion].flatMap((note) => (note === undefined ? [] : [onOneLine(note)]));
  const shown = [...notes, ...problems.slice(0, maxProblems), ...historyNotes(stack)];
  const more = tag('summary', {}, `${health.problems.length - maxProblems} more`);
  return [...(shown.length > 0 ? [list(shown)] : []), ...(folded.length > 0 ? [tag('details', {}, more, list(folded))] : [])];
}

function list(texts: readonly string[]): Markup {
  return tag('ul', {}, ...texts.map((text) => tag('li', {}, text)));
}

/** A time, which the script replaces by that of the reader's clock. */
function time(text: string): Markup {
  return tag('time', { datetime: text, title: text }, text);
}
