import type { DiffPageData, PageChange, PageFieldChange } from '../page-data.js';
import { type ChangeFilter, shownFields } from './change-filter.js';
import { changeTable } from './change-table.js';
import { choices } from './choices.js';
import { type Disclosure, disclosure } from './disclosure.js';
import { element, pageData, whenCalm } from './dom.js';
import { pageFrame } from './page-frame.js';
import { wordsList } from './words-list.js';

/** Plans up to this number of objects are open at first. */
const openAtFirst = 10;

interface Shown {
  readonly change: PageChange;
  readonly part: Disclosure;
  fields: readonly PageFieldChange[] | undefined;
}

show(pageData<DiffPageData>());

function show(data: DiffPageData): void {
  const { filter, parts } = filterForm(data);
  const { title, cluster } = data.subject;
  const facts = [`${cluster}, ${data.made}`, `${data.summary}.`, ...data.warnings.map((warning) => `Warning: ${warning}`)];
  const frame = pageFrame(title, facts, parts, wordsList());
  const objects = data.objects.map((change, position): Shown => {
    const shown: Shown = {
      change,
      part: disclosure(`object-${position}`, `${change.action} ${change.object}`, () => changeTable(change, shown.fields ?? [])),
      fields: [],
    };
    return shown;
  });
  frame.list.append(...objects.map(({ part }) => part.section));
  const update = () => {
    const chosen = filter();
    for (const shown of objects) {
      const { change, part } = shown;
      shown.fields = shownFields(change, chosen);
      part.setShown(shown.fields !== undefined);
      part.setNote(`stack ${change.stack}${change.problem === undefined ? '' : ', blocked'}, ${countOf(shown.fields ?? [])}`);
      part.refresh();
    }
    const visible = objects.filter(({ part }) => part.isShown()).length;
    frame.status.textContent = visible === 0 ? 'Nothing matches, or nothing changes.' : `${visible} of ${objects.length} objects.`;
  };
  frame.form.addEventListener('input', whenCalm(update));
  frame.onOpenAll((open) => {
    for (const { part } of objects) if (part.isShown()) part.setOpen(open);
  });
  update();
  const visible = objects.filter(({ part }) => part.isShown());
  if (visible.length <= openAtFirst) for (const { part } of visible) part.setOpen(true);
}

function countOf({ length }: readonly PageFieldChange[]): string {
  return length === 1 ? '1 field' : `${length} fields`;
}

function filterForm({ objects }: DiffPageData): { readonly filter: () => ChangeFilter; readonly parts: readonly HTMLElement[] } {
  const text = element('input', { type: 'search', id: 'text', autocomplete: 'off', spellcheck: 'false' });
  const quiet = element('input', { type: 'checkbox', id: 'quiet' });
  const fields = objects.flatMap((change) => change.fields);
  const stacks = choices('Stacks', distinct(objects.map(({ stack }) => stack)));
  const actions = choices('Actions', distinct(objects.map(({ action }) => action)));
  const changes = choices('Changes of fields', distinct(fields.map(({ change }) => change)));
  const owners = choices('Fields of other stacks and tools', distinct(fields.flatMap((field) => field.owners)));
  const groups = [stacks, actions, changes, owners].filter(({ size }) => size > 0);
  return {
    filter: () => ({
      text: text.value.trim().toLowerCase(),
      stacks: stacks.chosen(),
      actions: actions.chosen(),
      changes: changes.chosen(),
      owners: owners.chosen(),
      quiet: quiet.checked,
    }),
    parts: [
      element('p', {}, element('label', { for: 'text' }, 'Find objects, fields or values'), ' ', text),
      ...groups.map(({ group }) => group),
      element('p', {}, element('label', {}, quiet, ' Also objects and fields that do not change')),
    ],
  };
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
