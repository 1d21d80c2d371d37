import { expect, test } from 'vitest';
import { isEmailAddress } from '../../../src/schema/email-address.js';

/** Searched from each of their characters, these would take hours. */
const many = 1_000_000;

test.each([
  ['comments that do not end', '('.repeat(many)],
  ['escapes in a comment that does not end', `(${'\\('.repeat(many)}`],
  ['a quoted word that does not end', `"${'\\"'.repeat(many)}`],
  ['escapes of quotes', '"\\'.repeat(many)],
  ['brackets', '['.repeat(many)],
  ['words', 'a.'.repeat(many)],
  ['signs', '<@'.repeat(many)],
])('%s are read once and refused', (_, text) => {
  expect(isEmailAddress(text)).toBe(false);
});

test('many comments are read once and accepted', () => {
  expect(isEmailAddress(`a@b.c ${'(c)'.repeat(many)}`)).toBe(true);
});
