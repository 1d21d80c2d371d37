import { describe, expect, test } from 'vitest';
import { conflictingFields } from '../../../src/ownership/index.js';

const live = {
  metadata: {
    managedFields: [
      { manager: 'us', operation: 'Apply', apiVersion: 'v1', fieldsV1: { 'f:spec': { 'f:a': {} } } },
      {
        manager: 'them',
        operation: 'Update',
        apiVersion: 'v1',
        fieldsV1: {
          'f:spec': {
            'f:a': {},
            'f:b': {},
            'f:map': { '.': {}, 'f:x': {} },
            'f:list': {},
            'f:items': { 'k:{"name":"n"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
          },
        },
      },
    ],
  },
  spec: { a: 1, b: 2, map: { x: 1, y: 2 }, list: [1], items: [{ name: 'n', value: 'v' }], free: 1 },
};

describe('fields that another manager holds with another value', () => {
  test.each([
    ['equal value', { spec: { a: 1, b: 2 } }, []],
    ['another value', { spec: { a: 5 } }, ['.spec.a']],
    ['nobody’s field', { spec: { free: 9 } }, []],
    ['a granular map: member by member', { spec: { map: { x: 1, z: 3 } } }, []],
    ['a member of a granular map', { spec: { map: { x: 9 } } }, ['.spec.map.x']],
    ['a list held as a whole', { spec: { list: [1, 2] } }, ['.spec.list']],
    ['a field of a list item', { spec: { items: [{ name: 'n', value: 'w' }] } }, ['.spec.items[name="n"].value']],
    ['another list item', { spec: { items: [{ name: 'm', value: 'w' }] } }, []],
  ])('%s', (_, intent, expected) => {
    expect(conflictingFields(live, intent, 'us').map((field) => field.field)).toEqual(expected);
  });

  test('says who and both values', () => {
    const [field] = conflictingFields(live, { spec: { b: 7 } }, 'us');
    expect(field).toMatchObject({ field: '.spec.b', oldValue: 2, newValue: 7, owner: { manager: 'them', operation: 'Update' } });
  });
});
