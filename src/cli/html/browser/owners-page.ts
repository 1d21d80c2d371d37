import type { OwnersPageData, PageNode, PageObject } from '../page-data.js';
import { type Disclosure, disclosure } from './disclosure.js';
import { element, pageData, whenCalm } from './dom.js';
import { type Filter, fieldTest } from './filter.js';
import { objectId } from './fragment.js';
import { objectTable } from './object-table.js';
import { outcomeCounts, outcomeText } from './outcome-text.js';
import { ownerChoices } from './owner-choices.js';
import { fact, pageFrame, timeNode } from './page-frame.js';
import { boxControl, type Control, textControl } from './page-state.js';
import { type Outcome, whatIf } from './what-if.js';
import { nameNodes } from './words.js';

/** Objects of a page up to this number are open at first. */
const openAtFirst = 3;

interface Shown {
  readonly id: string;
  readonly object: PageObject;
  readonly part: Disclosure;
  isShown: ((node: PageNode, path: string) => boolean) | undefined;
  outcomes: ReadonlyMap<PageNode, Outcome> | undefined;
}

show(pageData<OwnersPageData>());

function show(data: OwnersPageData): void {
  const { frame, owners, text, several, changed, release } = ownersFrame(data);
  const objects = data.objects.map((object): Shown => {
    const id = objectId(object);
    const shown: Shown = {
      id,
      object,
      part: disclosure({
        id,
        title: nameNodes(object.object),
        content: () => contentOf(data, shown, ownerIn(release)),
        onToggle: (open) => frame.state.opened(id, open),
      }),
      isShown: () => true,
      outcomes: undefined,
    };
    return shown;
  });
  frame.list.append(element('h2', { class: 'hidden-text' }, 'Objects'), ...objects.map(({ part }) => part.section));
  const update = () => {
    const owner = ownerIn(release);
    changed.input.disabled = owner === undefined;
    const filter: Filter = {
      text: text.input.value.trim().toLowerCase(),
      owners: new Set(owners.flatMap(({ chosen }) => [...chosen()])),
      severalOwners: several.input.checked,
      changedOnly: changed.input.checked && owner !== undefined,
    };
    for (const shown of objects) updateObject(data, shown, filter, owner);
    frame.status.textContent = statusText(data, objects, owner);
    frame.showChosen();
  };
  frame.form.addEventListener(
    'input',
    whenCalm(() => {
      update();
      frame.state.store();
    }),
  );
  frame.onOpenAll((open) => {
    for (const { part } of objects) if (part.isShown()) part.setOpen(open);
  });
  if (objects.length <= openAtFirst) for (const { part } of objects) part.setOpen(true);
  frame.state.follow(() => {
    update();
    const named = objects.find(({ id }) => id === frame.state.object);
    named?.part.setOpen(true);
    named?.part.reveal();
  });
}

/** Makes the frame with the choices of the reader. */
function ownersFrame(data: OwnersPageData) {
  const release = releaseChoice(data);
  const without: Control = {
    name: 'without',
    read: () => (ownerIn(release) === undefined ? [] : [data.owners[ownerIn(release) ?? -1]?.text ?? '']),
    write: ([name]) => {
      const position = data.owners.findIndex(({ text: owner, canRelease }) => canRelease && owner === name);
      release.value = position < 0 ? '' : String(position);
    },
  };
  const owners = ownerChoices(data);
  const text = textControl();
  const several = boxControl('several', 'Only fields with several owners');
  const changed = boxControl('changed', 'Only fields that change then');
  const { title, cluster } = data.subject;
  const frame = pageFrame({
    title,
    facts: [
      fact(`${countOf(data.objects)}. Each lane is an owner of fields: a stack, a tool or a person.`),
      fact(cluster, ', read ', timeNode(data.made)),
    ],
    choices: [
      element('p', {}, element('label', { for: 'release' }, 'Suppose'), ' ', release),
      element('p', {}, element('label', { for: 'text' }, 'Find objects, fields or values'), ' ', text.input),
    ],
    filters: [...owners.map(({ group }) => group), several.part, changed.part],
    controls: [text, ...owners, several, without, changed],
  });
  return { frame, owners, text, several, changed, release };
}

function releaseChoice({ owners }: OwnersPageData): HTMLSelectElement {
  const options = owners.flatMap(({ text, canRelease, isStack }, position) =>
    canRelease ? [{ isStack, option: element('option', { value: position }, `${text} lets go of its fields`) }] : [],
  );
  const sorted = [...options.filter(({ isStack }) => isStack), ...options.filter(({ isStack }) => !isStack)];
  return element(
    'select',
    { id: 'release' },
    element('option', { value: '' }, 'all owners keep their fields'),
    ...sorted.map(({ option }) => option),
  );
}

function ownerIn({ value }: HTMLSelectElement): number | undefined {
  return value === '' ? undefined : Number(value);
}

function updateObject(data: OwnersPageData, shown: Shown, filter: Filter, owner: number | undefined): void {
  const { object, part } = shown;
  shown.outcomes = owner === undefined ? undefined : whatIf(data, object.fields, owner);
  shown.isShown = fieldTest(object, data, filter, shown.outcomes);
  part.setShown(shown.isShown !== undefined);
  const owned = element('span', { class: 'names' }, `, ${ownersText(data, object)}`);
  const note = shown.outcomes ? [`, ${outcomeText(outcomeCounts(shown.outcomes.values()))}`] : [owned];
  part.setNote(object.apiVersion, ...(object.problem === undefined ? note : [`, ${object.problem}`]));
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
