import { expect, test } from 'vitest';
import { missingFromLock } from './lock-file.js';

const lock = (packages: object) => JSON.stringify({ packages: { '': { dependencies: { a: '1' } }, ...packages } });

test.each([
  { what: 'all there', packages: { 'node_modules/a': { dependencies: { b: '1' } }, 'node_modules/b': {} }, missing: [] },
  { what: 'nested', packages: { 'node_modules/a': { dependencies: { b: '1' } }, 'node_modules/a/node_modules/b': {} }, missing: [] },
  { what: 'of a scope', packages: { 'node_modules/a': { dependencies: { '@s/b': '1' } }, 'node_modules/@s/b': {} }, missing: [] },
  { what: 'one missing', packages: {}, missing: ['a, which this package'] },
  { what: 'an optional one', packages: { 'node_modules/a': { optionalDependencies: { b: '1' } } }, missing: ['b, which node_modules/a'] },
  {
    what: 'beside another only',
    packages: { 'node_modules/a': { dependencies: { b: '1' } }, 'node_modules/c/node_modules/b': {} },
    missing: ['b, which'],
  },
])('$what', ({ packages, missing }) => {
  expect(missingFromLock(lock(packages))).toEqual(missing.map((name) => expect.stringContaining(`no entry for ${name}`)));
});
