import { expect, test } from 'vitest';
import { moduleStateIn } from './module-state.js';

test.each([
  ['a constant', 'export const a = 1;'],
  ['a variable of a function', 'function f() { let a = 1; a += 1; return a; }'],
  ['a variable of a loop', 'for (let i = 0; i < 2; i++) run(i);'],
  ['a variable of the runtime', 'declare let a: string;'],
  ['a text', 'const text = `\nlet a = 1;\n`;'],
])('allowed: %s', (_, source) => {
  expect(moduleStateIn('src/engine/run/a.ts', source)).toEqual([]);
});

test.each([
  ['let', 'let last: string | undefined;'],
  ['an exported let', 'export let last = 1;'],
  ['var', 'var last = 1;'],
])('refused: %s', (_, source) => {
  expect(moduleStateIn('src/engine/run/a.ts', `\n${source}`)).toEqual([
    expect.stringMatching(/^src\/engine\/run\/a\.ts:2 last is a variable of the module: /),
  ]);
});

test('an exception names one variable, and ends with it', () => {
  const path = 'src/apiserver/conversion/conversions.ts';
  expect(moduleStateIn(path, 'let current: number;')).toEqual([]);
  expect(moduleStateIn(path, 'let current: number;\nlet other: number;')).toEqual([expect.stringContaining(':2 other is a variable')]);
  expect(moduleStateIn(path, '')).toEqual([expect.stringContaining('has no variable current')]);
});
