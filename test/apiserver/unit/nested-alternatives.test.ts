import { expect, test } from 'vitest';
import { validateValue } from '../../../src/apiserver/custom/validate-value.js';

/** Work that doubled with each level would never end here. */
test.each(['anyOf', 'oneOf', 'allOf'])('%s, nested in itself forty times', (name) => {
  let schema: object = { pattern: '^z' };
  for (let level = 0; level < 40; level++) schema = { [name]: [schema] };
  const errors = validateValue('a', { type: 'string', ...schema } as never, 'spec');
  expect(errors).toHaveLength(41);
  expect(errors.map(({ detail }) => detail)).toContain("spec in body should match '^z'");
  expect(validateValue('z', { type: 'string', ...schema } as never, 'spec')).toEqual([]);
});
