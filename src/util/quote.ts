import { shortEscapes } from './short-escapes.js';

/** Quotes a string as the server does in messages: Go's `%q`, which keeps every printable character. */
export function quote(text: string): string {
  let result = '"';
  for (const char of text) result += shortEscapes[char] ?? (isPrintable(char) ? char : escaped(char));
  return `${result}"`;
}

/** Returns the text that the server quoted in a message: Go's `%q`. */
export function unquote(quoted: string): string {
  return quoted.slice(1, -1).replaceAll(escapes, (all, ...codes: readonly (string | undefined)[]) => {
    const code = codes.slice(0, 3).find((digits) => digits !== undefined);
    return code === undefined ? (named.get(all) ?? all.slice(1)) : String.fromCodePoint(Number.parseInt(code, 16));
  });
}

/** `\x7f`, `\u00a0`, `\U000e0001` or one character; no code is above 10ffff, the last of Unicode. */
const escapes = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(000[0-9a-f]{5}|0010[0-9a-f]{4})|.)/gsu;

const named: ReadonlyMap<string, string> = new Map(Object.entries(shortEscapes).map(([char, text]) => [text, char]));

function isPrintable(char: string): boolean {
  if (char >= ' ' && char <= '~') return true;
  // biome-ignore lint/complexity/useRegexLiterals: a literal with classes of Unicode takes time while the file is read, which all builders load
  return new RegExp('^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}]$', 'u').test(char);
}

function escaped(char: string): string {
  const code = char.codePointAt(0) as number;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
