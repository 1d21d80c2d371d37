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
  /** Sets the text beside the heading. */
  setNote(text: string): void;
}

/** Makes a section with a heading that opens and closes it. */
export function disclosure(id: string, title: string, content: () => readonly Node[]): Disclosure {
  const button = element('button', { type: 'button', 'aria-expanded': 'false', 'aria-controls': `${id}-body`, id: `${id}-title` }, title);
  const note = element('span', { class: 'note' });
  const body = element('div', { id: `${id}-body`, class: 'body', hidden: true });
  const section = element(
    'section',
    { class: 'object', 'aria-labelledby': `${id}-title` },
    element('div', { class: 'head' }, element('h3', {}, button), note),
    body,
  );
  let open = false;
  const setOpen = (next: boolean) => {
    open = next;
    button.setAttribute('aria-expanded', String(open));
    body.hidden = !open;
    body.replaceChildren(...(open ? content() : []));
  };
  button.addEventListener('click', () => setOpen(!open));
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
    setNote: (text) => {
      note.textContent = text;
    },
  };
}
