import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { allCommands } from '../../checks/reference-pages.js';
import { findOnPath } from '../../harness/binaries.js';
import { unknownCommands } from '../../site/check-commands.js';
import { type PageBlock, pageBlocks, unclosedFence } from '../../site/page-blocks.js';
import { allPages, docs, isRun } from '../../site/pages.js';
import { runPage } from '../../site/run-page.js';

const pages = allPages().map((page) => ({ ...page, blocks: pageBlocks(page.text) }));
const run = pages.filter((page) => isRun(page) && page.blocks.some(({ marker }) => marker?.name !== 'not run'));
const hasKubectl = findOnPath('kubectl', process.env) !== undefined;

test.each(run)('docs/$path runs as it stands', { timeout: 120_000 }, async ({ path, blocks }) => {
  if (!hasKubectl && blocks.some(({ language, text }) => language === 'sh' && /^kubectl /m.test(text))) {
    console.log(`docs/${path} is not run: it needs kubectl, which is not on PATH`);
    return;
  }
  expect(await runPage(blocks)).toEqual([]);
});

test('README begins with commands that run', { timeout: 120_000 }, async () => {
  const [first] = pageBlocks(readFileSync(join(docs, '../README.md'), 'utf8'));
  expect(first?.text).toMatch(/^npm install /);
  expect(await runPage(first ? [first] : [])).toEqual([]);
});

test('commands of all pages and their flags exist', async () => {
  const program = await allCommands();
  expect(problemsOf((block) => unknownCommands(block, program))).toEqual([]);
});

test('programs and documents of all pages can be parsed', () => {
  expect(problemsOf(parseErrors)).toEqual([]);
  expect(pages.filter(({ text }) => unclosedFence(text) !== undefined).map(({ path }) => path)).toEqual([]);
});

test('every block that does not run says why', () => {
  const notRun = pages.flatMap(({ path, blocks }) =>
    blocks.flatMap(({ line, marker }) => (marker?.name === 'not run' ? [{ place: `docs/${path}:${line}`, reason: marker.text }] : [])),
  );
  console.log(notRun.map(({ place, reason }) => `not run: ${place}: ${reason}`).join('\n'));
  expect(notRun.filter(({ reason }) => reason.length < 10)).toEqual([]);
});

function problemsOf(check: (block: PageBlock) => readonly string[]): string[] {
  return pages.flatMap(({ path, blocks }) => blocks.flatMap(check).map((problem) => `docs/${path}, ${problem}`));
}

function parseErrors({ language, text, line }: PageBlock): string[] {
  const at = (message: string) => `line ${line}: ${message}`;
  if (/^ya?ml$/.test(language))
    return parseAllDocuments(text)
      .flatMap((one) => ('errors' in one ? one.errors : []))
      .map(({ message }) => at(message));
  if (language === 'json') {
    try {
      JSON.parse(text);
    } catch (error) {
      return [at(String(error))];
    }
  }
  if (language !== 'ts') return [];
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  return diagnostics.map(({ messageText }) => at(ts.flattenDiagnosticMessageText(messageText, '\n')));
}

test('AGENTS.md is short, and the files and codes that it names are there', () => {
  const text = readFileSync(join(docs, '../AGENTS.md'), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  const files = [...text.matchAll(/\bdocs\/[\w/.-]+\.md\b/g)].map(([file]) => file);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => !existsSync(join(docs, '..', file)))).toEqual([]);
  const errors = text.slice(text.indexOf('## Errors')).matchAll(/^- .*?:/gm);
  const named = [...errors].flatMap(([head]) => [...head.matchAll(/`([a-z]+(?:-[a-z]+)+)`(?:[^`(]*\((\d)\))?/g)]);
  expect(named.length).toBeGreaterThanOrEqual(10);
  const page = readFileSync(join(docs, 'errors.md'), 'utf8');
  for (const [, code, exitCode = ''] of named) expect(page).toMatch(new RegExp(`^\\| \`${code}\` \\| [\\d, ]*${exitCode}`, 'm'));
});
