import fc from 'fast-check';
import type { JsonObject } from '../../../src/util/json.js';

const word = fc.constantFrom('a', 'b', 'c');
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const part = fc.record({ name: word, price: some(fc.nat(2)), more: some(fc.constantFrom({}, { a: 'x' }, { a: 'y' })) });
const port = fc.record({ port: fc.constantFrom(80, 443), protocol: some(fc.constantFrom('TCP', 'UDP')), host: some(word) });
const portKey = (item: { port: number; protocol?: string | undefined }) => `${item.port} ${item.protocol ?? 'TCP'}`;

/** Specs of the kiosk in which owners meet often. `undefined` members do not exist. */
export const spec: fc.Arbitrary<JsonObject> = fc.record({
  title: some(fc.constantFrom('x', 'y', null)),
  size: some(fc.nat(2)),
  contact: some(fc.constantFrom({}, { mail: 'm' }, { phone: 'p' }, { mail: 'n', phone: 'p' })),
  frame: some(fc.constantFrom({}, { width: 1 }, { width: 1, height: 2 })),
  labels: some(fc.dictionary(word, word, { maxKeys: 2 })),
  rooms: some(fc.dictionary(word, fc.constantFrom({}, { color: 'red' }), { maxKeys: 2 })),
  words: some(fc.array(word, { maxLength: 2 })),
  tags: some(fc.uniqueArray(word)),
  parts: some(fc.uniqueArray(part, { selector: ({ name }) => name, maxLength: 3 })),
  ports: some(fc.uniqueArray(port, { selector: portKey, maxLength: 3 })),
  any: some(fc.constantFrom({}, { a: 1 }, { a: { b: 1 } }, { a: { c: [1] }, d: 'x' }, { a: [] })),
}) as fc.Arbitrary<JsonObject>;

/**
 * Specs without what cannot be owned soundly: an empty associative list declares nothing at all, so whoever applies it again may find
 * it gone; null erases a value and is not kept by every server.
 */
export const ownable: fc.Arbitrary<JsonObject> = spec.map((value) =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([name, member]) => member !== null && !(['tags', 'parts', 'ports'].includes(name) && isEmptyList(member)),
    ),
  ),
);

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The whole object, as plain JSON without `undefined`. */
export function kioskOf(value: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Kiosk', metadata: { name: 'k', namespace: 'n' }, spec: value }),
  ) as JsonObject;
}

/** Frozen all the way down: an engine that changes what it is given fails loudly. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}
