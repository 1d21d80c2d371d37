import { expect, test } from 'vitest';
import { LatestResourceVersions } from '../../../../src/engine/run/latest-resource-versions.js';

const after = (...versions: readonly string[]) => {
  const seen = new LatestResourceVersions();
  for (const version of versions) seen.record('a', version);
  return seen.get('a');
};

test('if responses arrive out of order, the later write counts', () => {
  expect(after('9', '11', '10')).toBe('11');
  expect(after('99999999999999999998', '99999999999999999999', '99999999999999999997')).toBe('99999999999999999999');
});

test('if versions are not numbers, the one that arrived last counts', () => {
  expect(after('11', 'b', 'a')).toBe('a');
  expect(after('b', '7')).toBe('7');
});

test('each object has its own version', () => {
  const seen = new LatestResourceVersions();
  seen.record('a', '2');
  seen.record('b', '1');
  expect([seen.get('a'), seen.get('b'), seen.has('c')]).toEqual(['2', '1', false]);
});
