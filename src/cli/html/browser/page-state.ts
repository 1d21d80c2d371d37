import { element } from './dom.js';
import { fragmentText, type PageState, readFragment } from './fragment.js';

/** Something that the reader chooses, and its name in the address. */
export interface Control {
  readonly name: string;
  /** Returns the chosen values; none is how the page begins. */
  read(): readonly string[];
  write(values: readonly string[]): void;
}

/** Keeps the choices of the reader in the address, so that a link shows the same. */
export class StateInAddress {
  readonly #controls: readonly Control[];
  /** The id of the object that was opened last. */
  #object: string | undefined;

  constructor(controls: readonly Control[]) {
    this.#controls = controls;
  }

  get object(): string | undefined {
    return this.#object;
  }

  /** The number of choices that the address has. */
  get chosen(): number {
    return this.#controls.reduce((sum, control) => sum + control.read().length, 0);
  }

  /** Takes the state from the address, and calls back whenever the reader enters another one. */
  follow(apply: () => void): void {
    const take = () => {
      const state = readFragment(location.hash);
      for (const control of this.#controls) control.write(state.get(control.name) ?? []);
      this.#object = state.get('object')?.[0];
      apply();
    };
    addEventListener('hashchange', take);
    take();
  }

  opened(id: string, isOpen: boolean): void {
    if (isOpen) this.#object = id;
    else if (this.#object === id) this.#object = undefined;
    this.store();
  }

  /** Writes the state into the address, without a step in the history. */
  store(): void {
    const state: PageState = new Map([
      ...this.#controls.map((control): [string, readonly string[]] => [control.name, control.read()]),
      ['object', this.#object === undefined ? [] : [this.#object]],
    ]);
    const fragment = fragmentText(state);
    if (fragment !== location.hash) history.replaceState(null, '', fragment === '' ? location.href.split('#')[0] : fragment);
  }

  /** Returns to how the page begins. */
  clear(): void {
    for (const control of this.#controls) control.write([]);
  }
}

/** Makes a field for a text to find. */
export function textControl(): Control & { readonly input: HTMLInputElement } {
  const input = element('input', { type: 'search', id: 'text', autocomplete: 'off', spellcheck: 'false' });
  return {
    name: 'text',
    input,
    read: () => (input.value === '' ? [] : [input.value]),
    write: ([value = '']) => {
      input.value = value;
    },
  };
}

/** Makes a box to check. */
export function boxControl(name: string, text: string): Control & { readonly input: HTMLInputElement; readonly part: HTMLElement } {
  const input = element('input', { type: 'checkbox', id: name });
  return {
    name,
    input,
    part: element('p', {}, element('label', {}, input, ` ${text}`)),
    read: () => (input.checked ? ['yes'] : []),
    write: ([value]) => {
      input.checked = value !== undefined;
    },
  };
}
