import type { ListPageData, PageStack } from '../page-data.js';
import { choices, distinct } from './choices.js';
import { element, pageData, whenCalm } from './dom.js';
import { readFragment } from './fragment.js';
import { pageFrame } from './page-frame.js';
import { textControl } from './page-state.js';
import { isStackShown, type StackFilter } from './stack-filter.js';
import { timeTexts } from './time-text.js';

show(pageData<ListPageData>());

/** Adds filters to the stacks that the page shows without them. */
function show(data: ListPageData): void {
  const timeText = timeTexts(Date.now());
  for (const time of document.querySelectorAll('time')) time.textContent = timeText(time.dateTime);
  const { filter, ...form } = filterForm(data);
  const part = (selector: string) => document.querySelector(selector) as HTMLElement;
  const [title, headline] = [part('h1'), part('.headline')].map(({ textContent }) => textContent ?? '') as [string, string];
  const [facts, list] = [part('.facts'), part('main > div')];
  for (const without of [part('header'), part('main')]) without.remove();
  const frame = pageFrame({ title, headline, facts: [facts], ...form }, list);
  const rows = [...frame.list.querySelectorAll('tbody')].map((body, index) => ({
    body,
    content: body.textContent?.toLowerCase() ?? '',
    stack: data.stacks[index] as PageStack,
  }));
  const parts = [...frame.list.querySelectorAll<HTMLDetailsElement>('.state')].map((part) => ({ part, isOpen: part.open }));
  let wasFiltered = false;
  const update = () => {
    const chosen = filter();
    for (const { body, stack, content } of rows) body.hidden = !isStackShown(stack, content, chosen);
    const isFiltered = frame.state.chosen > 0;
    for (const { part, isOpen } of parts) {
      const shown = part.querySelectorAll('tbody:not([hidden])').length;
      part.hidden = shown === 0;
      (part.querySelector('.note') as HTMLElement).textContent = countText(shown);
      if (isFiltered || wasFiltered) part.open = isFiltered || isOpen;
    }
    wasFiltered = isFiltered;
    const visible = rows.filter(({ body }) => !body.hidden).length;
    frame.status.textContent = visible === 0 ? nothingText(data) : `${visible} of ${countText(rows.length)}.`;
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
    for (const part of frame.list.querySelectorAll('details')) part.open = open;
  });
  frame.state.follow(update);
}

function filterForm({ stacks, states }: ListPageData) {
  const text = textControl();
  const texts = new Map<string, string>(states);
  const ofState = choices<string>(
    {
      name: 'state',
      title: 'Show only',
      label: (state) => [element('span', { class: `of-${state}` }, texts.get(state) ?? `0 ${state.replaceAll('-', ' ')}`)],
    },
    [...new Set([...texts.keys(), ...inAddress('state')])],
  );
  const ofStacks = (name: string, title: string, values: (stack: PageStack) => readonly string[]) =>
    choices({ name, title }, distinct([...stacks.flatMap(values), ...inAddress(name)]));
  const apps = ofStacks('app', 'Apps', ({ app }) => [app]);
  const instances = ofStacks('instance', 'Instances', ({ instance }) => [instance]);
  const namespaces = ofStacks('namespace', 'Namespaces of objects', (stack) => stack.namespaces);
  return {
    controls: [text, ofState, apps, instances, namespaces],
    filter: (): StackFilter => ({
      text: text.input.value.trim().toLowerCase(),
      states: ofState.chosen(),
      apps: apps.chosen(),
      instances: instances.chosen(),
      namespaces: namespaces.chosen(),
    }),
    choices: [
      ...(ofState.size > 1 ? [ofState.group] : []),
      element('p', {}, element('label', { for: 'text' }, 'Find stacks, objects or persons'), ' ', text.input),
    ],
    filters: [apps, instances, namespaces].filter(({ size }) => size > 1).map(({ group }) => group),
  };
}

/** Returns the choices with which the page is opened: a bookmark may name an app or a state that no stack has now. */
function inAddress(name: string): readonly string[] {
  return readFragment(location.hash).get(name) ?? [];
}

function nothingText({ stacks }: ListPageData): string {
  return stacks.length === 0 ? 'No stacks.' : 'Nothing matches.';
}

function countText(stacks: number): string {
  return stacks === 1 ? '1 stack' : `${stacks} stacks`;
}
