import type { FieldError } from '../api/field-error.js';
import type { Correlation } from './correlation.js';

/** The comparison with the value before an update, by which errors that were there before are allowed. */
export interface Ratchet {
  readonly correlation: Correlation;
  /** Errors that are allowed. */
  readonly ratcheted: FieldError[];
}

/** Returns the comparison of a member or an item; undefined if it has no value before the update. */
export function childRatchet({ correlation, ratcheted }: Ratchet, key: string | number): Ratchet | undefined {
  const child = typeof key === 'string' ? correlation.key(key) : correlation.index(key);
  return child && { correlation: child, ratcheted };
}

/** Returns the errors of a value that are no longer allowed: none if the value did not change. */
export function ratchet(errors: readonly FieldError[], comparison: Ratchet | undefined): readonly FieldError[] {
  if (errors.length === 0 || comparison === undefined || !comparison.correlation.isEqual) return errors;
  comparison.ratcheted.push(...errors);
  return [];
}
