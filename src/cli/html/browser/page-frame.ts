import { element } from './dom.js';
import { type Control, StateInAddress } from './page-state.js';
import { timeText } from './time-text.js';

/** The parts of a page that its script fills. */
export interface PageFrame {
  readonly form: HTMLFormElement;
  /** Says what is shown; a screen reader reads its changes. */
  readonly status: HTMLElement;
  readonly list: HTMLElement;
  readonly state: StateInAddress;
  onOpenAll(open: (open: boolean) => void): void;
  /** Shows the number of choices beside the folded filters. */
  showChosen(): void;
}

/** The content of a frame. */
export interface FrameContent {
  readonly title: string;
  /** The sentence that a reader looks for first. */
  readonly headline?: string;
  readonly facts: readonly HTMLElement[];
  /** Choices that are always shown, and those that are folded at first. */
  readonly choices: readonly HTMLElement[];
  readonly filters: readonly HTMLElement[];
  readonly controls: readonly Control[];
  /** Notes below the list. */
  readonly notes?: readonly HTMLElement[];
}

/** Puts the heading, the form with the choices of the reader, and a list, at first empty unless the page has one, into the page. */
export function pageFrame(
  { title, headline, facts, choices, filters, controls, notes = [] }: FrameContent,
  list: HTMLElement = element('div'),
): PageFrame {
  const state = new StateInAddress(controls);
  const filterTitle = element('summary', {}, 'Filters');
  const clear = element('button', { type: 'button', hidden: true }, 'Clear choices');
  const form = element(
    'form',
    { role: 'search', 'aria-label': 'Filter' },
    ...choices,
    element('details', { class: 'filters' }, filterTitle, ...filters),
    clear,
  );
  form.addEventListener('submit', (event) => event.preventDefault());
  clear.addEventListener('click', () => {
    state.clear();
    form.dispatchEvent(new Event('input'));
  });
  const status = element('p', { role: 'status', class: 'status' });
  const openAll = element('button', { type: 'button' }, 'Open all');
  const closeAll = element('button', { type: 'button' }, 'Close all');
  const main = element(
    'main',
    { id: 'content', tabindex: -1 },
    element('div', { class: 'bar' }, status, element('p', { class: 'buttons' }, openAll, ' ', closeAll)),
    list,
  );
  document.body.append(
    skipLink(main),
    element(
      'header',
      {},
      element('h1', {}, title),
      ...(headline === undefined ? [] : [element('p', { class: 'headline' }, headline)]),
      ...facts,
    ),
    form,
    main,
    ...(notes.length === 0 ? [] : [element('footer', {}, ...notes)]),
  );
  return {
    form,
    status,
    list,
    state,
    showChosen: () => {
      const count = filters.reduce((sum, part) => sum + part.querySelectorAll(':checked:not(option)').length, 0);
      filterTitle.textContent = count === 0 ? 'Filters' : `Filters (${count} chosen)`;
      clear.hidden = state.chosen === 0;
    },
    onOpenAll: (open) => {
      openAll.addEventListener('click', () => open(true));
      closeAll.addEventListener('click', () => open(false));
    },
  };
}

/** The address keeps the state, so this link moves the focus itself. */
function skipLink(main: HTMLElement): HTMLElement {
  const link = element('a', { href: '#content', class: 'skip' }, 'Skip to the content');
  link.addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  return link;
}

/** Returns a line of small text. */
export function fact(...content: readonly (Node | string)[]): HTMLElement {
  return element('p', { class: 'facts' }, ...content);
}

/** Returns a time as the reader's clock has it. */
export function timeNode(time: string): HTMLElement {
  return element('time', { datetime: time, title: time }, timeText(time, Date.now()));
}
