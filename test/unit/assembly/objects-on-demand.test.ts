import { expect, test } from 'vitest';
import { objectsOnDemand } from '../../../src/assembly/objects-on-demand.js';
import { jsonFileOf } from '../../../src/synth/render.js';
import { lazyList } from '../../../src/util/lazy-list.js';

const objectsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `c-${index}` },
    data: { 'Ä\u2028,\n[': `},\n{ ${index} \\" 漢字` },
  }));
const read = (text: string) => objectsOnDemand(Buffer.from(text));

test.each([1, 2, 5000])('a file of %i objects is read as all of it would be parsed', (count) => {
  const text = jsonFileOf(objectsOf(count));
  const objects = read(text);
  expect(objects).toHaveLength(count);
  expect([...(objects ?? [])]).toEqual(JSON.parse(text));
  expect(objects?.[count - 1]).toEqual(objectsOf(count)[count - 1]); // read before, and forgotten since where there are many
});

test('a whole number beyond 2^53 stays exact', () => {
  expect(read('[\n{"a":9007199254740993}\n]\n')?.[0]).toEqual({ a: 9007199254740993n });
});

test.each([
  ['no objects', jsonFileOf([])],
  ['indentation', JSON.stringify(objectsOf(2), null, 2)],
  ['one line', JSON.stringify(objectsOf(2))],
  ['an object on two lines', '[\n{"a":\n1}\n]\n'],
  ['no line break at the end', '[\n{}\n]'],
  ['nothing', ''],
])('a file with %s is left to the parser', (_, text) => {
  expect(read(text)).toBeUndefined();
});

test.each([
  ['two objects on a line', '[\n{},{}\n]\n'],
  ['an empty line', '[\n,\n{}\n]\n'],
  ['no JSON', '[\n{}},\n{}\n]\n'],
])('%s is an error of the object', (_, text) => {
  expect(() => [...(read(text) ?? [])]).toThrow(SyntaxError);
});

test('a lazy list is read like an array, and cannot be changed', () => {
  const list = lazyList(3, (index) => `item ${index}`);
  const plain = ['item 0', 'item 1', 'item 2'];
  expect(Array.isArray(list)).toBe(true);
  expect(list).toEqual(plain);
  expect([list].flat()).toEqual(plain);
  expect(list.map((item) => item.length)).toEqual([6, 6, 6]);
  expect(list.with(1, 'x')).toEqual(['item 0', 'x', 'item 2']);
  expect([...list.entries()]).toEqual([...plain.entries()]);
  expect(JSON.stringify(list)).toBe(JSON.stringify(plain));
  expect([list[3], list.at(-1), '1' in list, '3' in list, Object.keys(list)]).toEqual([undefined, 'item 2', true, false, ['0', '1', '2']]);
  expect(() => Object.assign(list, ['y'])).toThrow(TypeError);
});
