import { expect, test, vi } from 'vitest';
import { FieldwiseError } from '../../../src/entry/index.js';
import { ConversionError } from '../../../src/entry/ssa.js';
import { ApiError, isNotFound } from '../../../src/kubernetes/status.js';

/** The modules as another installed copy of Fieldwise has them. */
async function anotherCopy() {
  vi.resetModules();
  const [{ FieldwiseError }, { ConversionError }, { ApiError }] = await Promise.all([
    import('../../../src/entry/index.js'),
    import('../../../src/entry/ssa.js'),
    import('../../../src/kubernetes/status.js'),
  ]);
  return { FieldwiseError, ConversionError, ApiError };
}

test('an error of another copy is an instance of its class here, and of no other', async () => {
  const other = await anotherCopy();
  expect(other.ApiError).not.toBe(ApiError);
  const errors = [
    new other.FieldwiseError('option-invalid', 'usage', 'x'),
    new other.ApiError('GET', '/', 404, ''),
    new other.ConversionError('x'),
  ];
  const classes = [FieldwiseError, ApiError, ConversionError];
  for (const [index, error] of errors.entries()) {
    expect(error).toBeInstanceOf(Error);
    expect(classes.map((type) => error instanceof type)).toEqual(classes.map((_, at) => at === index));
  }
  expect(isNotFound(errors[1])).toBe(true);
});
