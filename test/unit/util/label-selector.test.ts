import { expect, test } from 'vitest';
import { matchesAll, matchesLabels, mayMatchLabels, mayMatchNamespaceNamed } from '../../../src/util/label-selector.js';

const expression = (key: string, operator: string, values?: readonly string[]) =>
  ({ matchExpressions: [{ key, operator, values }] }) as never;

test.each([
  [undefined, true],
  [{}, true],
  [{ matchLabels: { app: 'web' } }, true],
  [{ matchLabels: { app: 'web', tier: 'front' } }, false],
  [expression('app', 'In', ['api', 'web']), true],
  [expression('app', 'NotIn', ['api']), true],
  [expression('app', 'NotIn', ['web']), false],
  [expression('tier', 'NotIn', ['web']), true],
  [expression('app', 'Exists'), true],
  [expression('app', 'DoesNotExist'), false],
  ...['constructor', 'toString', '__proto__', 'hasOwnProperty'].flatMap((key) => [
    [expression(key, 'Exists'), false] as const,
    [expression(key, 'DoesNotExist'), true] as const,
  ]),
] as const)('%j matches {app: web}: %s', (selector, isMatch) => {
  expect([matchesLabels(selector, { app: 'web' }), mayMatchLabels(selector, { app: 'web' })]).toEqual([isMatch, isMatch]);
});

test('a selector with an unknown operator may match, and does not match', () => {
  const selector = expression('app', 'Like', ['w*']);
  expect([matchesLabels(selector, { app: 'web' }), mayMatchLabels(selector, { app: 'web' }), matchesAll(selector)]).toEqual([
    false,
    true,
    false,
  ]);
});

test('of a Namespace of which only the name is known, other labels may be there', () => {
  const named = { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } };
  expect([mayMatchNamespaceNamed(named, 'shop'), mayMatchNamespaceNamed(named, 'web')]).toEqual([true, false]);
  expect(mayMatchNamespaceNamed({ matchLabels: { team: 'a' } }, 'web')).toBe(true);
});
