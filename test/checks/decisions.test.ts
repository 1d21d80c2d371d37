import { expect, test } from 'vitest';
import { danglingReferences, decisionProblemsIn, missingPaths } from './decisions.js';

const first = '# Locks are leases\n\n- Status: superseded by 2\n- Date: 2026-11-21\n\nText.\n';
const second = '# Locks are objects\n\n- Status: accepted\n- Date: 2026-11-22\n\nText.\n';
const readme = `# Decisions

| number | decision | status | date |
|---|---|---|---|
| [01](01-leases.md) | Locks are leases | superseded by 2 | 2026-11-21 |
| [02](02-objects.md) | Locks are objects | accepted | 2026-11-22 |
`;

test.each([
  { wrong: 'nothing', change: {}, problems: [] },
  {
    wrong: 'a gap',
    change: { '02-objects.md': undefined, '03-objects.md': second, 'README.md': readme.replaceAll('02-', '03-').replace('[02]', '[03]') },
    problems: ['03-objects.md: the numbers have a gap'],
  },
  {
    wrong: 'no status',
    change: { '02-objects.md': second.replace('- Status: accepted\n', '') },
    problems: ['begins with', 'the status is', 'lacks', 'no decision'],
  },
  {
    wrong: 'another status',
    change: { '02-objects.md': second.replace('accepted', 'maybe') },
    problems: ['the status is', 'lacks', 'no decision'],
  },
  {
    wrong: 'no date',
    change: { '02-objects.md': second.replace('- Date: 2026-11-22\n', '') },
    problems: ['begins with', 'the date has', 'lacks', 'no decision'],
  },
  {
    wrong: 'another date',
    change: { '02-objects.md': second.replace('2026-11-22', 'today'), 'README.md': readme.replace('2026-11-22', 'today') },
    problems: ['the date has'],
  },
  {
    wrong: 'a successor that is not there',
    change: { '01-leases.md': first.replace('by 2', 'by 3'), 'README.md': readme.replace('by 2', 'by 3') },
    problems: ['is superseded by 3'],
  },
  {
    wrong: 'a number in the title',
    change: { '02-objects.md': second.replace('# L', '# 2 L') },
    problems: ['begins with', 'lacks', 'no decision'],
  },
  { wrong: 'a decision that is not in the table', change: { 'README.md': readme.replace(/^\| \[02.*\n/m, '') }, problems: ['lacks'] },
])('$wrong', ({ change, problems }) => {
  const texts: Record<string, string | undefined> = { 'README.md': readme, '01-leases.md': first, '02-objects.md': second, ...change };
  const present = Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const found = decisionProblemsIn(Object.fromEntries(present));
  expect(found).toHaveLength(problems.length);
  for (const [index, problem] of problems.entries()) expect(found[index]).toContain(problem);
});

test('a comment names a decision', () => {
  const texts = {
    'a.ts': 'docs/decisions/01',
    'b.ts': 'docs/decisions/02-objects.md',
    'c.ts': 'docs/decisions/02-leases.md',
    'd.ts': 'docs/decisions/17.',
  };
  expect(danglingReferences(['01-leases.md', '02-objects.md'], texts)).toEqual([
    'c.ts: docs/decisions/02-leases does not exist',
    'd.ts: docs/decisions/17 does not exist',
  ]);
});

test('a path in backticks that is gone', () => {
  const texts = { '01-a.md': 'In `src/fields` and `src/gone.ts`, `lib/x.ts` and `npm run check`.' };
  expect(missingPaths(texts, (path) => path === 'src/fields')).toEqual(['01-a.md: src/gone.ts does not exist']);
});
