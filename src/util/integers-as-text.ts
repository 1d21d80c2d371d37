import { isJsonObject, type Json, type JsonObject } from './json.js';

/** A document whose readers may round large integers. */
export interface IntegersAsText {
  /**
   * JSON pointers (RFC 6901) of whole numbers beyond 2^53 in this document: they are stored as text with all their digits, because a
   * JavaScript number cannot hold them. Absent if there are none.
   */
  readonly integers?: readonly string[];
}

/** Returns the document with each `bigint` as text; the document itself if it has none. */
export function withIntegersAsText<T extends object>(document: T): T & IntegersAsText {
  if (!containsBigInt(document)) return document;
  const integers: string[] = [];
  const written = mapLeaves(document as JsonObject, '', (value, pointer) => {
    if (typeof value !== 'bigint') return value;
    integers.push(pointer);
    return String(value);
  });
  return { ...(written as JsonObject), integers } as unknown as T & IntegersAsText;
}

/** Returns the document with a `bigint` for each of its `integers`; see `withIntegersAsText`. */
export function withIntegers<T extends IntegersAsText>(document: T): T {
  const { integers = [] } = document;
  if (integers.length === 0) return document;
  const pointers = new Set(integers);
  return mapLeaves(document as unknown as JsonObject, '', (value, pointer) => {
    const isInteger = pointers.has(pointer) && typeof value === 'string' && /^-?\d+$/.test(value);
    return isInteger ? (BigInt(value) as unknown as Json) : value;
  }) as unknown as T;
}

function containsBigInt(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(containsBigInt);
}

function mapLeaves(value: Json | undefined, pointer: string, change: (value: Json, pointer: string) => Json): Json | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item, index) => mapLeaves(item, `${pointer}/${index}`, change) as Json);
  if (!isJsonObject(value)) return change(value, pointer);
  const below = (name: string) => `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapLeaves(member, below(name), change)]));
}
