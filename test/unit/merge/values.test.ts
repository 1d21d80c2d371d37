import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type FieldSet, formatPath, membersOf, readFieldsV1, writeFieldsV1 } from '../../../src/fields/index.js';
import {
  compare,
  extract,
  fieldSetOf,
  formatValidationErrors,
  merge,
  remove,
  validate,
  withNamedFields,
} from '../../../src/merge/index.js';
import { predefinedTypes, type Schema, type TypeRef } from '../../../src/schema/index.js';
import { readNode } from '../../../src/schema/read/read-node.js';
import type { Json } from '../../../src/util/json.js';
import { schema, type } from './kiosk.js';

/** `{ title: a }` is a spec. */
const spec = (yaml: string): Json => ({ spec: parse(yaml) as Json });
const paths = (set: FieldSet) => [...membersOf(set)].map(({ path }) => formatPath(path).replace(/^\.spec/, ''));

describe('fields that an intent declares', () => {
  test.each([
    ['scalars', '{ title: a, size: 1, open: false, port: http }', ['.open', '.port', '.size', '.title']],
    ['null', '{ title: null, labels: null, tags: null }', ['.labels', '.tags', '.title']],
    ['a struct: its fields', '{ contact: { mail: m } }', ['.contact.mail']],
    ['an empty struct: itself', '{ contact: {} }', ['.contact']],
    ['an empty spec: itself', '{}', ['']],
    ['an atomic struct, map, list', '{ frame: { width: 1 }, words: [a] }', ['.frame', '.words']],
    ['a map: its keys', '{ labels: { a: x, b: y } }', ['.labels.a', '.labels.b']],
    ['a map of structs: keys and fields', '{ rooms: { r: { color: red } } }', ['.rooms.r', '.rooms.r.color']],
    ['a set: its items', '{ tags: [b, a] }', ['.tags[="a"]', '.tags[="b"]']],
    [
      'a map list: items and fields',
      '{ parts: [{ name: p, price: 1 }] }',
      ['.parts[name="p"]', '.parts[name="p"].name', '.parts[name="p"].price'],
    ],
    [
      'a key by default is not declared',
      '{ ports: [{ port: 80 }] }',
      ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'],
    ],
    ['an empty associative list: nothing', '{ tags: [], parts: [] }', []],
    ['an empty atomic list: itself', '{ words: [] }', ['.words']],
    ['undeclared content: every key, lists as leaves', '{ any: { a: { b: [1] } } }', ['.any.a', '.any.a.b']],
    ['an item twice: only the item', '{ parts: [{ name: p }, { name: p, price: 1 }] }', ['.parts[name="p"]']],
  ])('%s', (_, yaml, expected) => {
    expect(paths(fieldSetOf(schema, type, spec(yaml)))).toEqual(expected);
  });
});

