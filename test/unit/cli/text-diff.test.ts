import { expect, test } from 'vitest';
import { changedLines } from '../../../src/cli/render/text-diff.js';

test.each([
  ['another order of members is not a change', { b: 1, a: { d: 2, c: 3 } }, { a: { c: 3, d: 2 }, b: 1 }, []],
  ['another order of items is', ['a', 'b'], ['b', 'a'], ['-  "a",', '-  "b"', '+  "b",', '+  "a"']],
  ['a member is compared in its place', { b: 1, a: 2 }, { a: 3, b: 1 }, ['-  "a": 2,', '+  "a": 3,']],
  ['a whole number beyond 2^53', { a: 9223372036854775807n as never }, { a: 1 }, ['-  "a": 9223372036854775807', '+  "a": 1']],
])('%s', (_, before, after, changed) => {
  const lines = changedLines(before, after).filter((line) => /^[-+]/.test(line));
  expect(lines.sort()).toEqual([...changed].sort());
});
