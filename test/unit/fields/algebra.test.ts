import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  containsSet,
  difference,
  emptyFieldSet,
  equalSets,
  type FieldSet,
  fieldSetOfPaths,
  formatPath,
  has,
  intersection,
  isEmpty,
  leaves,
  membersOf,
  recursiveDifference,
  sizeOf,
  union,
} from '../../../src/fields/index.js';
import { fieldPath, fieldSet } from './arbitrary.js';

const same = (left: FieldSet, right: FieldSet) => expect(equalSets(left, right)).toBe(true);
const of = (...paths: string[]) => fieldSetOfPaths(paths.map((path) => path.split('.').map((name) => ({ kind: 'field', name }) as const)));
const texts = (set: FieldSet) => [...membersOf(set)].map(({ path }) => formatPath(path));

describe('laws', () => {
  test('union and intersection', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, fieldSet, (a, b, c) => {
        same(union(a, b), union(b, a));
        same(union(a, union(b, c)), union(union(a, b), c));
        same(intersection(a, b), intersection(b, a));
        same(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c)));
        same(union(a, a), a);
        same(intersection(a, a), a);
        same(union(a, emptyFieldSet), a);
        expect(isEmpty(intersection(a, emptyFieldSet))).toBe(true);
        expect(sizeOf(union(a, b)) + sizeOf(intersection(a, b))).toBe(sizeOf(a) + sizeOf(b));
      }),
    );
  });

  test('difference', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        same(union(difference(a, b), intersection(a, b)), a);
        expect(isEmpty(intersection(difference(a, b), b))).toBe(true);
        expect(isEmpty(difference(a, a))).toBe(true);
        expect(containsSet(difference(a, b), recursiveDifference(a, b))).toBe(true);
        expect(containsSet(a, intersection(a, b))).toBe(true);
        expect(containsSet(union(a, b), b)).toBe(true);
      }),
    );
  });

  test('membership is that of the paths', () => {
    fc.assert(
      fc.property(fc.array(fieldPath, { maxLength: 8 }), fieldPath, (paths, other) => {
        const set = fieldSetOfPaths(paths);
        for (const path of paths) expect(has(set, path)).toBe(true);
        expect(has(set, other)).toBe(has(union(set, emptyFieldSet), other));
        expect(has(difference(set, fieldSetOfPaths([other])), other)).toBe(false);
        expect(has(union(set, fieldSetOfPaths([other])), other)).toBe(true);
        for (const { path } of membersOf(set)) expect(has(set, path)).toBe(true);
      }),
    );
  });

  test('no operation leaves an empty child, and none changes its operands', () => {
    const check = (set: FieldSet) => {
      for (const child of set.children.values()) {
        expect(isEmpty(child)).toBe(false);
        check(child);
      }
    };
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        const before = [texts(a), texts(b)];
        for (const set of [union(a, b), intersection(a, b), difference(a, b), recursiveDifference(a, b), leaves(a)]) check(set);
        expect([texts(a), texts(b)]).toEqual(before);
      }),
    );
  });
});

describe('examples', () => {
  test.each([
    ['exact: a member goes, what is below stays', difference(of('a', 'a.b'), of('a')), ['.a.b']],
    ['exact: what is below goes, the member stays', difference(of('a', 'a.b'), of('a.b')), ['.a']],
    ['recursive: what is below goes too', recursiveDifference(of('a', 'a.b', 'c'), of('a')), ['.c']],
    ['recursive: only members remove', recursiveDifference(of('a', 'a.b'), of('a.b')), ['.a']],
    ['leaves', leaves(of('a', 'a.b', 'c')), ['.c', '.a.b']],
    ['members of a node come before those below', of('b.x', 'b', 'a.y', 'a'), ['.a', '.b', '.a.y', '.b.x']],
  ])('%s', (_, set, expected) => {
    expect(texts(set)).toEqual(expected);
  });
});
