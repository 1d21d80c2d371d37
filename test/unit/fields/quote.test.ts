import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quote, unquote } from '../../../src/fields/index.js';
import { conflictOwnerIn } from '../../../src/ownership/index.js';

test('every quoted text is read back', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => unquote(quote(text)) === text));
});

test.each([
  ['"m \\"q\\" using v1"', 'm "q" using v1'],
  ['"a\\\\nb"', 'a\\nb'],
  ['"a\\nb\\x7f\\u00a0\\U000e0001"', 'a\nb\u007f\u00a0\u{e0001}'],
  ['"\\U00110000"', 'U00110000'], // above the last character of Unicode
])('%s', (quoted, text) => expect(unquote(quoted)).toBe(text));

test.each([
  ['m "q" using v1', ''],
  ['m" with subresource "status', ''],
  ['a\nb\\', 'status'],
  ['\u{1f600}\u00a0', 'scale'],
])('the owner %j of a conflict, through %j', (manager, subresource) => {
  const through = subresource === '' ? '' : ` with subresource ${quote(subresource)}`;
  const message = `conflict with ${quote(manager)}${through}`;
  expect(conflictOwnerIn(message)).toEqual({ manager, subresource, operation: 'Apply' });
  expect(conflictOwnerIn(`${message} using apps/v1`)).toEqual({ manager, subresource, operation: 'Update' });
});
