import { expect, test } from 'vitest';
import { longFunctionsIn, maxFunctionLines } from './function-length.js';

/** A body that makes its function as long as it says. */
function body(lines: number): string {
  return `{\n${'  next();\n'.repeat(lines - 2)}}`;
}

const tooLong = body(maxFunctionLines + 1);
const reason = '// Longer than 60 lines because a table reads better whole.\n';

test.each([
  ['a function of 60 lines', `function a() ${body(60)}`],
  ['functions of 60 lines in a short class', `class A {\n  b() ${body(30)}\n  c() ${body(30)}\n}`],
  ['a function with a reason', `${reason}function a() ${tooLong}`],
  ['an exported function with its docs and a reason', `/** Does. */\n${reason}export function a() ${tooLong}`],
  ['a reason of two lines', `${reason}// And it is short otherwise.\nfunction a() ${tooLong}`],
  ['a constant with a reason', `${reason}export const a = () => ${tooLong};`],
  ['a property with a reason', `const a = {\n  ${reason}  b: () => ${tooLong},\n};`],
])('allowed: %s', (_, source) => {
  expect(longFunctionsIn('src/a.ts', source)).toEqual([]);
});

test.each([
  ['a function', `\nasync function a() ${tooLong}`, 'src/a.ts:2 a has 61 lines: '],
  ['a method', `class A {\n  b() ${tooLong}\n}`, 'src/a.ts:2 b has 61 lines: '],
  ['a constructor', `class A {\n  constructor() ${tooLong}\n}`, 'src/a.ts:2 a constructor has 61 lines: '],
  ['an accessor', `class A {\n  get b() ${tooLong}\n}`, 'src/a.ts:2 b has 61 lines: '],
  ['an arrow function', `const a = () => ${tooLong};`, 'src/a.ts:1 a has 61 lines: '],
  ['a function in an object', `const a = { b: () => ${tooLong} };`, 'src/a.ts:1 b has 61 lines: '],
  ['a function as an argument', `call(() => ${tooLong});`, 'src/a.ts:1 a function without a name has 61 lines: '],
  ['a reason without words', `// Longer than 60 lines because \nfunction a() ${tooLong}`, 'src/a.ts:2 a has 61 lines: '],
  ['a reason that stands elsewhere', `${reason}\nfunction a() ${tooLong}`, 'src/a.ts:3 a has 61 lines: '],
])('refused: %s', (_, source, problem) => {
  expect(longFunctionsIn('src/a.ts', source)).toEqual([expect.stringContaining(problem)]);
});

test('a long function in a long function is named too', () => {
  const source = `function a() {\n  function b() ${tooLong}\n}`;
  expect(longFunctionsIn('src/a.ts', source)).toHaveLength(2);
});
