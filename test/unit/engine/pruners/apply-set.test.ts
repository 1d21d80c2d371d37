import { expect, test } from 'vitest';
import { applySetIdOf } from '../../../../src/engine/pruners/apply-set.js';

test.each([
  // As kubectl 1.32 wrote them.
  [{ apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'web' }, 'applyset-ZhFTnyMOfABWycOd1915Uf0UKi6elg7a8lTmmXNRgSQ-v1'],
  [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop2', name: 'web' }, 'applyset-LBzRl5KQbqoIelBZZFr7zWkg5G5j52gS-shpTaPBTTU-v1'],
])('the ID of the set of %o is that of kubectl', (parent, id) => {
  expect(applySetIdOf(parent)).toBe(id);
});
