import type { ConflictPolicy, IntentPolicy } from '../assembly/types.js';

/**
 * The policy for a contested field: of the longest policy path that is the field or lies above it, else the intent's own. A contested
 * field that contains one under `fail` (an atomic list or map conflicts at its root) fails too.
 */
export function conflictPolicyFor(field: string, policy: IntentPolicy): ConflictPolicy {
  const paths = Object.keys(policy.fields);
  const above = paths.filter((path) => covers(path, field)).sort((left, right) => right.length - left.length)[0];
  const inside = paths.some((path) => covers(field, path) && policy.fields[path]?.conflicts === 'fail');
  if (inside) return 'fail';
  return (above === undefined ? undefined : policy.fields[above]?.conflicts) ?? policy.conflicts;
}

/** Whether `path` is `field` or one of its ancestors. */
export function covers(path: string, field: string): boolean {
  return field === path || (field.startsWith(path) && ['.', '['].includes(field.charAt(path.length)));
}
