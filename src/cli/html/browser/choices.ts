import { element } from './dom.js';
import type { Control } from './page-state.js';

/** A group of checkboxes. */
export interface Choices<Value> extends Control {
  readonly group: HTMLElement;
  readonly size: number;
  /** Returns the values of the checked boxes. */
  readonly chosen: () => ReadonlySet<Value>;
}

interface ChoicesText<Value> {
  /** The name in the address. */
  readonly name: string;
  readonly title: string;
  /** The value in the address. */
  readonly key?: (value: Value) => string;
  readonly label?: (value: Value) => readonly (Node | string)[];
}

/** Makes a group of checkboxes. */
export function choices<Value>(
  { name, title, key = String, label = (value) => [String(value)] }: ChoicesText<Value>,
  values: readonly Value[],
): Choices<Value> {
  const boxes = values.map((value) => ({ value, box: element('input', { type: 'checkbox' }) }));
  const labels = boxes.map(({ value, box }) => element('label', {}, box, ' ', ...label(value)));
  const checked = () => boxes.filter(({ box }) => box.checked).map(({ value }) => value);
  return {
    name,
    size: values.length,
    group: element('fieldset', { class: `choices-${name}` }, element('legend', {}, title), element('div', { class: 'choices' }, ...labels)),
    chosen: () => new Set(checked()),
    read: () => checked().map(key),
    write: (keys) => {
      for (const { value, box } of boxes) box.checked = keys.includes(key(value));
    },
  };
}

/** Returns the values of a group of checkboxes, sorted. */
export function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
