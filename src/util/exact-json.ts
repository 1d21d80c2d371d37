import type { Json } from './json.js';

/**
 * Reads JSON without changing whole numbers: one beyond 2^53, which a JavaScript number cannot hold, becomes a `bigint`.
 * Everything else reads as `JSON.parse` reads it.
 *
 * @throws SyntaxError where the text is no JSON.
 */
export function parseExactJson(text: string): Json {
  // The usual case has no such number, and the engine's own reader is much faster.
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Json;
  // Checks the form of the text, so that what follows need not.
  JSON.parse(text);
  const reader = { text, tokens: tokenPattern() };
  return readValue(reader, nextToken(reader));
}

/** A whole number beyond 2^53 in a value, which a JavaScript number may not hold as it was written; undefined where there is none. */
export function inexactNumber(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const member of Object.values(value)) {
    const found = inexactNumber(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Writes JSON; a `bigint` becomes a whole number. */
export function stringifyExactJson(value: Json | undefined): string {
  try {
    // The engine's own writer is much faster. It refuses only a `bigint`.
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (error instanceof TypeError) return stringifyWithBigInts(value);
    throw error;
  }
}

function stringifyWithBigInts(value: Json | undefined): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(stringifyWithBigInts).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${stringifyWithBigInts(member)}`).join(',')}}`;
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
