import type { DiffPageData } from '../page-data.js';
import { type ChangeFilter, showsQuietFields } from './change-filter.js';
import { choices, distinct } from './choices.js';
import { element, pageData, whenCalm } from './dom.js';
import { fact, pageFrame, timeNode } from './page-frame.js';
import { boxControl, textControl } from './page-state.js';
import { planList } from './plan-list.js';
import { codeNodes } from './words.js';
import { wordsList } from './words-list.js';

show(pageData<DiffPageData>());

function show(data: DiffPageData): void {
  const { filter, always, folded, controls } = filterForm(data);
  const { title, cluster } = data.subject;
  const frame = pageFrame({
    title,
    headline: data.headline,
    facts: [
      ...(data.blocked === undefined ? [] : [element('p', { class: 'problem' }, data.blocked)]),
      ...data.warnings.map((warning) => element('p', { class: 'warning' }, 'Warning: ', ...codeNodes(warning))),
      fact(cluster, ', made ', timeNode(data.made)),
    ],
    choices: always,
    filters: folded,
    controls,
    notes: [wordsList()],
  });
  const makeList = (isApart: boolean) => {
    const made = planList(data, isApart, (id, open) => frame.state.opened(id, open));
    frame.list.replaceChildren(...made.sections);
    return made;
  };
  let list = makeList(false);
  const update = () => {
    const chosen = filter();
    if (showsQuietFields(chosen) !== list.isApart) list = makeList(!list.isApart);
    const visible = list.update(chosen, frame.state.chosen > 0);
    frame.status.textContent = visible === 0 ? nothingText(data) : `${visible} of ${data.objects.length} objects.`;
    frame.showChosen();
  };
  frame.form.addEventListener(
    'input',
    whenCalm(() => {
      update();
      frame.state.store();
    }),
  );
  frame.onOpenAll((open) => list.setOpen(open));
  frame.state.follow(() => {
    update();
    list.openFirst();
    if (frame.state.object !== undefined) list.reveal(frame.state.object);
  });
}

function nothingText({ objects }: DiffPageData): string {
  return objects.some(({ action }) => action !== 'unchanged') ? 'Nothing matches.' : 'Nothing changes, or nothing matches.';
}

function filterForm({ objects, fields, classes }: DiffPageData) {
  const text = textControl();
  const quiet = boxControl('quiet', 'Also objects and fields that do not change');
  const texts = new Map(classes);
  const ofClass = choices(
    { name: 'class', title: 'Show only', label: (name) => [element('span', { class: `of-${name}` }, texts.get(name) ?? name)] },
    classes.map(([name]) => name),
  );
  const stacks = choices({ name: 'stack', title: 'Stacks' }, distinct(objects.map(({ stack }) => stack)));
  const actions = choices({ name: 'action', title: 'Actions' }, distinct(objects.map(({ action }) => action)));
  const changes = choices({ name: 'change', title: 'Changes of fields' }, distinct(fields.map(({ change }) => change)));
  const owners = choices(
    { name: 'owner', title: 'Fields of other stacks and tools' },
    distinct(fields.flatMap((field) => field.owners ?? [])),
  );
  const groups = [stacks, actions, changes, owners].filter(({ size }) => size > 0);
  return {
    controls: [text, ofClass, stacks, actions, changes, owners, quiet],
    filter: (): ChangeFilter => ({
      text: text.input.value.trim().toLowerCase(),
      classes: ofClass.chosen(),
      stacks: stacks.chosen(),
      actions: actions.chosen(),
      changes: changes.chosen(),
      owners: owners.chosen(),
      quiet: quiet.input.checked,
    }),
    always: [
      ...(ofClass.size > 1 ? [ofClass.group] : []),
      element('p', {}, element('label', { for: 'text' }, 'Find objects, fields or values'), ' ', text.input),
    ],
    folded: [...groups.map(({ group }) => group), quiet.part],
  };
}
