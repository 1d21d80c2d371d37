import type { OwnersPageData, PageNode, PageObject } from '../page-data.js';
import { element } from './dom.js';
import { laneClass, laneLetters } from './lanes.js';
import { longText } from './long-text.js';
import { timeNode } from './page-frame.js';
import { pagedLines } from './paged-lines.js';
import { type Row, rowsOf } from './rows.js';
import type { Outcome } from './what-if.js';
import { nameNodes } from './words.js';

/** The data and choices from which one object is shown. */
export interface ObjectView {
  readonly data: OwnersPageData;
  readonly object: PageObject;
  readonly isShown: (node: PageNode, path: string) => boolean;
  /** The effect of a release; absent if no owner is chosen. */
  readonly release?: { readonly owner: number; readonly outcomes: ReadonlyMap<PageNode, Outcome> };
}

/** Returns the owners of an object with their lanes, and its fields as YAML with a lane per owner. */
export function objectTable(view: ObjectView): readonly Node[] {
  const { data, object } = view;
  const lanes = object.times.map(([owner]) => owner);
  const rows = rowsOf(object.fields, data, view.isShown);
  const { body, more } = pagedLines(rows.length, lanes.length + 2, (index) => [line(view, lanes, rows[index] as Row)]);
  return [
    element('ul', { class: 'owners' }, ...object.times.map(([owner, time]) => ownerItem(data, owner, time))),
    ...remarks(view).map((text) => element('p', { class: 'facts' }, text)),
    element(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Fields of ${object.object}` },
      tableOf(view, lanes, body),
    ),
    ...more,
  ];
}

/** Has roles, because a small window shows rows as blocks, which takes the roles of elements away. */
function tableOf(view: ObjectView, lanes: readonly number[], body: HTMLElement): HTMLElement {
  const table = element('table', { class: 'tree', role: 'table' }, head(view, lanes), body);
  table.style.setProperty('--lanes', String(lanes.length));
  return table;
}

/** Returns the badge of a lane: a color with a pattern, and letters. */
export function badge(owner: number): HTMLElement {
  return element('span', { class: laneClass(owner) }, laneLetters(owner));
}

function ownerItem({ owners }: OwnersPageData, owner: number, time: string): HTMLElement {
  const written = time === '' ? [] : [', last write ', timeNode(time)];
  return element('li', { title: owners[owner]?.manager ?? '' }, badge(owner), ` ${owners[owner]?.text ?? ''}`, ...written);
}

function remarks({ data, object, release }: ObjectView): readonly string[] {
  const name = (owner: number) => data.owners[owner]?.text ?? '';
  const deleting = (object.deleters ?? []).map(([owner, keptBy]) =>
    keptBy === ''
      ? `A destroy of ${name(owner)} deletes this object${mayContain(object) ? ', unless it contains objects of others' : ''}.`
      : `A destroy of ${name(owner)} does not delete this object, because ${keptBy} also applied fields to it; it releases the fields of ${name(owner)}.`,
  );
  const isDynamic = release !== undefined && object.dynamic?.includes(release.owner);
  return [
    ...deleting,
    ...(isDynamic ? [`${name(release.owner)} merges its fields itself: run "fieldwise owners --without" for the effect.`] : []),
  ];
}

/** Returns true for kinds whose objects contain others, which the page does not have. */
function mayContain({ object, apiVersion }: PageObject): boolean {
  return (apiVersion === 'v1' && object.startsWith('Namespace ')) || object.startsWith('CustomResourceDefinition ');
}

function head({ data, release }: ObjectView, lanes: readonly number[]): HTMLElement {
  const column = (owner: number) =>
    element(
      'th',
      { scope: 'col', role: 'columnheader', class: 'lane-cell', title: data.owners[owner]?.text ?? '' },
      badge(owner),
      hiddenText(` ${data.owners[owner]?.text ?? ''}`),
    );
  const last = release === undefined ? 'Note' : `Without ${data.owners[release.owner]?.text ?? ''}`;
  return element(
    'thead',
    { role: 'rowgroup' },
    element(
      'tr',
      { role: 'row' },
      element('th', { scope: 'col', role: 'columnheader' }, 'Field'),
      ...lanes.map(column),
      element('th', { scope: 'col', role: 'columnheader', class: 'remark' }, last),
    ),
  );
}

function line(view: ObjectView, lanes: readonly number[], row: Row): HTMLElement {
  const outcome = view.release?.outcomes.get(row.node);
  const isFree = lanes.length > 1 && row.owners.length + row.through.size === 0;
  const field = element('th', { scope: 'row', role: 'rowheader', title: row.path }, ...fieldContent(row));
  field.style.setProperty('--depth', String(row.depth));
  return element(
    'tr',
    { class: [outcome ?? '', isFree ? 'free' : ''].join(' ').trim(), role: 'row' },
    field,
    ...lanes.map((owner) => laneCell(row, owner)),
    element('td', { class: 'remark', role: 'cell' }, remark(view, row, outcome)),
  );
}

function fieldContent({ label, isListItem, value }: Row): readonly (Node | string)[] {
  const dash = isListItem ? [element('span', { class: 'dash' }, '- ')] : [];
  const name = element('span', { class: isListItem ? 'keys' : 'name' }, ...nameNodes(label));
  const isValueOfSet = isListItem && value !== undefined && /^\[(?:=|\d)/.test(label);
  if (value === undefined) return [...dash, name, isListItem ? '' : ':'];
  const content = valueContent(value);
  return isValueOfSet ? [...dash, ...content] : [...dash, name, ': ', ...content];
}

/** A text of several lines stands below the sign of its block. */
function valueContent(value: string): readonly Node[] {
  if (!value.includes('\n')) return [longText(value)];
  const end = value.startsWith('|') ? value.indexOf('\n') : -1;
  const sign = end < 0 ? [] : [element('span', { class: 'dash' }, value.slice(0, end))];
  return [...sign, element('div', { class: 'block' }, longText(value.slice(end + 1)))];
}

function laneCell({ owners, through }: Row, owner: number): HTMLElement {
  if (owners.includes(owner)) return element('td', { class: 'lane-cell', role: 'cell' }, badge(owner));
  if (!through.has(owner)) return element('td', { class: 'lane-cell', role: 'cell' });
  return element('td', { class: 'lane-cell', role: 'cell' }, element('span', { class: 'through', 'aria-hidden': 'true' }, '│'));
}

function remark({ data, release }: ObjectView, row: Row, outcome: Outcome | undefined): string {
  if (!row.isInnermost) return '';
  const others = row.owners.filter((owner) => owner !== release?.owner).map((owner) => data.owners[owner]?.text ?? '');
  if (outcome === 'removed') return 'removed';
  if (outcome === 'removed-with') return others.length > 0 ? `removed with it, although ${others.join(', ')} has it` : 'removed with it';
  if (outcome === 'perhaps-removed') return 'removed with it if it is in an entry of a map; run "fieldwise owners --without"';
  if (outcome === 'kept') return `stays with ${others.join(', ')}`;
  return [row.owners.length === 0 ? 'no owner' : '', row.value === undefined ? 'does not exist' : '']
    .filter((text) => text !== '')
    .join(', ');
}

function hiddenText(text: string): HTMLElement {
  return element('span', { class: 'hidden-text' }, text);
}
