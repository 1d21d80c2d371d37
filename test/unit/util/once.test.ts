import { expect, test } from 'vitest';
import { latest } from '../../../src/util/latest.js';
import { once } from '../../../src/util/once.js';

test('a value is made at the first call, even undefined', () => {
  let calls = 0;
  const value = once(() => {
    calls += 1;
    return undefined;
  });
  expect(calls).toBe(0);
  expect([value(), value()]).toEqual([undefined, undefined]);
  expect(calls).toBe(1);
});

test('the last result is remembered, and no earlier one', () => {
  const asked: number[] = [];
  const half = latest((number: number) => {
    asked.push(number);
    return number / 2;
  }, Object.is);
  expect([Number.NaN, Number.NaN, 4, 4, 2, 4].map(half)).toEqual([Number.NaN, Number.NaN, 2, 2, 1, 2]);
  expect(asked).toEqual([Number.NaN, 4, 2, 4]);
});
