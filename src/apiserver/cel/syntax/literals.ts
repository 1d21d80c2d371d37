const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

/** The digits behind the letter of an escape, and their base. */
const codes: Readonly<Record<string, readonly [digits: number, base: number]>> = {
  x: [2, 16],
  X: [2, 16],
  u: [4, 16],
  U: [8, 16],
};

/** The characters of `\\U0001F600`. */
export const longestEscape = 10;

/** Returns the length of an escape that characters begin with, or of its part before a character that does not belong to it. */
export function measureEscape(characters: readonly string[]): { readonly length: number; readonly isComplete: boolean } {
  const letter = characters[1] ?? '';
  if (Object.hasOwn(escapes, letter)) return { length: 2, isComplete: true };
  const [count] = codes[letter] ?? [/^[0-3]$/.test(letter) ? 2 : -1];
  if (count < 0) return { length: 1, isComplete: false };
  const isDigit = Object.hasOwn(codes, letter) ? /^[\da-fA-F]$/ : /^[0-7]$/;
  const digits = characters.slice(2, 2 + count);
  const other = digits.findIndex((each) => !isDigit.test(each));
  const found = other < 0 ? digits.length : other;
  return { length: 2 + found, isComplete: found === count };
}

/** Returns a text without its escapes; undefined for an escape that does not exist. */
export function readText(text: string): string | undefined {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  return parts
    .map((part) => (typeof part === 'string' ? part : part.isByte ? String.fromCodePoint(part.code) : codePoint(part.code)))
    .join('');
}

/** Returns the bytes that a literal `b'…'` stands for; undefined for an escape that does not exist, or that names a character. */
export function readBytes(text: string): Uint8Array | undefined {
  const parts = partsOf(text);
  if (parts === undefined || parts.some((part) => typeof part !== 'string' && !part.isByte)) return undefined;
  return Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...bytesOf(part)] : [part.code])));
}

/** Returns a text in UTF-8. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

interface Code {
  readonly code: number;
  /** True for `\x` and octal escapes, which are bytes in bytes. */
  readonly isByte: boolean;
}

function partsOf(text: string): readonly (string | Code)[] | undefined {
  const parts: (string | Code)[] = [];
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf('\\', at);
    if (next !== at) parts.push(text.slice(at, next < 0 ? undefined : next));
    if (next < 0) break;
    const found = escapeAt(text, next + 1);
    if (found === undefined) return undefined;
    parts.push(found.part);
    at = next + 1 + found.length;
  }
  return parts;
}

function escapeAt(text: string, from: number): { readonly part: string | Code; readonly length: number } | undefined {
  const letter = text[from] ?? '';
  const simple = escapes[letter];
  if (simple !== undefined) return { part: simple, length: 1 };
  const known = codes[letter];
  const octal = /^[0-3][0-7][0-7]/.exec(text.slice(from, from + 3));
  if (known === undefined) return octal === null ? undefined : { part: { code: Number.parseInt(octal[0], 8), isByte: true }, length: 3 };
  const [count, base] = known;
  const digits = text.slice(from + 1, from + 1 + count);
  if (digits.length < count || !/^[0-9a-fA-F]+$/.test(digits)) return undefined;
  const code = Number.parseInt(digits, base);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (code > 0x10ffff || (count > 2 && isSurrogate)) return undefined;
  return { part: { code, isByte: count === 2 }, length: 1 + count };
}

function codePoint(code: number): string {
  return String.fromCodePoint(code);
}
