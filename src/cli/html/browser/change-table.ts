import type { PageChange, PageFieldChange } from '../page-data.js';
import { element } from './dom.js';
import { diffLines, longText } from './long-text.js';
import { fact } from './page-frame.js';
import { pagedLines } from './paged-lines.js';
import { nameNodes } from './words.js';

/**
 * Returns the remarks about an object, or about several with the same change, and the fields with the old and the new value: side by side, and one
 * below the other on a small window.
 */
export function changeTable(changes: readonly [PageChange, ...PageChange[]], fields: readonly PageFieldChange[]): readonly Node[] {
  const [{ object, notes, problem, ways = [], declaredBy }, ...others] = changes;
  const head = ['Change', 'Field', 'Old value', 'New value', 'Owners and notes'].map((title) =>
    element('th', { scope: 'col', role: 'columnheader' }, title),
  );
  const { body, more } = pagedLines(fields.length, head.length, (index) => [fieldLine(fields[index] as PageFieldChange)]);
  // Roles, because a small window shows rows as blocks, which takes the roles of elements away.
  const table = element(
    'table',
    { class: 'sides', role: 'table' },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...head)),
    body,
  );
  const scroll = element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Changes of ${object}` }, table);
  return [
    ...(problem === undefined ? [] : [element('p', { class: 'problem' }, problem)]),
    ...ways.map((way) => element('p', { class: 'way' }, way)),
    ...(fields.length > 0 ? [scroll, ...more] : []),
    fact([...notes, ...(others.length > 0 ? [] : declaredBy.map((one) => `declared by ${one}`))].join(' · ')),
    ...(others.length > 0 ? [memberList(changes)] : []),
  ];
}

/** The objects with the same change. */
function memberList(changes: readonly PageChange[]): HTMLElement {
  const items = changes.map(({ object, declaredBy }) =>
    element('li', {}, ...nameNodes(object), element('span', { class: 'note' }, declaredBy.map((one) => ` declared by ${one}`).join(','))),
  );
  return element('details', { class: 'members' }, element('summary', {}, `All ${changes.length} objects`), element('ul', {}, ...items));
}

/** Changes that an owner loses, or would lose. */
const losing: ReadonlySet<string> = new Set(['force', 'conflict']);

function fieldLine({ field, change, value, owners = [], notes = [] }: PageFieldChange): HTMLElement {
  const by = owners.map((owner) => `${losing.has(change) ? 'from' : change === 'co-own' ? 'also owned by' : 'owned by'} ${owner}`);
  const remarks = [...by, ...notes].map((text) => element('div', {}, text));
  return element(
    'tr',
    { class: 'change', role: 'row' },
    element('td', { class: 'what', role: 'cell' }, change),
    element('th', { scope: 'row', role: 'rowheader' }, element('code', {}, ...nameNodes(field))),
    ...valueCells(value),
    element('td', { class: 'remark', role: 'cell' }, ...remarks),
  );
}

/** A text of several lines is one cell, which has the signs of a diff. */
function valueCells(value: PageFieldChange['value']): readonly HTMLElement[] {
  if ('stays' in value) return [element('td', { class: 'side', role: 'cell', colspan: 2 }, sign('= '), longText(value.stays))];
  if ('lines' in value) return [lineCell(value.lines.split('\n'))];
  const { old, new: after } = value;
  if (old?.includes('\n')) return [lineCell(signed('-', old))];
  if (after?.includes('\n')) return [lineCell(signed('+', after))];
  return [side('old', old), side('new', after)];
}

function signed(mark: string, text: string): readonly string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${mark}${line}`);
}

function lineCell(lines: readonly string[]): HTMLElement {
  return element('td', { class: 'side text', role: 'cell', colspan: 2 }, diffLines(lines));
}

/** A side has a sign and a color; the sign is for readers who do not see the color. */
function side(name: 'old' | 'new', text: string | undefined): HTMLElement {
  if (text === undefined) return element('td', { class: 'side none', role: 'cell' });
  return element('td', { class: `side ${name}`, role: 'cell' }, sign(name === 'old' ? '− ' : '+ '), longText(text));
}

function sign(text: string): HTMLElement {
  return element('span', { class: 'sign' }, text);
}
