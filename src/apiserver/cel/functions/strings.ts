import { shortEscapes } from '../../../util/short-escapes.js';
import { boolType, bytesType, dynType, intType, listOf, mapOf, stringType, typeParam } from '../types/cel-type.js';
import { sizeOf } from '../values/type-name.js';
import { CelList, type CelValue, EvaluationError } from '../values/value.js';
import { formatText } from './format-text.js';
import { type Library, method, overload } from './overload.js';
import { matchRegex } from './regex.js';

function fail(message: string): never {
  throw new EvaluationError(message);
}

/** A position in a text, counted in code points as CEL does. */
function position(text: readonly string[], index: bigint): number {
  return index < 0n || index > BigInt(text.length) ? fail(`index out of range: ${index}`) : Number(index);
}

function charAt(text: string, index: bigint): string {
  const characters = [...text];
  return characters[position(characters, index)] ?? '';
}

function indexOf(text: string, part: string, from = 0n): bigint {
  // The position of nothing is not checked. Source: observed.
  if (part === '') return from;
  const characters = [...text];
  if (from > BigInt(characters.length)) return -1n;
  return BigInt(find(characters, part, position(characters, from)));
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const characters = [...text];
  if (part === '') return from ?? BigInt(characters.length);
  if (from !== undefined && from >= BigInt(characters.length)) return -1n;
  const start = from === undefined ? characters.length : position(characters, from);
  const parts = [...part];
  // From the end to the start, the last place is the first: a search from the end would compare each place as a whole.
  const end = characters.length - parts.length;
  const found = find(characters.toReversed(), parts.toReversed().join(''), Math.max(0, end - start));
  return BigInt(found < 0 ? found : end - found);
}

/** Returns the position of the first such part at or behind `start`, -1 if there is none. */
function find(characters: readonly string[], part: string, start: number): number {
  const searched = characters.slice(start).join('');
  const found = searched.indexOf(part);
  return found < 0 ? found : start + [...searched.slice(0, found)].length;
}

function replace(text: string, from: string, to: string, limit = -1n): string {
  if (limit === 0n) return text;
  const pieces = from === '' ? ['', ...text, ''] : text.split(from);
  const count = limit < 0n ? pieces.length - 1 : Math.min(Number(limit), pieces.length - 1);
  return `${pieces.slice(0, count + 1).join(to)}${pieces
    .slice(count + 1)
    .map((piece) => from + piece)
    .join('')}`;
}

function split(text: string, separator: string, limit = -1n): CelList {
  if (limit === 0n) return new CelList([]);
  const pieces = separator === '' ? [...text] : text.split(separator);
  const count = limit < 0n ? pieces.length : Number(limit);
  if (pieces.length <= count) return new CelList(pieces);
  return new CelList([...pieces.slice(0, count - 1), pieces.slice(count - 1).join(separator)]);
}

function substring(text: string, from: bigint, to?: bigint): string {
  const characters = [...text];
  if (to !== undefined && from > to) fail(`invalid substring range. start: ${from}, end: ${to}`);
  return characters.slice(position(characters, from), to === undefined ? undefined : position(characters, to)).join('');
}

/** White space of Unicode, which JavaScript's trim knows too, except for U+FEFF and U+0085. */
function trim(text: string): string {
  const isSpace = (character: string) => character === '\x85' || (character !== '\uFEFF' && character.trim() === '');
  const characters = [...text];
  const first = characters.findIndex((each) => !isSpace(each));
  return first < 0 ? '' : characters.slice(first, characters.findLastIndex((each) => !isSpace(each)) + 1).join('');
}

const lowerAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const upperAscii = (text: string) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());

const quote = (text: string) => `"${[...text].map((each) => shortEscapes[each] ?? each).join('')}"`;
const join = (list: CelList, separator = '') => (list.items as readonly string[]).join(separator);
const size = (value: CelValue) => BigInt(sizeOf(value) ?? 0);
const a = typeParam('A');
const b = typeParam('B');
/** In the order of the real server: a value of no certain type then is of the first one. Source: observed. */
const sized = [
  ['bytes', bytesType],
  ['list', listOf(a)],
  ['map', mapOf(a, b)],
  ['string', stringType],
] as const;

/** Functions on texts, and sizes. Source: the language definition of CEL; cel-go's extension for strings, version 2. */
export const strings: Library = {
  size: sized.flatMap(([name, type]) => [overload(`size_${name}`, [type], intType, size), method(`${name}_size`, [type], intType, size)]),
  contains: [method('contains_string', [stringType, stringType], boolType, (text: string, part: string) => text.includes(part))],
  endsWith: [method('ends_with_string', [stringType, stringType], boolType, (text: string, part: string) => text.endsWith(part))],
  startsWith: [method('starts_with_string', [stringType, stringType], boolType, (text: string, part: string) => text.startsWith(part))],
  matches: [
    overload('matches', [stringType, stringType], boolType, matchRegex),
    method('matches_string', [stringType, stringType], boolType, matchRegex),
  ],
  charAt: [method('string_char_at_int', [stringType, intType], stringType, charAt)],
  indexOf: [
    method('string_index_of_string', [stringType, stringType], intType, indexOf),
    method('string_index_of_string_int', [stringType, stringType, intType], intType, indexOf),
  ],
  lastIndexOf: [
    method('string_last_index_of_string', [stringType, stringType], intType, lastIndexOf),
    method('string_last_index_of_string_int', [stringType, stringType, intType], intType, lastIndexOf),
  ],
  lowerAscii: [method('string_lower_ascii', [stringType], stringType, lowerAscii)],
  upperAscii: [method('string_upper_ascii', [stringType], stringType, upperAscii)],
  replace: [
    method('string_replace_string_string', [stringType, stringType, stringType], stringType, replace),
    method('string_replace_string_string_int', [stringType, stringType, stringType, intType], stringType, replace),
  ],
  split: [
    method('string_split_string', [stringType, stringType], listOf(stringType), split),
    method('string_split_string_int', [stringType, stringType, intType], listOf(stringType), split),
  ],
  substring: [
    method('string_substring_int', [stringType, intType], stringType, substring),
    method('string_substring_int_int', [stringType, intType, intType], stringType, substring),
  ],
  trim: [method('string_trim', [stringType], stringType, trim)],
  format: [
    method('string_format', [stringType, listOf(dynType)], stringType, (text: string, args: CelList) => formatText(text, args.items)),
  ],
  join: [
    method('list_join', [listOf(stringType)], stringType, join),
    method('list_join_string', [listOf(stringType), stringType], stringType, join),
  ],
  'strings.quote': [overload('strings_quote', [stringType], stringType, quote)],
};
