import { element } from './dom.js';

/** The characters and lines of a text that are shown at once. */
const shown = { characters: 1_000, lines: 12 };

/** Makes an element with a text; a long one is cut, and a button shows the rest. */
export function longText(text: string): Node {
  const cut = text.split('\n', shown.lines).join('\n').slice(0, shown.characters);
  const code = element('code', { class: 'value' }, cut);
  if (cut.length === text.length) return code;
  const more = element('button', { type: 'button', class: 'more' }, `Show all ${text.length.toLocaleString('en-US')} characters`);
  more.addEventListener('click', () => {
    code.textContent = text;
    more.remove();
  });
  return element('span', {}, code, element('span', { 'aria-hidden': 'true' }, '… '), more);
}
