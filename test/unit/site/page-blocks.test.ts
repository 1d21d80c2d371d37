import { expect, test } from 'vitest';
import { allCommands } from '../../checks/reference-pages.js';
import { commandLinesOf, unknownCommands } from '../../site/check-commands.js';
import { commandsOf, pageBlocks, unclosedFence } from '../../site/page-blocks.js';

const page = `# Title

\`\`\`ts [main.ts]
const one = 1;
\`\`\`

<!-- not run: it needs a network -->
\`\`\`sh
npm publish
\`\`\`

- in a list

  \`\`\`yaml
  key: value
  \`\`\`
`;

test('finds blocks, their files, their markers and their lines', () => {
  expect(pageBlocks(page)).toEqual([
    { line: 3, language: 'ts', file: 'main.ts', text: 'const one = 1;\n' },
    { line: 8, language: 'sh', text: 'npm publish\n', marker: { name: 'not run', text: 'it needs a network' } },
    { line: 14, language: 'yaml', text: 'key: value\n' },
  ]);
});

test('finds a fence that nothing closes', () => {
  expect(unclosedFence(page)).toBeUndefined();
  expect(unclosedFence(`${page}\n\`\`\`sh\nnpm test\n`)).toBe(18);
});

test('finds ten thousand blocks in a moment', { timeout: 15_000 }, () => {
  expect(pageBlocks(page.repeat(3_400))).toHaveLength(10_200);
});

test('joins continued lines, and drops comments but not exit codes', () => {
  expect(commandsOf('# why\none --flag \\\n  two   # because\nthree # exit code 5\n\n')).toEqual(['one --flag two', 'three # exit code 5']);
});

const block = (text: string, language = 'sh') => ({ line: 1, language, text });

test.each([
  ['npx fieldwise deploy', ['fieldwise deploy']],
  ['npm install fieldwise cdk8s', []],
  ['FIELDWISE_INSTANCE=a npx fieldwise list | head', ['fieldwise list']],
  ['cd a && fieldwise diff -o json; fieldwise list', ['fieldwise diff -o json', 'fieldwise list']],
  ['    - run: npx fieldwise synth', ['fieldwise synth']],
])('finds the commands in %s', (text, expected) => {
  expect(commandLinesOf(block(text, text.includes('run:') ? 'yaml' : 'sh'))).toEqual(expected);
});

test.each([
  ['fieldwise deploy web --yes -c a=b', undefined],
  ['fieldwise cluster start --data DIR --port 0', undefined],
  ['fieldwise deploy -v --quiet', undefined],
  ['fieldwise deplyo', 'there is no command deplyo'],
  ['fieldwise cluster begin', 'there is no command begin'],
  ['fieldwise deploy --force', 'there is no flag --force'],
  ['fieldwise list --exit-code=1', 'there is no flag --exit-code=1'],
])('checks the command and the flags of %s', async (text, expected) => {
  const problems = unknownCommands(block(text), await allCommands());
  expect(problems).toEqual(expected === undefined ? [] : [`line 1: \`${text}\`: ${expected}`]);
});