describe('the live value with an intent laid over it', () => {
  test.each([
    ['a leaf', '{ title: a, size: 1 }', '{ title: b }', '{ title: b, size: 1 }'],
    ['a new leaf', '{ title: a }', '{ size: 1 }', '{ title: a, size: 1 }'],
    ['a struct', '{ contact: { mail: a } }', '{ contact: { phone: b } }', '{ contact: { mail: a, phone: b } }'],
    ['an atomic struct', '{ frame: { width: 1, height: 2 } }', '{ frame: { width: 3 } }', '{ frame: { width: 3 } }'],
    ['an atomic list', '{ words: [a, b] }', '{ words: [c] }', '{ words: [c] }'],
    ['null for a leaf', '{ title: a }', '{ title: null }', '{ title: null }'],
    ['null for a populated map', '{ labels: { a: x } }', '{ labels: null }', '{ labels: { a: x } }'],
    ['null for a populated set', '{ tags: [a] }', '{ tags: null }', '{ tags: [a] }'],
    ['null for an empty map', '{ labels: {} }', '{ labels: null }', '{ labels: null }'],
    ['null for an atomic list', '{ words: [a] }', '{ words: null }', '{ words: null }'],
    ['an empty map', '{ labels: { a: x } }', '{ labels: {} }', '{ labels: { a: x } }'],
    ['an empty list', '{ tags: [a] }', '{ tags: [] }', '{ tags: [a] }'],
    ['a set, items new and old', '{ tags: [a, b, c] }', '{ tags: [x, c, a] }', '{ tags: [b, x, c, a] }'],
    ['a set, interleaved', '{ tags: [a, b, c, d, e] }', '{ tags: [x, b, y, d, z] }', '{ tags: [a, x, b, c, y, d, e, z] }'],
    ['a set, reversed', '{ tags: [a, b, c, d] }', '{ tags: [d, b, a] }', '{ tags: [c, d, b, a] }'],
    [
      'a map list',
      '{ parts: [{ name: a, price: 1 }, { name: b }] }',
      '{ parts: [{ name: b, price: 2 }, { name: c }] }',
      '{ parts: [{ name: a, price: 1 }, { name: b, price: 2 }, { name: c }] }',
    ],
    [
      'items by key and default',
      '{ ports: [{ port: 80, protocol: TCP, host: a }] }',
      '{ ports: [{ port: 80 }, { port: 80, protocol: UDP }] }',
      '{ ports: [{ port: 80, protocol: TCP, host: a }, { port: 80, protocol: UDP }] }',
    ],
    ['an item that is there twice', '{ tags: [a, b, a] }', '{ tags: [a] }', '{ tags: [a, b] }'],
    ['an item that is there twice, untouched', '{ tags: [a, b, a] }', '{ tags: [c] }', '{ tags: [a, b, a, c] }'],
    ['open content', '{ any: { a: { b: 1 }, l: [1, 2] } }', '{ any: { a: { c: 2 }, l: [3] } }', '{ any: { a: { b: 1, c: 2 }, l: [3] } }'],
    ['open content of another kind', '{ any: { a: { b: 1 } } }', '{ any: { a: x } }', '{ any: { a: x } }'],
  ])('%s', (_, live, intent, expected) => {
    expect(merge(schema, type, spec(live), spec(intent))).toEqual(spec(expected));
  });

  test('is the live value itself where nothing changes', () => {
    const live = spec('{ title: a, labels: { a: x }, tags: [a, b], parts: [{ name: p, price: 1 }] }');
    expect(merge(schema, type, live, spec('{ labels: { a: x }, tags: [b], parts: [{ name: p }] }'))).toBe(live);
  });
});

describe('what differs between two values', () => {
  test.each<[string, string, string, string[], string[], string[]]>([
    ['nothing', '{ title: a }', '{ title: a }', [], [], []],
    ['a leaf', '{ title: a }', '{ title: b }', [], [], ['.title']],
    ['a new leaf', '{}', '{ title: b }', ['.title'], [], []],
    ['a leaf less', '{ title: a, size: 1 }', '{ size: 1 }', [], ['.title'], []],
    ['a new struct: it and its fields', '{ size: 1 }', '{ size: 1, contact: { mail: a } }', ['.contact', '.contact.mail'], [], []],
    ['a struct less', '{ size: 1, contact: { mail: a } }', '{ size: 1 }', [], ['.contact', '.contact.mail'], []],
    ['absent and empty', '{ size: 1 }', '{ size: 1, labels: {} }', ['.labels'], [], []],
    ['null and empty', '{ labels: null }', '{ labels: {} }', [], [], ['.labels']],
    ['null and populated', '{ labels: null }', '{ labels: { a: x } }', ['.labels.a'], [], []],
    ['an atomic', '{ frame: { width: 1 } }', '{ frame: { width: 2 } }', [], [], ['.frame']],
    ['order of an atomic list', '{ words: [a, b] }', '{ words: [b, a] }', [], [], ['.words']],
    ['order of a set', '{ tags: [a, b] }', '{ tags: [b, a] }', [], [], []],
    ['items', '{ tags: [a, b] }', '{ tags: [b, c] }', ['.tags[="c"]'], ['.tags[="a"]'], []],
    ['one to two of an item', '{ tags: [a] }', '{ tags: [a, a] }', ['.tags[="a"]'], ['.tags[="a"]'], []],
    ['two to one of an item', '{ tags: [a, a] }', '{ tags: [a] }', ['.tags[="a"]'], ['.tags[="a"]'], []],
    ['open content of another kind', '{ any: { a: { b: 1 } } }', '{ any: { a: x } }', [], ['.any.a.b'], ['.any.a']],
    ['a number and its text', '{ port: 80 }', '{ port: "80" }', [], [], ['.port']],
  ])('%s', (_, left, right, added, removed, modified) => {
    const result = compare(schema, type, spec(left), spec(right));
    expect([paths(result.added), paths(result.removed), paths(result.modified)]).toEqual([added, removed, modified]);
  });

  test('a list that equals another as JSON is modified where its items were sent with empty members', () => {
    const words = ['a'];
    const [left, right] = [{ spec: { words: ['a'] } }, { spec: { words } }];
    const modified = (lists: readonly string[][], value = right) => paths(compare(schema, type, left, value, new Set(lists)).modified);
    expect([modified([]), modified([words]), modified([words], left)]).toEqual([[], ['.words'], []]);
  });
});

