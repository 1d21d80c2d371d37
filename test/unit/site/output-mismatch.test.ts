import { expect, test } from 'vitest';
import { outputMismatch } from '../../site/output-mismatch.js';

const cases: readonly (readonly [name: string, page: string, output: string, matches: boolean])[] = [
  ['the same', 'a\nb\n', 'a\nb\n', true],
  ['blank lines and spaces at the end', 'a\n\nb', 'a  \nb\n\n', true],
  ['another line', 'a\nb', 'a\nc', false],
  ['a line too few', 'a', 'a\nb', false],
  ['a line too many', 'a\nb', 'a', false],
  ['lines in another order', 'a\nb', 'b\na', false],
  ['any lines', 'a\n…\nz', 'a\nb\nc\nz', true],
  ['any lines, with indentation', 'a\n    …\nz', 'a\nb\nc\nz', true],
  ['no lines', 'a\n…\nz', 'a\nz', true],
  ['any lines at the end', 'a\n…', 'a\nb', true],
  ['any lines, and the last one missing', 'a\n…\nz', 'a\nb', false],
  ['any text', 'from … to z', 'from a to z', true],
  ['signs of patterns', 'a.b(c)[d]', 'axb(c)[d]', false],
  ['ports and times', 'on https://127.0.0.1:6443 at 2026-01-31T12:00:00Z', 'on https://127.0.0.1:40001 at 2031-02-03T04:05:06Z', true],
  ['other hosts', 'on https://192.0.2.1:6443', 'on https://192.0.2.1:6444', false],
  [
    'objects side by side',
    'deploy\n  created   B\n  created   A\n    forced x\ndone',
    'deploy\n  created   A\n    forced x\n  created   B\ndone',
    true,
  ],
  [
    'fields of another object',
    'deploy\n  created   A\n    forced x\n  created   B',
    'deploy\n  created   A\n  created   B\n    forced x',
    false,
  ],
  ['changed objects side by side', 'deploy\n  updated   B\n  applied   A\ndone', 'deploy\n  applied   A\n  applied   B\ndone', true],
  ['updated and applied', '  updated   A\ndone: 1 updated, 2 applied', '  applied   A\ndone: 3 applied', true],
  ['updated and unchanged', '  updated   A', '  unchanged A', false],
];

test.each(cases)('%s', (_, page, output, matches) => {
  const mismatch = outputMismatch(page, output);
  if (matches) expect(mismatch).toBeUndefined();
  else expect(mismatch).toContain('expected: ');
});
