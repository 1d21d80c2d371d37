import { expect, test } from 'vitest';
import { remembered } from '../../../src/util/remembered.js';

function counting(limit?: number) {
  const calls: string[] = [];
  const lengthOf = remembered((text) => {
    calls.push(text);
    return text.length;
  }, limit);
  return { calls, lengthOf };
}

test('a result is computed once', () => {
  const { calls, lengthOf } = counting();
  expect([lengthOf('web'), lengthOf('web'), lengthOf('')]).toEqual([3, 3, 0]);
  expect(calls).toEqual(['web', '']);
});

test('a long text is not kept', () => {
  const { calls, lengthOf } = counting();
  const long = 'a'.repeat(65);
  expect([lengthOf(long), lengthOf(long)]).toEqual([65, 65]);
  expect(calls).toEqual([long, long]);
});

test('too many texts are forgotten, and computed again', () => {
  const { calls, lengthOf } = counting(2);
  for (const text of ['a', 'b', 'c', 'c', 'a']) expect(lengthOf(text)).toBe(1);
  expect(calls).toEqual(['a', 'b', 'c', 'a']);
});

test('the length of the longest text that is kept can be set', () => {
  const calls: string[] = [];
  const lengthOf = remembered((text) => calls.push(text), 2, 65);
  const long = 'a'.repeat(65);
  expect([lengthOf(long), lengthOf(long)]).toEqual([1, 1]);
  expect([lengthOf(`${long}a`), lengthOf(`${long}a`)]).toEqual([2, 3]);
});
