import type { Host } from '../process/host.js';
import { wrapText } from './wrap.js';

/**
 * Characters that move the cursor, change the display or the direction of text: C0 except tab and line feed, DEL, C1, the marks and
 * overrides of bidirectional text, the separators of lines and paragraphs, the byte order mark, and halves of surrogate pairs.
 * Source: Unicode Standard Annex 9, "Unicode Bidirectional Algorithm"; ECMA-48.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;

/** ASCII without control characters, as nearly all texts are. */
const plain = /^[\x20-\x7e]*$/;

/** Replaces each control character of a text by its number, such as `<U+001B>`, so that a terminal can show any text. */
export function printable(text: string): string {
  if (text.search(controls) < 0) return text;
  return text.replace(controls, (character) => `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

/** Makes output printable: lines of JSON keep their data, with control characters escaped as in JSON. */
export function printableOutput(text: string): string {
  if (text.search(controls) < 0) return text;
  if (!/^\{".*\}\n$/s.test(text)) return printable(text);
  return text.replace(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Makes a text printable on one line. */
export function onOneLine(text: string): string {
  if (plain.test(text)) return text.trimEnd();
  const lines = printable(text)
    .split('\n')
    .map((line, index) => (index === 0 ? line.trimEnd() : line.trim()));
  return lines.filter((line) => line !== '').join(' ');
}

/** Starts each further line of a quoted text, so that no quoted text looks like a line of our output. */
const continuation = '\n      | ';

/** Joins lines of our output; a line feed within a line is part of a quoted text. */
export function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd().replaceAll('\n', continuation)}\n`).join('');
}

/** Prints lines of a report on stdout; at a terminal, they are broken between words. */
export function printLines({ raw, width }: Pick<Host, 'raw' | 'width'>, lines: readonly string[]): void {
  raw.stdout(wrapText(linesText(lines), width));
}

/** Marks the further lines of all texts of a report as quoted. */
export function quoted<T>(report: T): T {
  return mapTexts(report, (text) => text.trimEnd().replaceAll('\n', continuation)) as T;
}

/** Wraps a renderer so that all texts of its events, names of members included, are printable. */
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
