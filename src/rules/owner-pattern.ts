import { isManagerPattern, managerPatternForm, matchesManager } from '../assembly/manager-pattern.js';
import type { FieldOwner } from '../engine/report/plan-types.js';
import { invalidArgument } from '../util/invalid-argument.js';

/**
 * Returns the name of a manager or a stack in a rule, exact or with one `*` at its end, as in the policy `conflicts`.
 *
 * @throws FieldwiseError `option-invalid` for anything else, which no manager could ever match.
 */
export function ownerPattern(pattern: string): string {
  if (!isManagerPattern(pattern)) throw invalidArgument('The manager', pattern, managerPatternForm);
  return pattern;
}

/** Returns true if a pattern names the manager of an owner, or its stack. */
export function isNamed(pattern: string, { manager, stack }: Pick<FieldOwner, 'manager' | 'stack'>): boolean {
  return matchesManager(pattern, manager) || (stack !== undefined && matchesManager(pattern, stack));
}
