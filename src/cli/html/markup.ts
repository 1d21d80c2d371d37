import { printable } from '../render/printable.js';

/** Markup that `tag` made: all its texts are escaped. */
export interface Markup {
  readonly html: string;
}

/** Makes an element. Strings become printable texts, never markup. */
export function tag(name: string, attributes: Readonly<Record<string, string>> = {}, ...content: readonly (Markup | string)[]): Markup {
  const given = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${escaped(value)}"`);
  const inner = content.map((part) => (typeof part === 'string' ? escaped(part) : part.html));
  return { html: `<${name}${given.join('')}>${inner.join('')}</${name}>` };
}

/** Returns a printable text as the content of an element or as a value in double quotes. */
export function escaped(text: string): string {
  return printable(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
