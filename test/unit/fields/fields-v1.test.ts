import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  equalSets,
  fieldSetOfPaths,
  formatPath,
  membersOf,
  readFieldsV1,
  readFieldsV1Strictly,
  serializeElement,
  writeFieldsV1,
} from '../../../src/fields/index.js';
import { fieldSet } from './arbitrary.js';

const sample =
  '{"f:B":{},"f:a<b":{},"f:l":{"f:x":{".":{},"f:y":{}},"k:{\\"a\\":\\"\\\\u003c\\",\\"z\\":1}":{},"v:1.5":{},"v:true":{},"i:3":{}}}';

test('decoding and encoding keeps the bytes of a server', () => {
  expect(JSON.stringify(writeFieldsV1(readFieldsV1(JSON.parse(sample))))).toBe(sample);
});

test('encoding and decoding gives the set back, and encoding again the same bytes', () => {
  fc.assert(
    fc.property(fieldSet, (set) => {
      const text = JSON.stringify(writeFieldsV1(set));
      const back = readFieldsV1Strictly(JSON.parse(text));
      expect(equalSets(back, set)).toBe(true);
      expect(JSON.stringify(writeFieldsV1(back))).toBe(text);
    }),
  );
});

describe('order', () => {
  test.each([
    ['fields before keys before values before indexes', ['i:0', 'v:1', 'k:{"a":1}', 'f:z'], ['f:z', 'k:{"a":1}', 'v:1', 'i:0']],
    ['fields by bytes', ['f:a', 'f:B', 'f:ä', 'f:'], ['f:', 'f:B', 'f:a', 'f:ä']],
    ['fields by bytes beyond U+FFFF', ['f:\u{1f600}', 'f:\uffff', 'f:\ud7ff'], ['f:\ud7ff', 'f:\uffff', 'f:\u{1f600}']],
    [
      'keys by name, then by value',
      ['k:{"b":1}', 'k:{"a":2}', 'k:{"a":1,"c":0}', 'k:{"a":1}'],
      ['k:{"a":1}', 'k:{"a":1,"c":0}', 'k:{"a":2}', 'k:{"b":1}'],
    ],
    ['key values: numbers', ['k:{"port":443}', 'k:{"port":80}', 'k:{"port":8080}'], ['k:{"port":80}', 'k:{"port":443}', 'k:{"port":8080}']],
    [
      'values by kind',
      ['v:null', 'v:{}', 'v:[]', 'v:true', 'v:false', 'v:"a"', 'v:2', 'v:10'],
      ['v:2', 'v:10', 'v:"a"', 'v:false', 'v:true', 'v:[]', 'v:{}', 'v:null'],
    ],
    ['indexes as numbers', ['i:10', 'i:9'], ['i:9', 'i:10']],
  ])('%s', (_, written, expected) => {
    const set = readFieldsV1(Object.fromEntries(written.map((name) => [name, {}])));
    expect(Object.keys(writeFieldsV1(set))).toEqual(expected);
  });
});

describe('reading', () => {
  test.each([
    ['keys of another order and form', { 'k:{"z":1.0,"a":"x"}': {} }, { 'k:{"a":"x","z":1}': {} }],
    ['unknown prefixes are skipped', { 'x:spec': {}, 'f:a': {} }, { 'f:a': {} }],
    ['the content of . does not matter', { 'f:a': { '.': { 'f:x': {} }, 'f:b': {} } }, { 'f:a': { '.': {}, 'f:b': {} } }],
    ['a whole number beyond 2^53 stays', { 'k:{"id":9007199254740993}': {} }, { 'k:{"id":9007199254740993}': {} }],
    ['nothing', undefined, {}],
  ])('%s', (_, given, expected) => {
    expect(writeFieldsV1(readFieldsV1Strictly(given))).toEqual(expected);
  });

  test.each([
    ['no object below an element', { 'f:a': 1 }],
    ['a key that is no JSON', { 'k:{': {} }],
    ['a key that is no object', { 'k:1': {} }],
    ['no object at all', 'f:a'],
  ])('strictly: %s is refused', (_, given) => {
    expect(() => readFieldsV1Strictly(given)).toThrow(SyntaxError);
    expect(writeFieldsV1(readFieldsV1(given))).toEqual(expect.any(Object));
  });
});

test('elements and their texts in messages', () => {
  const key = {
    kind: 'key',
    keys: [
      ['name', 'a"b\u0007'],
      ['port', 80],
    ],
  } as const;
  expect(serializeElement(key)).toBe('k:{"name":"a\\"b\\u0007","port":80}');
  expect(formatPath([{ kind: 'field', name: 'spec' }, key, { kind: 'value', value: 'ü' }, { kind: 'index', index: 3 }])).toBe(
    '.spec[name="a\\"b\\a",port=80][="ü"][3]',
  );
});

test('members come in the order of the server whatever the order of the paths', () => {
  fc.assert(
    fc.property(fieldSet, (set) => {
      const paths = [...membersOf(set)].map(({ path }) => path);
      const again = fieldSetOfPaths(paths.toReversed());
      expect([...membersOf(again)].map(({ path }) => path)).toEqual(paths);
    }),
  );
});
