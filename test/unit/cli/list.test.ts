import { expect, test } from 'vitest';
import { table } from '../../../src/cli/commands/list.js';

const stack = (name: string, pending = 0) => ({
  app: 'shop',
  instance: 'prod',
  stack: name,
  manager: `fieldwise/shop/prod/${name}`,
  owned: 12,
  shared: 0,
  pending,
});

test('lists stacks with pending objects first, in 80 columns', () => {
  expect(table([stack('web'), stack('db', 3), stack('x\u001b[31m\ny')])).toBe(
    `OWNED  SHARED  PENDING  STACK
   12       0        3  shop/prod/db
   12       0        0  shop/prod/web
   12       0        0  shop/prod/x<U+001B>[31m y
`,
  );
  expect(table([])).toBe('no stacks\n');
  const longest = table([stack('s'.repeat(45))]);
  expect(longest.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
