import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The words of a union of texts, as its source has them. */
function wordsOf(file: string, type: string): readonly string[] {
  const union = new RegExp(`^export type ${type} =([^;]+);`, 'm').exec(textOf(file))?.[1] ?? '';
  return [...union.matchAll(/'([a-z-]+)'/g)].map((match) => match[1] as string);
}

/** The words in the first column of the table that a heading line begins. */
function tableOf(file: string, heading: string): readonly string[] {
  const [, after = ''] = textOf(file).split(`\n${heading}\n|---|---|\n`);
  const [table = ''] = after.split('\n\n');
  return table.split('\n').flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([a-z-]+)`/g)].map((match) => match[1] as string));
}

test.each([
  { type: 'Outcome', source: 'src/util/outcome.ts', docs: 'docs/deploy.md', heading: '| result | |' },
  { type: 'PlannedAction', source: 'src/engine/run/plan-types.ts', docs: 'docs/diff.md', heading: '| action | meaning |' },
  { type: 'FieldChange', source: 'src/engine/run/plan-types.ts', docs: 'docs/diff.md', heading: '| change | meaning |' },
  { type: 'ObjectState', source: 'src/inspect/status/status.ts', docs: 'docs/owners.md', heading: '| state | meaning |' },
])('$docs lists every $type, and no other', ({ type, source, docs, heading }) => {
  const words = wordsOf(source, type);
  expect(words.length).toBeGreaterThan(0);
  expect([...tableOf(docs, heading)].sort()).toEqual([...words].sort());
});