describe('taking a set of fields away', () => {
  const live = '{ title: a, contact: { mail: m, phone: p }, tags: [a, b], parts: [{ name: p, price: 1 }, { name: q }], labels: { x: y } }';
  test.each([
    ['a leaf', { 'f:title': {} }, { title: undefined }],
    ['a field of a struct', { 'f:contact': { 'f:mail': {} } }, { contact: { phone: 'p' } }],
    [
      'the last member: the container stays',
      { 'f:labels': { 'f:x': {} }, 'f:tags': { 'v:"a"': {}, 'v:"b"': {} } },
      { labels: {}, tags: [] },
    ],
    ['an item', { 'f:parts': { 'k:{"name":"p"}': {} } }, { parts: [{ name: 'q' }] }],
    ['a field of an item', { 'f:parts': { 'k:{"name":"p"}': { 'f:price': {} } } }, { parts: [{ name: 'p' }, { name: 'q' }] }],
    ['what is not there', { 'f:size': {}, 'f:parts': { 'k:{"name":"z"}': {} } }, {}],
  ])('%s', (_, fields, change) => {
    const value = { spec: { ...(parse(live) as object), ...change } };
    expect(remove(schema, type, spec(live), readFieldsV1({ 'f:spec': fields }))).toEqual(JSON.parse(JSON.stringify(value)));
  });

  test('the last member, on servers that leave null', () => {
    const fields = readFieldsV1({ 'f:spec': { 'f:labels': { 'f:x': {} }, 'f:tags': { 'v:"a"': {}, 'v:"b"': {} } } });
    const value = { spec: { ...(parse(live) as object), labels: null, tags: null } };
    expect(remove(schema, type, spec(live), fields, 'null')).toEqual(value);
  });

  test('what a set names, with the keys of items', () => {
    const fields = readFieldsV1({
      'f:spec': { 'f:parts': { 'k:{"name":"p"}': { 'f:price': {} } }, 'f:labels': { 'f:x': {} }, 'f:size': {} },
    });
    expect(extract(schema, type, spec(live), fields)).toEqual(spec('{ parts: [{ name: p, price: 1 }], labels: { x: y } }'));
  });
});

test('named fields become members, items and free keys do not', () => {
  const set = readFieldsV1({ 'f:spec': { 'f:labels': { 'f:a': {} }, 'f:parts': { 'k:{"name":"p"}': { 'f:more': { 'f:a': {} } } } } });
  expect(writeFieldsV1(withNamedFields(schema, type, set))).toEqual({
    'f:spec': {
      '.': {},
      'f:labels': { '.': {}, 'f:a': {} },
      'f:parts': { '.': {}, 'k:{"name":"p"}': { 'f:more': { '.': {}, 'f:a': {} } } },
    },
  });
});

