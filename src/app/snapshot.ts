import { isPlainObject } from '../builders/values.js';
import { maxJsonDepth } from '../util/max-json-depth.js';

/**
 * Copies the arrays and plain objects of a literal, so that the declaration does not change if the program changes its objects later.
 * Other values are not copied: builders are immutable, and synth rejects the rest with its path.
 */
export function snapshotOf(value: unknown, above: readonly unknown[] = []): unknown {
  if (typeof value !== 'object' || value === null || above.includes(value) || above.length > maxJsonDepth) return value;
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map((item) => snapshotOf(item, inside));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, snapshotOf(member, inside)]));
}
