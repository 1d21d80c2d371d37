import { expect, test } from 'vitest';
import { FieldwiseError } from '../../../src/util/error.js';

test('an error is an instance of its class and of FieldwiseError, and of no other class that extends it', () => {
  class One extends FieldwiseError {}
  class Other extends FieldwiseError {}
  const error = new One('flag-invalid', 'usage', 'no');
  expect([error instanceof One, error instanceof FieldwiseError, error instanceof Other]).toEqual([true, true, false]);
  expect(new FieldwiseError('flag-invalid', 'usage', 'no') instanceof One).toBe(false);
});
