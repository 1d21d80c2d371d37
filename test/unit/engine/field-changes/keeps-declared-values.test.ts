import { expect, test } from 'vitest';
import { keepsDeclaredValues } from '../../../../src/engine/field-changes/keeps-declared-values.js';
import type { Json } from '../../../../src/util/json.js';

const keeps = (live: Json | undefined, declared: Json) =>
  keepsDeclaredValues(
    { metadata: { name: 'a', uid: '1' }, ...(live === undefined ? {} : { value: live }) },
    { apiVersion: 'v1', kind: 'Any', metadata: { name: 'a' }, value: declared },
  );

test.each<[string, Json | undefined, Json]>([
  ['the same value', 'blue', 'blue'],
  ['a quantity in another form', '1', '1000m'],
  ['a number as the text of a quantity', '1', 1],
  ['members and items of others', { a: 1, theirs: 2, list: ['x', 'a', 'y', 'b'] }, { a: 1, list: ['a', 'b'] }],
  ['a default in an item', [{ port: 80, protocol: 'TCP' }], [{ port: 80 }]],
  ['false, 0 and nothing, which are left out', {}, { a: false, b: 0, c: '', d: [], e: {}, f: null, g: { h: false } }],
  ['nothing at all', undefined, {}],
])('kept: %s', (_, live, declared) => expect(keeps(live, declared)).toBe(true));

test.each<[string, Json | undefined, Json]>([
  ['another value', 'red', 'blue'],
  ['another quantity', '2', '1000m'],
  ['a text that became a number', 80, '80'],
  ['no value', {}, { a: 'x' }],
  ['a value in the place of null', { a: 'x' }, { a: null }],
  ['a missing item', ['a'], ['a', 'b']],
  ['items in another order', ['b', 'a'], ['a', 'b']],
  ['one item for two', ['a'], ['a', 'a']],
  ['a changed item', [{ name: 'a', value: '2' }], [{ name: 'a', value: '1' }]],
])('not kept: %s', (_, live, declared) => expect(keeps(live, declared)).toBe(false));
