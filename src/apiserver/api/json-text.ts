import { quote } from '../../fields/index.js';
import { parseExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json } from '../../util/json.js';
import { toWellFormed } from '../../util/well-formed.js';

/** The depth of maps and lists that the server reads. Source: observed. */
const maxDepth = 10_000;

/** A text that is not JSON, or too deep; the message is the server's. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

/** Reads JSON as the server does: exact numbers, limited depth. @throws JsonTextError */
export function readJson(text: string): Json {
  if (isTooDeep(text)) throw new JsonTextError(jsonProblem(text) ?? "invalid character '[' exceeded max depth");
  try {
    const value = parseExactJson(text);
    return loneSurrogate.test(text) ? withoutLoneSurrogates(value) : value;
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonTextError(jsonProblem(text) ?? error.message);
    throw error;
  }
}

const loneSurrogate = /\\u[dD][89a-fA-F]/;

/** Returns JSON in which half a character is replaced as Go does it, by U+FFFD. */
function withoutLoneSurrogates(value: Json): Json {
  if (typeof value === 'string') return toWellFormed(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutLoneSurrogates);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [toWellFormed(name), withoutLoneSurrogates(member as Json)]));
}

/** Returns true if a text nests more than the server reads. */
export function isTooDeep(text: string): boolean {
  // Each level takes a character.
  if (text.length <= maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** Returns the index of the closing quote of a string, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at;
  }
  return text.length;
}

/** Returns the name of a value's type in the messages of Go's JSON decoder. */
export function goTypeOf(value: Json): string {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * Returns the first problem of a text in the words of Go's JSON decoder; undefined if there is none. Source: observed.
 */
export function jsonProblem(text: string): string | undefined {
  return new JsonScanner(text).problem();
}

type Expected = 'value' | 'first value' | 'first key' | 'key' | 'colon' | 'after';

class JsonScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  problem(): string | undefined {
    const closers: string[] = [];
    let place: Expected = 'value';
    for (;;) {
      this.#skipSpace();
      const character = this.#text[this.#at];
      if (place === 'after' && closers.length === 0) return character === undefined ? undefined : this.#invalid('after top-level value');
      if (character === undefined) return 'unexpected end of JSON input';
      const closer = closers.at(-1);
      if ((place === 'first value' || place === 'first key' || place === 'after') && character === closer) {
        closers.pop();
        this.#at += 1;
        place = 'after';
      } else if (place === 'after') {
        if (character !== ',') return this.#invalid(closer === '}' ? 'after object key:value pair' : 'after array element');
        this.#at += 1;
        place = closer === '}' ? 'key' : 'value';
      } else if (place === 'colon') {
        if (character !== ':') return this.#invalid('after object key');
        this.#at += 1;
        place = 'value';
      } else if (place === 'key' || place === 'first key') {
        if (character !== '"') return this.#invalid('looking for beginning of object key string');
        const problem = this.#string();
        if (problem !== undefined) return problem;
        place = 'colon';
      } else if (character === '{' || character === '[') {
        if (closers.length === maxDepth) return this.#invalid('exceeded max depth');
        closers.push(character === '{' ? '}' : ']');
        this.#at += 1;
        place = character === '{' ? 'first key' : 'first value';
      } else {
        const problem = this.#scalar(character);
        if (problem !== undefined) return problem;
        place = 'after';
      }
    }
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1;
  }

  #scalar(character: string): string | undefined {
    if (character === '"') return this.#string();
    for (const literal of ['true', 'false', 'null']) if (character === literal[0]) return this.#literal(literal);
    return character === '-' || /\d/.test(character) ? this.#number() : this.#invalid('looking for beginning of value');
  }

  #string(): string | undefined {
    for (this.#at += 1; ; this.#at++) {
      const character = this.#text[this.#at];
      if (character === undefined) return 'unexpected end of JSON input';
      if (character === '"') break;
      if (character < ' ') return this.#invalid('in string literal');
      if (character !== '\\') continue;
      this.#at += 1;
      const escaped = this.#text[this.#at] ?? ' ';
      if (escaped === 'u') {
        for (let digit = 0; digit < 4; digit++) {
          this.#at += 1;
          if (this.#at >= this.#text.length || !/[0-9a-f]/i.test(this.#text[this.#at] as string))
            return this.#invalid('in \\u hexadecimal character escape');
        }
      } else if (!'"\\/bfnrt'.includes(escaped)) return this.#invalid('in string escape code');
    }
    this.#at += 1;
    return undefined;
  }

  #literal(literal: string): string | undefined {
    for (const expected of literal) {
      if (this.#text[this.#at] !== expected) return this.#invalid(`in literal ${literal} (expecting ${quoted(expected)})`);
      this.#at += 1;
    }
    return undefined;
  }

  #number(): string | undefined {
    if (this.#text[this.#at] === '-') this.#at += 1;
    if (!this.#isDigit()) return this.#invalid('in numeric literal');
    if (this.#text[this.#at] === '0') this.#at += 1;
    else this.#skipDigits();
    if (this.#text[this.#at] === '.') {
      this.#at += 1;
      if (!this.#isDigit()) return this.#invalid('after decimal point in numeric literal');
      this.#skipDigits();
    }
    if (!/[eE]/.test(this.#text[this.#at] ?? '')) return undefined;
    this.#at += 1;
    if (/[-+]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
    if (!this.#isDigit()) return this.#invalid('in exponent of numeric literal');
    this.#skipDigits();
    return undefined;
  }

  #isDigit(): boolean {
    return /\d/.test(this.#text[this.#at] ?? '');
  }

  #skipDigits(): void {
    while (this.#isDigit()) this.#at += 1;
  }

  /** Names the current character, or its first byte; after the end, the server sees a space. */
  #invalid(where: string): string {
    const byte = Buffer.from(String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0x20))[0] as number;
    return `invalid character ${quoted(String.fromCharCode(byte))} ${where}`;
  }
}

function quoted(character: string): string {
  if (character === "'") return "'\\''";
  return character === '"' ? `'"'` : `'${quote(character).slice(1, -1)}'`;
}
