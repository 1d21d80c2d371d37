import { element } from './dom.js';
import { nameNodes } from './words.js';

/** The characters and lines of a text that are shown at once. */
const shown = { characters: 1_000, lines: 12 };
/** Values up to this length are broken behind separators, as names are. */
const longestName = 200;
/** The lines of a change that are shown at once. */
const shownLines = 60;

/** Makes an element with a text; a long one is cut, and a button shows the rest. */
export function longText(text: string): Node {
  const cut = text.split('\n', shown.lines).join('\n').slice(0, shown.characters);
  const isName = text.length <= longestName && !text.includes('\n');
  const code = element('code', { class: 'value' }, ...(isName ? nameNodes(cut) : [cut]));
  if (cut.length === text.length) return code;
  const more = element('button', { type: 'button', class: 'more' }, `Show all ${text.length.toLocaleString('en-US')} characters`);
  more.addEventListener('click', () => {
    code.textContent = text;
    more.remove();
  });
  return element('span', {}, code, element('span', { 'aria-hidden': 'true' }, '… '), more);
}

/** Makes an element with the lines of a unified diff, each a block with its sign and color; of a long one, a button shows the rest. */
export function diffLines(lines: readonly string[]): HTMLElement {
  const line = (text: string) => element('div', { class: lineClass(text) }, longLine(text));
  const code = element('code', { class: 'lines' }, ...lines.slice(0, shownLines).map(line));
  if (lines.length <= shownLines) return code;
  const more = element('button', { type: 'button', class: 'more' }, `Show all ${lines.length.toLocaleString('en-US')} lines`);
  more.addEventListener('click', () => {
    code.append(...lines.slice(shownLines).map(line));
    more.remove();
  });
  return element('div', {}, code, more);
}

function lineClass(text: string): string {
  if (text.startsWith('+')) return 'new';
  if (text.startsWith('-')) return 'old';
  return text.startsWith('@@') ? 'mark' : '';
}

function longLine(text: string): Node | string {
  if (text.length <= shown.characters) return text === '' ? ' ' : text;
  return longText(text);
}
