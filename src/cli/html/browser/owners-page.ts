import type { OwnersPageData, PageNode, PageObject } from '../page-data.js';
import { type Disclosure, disclosure } from './disclosure.js';
import { element, pageData, whenCalm } from './dom.js';
import { type Filter, fieldTest } from './filter.js';
import { objectTable } from './object-table.js';
import { outcomeCounts, outcomeText } from './outcome-text.js';
import { ownerChoices } from './owner-choices.js';
import { pageFrame } from './page-frame.js';
import { type Outcome, whatIf } from './what-if.js';

/** Objects of a page up to this number are open at first. */
const openAtFirst = 3;

interface Shown {
  readonly object: PageObject;
  readonly part: Disclosure;
  isShown: ((node: PageNode, path: string) => boolean) | undefined;
  outcomes: ReadonlyMap<PageNode, Outcome> | undefined;
}

show(pageData<OwnersPageData>());

function show(data: OwnersPageData): void {
  const owners = ownerChoices(data);
  const text = element('input', { type: 'search', id: 'text', autocomplete: 'off', spellcheck: 'false' });
  const several = element('input', { type: 'checkbox', id: 'several' });
  const changed = element('input', { type: 'checkbox', id: 'changed' });
  const release = releaseChoice(data);
  const frame = pageFrame(
    data.subject.title,
    [`${data.subject.cluster}, ${data.made}`, `${countOf(data.objects)}. Each lane is an owner of fields.`],
    [
      element('p', {}, element('label', { for: 'text' }, 'Find objects, fields or values'), ' ', text),
      ...owners.map(({ group }) => group),
      element('p', {}, element('label', {}, several, ' Only fields with several owners')),
      element('p', {}, element('label', { for: 'release' }, 'If this stack lets go of its fields'), ' ', release),
      element('p', {}, element('label', {}, changed, ' Only fields that change then')),
    ],
  );
  const objects = data.objects.map((object, position): Shown => {
    const shown: Shown = {
      object,
      part: disclosure(`object-${position}`, object.object, () => contentOf(data, shown, ownerIn(release))),
      isShown: () => true,
      outcomes: undefined,
    };
    return shown;
  });
  frame.list.append(...objects.map(({ part }) => part.section));
  const update = () => {
    const owner = ownerIn(release);
    changed.disabled = owner === undefined;
    const filter: Filter = {
      text: text.value.trim().toLowerCase(),
      owners: new Set(owners.flatMap(({ chosen }) => [...chosen()])),
      severalOwners: several.checked,
      changedOnly: changed.checked && owner !== undefined,
    };
    for (const shown of objects) updateObject(data, shown, filter, owner);
    frame.status.textContent = statusText(data, objects, owner);
  };
  frame.form.addEventListener('input', whenCalm(update));
  frame.onOpenAll((open) => {
    for (const { part } of objects) if (part.isShown()) part.setOpen(open);
  });
  update();
  if (objects.length <= openAtFirst) for (const { part } of objects) part.setOpen(true);
}

function releaseChoice({ owners }: OwnersPageData): HTMLSelectElement {
  const options = owners.flatMap(({ text, canRelease, isStack }, position) =>
    canRelease ? [{ isStack, option: element('option', { value: position }, text) }] : [],
  );
  const sorted = [...options.filter(({ isStack }) => isStack), ...options.filter(({ isStack }) => !isStack)];
  return element('select', { id: 'release' }, element('option', { value: '' }, 'nobody'), ...sorted.map(({ option }) => option));
}

function ownerIn({ value }: HTMLSelectElement): number | undefined {
  return value === '' ? undefined : Number(value);
}

function updateObject(data: OwnersPageData, shown: Shown, filter: Filter, owner: number | undefined): void {
  const { object, part } = shown;
  shown.outcomes = owner === undefined ? undefined : whatIf(data, object.fields, owner);
  shown.isShown = fieldTest(object, data, filter, shown.outcomes);
  part.setShown(shown.isShown !== undefined);
  part.setNote(object.problem ?? (shown.outcomes ? outcomeText(outcomeCounts(shown.outcomes.values())) : ownersText(data, object)));
  part.refresh();
}

function ownersText({ owners }: OwnersPageData, { times }: PageObject): string {
  const names = times.slice(0, 3).map(([owner]) => owners[owner]?.text ?? '');
  return times.length > names.length ? `${names.join(', ')} and ${times.length - names.length} more` : names.join(', ') || 'no owners';
}

function contentOf(data: OwnersPageData, { object, isShown, outcomes }: Shown, owner: number | undefined): readonly Node[] {
  if (object.problem !== undefined) return [element('p', { class: 'facts' }, `${object.apiVersion}: ${object.problem}`)];
  const release = owner === undefined || outcomes === undefined ? {} : { release: { owner, outcomes } };
  return objectTable({ data, object, isShown: isShown ?? (() => true), ...release });
}

function statusText(data: OwnersPageData, objects: readonly Shown[], owner: number | undefined): string {
  const visible = objects.filter(({ part }) => part.isShown()).length;
  const found = visible === 0 ? 'Nothing matches.' : `${visible} of ${countOf(objects)}.`;
  if (owner === undefined) return found;
  const counts = outcomeCounts(objects.flatMap(({ outcomes }) => [...(outcomes?.values() ?? [])]));
  return `${found} If ${data.owners[owner]?.text ?? ''} lets go: ${outcomeText(counts)}. The server may set defaults for removed fields, or reject the release, for example because a field is required.`;
}

function countOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 object' : `${length} objects`;
}
