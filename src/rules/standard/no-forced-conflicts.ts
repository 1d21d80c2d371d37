import type { PlannedField } from '../../engine/report/plan-types.js';
import { type OptionRule, text } from '../../util/check-options.js';
import type { Change } from '../change.js';
import { checkRuleOptions } from '../check-rule-options.js';
import { fieldPattern, matchesField } from '../field-pattern.js';
import { isNamed, ownerPattern } from '../owner-pattern.js';
import { deny, type Rule } from '../rule.js';

/** A forced conflict that a person has approved. */
export interface AcknowledgedConflict {
  /** The field manager or stack that loses the fields, by its name or a pattern such as `kubectl*`. */
  readonly from: string;
  /** `Kind namespace/name`. @default every object */
  readonly object?: string;
  /** The field, and all fields below it. @default every field */
  readonly field?: string;
}

const conflicts: OptionRule = { expected: 'a list of objects with `from`, `object` and `field`', isValid: Array.isArray };

/**
 * Denies to take fields from other managers by force, unless somebody has acknowledged it.
 *
 * @throws FieldwiseError `option-invalid`, also for a path with an error of syntax.
 */
export function noForcedConflicts(options: { readonly acknowledged?: readonly AcknowledgedConflict[] } = {}): Rule {
  checkRuleOptions({ acknowledged: conflicts }, options);
  const { acknowledged = [] } = options;
  for (const conflict of acknowledged) {
    checkRuleOptions({ from: text, object: text, field: text }, conflict);
    const { from, field } = conflict;
    ownerPattern(from);
    if (field !== undefined) fieldPattern(field);
  }
  return deny(
    (change) =>
      change.takesFrom().flatMap((field) => {
        const losers = losersOf(field).filter((from) => !acknowledged.some((one) => covers(one, from, change, field)));
        const isStack = (name: string) => (field.owners ?? []).some(({ stack }) => stack === name);
        return losers.map((from) => ({
          field: field.field,
          message: `takes ${field.field} from ${isStack(from) ? 'stack ' : ''}${from}, and nobody has acknowledged it`,
        }));
      }),
    { name: 'no-forced-conflicts' },
  );
}

function losersOf({ owners = [] }: PlannedField): readonly string[] {
  return [...new Set(owners.map(({ manager, stack }) => stack ?? manager))];
}

function covers({ from, object, field }: AcknowledgedConflict, loser: string, change: Change, taken: PlannedField): boolean {
  const isLoser = (taken.owners ?? []).some((owner) => (owner.stack ?? owner.manager) === loser && isNamed(from, owner));
  return isLoser && (object === undefined || object === change.object) && (field === undefined || isWithin(field, taken.field));
}

function isWithin(path: string, field: string): boolean {
  return matchesField(fieldPattern(path, [field]), field);
}
