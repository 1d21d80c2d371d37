import { element } from './dom.js';

/** A group of checkboxes. */
export interface Choices<Value> {
  readonly group: HTMLElement;
  readonly size: number;
  /** Returns the values of the checked boxes. */
  readonly chosen: () => ReadonlySet<Value>;
}

/** Makes a group of checkboxes. */
export function choices<Value>(
  title: string,
  values: readonly Value[],
  label: (value: Value) => readonly (Node | string)[] = (value) => [String(value)],
): Choices<Value> {
  const boxes = values.map((value) => ({ value, box: element('input', { type: 'checkbox' }) }));
  const labels = boxes.map(({ value, box }) => element('label', {}, box, ' ', ...label(value)));
  return {
    size: values.length,
    group: element('fieldset', {}, element('legend', {}, title), element('div', { class: 'choices' }, ...labels)),
    chosen: () => new Set(boxes.flatMap(({ value, box }) => (box.checked ? [value] : []))),
  };
}
