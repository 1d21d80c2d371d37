import { deny, type Rule } from '../rule.js';

/** Denies to give up a field of which the stack is the last owner, if its value goes or changes with that. */
export function noValueChangingRelease(): Rule {
  return deny(
    (change) =>
      change
        .releases('.')
        .filter(({ change: effect, oldValue, newValue }) => effect !== 'kept' && JSON.stringify(oldValue) !== JSON.stringify(newValue))
        .map(({ field }) => ({
          field,
          message: `no longer declares ${field}, whose value changes with that: declare it, or hand it over to another owner first`,
        })),
    { name: 'no-value-changing-release' },
  );
}
