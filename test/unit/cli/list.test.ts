import { expect, test } from 'vitest';
import { stacksTable } from '../../../src/cli/render/stacks-table.js';
import { broken, crash, forbidden, notReady, stack, undeployed } from './sample-stacks.js';

const green = '\u001b[32m';
test('lists stacks that are not ready first, each with its objects that are not', () => {
  expect(
    stacksTable([stack('web', { shared: 1, pending: 2 }), forbidden, broken, undeployed(stack('x\u001b[31m\ny'))], {
      color: false,
    }),
  ).toBe(
    `HEALTH     DEPLOYED              RESULT     BY         OBJECTS                        STACK
not ready  2026-11-30T04:00:00Z  failed     alice      12 owned                       shop/prod/db
  Deployment shop/web: failed: container web crashes
not known  not known             not known  not known  12 owned                       shop/prod/base
  Secret shop/db: not known: forbidden
  its history was not read: secrets is forbidden
ready      2026-11-30T04:00:00Z  succeeded  alice      12 owned, 1 shared, 2 pending  shop/prod/web
ready      -                     -          -          12 owned                       shop/prod/x<U+001B>[31m y
`,
  );
  expect(stacksTable([], { color: false })).toBe('no stacks\n');
});

test('fits a terminal of 80 columns, and only what is ready is green', () => {
  const narrow = stacksTable([stack('s'.repeat(26)), broken, forbidden], { color: false, width: 80 });
  expect(narrow.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(narrow).toContain('  by alice: 12 owned\n');
  const colored = stacksTable([stack('web'), broken, forbidden], { color: true });
  expect(
    colored
      .split(green)
      .slice(1)
      .map((text) => text.slice(0, 5)),
  ).toEqual(['ready']);
  expect(colored).toContain('\u001b[31mnot ready');
});

test('names five objects of a stack, and how many more there are', () => {
  const problems = Array.from({ length: 8 }, () => crash);
  const text = stacksTable([stack('db', notReady(...problems))], { color: false });
  expect(text.match(/container web crashes/g)).toHaveLength(5);
  expect(text).toContain('  and 3 more, which `-o json` lists\n');
});
