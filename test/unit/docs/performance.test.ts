import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readArguments } from '../../bench/options.js';
import { rowsOfGroups } from '../../bench/rows.js';

const page = readFileSync(fileURLToPath(new URL('../../../docs/performance.md', import.meta.url)), 'utf8');

/** The tables of figures by the words that print them. */
const figures = new Map(
  [...page.matchAll(/<!-- figures: (.*?) -->\n([\s\S]*?)<!-- end of figures -->/g)].map(([, words, text]) => [
    words as string,
    text as string,
  ]),
);

test.each([
  ['peers', rowsOfGroups.peers],
  ['peers --load', rowsOfGroups.peers],
  ['memory', rowsOfGroups.memory],
  ['programs', rowsOfGroups.programs],
] as const)('the table of `%s` has the rows of the bench', (words, rows) => {
  const shown = [...(figures.get(words) ?? '').matchAll(/^\| `([^`]+)` \|/gm)].map(([, row]) => row);
  expect([...new Set(shown)]).toEqual(rows);
});

test('every table is dated, names its machine and says what is lost', () => {
  expect([...figures.values()].filter((text) => !/^Measured on \d{4}-\d\d-\d\d, Node .* cores/.test(text))).toEqual([]);
  const withPeers = [...figures].filter(([words]) => words !== 'memory');
  expect(withPeers.filter(([, text]) => !/^Fieldwise loses/m.test(text))).toEqual([]);
});

test('the commands of the page are those of the bench', () => {
  const commands = [...page.matchAll(/npm run bench -- ([^#`\n]+)/g)].map(([, words]) => (words as string).trim().split(/\s+/));
  expect(commands.length).toBeGreaterThan(5);
  for (const words of commands) expect(readArguments(words, Object.keys(rowsOfGroups)).groups).not.toEqual([]);
});
