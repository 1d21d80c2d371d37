import { expect, test } from 'vitest';
import { moduleStateIn } from './module-state.js';

test.each([
  ['a constant', 'export const a = 1;'],
  ['a variable of a function', 'function f() { let a = 1; a += 1; return a; }'],
  ['a variable of a loop', 'for (let i = 0; i < 2; i++) run(i);'],
  ['a variable of the runtime', 'declare let a: string;'],
  ['a text', 'const text = `\nlet a = 1;\n`;'],
  ['a constant set', "const kinds = new Set(['a']);"],
  ['an empty constant', 'const none: ReadonlyMap<string, string> = new Map();'],
  ['a list', 'const list = [1];\nconst copy = other.list.push(2);'],
  ['a map of a function', 'function f() { const found = new Map(); found.set(1, 2); return found; }'],
  ['a map of an object', 'class A { readonly #known = new Map<string, string>(); }'],
  ['a remembered function', 'const f = onceFor((a: object) => compute(a));'],
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

test.each([
  ['a map', 'const last = new Map<string, string>();'],
  ['an exported cache', 'export const last = new WeakMap<object, string>();'],
  ['a set by another name of its type', 'const last = new Set<string>() as Seen;'],
  ['a constant that is filled', "const last = new Map([['a', 1]]); export const put = () => last.set('b', 2);"],
  ['a list that is filled', 'const last: string[] = []; export function put(a: string) { last.push(a); }'],
])('refused, filled later: %s', (_, source) => {
  expect(moduleStateIn('src/engine/run/a.ts', `\n${source}`)).toEqual([
    expect.stringMatching(/^src\/engine\/run\/a\.ts:2 last is filled by the functions of the module: /),
  ]);
});

test('refused: a collection of a class', () => {
  const text = 'class A {\n  static readonly #known = new Map<string, A>();\n}';
  expect(moduleStateIn('src/engine/run/a.ts', text)).toEqual([expect.stringContaining(':2 #known is filled')]);
});

test('an exception names one variable, and ends with it', () => {
  const path = 'src/apiserver/conversion/conversions.ts';
  expect(moduleStateIn(path, 'let current: number;')).toEqual([]);
  expect(moduleStateIn(path, 'let current: number;\nlet other: number;')).toEqual([expect.stringContaining(':2 other is a variable')]);
  expect(moduleStateIn(path, '')).toEqual([expect.stringContaining('has no variable current')]);
});
