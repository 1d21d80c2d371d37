import type { ReleasePolicy } from '../../assembly/policy-vocabulary.js';
import type { IntentPolicy } from '../../assembly/types.js';
import { pathCovers } from '../../fields/index.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';

/**
 * Returns the policy for a released field: that of the longest path that covers it, or the strictest below it where it is removed as a
 * whole.
 */
export function releasePolicyFor(field: string, { releases, fields }: Pick<IntentPolicy, 'releases' | 'fields'>): ReleasePolicy {
  const fieldPolicies = Object.entries(fields).flatMap(([path, policy]) =>
    policy.releases === undefined ? [] : [[path, policy.releases] as const],
  );
  const above = fieldPolicies.filter(([path]) => pathCovers(path, field)).sort(([left], [right]) => right.length - left.length)[0];
  const below = fieldPolicies.filter(([path]) => pathCovers(field, path)).map(([, policy]) => policy);
  return strictest([above?.[1] ?? releases ?? 'report', ...below]);
}

/** Returns the policy for an object as a whole, once nothing of it is declared any more. */
export function strictestRelease({ releases, fields }: Pick<IntentPolicy, 'releases' | 'fields'>): ReleasePolicy {
  return strictest([releases ?? 'report', ...Object.values(fields).map((policy) => policy.releases ?? 'report')]);
}

function strictest(policies: readonly ReleasePolicy[]): ReleasePolicy {
  return (['fail', 'ask'] as const).find((policy) => policies.includes(policy)) ?? 'report';
}

/** Returns the part of the policy that the inventory records, for when the object is no longer declared. */
export function rememberedRelease(policy: IntentPolicy): Pick<InventoryEntry, 'releases'> {
  const releases = strictestRelease(policy);
  return releases === 'report' ? {} : { releases };
}
