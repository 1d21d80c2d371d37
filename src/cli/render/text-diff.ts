import { createTwoFilesPatch, structuredPatch } from 'diff';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json } from '../../util/json.js';

const longest = 120;
const context = 3;

/** Returns true if a change of this value is easier to read line by line. */
export function isLong(value: Json | undefined): boolean {
  if (value === undefined || value === null) return false;
  return typeof value === 'string'
    ? value.length > longest || value.includes('\n')
    : typeof value === 'object' && stringifyExactJson(value).length > longest;
}

/** The number of changed lines from which texts are shown as they are, one below the other, because they have little in common. */
const maxChangedLines = 2_000;

/** Returns a change as lines that begin with `-`, `+` or a blank, with three lines of context; `@@` separates distant parts. */
export function changedLines(oldValue: Json | undefined, newValue: Json | undefined): readonly string[] {
  return unifiedLines(valueText(oldValue), valueText(newValue));
}

/** As `changedLines`, of two texts. */
export function unifiedLines(oldText: string, newText: string): readonly string[] {
  const patch = structuredPatch('', '', oldText, newText, '', '', { context, maxEditLength: maxChangedLines });
  if (patch === undefined) return [...signedLines('-', oldText), ...signedLines('+', newText)];
  const { hunks } = patch;
  return hunks.flatMap(({ oldStart, newStart, lines }) => [
    ...(hunks.length > 1 || oldStart > 1 ? [`@@ line ${oldStart} → ${newStart} @@`] : []),
    ...lines.filter((line) => !line.startsWith('\\')),
  ]);
}

/** Returns the lines of a text, each with a sign before it. */
export function signedLines(sign: '-' | '+', text: string): readonly string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `${sign}${line}`);
}

/** Returns the change of a file as a patch; line ends are left out. @param oldText undefined for a new file. */
export function filePatch(name: string, oldText: string | undefined, newText: string): string {
  const oldName = oldText === undefined ? '/dev/null' : `a/${name}`;
  const patch = createTwoFilesPatch(oldName, `b/${name}`, oldText ?? '', newText, undefined, undefined, { context });
  return patch.replace(/^=+\n/, '').replaceAll('\r', '');
}

function valueText(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : stringifyExactJson(withSortedMembers(value), 2);
}

/** Sorts members by name, because their order is not a change. The order of list items is kept. */
function withSortedMembers(value: Json): Json {
  if (Array.isArray(value)) return value.map(withSortedMembers);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, withSortedMembers(value[name] ?? null)]));
}
