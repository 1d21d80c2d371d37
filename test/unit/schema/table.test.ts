import { expect, test } from 'vitest';
import { emptiedType } from '../../../src/schema/deduced.js';
import type { Table, TypeRef } from '../../../src/schema/index.js';
import { decodeRef, encodeRef } from '../../../src/schema/index.js';
import { decodeTable, rootType, rootTypes } from '../../../src/schema/table/decode-table.js';

const string: TypeRef = { inline: { scalar: { kind: 'string' } } };

test.each<[string, TypeRef]>([
  ['a scalar', string],
  ['an integer with format', { inline: { scalar: { kind: 'numeric', integer: true, format: 'int32' } } }],
  ['a date', { inline: { scalar: { kind: 'untyped', format: 'date-time' } } }],
  ['an enum of odd values', { inline: { scalar: { kind: 'string', enum: ['', '"', `\${x}`, 's'] } } }],
  ['any value', { name: 'deduced' }],
  ['an atomic of any value', { name: 'untyped' }],
  ['an atomic list', { inline: { list: { relation: 'atomic', keys: [], element: string } } }],
  ['a set', { inline: { list: { relation: 'associative', keys: [], element: string } } }],
  ['a keyed list of a named type', { inline: { list: { relation: 'associative', keys: ['a', 'b'], element: { name: 'm.T' } } } }],
  ['a reference with another relation', { name: 'm.T', mapRelation: 'atomic' }],
  ['a list of what may be null', { inline: { list: { relation: 'atomic', keys: [], element: string, nullable: true } } }],
  [
    'a map of what may be null',
    { inline: { map: { relation: 'atomic', fields: new Map(), required: [], element: string, nullable: true } } },
  ],
  ['an atomic map', { inline: { map: { relation: 'atomic', fields: new Map(), required: [], element: string } } }],
  ['an object with nothing allowed', { inline: { map: { relation: 'granular', fields: new Map(), required: [] } } }],
  [
    'an object',
    {
      inline: {
        map: {
          relation: 'atomic',
          fields: new Map([
            ['__proto__', { type: string }],
            ['f', { type: string, default: '', nullable: true }],
            ['t', { type: string }],
          ]),
          required: ['f'],
          element: { name: 'deduced' },
        },
      },
    },
  ],
  [
    'an object whose undeclared members are pruned',
    {
      inline: {
        map: { relation: 'granular', fields: new Map([['f', { type: string }]]), required: [], element: { name: 'deduced' }, pruned: true },
      },
    },
  ],
  [
    'an object that keeps nothing',
    { inline: { map: { relation: 'atomic', fields: new Map(), required: [], element: { name: 'deduced' }, pruned: true } } },
  ],
  ['any value whose members are pruned', { inline: emptiedType }],
  ['a string that may be a list', { inline: { scalar: { kind: 'string' }, list: { relation: 'atomic', keys: [], element: string } } }],
])('%s survives the table', (_, ref) => {
  const text = JSON.stringify(encodeRef(ref, (name) => name));
  expect(decodeRef(JSON.parse(text), (name) => name)).toEqual(ref);
});

test('types are decoded on first use, across modules that import each other', () => {
  const left: Table = {
    module: 'left/v1',
    imports: () => [right],
    json: '{"apiVersion":"left/v1","roots":{"A":{"kind":"A","type":"A"}},"types":{"A":{"f":{"b":"#right/v1.B"}}}}',
  };
  const right: Table = { module: 'right/v1', imports: () => [left], json: '{"roots":{},"types":{"B":{"f":{"a":"#left/v1.A"}}}}' };
  const schema = decodeTable(left);
  expect(schema).toBe(decodeTable(left));
  expect(schema.types.get('right/v1.B')?.map?.fields.get('a')?.type).toEqual({ name: 'left/v1.A' });
  expect([...schema.types.keys()]).toEqual(['deduced', 'untyped', 'left/v1.A', 'right/v1.B']);
  expect(schema.types.has('left/v1.constructor')).toBe(false);
  expect(rootTypes(left)).toEqual([rootType(left, 'A')]);
  expect(rootType(left, 'A')).toMatchObject({ apiVersion: 'left/v1', kind: 'A', scope: 'Namespaced', type: { name: 'left/v1.A' } });
});
