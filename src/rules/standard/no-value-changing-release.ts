import { changesValue } from '../../engine/field-changes/report-releases.js';
import type { ReleasedField } from '../../engine/report/released-field.js';
import { deny, type Rule } from '../rule.js';

/** Denies to give up a field of which the stack is the last owner, if its value goes or changes with that. */
export function noValueChangingRelease(): Rule {
  return deny(
    (change) =>
      change
        .releases('.')
        .filter((field) => field.change !== 'kept' && changesValue(field as ReleasedField))
        .map(({ field }) => ({
          field,
          message: `no longer declares ${field}, whose value changes with that: declare it, or hand it over to another owner first`,
        })),
    { name: 'no-value-changing-release' },
  );
}
