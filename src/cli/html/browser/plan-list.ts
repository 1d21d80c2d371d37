import type { DiffPageData, PageChange, PageFieldChange } from '../page-data.js';
import { type ChangeFilter, shownFields } from './change-filter.js';
import { changeTable } from './change-table.js';
import { type Disclosure, disclosure } from './disclosure.js';
import { element } from './dom.js';
import { objectId } from './fragment.js';
import { nameNodes } from './words.js';

/** Objects of a plan up to this number are open at first, the heaviest ones; up to the same number, nothing is folded. */
const openAtFirst = 10;
/** The classes that are open at first, and those that are folded where a plan has many objects. */
const heavyClasses: ReadonlySet<string> = new Set(['blocked', 'risky', 'seen']);

const deletions: ReadonlySet<string> = new Set(['delete', 'recreate']);

/** The objects of a plan by stack, that with the heaviest class first. */
export interface PlanList {
  readonly sections: readonly HTMLElement[];
  /** Objects with the same change are apart, because what does not change may differ. */
  readonly isApart: boolean;
  /** Shows what a filter chooses. @returns the number of objects. */
  update(filter: ChangeFilter, isFiltered: boolean): number;
  /** Opens or closes everything that is shown. */
  setOpen(open: boolean): void;
  /** Opens the heaviest objects. */
  openFirst(): void;
  /** Opens an object and moves the window to it. */
  reveal(id: string): void;
}

/** One object, or several with the same change. */
interface Entry {
  readonly changes: readonly PageChange[];
  readonly part: Disclosure;
  shown: readonly PageChange[];
  fields: readonly PageFieldChange[];
}

interface Fold {
  readonly part: HTMLDetailsElement;
  readonly summary: HTMLElement;
  readonly text: (objects: number) => string;
  readonly entries: readonly Entry[];
}

interface StackPart {
  readonly section: HTMLElement;
  readonly note: HTMLElement;
  readonly entries: readonly Entry[];
  readonly folds: readonly Fold[];
}

/** Makes the list. @param onToggle the reader opens or closes an object. */
export function planList(data: DiffPageData, isApart: boolean, onToggle: (id: string, open: boolean) => void): PlanList {
  const parts = [...groupBy(data.objects, ({ stack }) => stack)].map(([stack, changes]) => stackPart(stack, changes, isApart, onToggle));
  const entries = parts.flatMap((part) => part.entries);
  const shownEntries = () => entries.filter(({ part }) => part.isShown());
  const folds = parts.flatMap((part) => part.folds);
  return {
    sections: parts.map(({ section }) => section),
    isApart,
    update(filter, isFiltered) {
      for (const entry of entries) updateEntry(entry, data.fields, filter);
      const count = shownCount(entries);
      for (const fold of folds) updateFold(fold, isFiltered || shownEntries().length <= openAtFirst);
      for (const part of parts) {
        const shown = shownCount(part.entries);
        part.section.hidden = shown === 0;
        part.note.textContent = countText(shown);
      }
      return count;
    },
    setOpen(open) {
      for (const { part } of folds) part.open = open;
      for (const { part } of shownEntries()) part.setOpen(open);
    },
    openFirst() {
      const shown = shownEntries();
      const heavy = shown.filter(({ changes }) => heavyClasses.has(changes[0]?.class ?? ''));
      for (const { part } of (shown.length <= openAtFirst ? shown : heavy).slice(0, openAtFirst)) part.setOpen(true);
    },
    reveal(id) {
      const entry = entries.find(({ changes }) => changes.some((change) => objectId(change) === id));
      if (entry === undefined) return;
      const fold = folds.find((one) => one.entries.includes(entry));
      if (fold) fold.part.open = true;
      entry.part.setOpen(true);
      entry.part.reveal();
    },
  };
}

function stackPart(
  stack: string,
  changes: readonly PageChange[],
  isApart: boolean,
  onToggle: (id: string, open: boolean) => void,
): StackPart {
  const grouped = [
    ...groupBy(changes, (change, index) => (isApart || change.group === undefined ? `single ${index}` : change.group)).values(),
  ];
  const entries = grouped.map((alike) => entryOf(alike, onToggle));
  const note = element('span', { class: 'note' });
  const heading = element('h2', {}, 'Stack ', ...nameNodes(stack), ' ', note);
  const section = element('section', { class: 'stack' }, heading);
  const folds: Fold[] = [];
  for (const [name, members] of groupBy(entries, ({ changes: [first] }) => first?.class ?? '')) {
    const sections = members.map(({ part }) => part.section);
    if (name !== 'own' && name !== 'unchanged') section.append(...sections);
    else {
      const summary = element('summary', {});
      const part = element('details', { class: 'fold' }, summary, ...sections);
      const text = (objects: number) => `${countText(objects)}, ${name === 'own' ? 'own fields only' : 'unchanged'}`;
      folds.push({ part, summary, text, entries: members });
      section.append(part);
    }
  }
  return { section, note, entries, folds };
}

function entryOf(changes: readonly PageChange[], onToggle: (id: string, open: boolean) => void): Entry {
  const id = objectId(changes[0] as PageChange);
  const content = () => {
    const [first, ...others] = entry.shown;
    return first === undefined ? [] : changeTable([first, ...others], entry.fields);
  };
  const entry: Entry = {
    changes,
    part: disclosure({ id, title: [], content, onToggle: (open) => onToggle(id, open) }),
    shown: [],
    fields: [],
  };
  return entry;
}

function updateEntry(entry: Entry, all: readonly PageFieldChange[], filter: ChangeFilter): void {
  const found = entry.changes.map((change) => ({ change, fields: shownFields(change, all, filter) })).filter(({ fields }) => fields);
  entry.shown = found.map(({ change }) => change);
  entry.fields = found[0]?.fields ?? [];
  const [first] = entry.shown;
  entry.part.setShown(first !== undefined);
  if (first === undefined) return;
  const action = element('span', { class: `action of-${deletions.has(first.action) ? 'deletion' : first.class}` }, first.action);
  const count = entry.fields.length === 1 ? '1 field' : `${entry.fields.length} fields`;
  const effects = first.effects.map((effect) => element('span', { class: 'effect' }, effect));
  if (entry.shown.length === 1) entry.part.setTitle(action, ' ', ...nameNodes(first.object));
  else entry.part.setTitle(action, ' ', `${entry.shown.length} objects of kind ${first.object.split(' ')[0]}`);
  entry.part.setNote(...effects, ...(entry.fields.length > 0 ? [element('span', {}, count)] : []), ...namesNote(entry.shown));
  entry.part.refresh();
}

/** The first ones of several objects. */
function namesNote(changes: readonly PageChange[]): readonly (Node | string)[] {
  if (changes.length === 1) return [];
  const names = changes.slice(0, 3).map(({ object }) => object.slice(object.indexOf(' ') + 1));
  const more = changes.length > names.length ? ` and ${changes.length - names.length} more` : '';
  return [`, the same in each: ${names.join(', ')}${more}`];
}

function updateFold({ part, summary, text, entries }: Fold, isOpen: boolean): void {
  const shown = shownCount(entries);
  part.hidden = shown === 0;
  summary.textContent = text(shown);
  part.open = isOpen;
}

function shownCount(entries: readonly Entry[]): number {
  return entries.reduce((sum, { shown }) => sum + shown.length, 0);
}

function countText(objects: number): string {
  return objects === 1 ? '1 object' : `${objects} objects`;
}

function groupBy<T, Key>(items: readonly T[], keyOf: (item: T, index: number) => Key): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  items.forEach((item, index) => {
    const key = keyOf(item, index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  });
  return groups;
}
