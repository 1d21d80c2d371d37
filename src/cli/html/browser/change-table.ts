import type { PageChange, PageFieldChange, ValueRow } from '../page-data.js';
import { element } from './dom.js';
import { longText } from './long-text.js';
import { pagedLines } from './paged-lines.js';

/** Returns the remarks about an object, and its fields with the old and the new value side by side. */
export function changeTable(change: PageChange, fields: readonly PageFieldChange[]): readonly Node[] {
  const { object, notes, problem, declaredBy, stack, source } = change;
  const facts = [`stack ${stack}, predicted by: ${source}`, ...notes, ...declaredBy.map((one) => `declared by ${one}`)];
  const blame = problem === undefined ? [] : [element('p', { class: 'problem' }, problem)];
  const head = ['Change', 'Field', 'Old value', 'New value', 'Other owners and notes'].map((title) =>
    element('th', { scope: 'col' }, title),
  );
  const { body, more } = pagedLines(fields.length, head.length, (index) => fieldLines(fields[index] as PageFieldChange));
  const table = element('table', { class: 'sides' }, element('thead', {}, element('tr', {}, ...head)), body);
  const scroll = element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Changes of ${object}` }, table);
  return [...facts.map((fact) => element('p', { class: 'facts' }, fact)), ...blame, ...(fields.length > 0 ? [scroll, ...more] : [])];
}

function fieldLines({ field, change, rows, owners, notes = [] }: PageFieldChange): readonly HTMLElement[] {
  const all = rows.length > 0 ? rows : [{}];
  const span = { rowspan: all.length };
  const remarks = [...owners, ...notes].map((text) => element('div', {}, text));
  return all.map((row, index) => {
    const sides = [side(row, 'old', row.old), side(row, 'new', row.new)];
    if (index > 0) return element('tr', {}, ...sides);
    const name = element('th', { scope: 'row', ...span }, element('code', { class: 'value' }, field));
    return element(
      'tr',
      { class: 'change' },
      element('td', span, change),
      name,
      ...sides,
      element('td', { class: 'remark', ...span }, ...remarks),
    );
  });
}

/** A changed side has a sign and a color; the sign is for readers who do not see the color. */
function side(row: ValueRow, name: 'old' | 'new', text: string | undefined): HTMLElement {
  const omitted = row.omitted === undefined ? [] : [element('div', { class: 'mark' }, `… ${row.omitted} equal lines`)];
  if (text === undefined) return element('td', { class: 'side' }, ...omitted);
  const isChanged = row.old !== row.new;
  const sign = isChanged ? [element('span', { class: 'sign' }, name === 'old' ? '− ' : '+ ')] : [];
  return element('td', { class: isChanged ? `side ${name}` : 'side' }, ...omitted, ...sign, longText(text));
}
