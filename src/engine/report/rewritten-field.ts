import type { Json } from '../../util/json.js';
import type { PlannedField } from './plan-types.js';

/**
 * A declared field of which the server keeps another value, or none, although it accepted the apply: admission rewrote or dropped it. Nothing
 * is sent to repair it. Values of Secrets are masked.
 */
export interface RewrittenField {
  /** Path such as `.spec.image`. */
  readonly field: string;
  /** The declared value. */
  readonly declared: Json;
  /** The value that the server keeps; absent where it keeps none. */
  readonly value?: Json;
}

/** Returns what the server keeps of a field in place of the declared value; empty if it keeps that. */
export function rewrittenFieldOf({
  field,
  declared,
  newValue,
}: Pick<PlannedField, 'field' | 'declared' | 'newValue'>): readonly RewrittenField[] {
  return declared === undefined ? [] : [{ field, declared, ...(newValue === undefined ? {} : { value: newValue }) }];
}
