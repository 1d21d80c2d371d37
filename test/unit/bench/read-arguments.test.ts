import { expect, test } from 'vitest';
import { readArguments } from '../../bench/options.js';

const known = ['merge', 'peers', 'memory', 'programs'];
const groupsOf = (words: string) =>
  readArguments(
    words.split(' ').filter((word) => word !== ''),
    known,
  ).groups;

test.each([
  ['', known],
  ['merge peers', ['merge', 'peers']],
  ['peers --rounds 1 --load', ['peers']],
  ['--row create', ['peers']],
  ['--row tsc --row memory-plan', ['memory', 'programs']],
  ['peers memory --row inventory', ['memory']],
])('%j measures %j', (words, groups) => {
  expect(groupsOf(words)).toEqual(groups);
});

test.each([
  ['nothing', 'there is no group nothing; the groups are merge, peers, memory, programs'],
  ['--row nothing', /^--row: there is no row nothing; the rows are create, /],
  ['peers --row tsc', /^--row: there is no row tsc; the rows are create, /],
  ['peers --objects 1e3', '--objects: expected a number from 1 to 999999, not 1e3'],
  ['peers --rounds 0', '--rounds: expected a number from 1 to 999999, not 0'],
  ['merge --markdown', 'the group merge has no flags; name peers, memory, programs'],
  ['--load', 'the group merge has no flags; name peers, memory, programs'],
  ['peers --nope', /--nope/],
  ['memory --stacks 0', '--stacks: expected a number from 1 to 999999, not 0'],
  ['peers memory --stacks 2', '--stacks and --embedded are for the group memory, not peers'],
  ['programs --embedded', '--stacks and --embedded are for the group memory, not programs'],
])('%j is refused', (words, message) => {
  expect(() => groupsOf(words)).toThrow(message);
});

test('numbers are read', () => {
  expect(readArguments(['memory', '--objects', '200', '--rounds', '1', '--stacks', '20', '--markdown'], known).options).toEqual({
    rows: [],
    objects: 200,
    rounds: 1,
    stacks: 20,
    embedded: false,
    load: false,
    markdown: true,
  });
});
