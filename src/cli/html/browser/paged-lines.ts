import { element } from './dom.js';

/** The cells that are made at once: a table with many more takes seconds to lay out. */
const cellsAtOnce = 12_000;
const fewestLines = 50;

/** Makes the body of a table, and a button that adds the next lines as long as there are more. */
export function pagedLines(
  count: number,
  columns: number,
  line: (index: number) => readonly HTMLElement[],
): { readonly body: HTMLElement; readonly more: readonly Node[] } {
  const body = element('tbody', { role: 'rowgroup' });
  const linesAtOnce = Math.max(fewestLines, Math.floor(cellsAtOnce / columns));
  let made = 0;
  const add = () => {
    const end = Math.min(made + linesAtOnce, count);
    while (made < end) {
      body.append(...line(made));
      made += 1;
    }
  };
  add();
  if (made === count) return { body, more: [] };
  const more = element('button', { type: 'button', class: 'more' });
  const label = () => {
    more.textContent = `Show more fields (${(count - made).toLocaleString('en-US')} left)`;
  };
  more.addEventListener('click', () => {
    add();
    if (made === count) more.remove();
    else label();
  });
  label();
  return { body, more: [more] };
}
