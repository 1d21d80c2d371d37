import { expect, test } from 'vitest';
import { firstDifference } from './api-report.js';

test.each([
  { committed: 'a\nb\n', report: 'a\n  c\n', says: 'line 2 is now "c"' },
  { committed: '', report: 'a\n', says: 'line 1 is now "a"' },
  { committed: 'a\nb', report: 'a', says: 'line 2 is gone' },
])('$says', ({ committed, report, says }) => {
  expect(firstDifference(committed, report)).toBe(says);
});
