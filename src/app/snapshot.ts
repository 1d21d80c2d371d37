import { isPlainObject } from '../builders/values.js';

/**
 * A copy of a literal's containers, so that what is declared does not change when the program goes on to change its objects.
 * Everything that is no array and no plain object is kept as it is: builders are immutable, and synth refuses the rest by its path.
 */
export function snapshotOf(value: unknown, above: readonly unknown[] = []): unknown {
  if (typeof value !== 'object' || value === null || above.includes(value)) return value;
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map((item) => snapshotOf(item, inside));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, snapshotOf(member, inside)]));
}
