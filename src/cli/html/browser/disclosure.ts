import { element } from './dom.js';

/** A section whose content is made when it is first opened. */
export interface Disclosure {
  readonly section: HTMLElement;
  readonly isOpen: () => boolean;
  setOpen(open: boolean): void;
  /** Shows or hides the section. */
  setShown(shown: boolean): void;
  readonly isShown: () => boolean;
  /** Makes the content again if the section is open. */
  refresh(): void;
  /** Sets the heading. */
  setTitle(...title: readonly (Node | string)[]): void;
  /** Sets the text beside the heading. */
  setNote(...note: readonly (Node | string)[]): void;
  /** Moves the focus and the window to the heading. */
  reveal(): void;
}

interface DisclosureContent {
  readonly id: string;
  readonly title: readonly (Node | string)[];
  content(): readonly Node[];
  /** The reader opens or closes it. */
  onToggle(open: boolean): void;
}

/** Makes a section with a heading that opens and closes it. */
export function disclosure({ id, title, content, onToggle }: DisclosureContent): Disclosure {
  const button = element('button', { type: 'button', 'aria-expanded': 'false', 'aria-controls': `${id}-body`, id }, ...title);
  const note = element('span', { class: 'note' });
  const body = element('div', { id: `${id}-body`, class: 'body', hidden: true });
  const section = element(
    'section',
    { class: 'object', 'aria-labelledby': id },
    element('div', { class: 'head' }, element('h3', {}, button), note),
    body,
  );
  let open = false;
  const setOpen = (next: boolean) => {
    open = next;
    button.setAttribute('aria-expanded', String(open));
    body.hidden = !open;
    section.classList.toggle('open', open);
    body.replaceChildren(...(open ? content() : []));
  };
  button.addEventListener('click', () => {
    setOpen(!open);
    onToggle(open);
  });
  return {
    section,
    isOpen: () => open,
    setOpen: (next) => {
      if (next !== open) setOpen(next);
    },
    isShown: () => !section.hidden,
    setShown: (shown) => {
      section.hidden = !shown;
    },
    refresh: () => {
      if (open) setOpen(true);
    },
    setTitle: (...parts) => button.replaceChildren(...parts),
    setNote: (...parts) => note.replaceChildren(...parts),
    reveal: () => {
      section.scrollIntoView();
      button.focus({ preventScroll: true });
    },
  };
}
