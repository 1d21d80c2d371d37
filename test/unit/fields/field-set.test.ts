import { describe, expect, test } from 'vitest';
import { emptyFieldSet, fieldSetOfPaths, formatPath, isEmpty, membersOf, readFieldsV1, writeFieldsV1 } from '../../../src/fields/index.js';

const fieldPath = (...names: readonly string[]) => names.map((name) => ({ kind: 'field', name }) as const);
const members = (fields: object) =>
  [...membersOf(readFieldsV1(fields as never))].map(({ path, leaf }) => `${formatPath(path)}${leaf ? '' : ' …'}`);

describe('FieldsV1, read', () => {
  test.each([
    ['a leaf', { 'f:spec': { 'f:replicas': {} } }, ['.spec.replicas']],
    ['a container that is a member itself', { 'f:labels': { '.': {}, 'f:a': {} } }, ['.labels …', '.labels.a']],
    [
      'items by key',
      { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
      ['.ports[port=80,protocol="TCP"] …', '.ports[port=80,protocol="TCP"].port'],
    ],
    ['items of a set', { 'f:finalizers': { 'v:"a<b"': {} } }, ['.finalizers[="a<b"]']],
    ['items by index', { 'f:list': { 'i:3': {} } }, ['.list[3]']],
    ['unknown prefixes are skipped', { 'x:new': {}, 'f:a': {} }, ['.a']],
    ['nothing', {}, []],
  ])('%s', (_, fields, expected) => expect(members(fields)).toEqual(expected));

  test('a set is plain data: a copy with other members keeps its children', () => {
    const [read, made] = [readFieldsV1({ 'f:spec': { 'f:a': {} } }), fieldSetOfPaths([fieldPath('spec', 'a')])];
    for (const set of [read, made]) {
      const copy = { ...set, members: new Set(['f:b']) };
      expect(writeFieldsV1(copy)).toEqual({ 'f:b': {}, 'f:spec': { 'f:a': {} } });
    }
  });

  test('nothing is the empty set', () => {
    expect(isEmpty(emptyFieldSet)).toBe(true);
    expect(isEmpty(readFieldsV1(undefined))).toBe(true);
    expect(isEmpty(readFieldsV1({ 'f:a': {} }))).toBe(false);
  });
});
