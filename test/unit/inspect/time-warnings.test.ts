import { expect, test } from 'vitest';
import { timeWarnings } from '../../../src/inspect/history/time-warnings.js';

const stack = { app: 'shop', instance: 'default', stack: 'web', manager: 'fieldwise/shop/default/web' };
const now = Date.parse('2026-11-30T12:00:00Z');
const warned = (...times: readonly string[]) =>
  timeWarnings({ stack, revisions: times.map((at, index) => ({ revision: index + 1, at })) as never }, now).map(({ message }) => message);

test.each([
  ['rising', ['2026-11-28T10:00:00Z', '2026-11-29T10:00:00Z']],
  ['of two machines that differ by a minute', ['2026-11-28T10:01:00Z', '2026-11-28T10:00:00Z']],
  ['none', []],
])('times: %s', (_, times) => {
  expect(warned(...times)).toEqual([]);
});

test('a revision that is dated later than a newer one, or than now, is named once', () => {
  expect(warned('2026-11-28T10:00:00Z', '2026-11-29T10:00:00Z', '2026-11-28T11:00:00Z', '2026-11-28T12:00:00Z')).toEqual([
    'Revision 2 of stack web is dated 2026-11-29T10:00:00Z, later than revision 3 (2026-11-28T11:00:00Z), which is newer: the clock of a machine was wrong',
  ]);
  expect(warned('2026-12-01T10:00:00Z')).toEqual([
    'Revision 1 of stack web is dated 2026-12-01T10:00:00Z, later than now: the clock of a machine was wrong',
  ]);
});
