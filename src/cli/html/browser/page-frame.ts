import { element } from './dom.js';

/** The parts of a page that its script fills. */
export interface PageFrame {
  readonly form: HTMLFormElement;
  /** Says what is shown; a screen reader reads its changes. */
  readonly status: HTMLElement;
  readonly list: HTMLElement;
  onOpenAll(open: (open: boolean) => void): void;
}

/** Puts the heading, the form with the choices of the reader, and an empty list into the page. */
export function pageFrame(
  title: string,
  facts: readonly string[],
  choices: readonly HTMLElement[],
  ...notes: readonly HTMLElement[]
): PageFrame {
  const form = element('form', { role: 'search', 'aria-label': 'Filter' }, ...choices);
  form.addEventListener('submit', (event) => event.preventDefault());
  const status = element('p', { role: 'status', class: 'status' });
  const openAll = element('button', { type: 'button' }, 'Open all');
  const closeAll = element('button', { type: 'button' }, 'Close all');
  const list = element('div', {});
  document.body.append(
    element('a', { href: '#content', class: 'skip' }, 'Skip to the content'),
    element('header', {}, element('h1', {}, title), ...facts.map((fact) => element('p', { class: 'facts' }, fact)), ...notes),
    form,
    element(
      'main',
      { id: 'content', tabindex: -1 },
      element('h2', {}, 'Objects'),
      status,
      element('p', { class: 'buttons' }, openAll, ' ', closeAll),
      list,
    ),
  );
  return {
    form,
    status,
    list,
    onOpenAll: (open) => {
      openAll.addEventListener('click', () => open(true));
      closeAll.addEventListener('click', () => open(false));
    },
  };
}
