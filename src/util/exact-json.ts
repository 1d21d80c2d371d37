import { isJsonObject, type Json } from './json.js';

/** Sixteen digits in a row. Spelled out, because the regular expression engine then skips eight characters at a time. */
const manyDigits = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/;
/** The digits of the largest JavaScript number, and a sign. */
const maxDigits = 310;
/** A number that begins with sixteen digits or more, or a text that looks like one. */
const longNumber = /(?:^|[[,:])\s*-?\d{16}/;

/**
 * Reads JSON without changing whole numbers: an integer beyond 2^53, which a JavaScript number cannot hold, becomes a `bigint`. Everything
 * else reads as `JSON.parse` reads it.
 *
 * @throws SyntaxError if the text is not JSON.
 */
export function parseExactJson(text: string): Json {
  // Most texts have no such number, and the built-in parser is much faster.
  if (!manyDigits.test(text) || !longNumber.test(text)) return JSON.parse(text) as Json;
  // Validates the syntax, so that the code below can rely on it.
  JSON.parse(text);
  const reader = { text, tokens: tokenPattern() };
  return readValue(reader, nextToken(reader));
}

/** From this magnitude on, servers and JavaScript write an exponent, so the source was not an integer with more digits. */
const exponents = 1e21;

/** Returns a whole number beyond 2^53 in a value, which a JavaScript number may not hold exactly; undefined if there is none. */
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

/**
 * Returns the value with JavaScript numbers only, as `JSON.parse` reads them: for values that are compared and never written, such as
 * schemas.
 */
export function roundedNumbers(value: Json): Json {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(roundedNumbers);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, member && roundedNumbers(member)]));
}

/**
 * Writes JSON; a `bigint` becomes a whole number.
 *
 * @param indent spaces per level, each member on its own line
 * @default 0, which writes one line
 */
export function stringifyExactJson(value: Json | undefined, indent = 0): string {
  try {
    // The built-in serializer is much faster. It only rejects `bigint`.
    return JSON.stringify(value, undefined, indent) ?? 'null';
  } catch (error) {
    if (error instanceof TypeError) return stringifyWithBigInts(value, '', indent, '') ?? 'null';
    throw error;
  }
}

/** Writes everything but `bigint` as `JSON.stringify` does; returns undefined for what it leaves out. */
function stringifyWithBigInts(given: unknown, key: string, indent: number, before: string): string | undefined {
  const { toJSON } = (given ?? {}) as { readonly toJSON?: unknown };
  // Builders and dates say how they are written.
  const value: unknown = typeof given === 'object' && typeof toJSON === 'function' ? toJSON.call(given, key) : given;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const below = before + ' '.repeat(indent);
  const text = (member: unknown, name: string) => stringifyWithBigInts(member, name, indent, below);
  const parts = Array.isArray(value)
    ? (value as readonly unknown[]).map((item, index) => text(item, String(index)) ?? 'null')
    : Object.entries(value).flatMap(([name, member]) => {
        const written = text(member, name);
        return written === undefined ? [] : [`${JSON.stringify(name)}:${indent > 0 ? ' ' : ''}${written}`];
      });
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
  // No server reads longer numbers as integers, and reading them takes long.
  if (token.length > maxDigits) return number;
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
