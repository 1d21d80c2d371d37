import { bytesOf, longestEscape, measureEscape, readBytes, readText } from './literals.js';
import { quoted, type SourceError } from './source-error.js';

export interface Token {
  readonly kind: 'identifier' | 'escaped' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol' | 'end';
  /** The token as written. */
  readonly text: string;
  /** The value of a text or of bytes, and the name of an identifier. */
  readonly value: string | Uint8Array;
  readonly offset: number;
  /** The white space and comments before the token. */
  readonly before: string;
}

const symbols2 = ['==', '!=', '<=', '>=', '&&', '||'];
const symbols1 = '+-*/%<>!?:.,()[]{}=';

/** Splits an expression into tokens. Other characters are errors, and left out. Source: the language definition of CEL, "Syntax". */
export function tokenize(text: string): { readonly tokens: readonly Token[]; readonly errors: readonly SourceError[] } {
  const characters = [...text];
  const tokens: Token[] = [];
  const errors: SourceError[] = [];
  let at = 0;
  let before = '';
  while (at < characters.length) {
    const next = skipped(characters, at);
    if (next > at) {
      before += characters.slice(at, next).join('');
      at = next;
      continue;
    }
    const found = tokenAt(characters, at);
    if ('message' in found) {
      errors.push({ offset: at, message: found.message });
      at += found.length;
    } else {
      tokens.push({ ...found, before });
      before = '';
      at += [...found.text].length;
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', value: '', offset: characters.length, before });
  return { tokens, errors };
}

/** Returns the position behind white space or a comment. */
function skipped(characters: readonly string[], from: number): number {
  const character = characters[from] as string;
  if (' \t\r\n\f'.includes(character)) return from + 1;
  if (character !== '/' || characters[from + 1] !== '/') return from;
  let at = from;
  while (at < characters.length && characters[at] !== '\n') at++;
  return at;
}

type Unplaced = Omit<Token, 'before'>;
type Found = Unplaced | { readonly message: string; readonly length: number };

function tokenAt(characters: readonly string[], offset: number): Found {
  const character = characters[offset] as string;
  const quoted = textAt(characters, offset);
  if (quoted !== undefined) return quoted;
  if (isLetter(character)) {
    const text = run(characters, offset, (each) => isLetter(each) || isDigit(each));
    return { kind: 'identifier', text, value: text, offset };
  }
  if (isDigit(character) || (character === '.' && isDigit(characters[offset + 1] ?? ''))) return numberAt(characters, offset);
  if (character === '`') return escapedAt(characters, offset);
  const pair = `${character}${characters[offset + 1] ?? ''}`;
  if (symbols2.includes(pair)) return { kind: 'symbol', text: pair, value: pair, offset };
  if (symbols1.includes(character) && character !== '=') return { kind: 'symbol', text: character, value: character, offset };
  return unrecognized(characters, offset, offset + ('&|='.includes(character) ? 2 : 1));
}

function escapedAt(characters: readonly string[], offset: number): Found {
  const inner = run(characters, offset + 1, (each) => isLetter(each) || isDigit(each) || '.-/ '.includes(each));
  const end = offset + 1 + [...inner].length;
  if (inner === '' || characters[end] !== '`') return unrecognized(characters, offset, end + 1);
  return { kind: 'escaped', text: `\`${inner}\``, value: inner, offset };
}

function numberAt(characters: readonly string[], offset: number): Unplaced {
  const token = (kind: 'int' | 'uint' | 'double', text: string): Unplaced => ({ kind, text, value: text, offset });
  if (characters[offset] === '0' && (characters[offset + 1] === 'x' || characters[offset + 1] === 'X')) {
    const hex = run(characters, offset + 2, (each) => isDigit(each) || /[a-fA-F]/.test(each));
    if (hex !== '') return withSuffix(characters, token('int', `${characters.slice(offset, offset + 2).join('')}${hex}`));
  }
  const whole = run(characters, offset, isDigit);
  let text = whole;
  if (characters[offset + text.length] === '.' && isDigit(characters[offset + text.length + 1] ?? ''))
    text += `.${run(characters, offset + text.length + 1, isDigit)}`;
  text += exponentAt(characters, offset + text.length);
  return text === whole ? withSuffix(characters, token('int', text)) : token('double', text);
}

function exponentAt(characters: readonly string[], from: number): string {
  const letter = characters[from];
  if (letter !== 'e' && letter !== 'E') return '';
  const sign = '+-'.includes(characters[from + 1] ?? ' ') ? (characters[from + 1] as string) : '';
  const digits = run(characters, from + 1 + sign.length, isDigit);
  return digits === '' ? '' : `${letter}${sign}${digits}`;
}

function withSuffix(characters: readonly string[], token: Unplaced): Unplaced {
  const suffix = characters[token.offset + token.text.length];
  if (suffix !== 'u' && suffix !== 'U') return token;
  return { ...token, kind: 'uint', text: `${token.text}${suffix}` };
}

/** Returns a text or bytes, with their prefixes; a prefix before anything else is a name. */
function textAt(characters: readonly string[], offset: number): Found | undefined {
  const prefix = run(characters, offset, (each) => 'rRbB'.includes(each)).toLowerCase();
  if (prefix.length > 2 || prefix === 'rr' || prefix === 'bb') return undefined;
  const start = offset + prefix.length;
  const quote = characters[start];
  if (quote !== '"' && quote !== "'") return undefined;
  const isDouble = characters[start + 1] === quote;
  const isTriple = isDouble && characters[start + 2] === quote;
  const isRaw = prefix.includes('r');
  const { end, isClosed } = endOfText(characters, start, quote, isTriple, isRaw);
  const width = isTriple ? 3 : 1;
  if (!isClosed) {
    if (isTriple) return textToken(characters, offset, start + 1, start + 1, start + 2, prefix);
    return prefix === '' ? unrecognized(characters, offset, end + 1) : undefined;
  }
  return textToken(characters, offset, start + width, end, end + width, prefix);
}

function textToken(characters: readonly string[], offset: number, from: number, to: number, end: number, prefix: string): Found {
  const text = characters.slice(offset, end).join('');
  const inner = characters.slice(from, to).join('');
  const isBytes = prefix.includes('b');
  const value = prefix.includes('r') ? (isBytes ? bytesOf(inner) : inner) : isBytes ? readBytes(inner) : readText(inner);
  return value === undefined ? unrecognized(characters, offset, end) : { kind: isBytes ? 'bytes' : 'string', text, value, offset };
}

function unrecognized(characters: readonly string[], from: number, to: number): Found {
  const shown = characters.slice(from, to).join('');
  return { message: `Syntax error: token recognition error at: ${quoted(shown)}`, length: Math.min(to, characters.length) - from };
}

interface TextEnd {
  /** The position of the closing quotes, or of the character that cannot be in a text. */
  readonly end: number;
  readonly isClosed: boolean;
}

function endOfText(characters: readonly string[], start: number, quote: string, isTriple: boolean, isRaw: boolean): TextEnd {
  for (let at = start + (isTriple ? 3 : 1); at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === '\\' && !isRaw) {
      const { length, isComplete } = measureEscape(characters.slice(at, at + longestEscape));
      if (!isComplete) return { end: at + length, isClosed: false };
      at += length - 1;
    } else if ('\n\r'.includes(character) && !isTriple) return { end: at, isClosed: false };
    else if (character === quote && (!isTriple || (characters[at + 1] === quote && characters[at + 2] === quote)))
      return { end: at, isClosed: true };
  }
  return { end: characters.length, isClosed: false };
}

function run(characters: readonly string[], from: number, isPart: (character: string) => boolean): string {
  let at = from;
  while (at < characters.length && isPart(characters[at] as string)) at++;
  return characters.slice(from, at).join('');
}

function isLetter(character: string): boolean {
  return /^[A-Za-z_]$/.test(character);
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9' && character.length === 1;
}
