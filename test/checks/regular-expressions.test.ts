import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { regularExpressionErrors } from './regular-expressions.js';

// The checker is a process of its own, which takes a while to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fieldwise-expressions-'));
  for (const top of ['src', 'codegen']) mkdirSync(join(root, top));
});
afterEach(() => rmSync(root, { recursive: true }));

/** The problems of a source that stands in `src/a.ts`. */
function problems(source: string): Promise<string[]> {
  writeFileSync(join(root, 'src/a.ts'), source);
  return regularExpressionErrors(root);
}

test.each([
  ['a linear one', 'const a = /^[a-z]+(?:-[a-z]+)*$/;'],
  ['a linear one with flags', 'const a = text.replaceAll(/(?<!-)-+$/gu, "");'],
  ['a linear one in a call', "const a = new RegExp('^a+$', 'i');"],
  ['a bad one in a comment or a text', "// /^(a+)+$/\nconst a = '/^(a+)+$/';"],
])('allowed: %s', async (_, source) => {
  expect(await problems(source)).toEqual([]);
});

test.each([
  ['an exponential one', '\nconst a = /^(a+)+$/;', 'src/a.ts:2 /^(a+)+$/ takes exponential time on '],
  ['a polynomial one', 'const a = text.replace(/a+$/, "");', 'src/a.ts:1 /a+$/ takes 2nd degree polynomial time on '],
  ['one in a call', "const a = new RegExp('^(a|a)*$', 'i');", 'src/a.ts:1 /^(a|a)*$/i takes exponential time on '],
  ['one in a call without new', 'const a = globalThis.RegExp(`^(a|a)*$`);', 'src/a.ts:1 /^(a|a)*$/ takes exponential time on '],
  [
    'one that is put together',
    "const a = new RegExp('^' + name);",
    'src/a.ts:1 makes a regular expression of what is known only at run time',
  ],
  ['one that is none', "const a = new RegExp('(');", 'src/a.ts:1 /(/ cannot be checked: invalid'],
])('refused: %s', async (_, source, problem) => {
  expect(await problems(source)).toEqual([expect.stringContaining(problem)]);
});

test('codegen is checked, too', async () => {
  mkdirSync(join(root, 'codegen/below'));
  writeFileSync(join(root, 'codegen/below/b.ts'), 'export const a = /^(a+)+$/;');
  expect(await problems('')).toEqual([expect.stringContaining('codegen/below/b.ts:1')]);
});
