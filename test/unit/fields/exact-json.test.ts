import fc from 'fast-check';
import { expect, test } from 'vitest';
import { serializeValue } from '../../../src/fields/index.js';
import { parseExactJson, stringifyExactJson } from '../../../src/util/exact-json.js';
import { withIntegers, withIntegersAsText } from '../../../src/util/integers-as-text.js';
import { type Json, jsonEqual } from '../../../src/util/json.js';

test('reads as JSON.parse does, but for whole numbers beyond 2^53', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(withNumbers(parseExactJson(text))).toEqual(JSON.parse(text));
    }),
  );
  const text = '{"a":[9007199254740993,-9223372036854775808,1e30,9007199254740991,"9007199254740993"],"__proto__":{"b":12345678901234567}}';
  const value = parseExactJson(text);
  expect(stringifyExactJson(value)).toBe(text.replace('1e30', '1e+30'));
  expect((value as { a: unknown[] }).a).toEqual([9007199254740993n, -9223372036854775808n, 1e30, 9007199254740991, '9007199254740993']);
});

function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]));
}

test('what is no JSON is refused, long numbers or not', () => {
  for (const text of ['', '{', '[1234567890123456789,]', '{"a":12345678901234567890 1}', '01234567890123456789']) {
    expect(() => parseExactJson(text), text).toThrow(SyntaxError);
  }
});

test.each<[string, Json, string]>([
  ['markup is escaped', '<a>&', '"\\u003ca\\u003e\\u0026"'],
  ['line separators are escaped', '\u2028', '"\\u2028"'],
  ['members are sorted', { b: 1, a: [true, null] }, '{"a":[true,null],"b":1}'],
  ['one form for a number', 1.0, '1'],
  ['a large number', 1e21, '1e+21'],
  ['a small number', 1e-7, '1e-07'],
  ['a whole number beyond 2^53', 9007199254740993n as unknown as Json, '9007199254740993'],
])('serialised values: %s', (_, value, expected) => {
  expect(serializeValue(value)).toBe(expected);
});

test('writes lines as JSON.stringify does, with or without such numbers', () => {
  const value = { a: [], b: {}, c: [1, { d: 'x', e: undefined }], f: null };
  const withLong = { ...value, g: 9007199254740993n as unknown as Json };
  expect(stringifyExactJson(withLong, 2)).toBe(JSON.stringify({ ...value, g: 0 }, undefined, 2).replace('"g": 0', '"g": 9007199254740993'));
  expect(stringifyExactJson(withLong)).toBe(JSON.stringify({ ...value, g: 0 }).replace('"g":0', '"g":9007199254740993'));
});

test('a document has such numbers as text, and names them', () => {
  const document = { list: [{ 'a/b~c': 9007199254740993n }, 1], text: '9007199254740993', none: undefined };
  const written = withIntegersAsText(document);
  expect(written).toEqual({ ...document, list: [{ 'a/b~c': '9007199254740993' }, 1], integers: ['/list/0/a~1b~0c'] });
  expect(withIntegers(JSON.parse(JSON.stringify(written)))).toMatchObject({
    list: [{ 'a/b~c': 9007199254740993n }, 1],
    text: '9007199254740993',
  });
  const plain = { list: [1] };
  expect(withIntegersAsText(plain)).toBe(plain);
  expect(withIntegers({ a: 'x', integers: ['/a', '/b'] })).toMatchObject({ a: 'x' });
});

test('such a number is equal to the number that is written with the same digits', () => {
  const long = (digits: string) => BigInt(digits) as unknown as Json;
  expect(jsonEqual([long('1152921504606847000')], [2 ** 60])).toBe(true); // as JavaScript writes it
  expect(jsonEqual(2 ** 60, long('1152921504606846976'))).toBe(false);
  expect(jsonEqual(long('9007199254740993'), '9007199254740993')).toBe(false);
});
