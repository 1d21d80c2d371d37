import { element } from './dom.js';

/** The longest part of a name that stays in one piece. */
const longestPart = 32;

/** Returns a text with what stands between backticks as code. */
export function codeNodes(text: string): readonly (Node | string)[] {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

/** Returns a name that may be broken behind its separators, except before a digit, and inside a part only where that is longer than a line. */
export function nameNodes(name: string): readonly (Node | string)[] {
  return name
    .split(/(?<=[.,/:=_[\]-])(?=\D)/)
    .flatMap((part, index) => [
      ...(index > 0 ? [element('wbr')] : []),
      part.length > longestPart ? element('span', { class: 'long' }, part) : part,
    ]);
}
