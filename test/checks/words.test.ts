import { expect, test } from 'vitest';
import { proseOfMarkdown, proseOfSource } from './prose.js';
import { refusedWordsIn } from './words.js';

/** What is refused in a comment: the quoted words. */
function refusedIn(text: string): string[] {
  return proseOfSource('a.ts', `/** ${text} */\nexport {};\n`)
    .flatMap(refusedWordsIn)
    .map((problem) => /"(.*?)" in /.exec(problem)?.[1] as string);
}

test.each([
  ['The caller is told of it.', 'is told'],
  ['Its retries are told at once.', 'are told'],
  ['The object goes when nobody needs it.', 'goes'],
  ['The item, and what is in it, goes with it.', 'goes'],
  ['Absent where the field goes.', 'goes'],
  ['The server makes it anew.', 'anew'],
  ['An object of ours.', 'of ours'],
  ['The server takes it all the same.', 'all the same'],
  ['It is applied as ever.', 'as ever'],
  ['A merge on this side.', 'on this side'],
  ['It is no list.', 'is no list'],
  ['Neither field is none.', 'is none'],
  ['A manager owns what he applies.', 'he'],
  ['A manager and his fields.', 'his'],
  ['What the server answers.', 'What the server answers.'],
  ['Whether an object exists.', 'Whether an object exists.'],
  ['Reads the object. What it lacks is added.', 'What it lacks is added.'],
  ['An unrecognised colour.', 'colour'],
  ['Optimised later.', 'Optimised'],
  ['The request was cancelled.', 'cancelled'],
])('refused: %s', (text, word) => {
  expect(refusedIn(text)).toContain(word);
});

test.each([
  'Two items are told apart by their keys.',
  'The request goes to the server, goes through, and goes on.',
  'Where it goes: a URL. Where a report goes; as far as it goes, and anything goes.',
  'They can be told only by a read.',
  'There is no list, and there are none of these.',
  'The field is no longer declared, and it is no more than a hint.',
  'None of its fields is owned; it is none of these.',
  'Two requests are all the same.',
  'The words here, the hero and this history.',
  'Returns what the server answers, and whether it is a list.',
  'What is this? A question.',
  'The exercise is otherwise precise; a promise.',
  'Code such as `is no list`, `colour` and `anew` is quoted.',
  'Analyses of the four results.',
])('fine: %s', (text) => {
  expect(refusedIn(text)).toEqual([]);
});

test('a source has comments and literals, by line', () => {
  const text = `import 'is no module';
const word = 'anew'; // a key
const list = { 'is no list': 1 };
// It is made
// anew.
const message = \`What \${word} is \${list} anew\`;
/**
 * Reads it. It is
 * no list.
 */
throw new Error('it is no list');
`;
  const found = proseOfSource('a.ts', text).flatMap(refusedWordsIn);
  expect(found.map((problem) => problem.split('"', 2).join('')).sort()).toEqual([
    'a.ts:11: is no list',
    'a.ts:3: is no list',
    'a.ts:5: anew',
    'a.ts:6: What CODE is CODE anew',
    'a.ts:6: anew',
    'a.ts:8: is',
  ]);
});

test('a page has neither headings nor code', () => {
  const text = `# What is made anew

Its objects are
all new. What is \`left\` stays.

\`\`\`sh
echo anew
\`\`\`

- Whether a [link](anew.md) counts.

| What | is no cell |
`;
  expect(
    proseOfMarkdown('a.md', text)
      .flatMap(refusedWordsIn)
      .map((problem) => problem.split('"', 2).join('')),
  ).toEqual(['a.md:12: is no cell', 'a.md:4: What is CODE stays.', 'a.md:10: Whether a [link] counts.']);
});
