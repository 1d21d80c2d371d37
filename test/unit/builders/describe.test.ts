import { expect, test } from 'vitest';
import { describeValue } from '../../../src/builders/describe.js';

test.each([
  [1, '1'],
  [Number.NaN, 'NaN'],
  [9_007_199_254_740_993n, '9007199254740993'],
  [{ n: 9_007_199_254_740_993n }, '{"n":"9007199254740993"}'],
  ['text', '"text"'],
  [undefined, 'undefined'],
  ['x'.repeat(80), `"${'x'.repeat(59)}…`],
])('describes %o as %s', (value, text) => {
  expect(describeValue(value)).toBe(text);
});
