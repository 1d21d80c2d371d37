/**
 * Characters that move the cursor, change what is shown, or turn the direction of what follows: C0 but tab and line feed, DEL, C1, the
 * marks and overrides of bidirectional text, the separators of lines and paragraphs, the byte order mark, and halves of surrogate pairs.
 * Source: Unicode Standard Annex 9, "Unicode Bidirectional Algorithm"; ECMA-48.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;

/** What nearly all texts are: ASCII without a control character. */
const plain = /^[\x20-\x7e]*$/;

/** A text of the server or of the program as a person may see it on a terminal: each control character by its number, `<U+001B>`. */
export function printable(text: string): string {
  if (text.search(controls) < 0) return text;
  return text.replace(controls, (character) => `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

/** Text that is written, as `printable`; lines of JSON keep their data, with each such character written as JSON writes it. */
export function printableOutput(text: string): string {
  if (text.search(controls) < 0) return text;
  if (!/^\{".*\}\n$/s.test(text)) return printable(text);
  return text.replace(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `printable` on one line. */
export function onOneLine(text: string): string {
  const lines = printable(text)
    .split('\n')
    .map((line, index) => (index === 0 ? line.trimEnd() : line.trim()));
  return lines.filter((line) => line !== '').join(' ');
}

/** What begins each further line of a text that is not ours: no such text looks like a line of ours. */
const continuation = '\n      | ';

/** Lines of ours as one text; a line feed within one of them comes from what it quotes. */
export function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd().replaceAll('\n', continuation)}\n`).join('');
}

/** Makes a report for people: a line feed in one of its texts begins a line that does not look like one of ours. */
export function quoted<T>(report: T): T {
  return mapTexts(report, (text) => text.trimEnd().replaceAll('\n', continuation)) as T;
}

/** A renderer that gets every text of its events, names of members too, as `printable` gives it. */
export function forPeople<E>(render: (event: E) => void): (event: E) => void {
  return (event) => render(isPlain(event) ? event : (mapTexts(event, printable) as E));
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return plain.test(value);
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== 'object' || value === null) return true;
  for (const name in value) if (!plain.test(name) || !isPlain((value as Record<string, unknown>)[name])) return false;
  return true;
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((member) => mapTexts(member, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [map(name), mapTexts(member, map)]));
}
