import { matchesManager } from '../../assembly/manager-pattern.js';
import type { ConflictPolicy, ConflictPolicyByManager } from '../../assembly/policy-vocabulary.js';
import { pathCovers } from '../../fields/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import { ownerText } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { ConflictPolicies } from '../inventory/inventory-entry.js';
import { waysToConfirm } from '../run/ways-to-confirm.js';

/**
 * Returns the policy for a field that is contested by a manager: the policy of the longest policy path that is the field or lies above it,
 * else the intent's own. A contested field that contains one under `fail` (an atomic list or map conflicts at its root) fails too.
 */
export function conflictPolicyFor(field: string, manager: string, policy: ConflictPolicies): ConflictPolicy {
  const paths = Object.keys(policy.fields).filter((path) => policy.fields[path]?.conflicts !== undefined);
  const at = (path: string) => forManager(policy.fields[path]?.conflicts ?? policy.conflicts, manager);
  if (paths.some((path) => pathCovers(field, path) && at(path) === 'fail')) return 'fail';
  const above = longestCovering(paths, field);
  return above === undefined ? forManager(policy.conflicts, manager) : at(above);
}

/**
 * Returns true for a field that a manager gives up in the same run, alone or with its part in the object: it is not left to the manager, and
 * nothing stops for it.
 */
export type IsLeaving = (manager: string, field: string) => boolean;

/** The policies of an intent, and the fields that stacks give up in the same run. */
export interface DecidingPolicies {
  readonly policy: ConflictPolicies;
  readonly isLeaving?: IsLeaving | undefined;
}

/** Returns the policy that decides a conflict: `force` where its manager gives up the field in the same run. */
export function decidingPolicy(
  { field, from, subresource }: Pick<FieldConflict, 'field' | 'from' | 'subresource'>,
  { policy, isLeaving }: DecidingPolicies,
): ConflictPolicy {
  return subresource === undefined && isLeaving?.(from, field) ? 'force' : conflictPolicyFor(field, from, policy);
}

/** Returns true for a field that the policy leaves to another manager in a conflict, to any or to one that it names. */
export function mayYield(field: string, policy: ConflictPolicies): boolean {
  const paths = Object.keys(policy.fields).filter((path) => policy.fields[path]?.conflicts !== undefined);
  const above = longestCovering(paths, field);
  const decisive = (above === undefined ? undefined : policy.fields[above]?.conflicts) ?? policy.conflicts;
  return typeof decisive === 'string' ? decisive === 'yield' : decisive.otherwise === 'yield' || (decisive.yield ?? []).length > 0;
}

function longestCovering(paths: readonly string[], field: string): string | undefined {
  return paths.filter((path) => pathCovers(path, field)).sort((left, right) => right.length - left.length)[0];
}

/** Prefers an exact name to a pattern, and a longer pattern to a shorter one. */
function forManager(policy: ConflictPolicy | ConflictPolicyByManager, manager: string): ConflictPolicy {
  if (typeof policy === 'string') return policy;
  const { otherwise, ...lists } = policy;
  const fitting = Object.entries(lists).flatMap(([choice, names]) =>
    (names ?? [])
      .filter((name) => matchesManager(name, manager))
      .map((name) => ({ choice, length: name === manager ? Infinity : name.length })),
  );
  const [nearest] = fitting.sort((left, right) => right.length - left.length);
  return nearest === undefined ? otherwise : (nearest.choice as ConflictPolicy);
}

/** Returns the error for fields that others own by now and that would be forced without a confirmation. */
export function forceUnconfirmedError(conflicts: readonly FieldConflict[], manager: string): FieldwiseError {
  const fields = conflicts.map(forcedConflictText).join(', ');
  return new FieldwiseError(
    'force-unconfirmed',
    'resource',
    `This apply would force fields of others, which nobody has confirmed: ${fields}`,
    {
      location: { manager },
      next: `This object was not changed. Run again ${waysToConfirm()}; or leave the fields to their owners.`,
    },
  );
}

/** Names a forced field, in a question and in its confirmation. */
export function forcedConflictText({ field, from, operation, subresource = '' }: FieldConflict): string {
  return `${field} of ${ownerText({ manager: from, operation, subresource })}`;
}
