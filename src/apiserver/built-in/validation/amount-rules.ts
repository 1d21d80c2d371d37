import type { Json } from '../../../util/json.js';
import { type FieldError, invalidValue } from '../../api/field-error.js';
import { nonNegativeErrors } from '../../api/name-rules.js';

const percent = /^\d+%$/;
const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Validates a number of Pods, or a percentage of them. */
export function amountErrors(field: string, amount: Json | undefined): readonly FieldError[] {
  const isWrong = typeof amount === 'string' && !percent.test(amount);
  return isWrong ? [invalidValue(field, amount, percentText)] : nonNegativeErrors(field, amount);
}

/** Validates that a percentage of Pods is not greater than all of them. */
export function percentErrors(field: string, amount: Json | undefined): readonly FieldError[] {
  const isTooMuch = typeof amount === 'string' && percent.test(amount) && podsIn(amount) > 100;
  return isTooMuch ? [invalidValue(field, amount, 'must not be greater than 100%')] : [];
}

/** Returns the number in an amount; 0 if it has none. */
export function podsIn(amount: Json | undefined): number {
  const text = String(amount ?? 0).replace('%', '');
  return /^[-+]?\d+$/.test(text) ? Number(text) : 0;
}
