import { isManagerPattern, managerPatternForm } from '../../assembly/manager-pattern.js';
import { type ConflictPolicy, type ConflictPolicyByManager, conflictPolicies } from '../../assembly/policy-vocabulary.js';

/** Parses the policy `conflicts`: returns it frozen, or an issue as the rest of a sentence. */
export function parseConflicts(value: unknown): { readonly value: ConflictPolicy | ConflictPolicyByManager } | { readonly issue: string } {
  if (isPolicy(value)) return { value: value };
  const choices = conflictPolicies.join(', ');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { issue: `must be one of ${choices}, or an object with them as names, lists of managers as values, and \`otherwise\`` };
  }
  const { otherwise, ...lists } = value as Record<string, unknown>;
  if (!isPolicy(otherwise)) return { issue: `must have a member \`otherwise\`, one of ${choices}` };
  const policy: Record<string, unknown> = { otherwise };
  const seen = new Set<string>();
  for (const [name, managers] of Object.entries(lists)) {
    if (managers === undefined) continue;
    if (!isPolicy(name)) return { issue: `has an unknown member \`${name}\`; its members are ${choices} and otherwise` };
    if (!Array.isArray(managers)) return { issue: `must have a list of managers in \`${name}\`` };
    for (const manager of managers as readonly unknown[]) {
      if (!isManagerPattern(manager)) return { issue: `names ${JSON.stringify(manager)}, which is not ${managerPatternForm}` };
      if (seen.has(manager)) return { issue: `names ${manager} twice` };
      seen.add(manager);
    }
    policy[name] = Object.freeze([...managers]);
  }
  return { value: Object.freeze(policy) as unknown as ConflictPolicyByManager };
}

function isPolicy(value: unknown): value is ConflictPolicy {
  return (conflictPolicies as readonly unknown[]).includes(value);
}
