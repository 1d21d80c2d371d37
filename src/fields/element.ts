import { parseExactJson } from '../util/exact-json.js';
import { isJsonObject, type Json } from '../util/json.js';
import { remembered } from '../util/remembered.js';
import type { PathElement } from './path.js';
import { compareUtf8 } from './utf8-order.js';
import { comparePairs, compareValues, serializeValue } from './value.js';

/**
 * Path elements in the text form of FieldsV1: `f:spec`, `k:{"port":80}`, `v:"a"`, `i:0`. The text is canonical, so that equal elements have
 * equal texts and sets can use it as a key. Source: Kubernetes API reference, FieldsV1.
 */

/** Returns the text of a field name. The sets of many objects hold the same few names, which are then the same strings. */
export const fieldKey = remembered((name) => `f:${name}`, 10_000);

/** Returns the text of any element. */
export function serializeElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return fieldKey(element.name);
    case 'key':
      return `k:${serializeValue(Object.fromEntries(element.keys))}`;
    case 'value':
      return `v:${serializeValue(element.value)}`;
    case 'index':
      return `i:${element.index}`;
  }
}

/**
 * Reads one serialized element.
 *
 * @throws SyntaxError if its content is not JSON.
 */
export function parseElement(text: string): PathElement {
  const content = text.slice(2);
  switch (text.charCodeAt(0)) {
    case field:
      return { kind: 'field', name: content };
    case key: {
      const keys = parseExactJson(content);
      if (!isJsonObject(keys)) throw new SyntaxError(`The element ${JSON.stringify(text)} does not hold a JSON object`);
      return { kind: 'key', keys: (Object.entries(keys) as [string, Json][]).sort(([a], [b]) => compareUtf8(a, b)) };
    }
    case value:
      return { kind: 'value', value: parseExactJson(content) };
    default:
      return { kind: 'index', index: Number(content) };
  }
}

const field = 0x66;
const key = 0x6b;
const value = 0x76;
const index = 0x69;

/**
 * Returns the canonical text of an element that another program wrote; undefined for unknown kinds of elements.
 *
 * @throws SyntaxError if its content is not JSON, or the index not an integer.
 */
export function canonicalElement(text: string): string | undefined {
  if (text.charCodeAt(1) !== 0x3a) return undefined;
  switch (text.charCodeAt(0)) {
    case field:
      return text;
    case index:
      if (!/^[-+]?\d+$/.test(text.slice(2))) throw new SyntaxError(`The element ${JSON.stringify(text)} does not hold an integer`);
      return serializeElement(parseElement(text));
    case key:
    case value:
      return serializeElement(parseElement(text));
    default:
      return undefined;
  }
}

/** Returns serialized elements in the order in which the server writes them: fields, keys, values, indexes. */
export function sortElements(texts: Iterable<string>): string[] {
  const fields: string[] = [];
  const others: { text: string; element: PathElement }[] = [];
  for (const text of texts) {
    if (text.charCodeAt(0) === field) fields.push(text);
    else others.push({ text, element: parseElement(text) });
  }
  if (fields.length > 1) fields.sort(compareUtf8);
  if (others.length === 0) return fields;
  if (others.length > 1) others.sort((left, right) => compareElements(left.element, right.element));
  return [...fields, ...others.map(({ text }) => text)];
}

/** Compares elements: fields by UTF-8 bytes, then keys pair by pair, then values, then indexes. */
export function compareElements(left: PathElement, right: PathElement): number {
  if (left.kind === 'field' && right.kind === 'field') return compareUtf8(left.name, right.name);
  if (left.kind === 'key' && right.kind === 'key') return comparePairs(left.keys, right.keys);
  if (left.kind === 'value' && right.kind === 'value') return compareValues(left.value, right.value);
  if (left.kind === 'index' && right.kind === 'index') return left.index - right.index;
  return kinds.indexOf(left.kind) - kinds.indexOf(right.kind);
}

const kinds: readonly PathElement['kind'][] = ['field', 'key', 'value', 'index'];
