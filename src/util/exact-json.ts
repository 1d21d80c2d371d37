import { isJsonObject, type Json } from './json.js';

/** Sixteen digits in a row. Spelled out, because the engine of the language then passes over eight characters at a time. */
const manyDigits = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/;
/** A number that begins with sixteen digits or more, or a text that looks like one. */
const longNumber = /(?:^|[[,:])\s*-?\d{16}/;

/**
 * Reads JSON without changing whole numbers: one beyond 2^53, which a JavaScript number cannot hold, becomes a `bigint`.
 * Everything else reads as `JSON.parse` reads it.
 *
 * @throws SyntaxError where the text is no JSON.
 */
export function parseExactJson(text: string): Json {
  // The usual case has no such number, and the engine's own reader is much faster.
  if (!manyDigits.test(text) || !longNumber.test(text)) return JSON.parse(text) as Json;
  // Checks the form of the text, so that what follows need not.
  JSON.parse(text);
  const reader = { text, tokens: tokenPattern() };
  return readValue(reader, nextToken(reader));
}

/** From here on servers and JavaScript write an exponent: such a number has not been a whole one with more digits. */
const exponents = 1e21;

/** A whole number beyond 2^53 in a value, which a JavaScript number may not hold as it was written; undefined where there is none. */
export function inexactNumber(value: Json | undefined): number | undefined {
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < exponents ? value : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const member of Object.values(value)) {
    const found = inexactNumber(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The same with JavaScript numbers only, as `JSON.parse` reads them: for what is compared with and never written, such as schemas. */
export function roundedNumbers(value: Json): Json {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(roundedNumbers);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, member && roundedNumbers(member)]));
}

/**
 * Writes JSON; a `bigint` becomes a whole number.
 *
 * @param indent blanks for each level, on lines of their own; default: all on one line.
 */
export function stringifyExactJson(value: Json | undefined, indent = 0): string {
  try {
    // The engine's own writer is much faster. It refuses only a `bigint`.
    return JSON.stringify(value, undefined, indent) ?? 'null';
  } catch (error) {
    if (error instanceof TypeError) return stringifyWithBigInts(value, indent, '');
    throw error;
  }
}

function stringifyWithBigInts(value: Json | undefined, indent: number, before: string): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const below = before + ' '.repeat(indent);
  const text = (member: Json | undefined) => stringifyWithBigInts(member, indent, below);
  const parts = Array.isArray(value)
    ? (value as readonly Json[]).map(text)
    : Object.entries(value).flatMap(([name, member]) =>
        member === undefined ? [] : [`${JSON.stringify(name)}:${indent > 0 ? ' ' : ''}${text(member)}`],
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (indent === 0 || parts.length === 0) return `${open}${parts.join(',')}${close}`;
  return `${open}\n${below}${parts.join(`,\n${below}`)}\n${before}${close}`;
}

interface Reader {
  readonly text: string;
  readonly tokens: RegExp;
}

function tokenPattern(): RegExp {
  return /\s*("(?:[^"\\]|\\.)*"|[^\s[\]{},:"]+|[[\]{},:])/gy;
}

function nextToken(reader: Reader): string {
  return reader.tokens.exec(reader.text)?.[1] ?? '';
}

function readValue(reader: Reader, token: string): Json {
  if (token === '[') return readList(reader);
  if (token === '{') return readMap(reader);
  if (!/^-?\d+$/.test(token)) return JSON.parse(token) as Json;
  const number = Number(token);
  return Number.isSafeInteger(number) ? number : (BigInt(token) as unknown as Json);
}

function readList(reader: Reader): Json {
  const items: Json[] = [];
  for (let token = nextToken(reader); token !== ']'; token = nextToken(reader)) {
    if (token !== ',') items.push(readValue(reader, token));
  }
  return items;
}

function readMap(reader: Reader): Json {
  const members: [string, Json][] = [];
  for (let token = nextToken(reader); token !== '}'; token = nextToken(reader)) {
    if (token === ',') continue;
    nextToken(reader); // the colon
    members.push([JSON.parse(token) as string, readValue(reader, nextToken(reader))]);
  }
  return Object.fromEntries(members);
}
