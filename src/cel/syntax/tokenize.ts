import { bytesOf, readBytes, readText } from './literals.js';
import type { SourceError } from './source-error.js';

export interface Token {
  readonly kind: 'identifier' | 'escaped' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol' | 'end';
  /** The token as written. */
  readonly text: string;
  /** The value of a text or of bytes, and the name of an identifier. */
  readonly value: string | Uint8Array;
  readonly offset: number;
}

const symbols2 = ['==', '!=', '<=', '>=', '&&', '||'];
const symbols1 = '+-*/%<>!?:.,()[]{}=';

/** Splits an expression into tokens. Other characters are errors, and left out. Source: the language definition of CEL, "Syntax". */
export function tokenize(text: string): { readonly tokens: readonly Token[]; readonly errors: readonly SourceError[] } {
  const characters = [...text];
  const tokens: Token[] = [];
  const errors: SourceError[] = [];
  let at = 0;
  while (at < characters.length) {
    const next = skipped(characters, at);
    if (next > at) {
      at = next;
      continue;
    }
    const found = tokenAt(characters, at);
    if ('message' in found) {
      errors.push({ offset: at, message: found.message });
      at += found.length;
    } else {
      tokens.push(found);
      at += [...found.text].length;
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', value: '', offset: characters.length });
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

type Found = Token | { readonly message: string; readonly length: number };

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
  const shown = '&|='.includes(character) ? pair : character;
  return { message: `Syntax error: token recognition error at: '${shown}'`, length: [...shown].length || 1 };
}

function escapedAt(characters: readonly string[], offset: number): Found {
  const inner = run(characters, offset + 1, (each) => isLetter(each) || isDigit(each) || '.-/ '.includes(each));
  if (inner === '' || characters[offset + 1 + inner.length] !== '`')
    return { message: "Syntax error: token recognition error at: '`'", length: 1 };
  return { kind: 'escaped', text: `\`${inner}\``, value: inner, offset };
}

function numberAt(characters: readonly string[], offset: number): Token {
  const token = (kind: 'int' | 'uint' | 'double', text: string): Token => ({ kind, text, value: text, offset });
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

function withSuffix(characters: readonly string[], token: Token): Token {
  const suffix = characters[token.offset + token.text.length];
  if (suffix !== 'u' && suffix !== 'U') return token;
  return { ...token, kind: 'uint', text: `${token.text}${suffix}` };
}

/** Returns a text or bytes, with their prefixes. */
function textAt(characters: readonly string[], offset: number): Found | undefined {
  const prefix = run(characters, offset, (each) => 'rRbB'.includes(each)).toLowerCase();
  if (prefix.length > 2 || prefix === 'rr' || prefix === 'bb') return undefined;
  const start = offset + prefix.length;
  const quote = characters[start];
  if (quote !== '"' && quote !== "'") return undefined;
  const isTriple = characters[start + 1] === quote && characters[start + 2] === quote;
  const isRaw = prefix.includes('r');
  const end = closingAt(characters, start, quote, isTriple, isRaw);
  if (end === undefined) {
    const rest = characters.slice(offset).join('');
    const [line = ''] = isTriple ? [rest] : rest.split('\n');
    return { message: `Syntax error: token recognition error at: '${line}'`, length: [...line].length };
  }
  const width = isTriple ? 3 : 1;
  const text = characters.slice(offset, end + width).join('');
  const inner = characters.slice(start + width, end).join('');
  const isBytes = prefix.includes('b');
  const value = isRaw ? (isBytes ? bytesOf(inner) : inner) : isBytes ? readBytes(inner) : readText(inner);
  if (value === undefined) return { message: `Syntax error: token recognition error at: '${text}'`, length: [...text].length };
  return { kind: isBytes ? 'bytes' : 'string', text, value, offset };
}

/** Returns the position of the closing quotes. */
function closingAt(characters: readonly string[], start: number, quote: string, isTriple: boolean, isRaw: boolean): number | undefined {
  for (let at = start + (isTriple ? 3 : 1); at < characters.length; at++) {
    if (characters[at] === '\\' && !isRaw) at++;
    else if (characters[at] === '\n' && !isTriple) return undefined;
    else if (characters[at] === quote && (!isTriple || (characters[at + 1] === quote && characters[at + 2] === quote))) return at;
  }
  return undefined;
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
