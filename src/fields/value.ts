import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import { compareUtf8 } from './utf8-order.js';

/**
 * JSON values as server-side apply compares, orders and writes them inside path elements.
 * A whole number beyond 2^53 may be a `bigint` at run time (see `parseExactJson`); every function here takes it.
 * Source: FieldsV1 in the Kubernetes API reference; the order was measured on a server.
 */

/** Returns canonical JSON: members sorted by name, `<`, `>`, `&` and the line separators escaped, one form for each number. */
export function serializeValue(value: Json | undefined): string {
  switch (typeof value) {
    case 'string':
      return quoteJson(value);
    case 'number':
      return numberText(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object': {
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(serializeValue).join(',')}]`;
      const map = value as JsonObject;
      const names = Object.keys(map).filter((name) => map[name] !== undefined);
      const members = names.sort(compareUtf8).map((name) => `${quoteJson(name)}:${serializeValue(map[name])}`);
      return `{${members.join(',')}}`;
    }
    default:
      return 'null';
  }
}

// Go writes at least two digits in an exponent.
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  return String(JSON.stringify(value)).replace(/e([+-])(\d)$/, 'e$10$2');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: strings that need an escape take the slow path
const plain = /^[^\u0000-\u001f"\\<>&\u2028\u2029\ud800-\udfff]*$/;

function quoteJson(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Compares values in this order: numbers, strings, booleans (false first), lists, maps, null. */
export function compareValues(left: Json, right: Json): number {
  const rank = rankOf(left) - rankOf(right);
  if (rank !== 0) return rank;
  if (typeof left === 'string') return compareUtf8(left, right as string);
  if (Array.isArray(left)) return compareLists(left, right as readonly Json[]);
  if (isJsonObject(left)) return comparePairs(sortedPairs(left), sortedPairs(right as JsonObject));
  if (left === null || left === right) return 0;
  return left < right! ? -1 : left > right! ? 1 : 0;
}

function rankOf(value: Json): number {
  switch (typeof value) {
    case 'string':
      return 1;
    case 'boolean':
      return 2;
    case 'object':
      return value === null ? 5 : Array.isArray(value) ? 3 : 4;
    default:
      return 0;
  }
}

function compareLists(left: readonly Json[], right: readonly Json[]): number {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = compareValues(left[index] as Json, right[index] as Json);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Compares lists of pairs pair by pair, by name and then by value; the shorter list sorts first. */
export function comparePairs(
  left: readonly (readonly [string, Json | undefined])[],
  right: readonly (readonly [string, Json | undefined])[],
): number {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [leftName, leftValue] = left[index]!;
    const [rightName, rightValue] = right[index]!;
    const order = compareUtf8(leftName, rightName) || compareValues(leftValue ?? null, rightValue ?? null);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function sortedPairs(map: JsonObject): [string, Json | undefined][] {
  return Object.entries(map)
    .filter(([, value]) => value !== undefined)
    .sort(([left], [right]) => compareUtf8(left, right));
}