describe('values that do not fit', () => {
  test.each([
    ['an undeclared field', '{ nope: 1 }', '.spec.nope: field not declared in schema'],
    ['a number', '{ size: x }', '.spec.size: expected numeric (int or float), got string'],
    ['a string', '{ title: 1 }', '.spec.title: expected string, got &value.valueUnstructured{Value:1}'],
    [
      'a string that is a map',
      '{ title: { b: 1, a: x } }',
      '.spec.title: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":"x", "b":1}}',
    ],
    ['a boolean', '{ open: "true" }', '.spec.open: expected boolean, got &{true}'],
    ['a map', '{ labels: [a] }', '.spec.labels: expected map, got &{[a]}'],
    ['a list', '{ parts: { name: p } }', '.spec.parts: expected list, got &{map[name:p]}'],
    ['inside an atomic', '{ words: [a, 1] }', '.spec.words[1]: expected string, got &value.valueUnstructured{Value:1}'],
    ['inside an item', '{ parts: [{ name: p, nope: 1 }] }', '.spec.parts[name="p"].nope: field not declared in schema'],
    ['a key twice', '{ tags: [a, a] }', '.spec.tags: duplicate entries for key [="a"]'],
    [
      'a key thrice',
      '{ tags: [a, a, a] }',
      'errors:\n  .spec.tags: duplicate entries for key [="a"]\n  .spec.tags: duplicate entries for key [="a"]',
    ],
    [
      'two keys twice',
      '{ tags: [a, a, b, b] }',
      'errors:\n  .spec.tags: duplicate entries for key [="a"]\n  .spec.tags: duplicate entries for key [="b"]',
    ],
    [
      'a key twice by default',
      '{ ports: [{ port: 1 }, { port: 1, protocol: TCP }] }',
      '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      'no key',
      '{ parts: [{ price: 1 }] }',
      '.spec.parts: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    ['a null item', '{ parts: [null] }', '.spec.parts: element 0: associative list with keys may not have a null element'],
    [
      'a null in a set',
      '{ tags: [a, null] }',
      ".spec.tags: element 1: associative list without keys has an element that's an explicit null",
    ],
  ])('%s', (_, yaml, expected) => {
    expect(formatValidationErrors(validate(schema, type, spec(yaml)))).toBe(expected);
  });

  test('items may be there twice in a live object', () => {
    expect(validate(schema, type, spec('{ tags: [a, a] }'), { allowDuplicates: true })).toEqual([]);
  });

  test('null fits anything, and one key of two is enough', () => {
    expect(validate(schema, type, spec('{ title: null, parts: null, ports: [{ protocol: UDP }], any: { a: [null] } }'))).toEqual([]);
  });
});

// A list of items by keys where a map may stand, too; no CRD has one, but the OpenAPI of an aggregated API may. The results are those of
// structured-merge-diff v6.3.3.
describe('null in the place of a list that may be a map', () => {
  const any = readNode(
    parse('{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}'),
    { subject: '', path: '', depth: 0, preserve: false, docs: false, diagnostics: [], refName: () => undefined },
  );
  const types: Schema = { types: new Map(predefinedTypes) };
  const root: TypeRef = { inline: { map: { relation: 'granular', required: [], fields: new Map([['p', { type: any }]]) } } };
  test.each([
    ['null', '[{ k: a }]', ['.p[k="a"]', '.p[k="a"].k'], [], ['.p'], '[{ k: a }]'],
    ['[{ k: a }]', 'null', [], ['.p[k="a"]', '.p[k="a"].k'], ['.p'], 'null'],
    ['[{ k: a }]', '[]', [], ['.p[k="a"]', '.p[k="a"].k'], [], '[{ k: a }]'],
    ['{ x: 1 }', 'null', [], ['.p.x'], [], '{ x: 1 }'],
    ['{ x: 1 }', '[{ k: a }]', ['.p[k="a"]', '.p[k="a"].k'], ['.p.x'], [], '[{ k: a }]'],
    ['[]', '{ x: 1 }', ['.p.x'], [], ['.p'], '{ x: 1 }'],
  ])('%s → %s', (from, to, added, removed, modified, merged) => {
    const [left, right] = [{ p: parse(from) as Json }, { p: parse(to) as Json }];
    const found = compare(types, root, left, right);
    const all = (set: FieldSet) => [...membersOf(set)].map(({ path }) => formatPath(path)).toSorted();
    expect([all(found.added), all(found.removed), all(found.modified)]).toEqual([added, removed, modified]);
    expect(merge(types, root, left, right)).toEqual({ p: parse(merged) });
  });
});
