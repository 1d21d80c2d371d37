import type { FieldOwner, PlannedField } from '../report/plan-types.js';
import type { TransferredFields } from './field-transfers.js';
import { isPreviousEntry } from './previous-entries.js';

/**
 * Returns the other owners of a field once it is transferred, without the previous owner; undefined for a field that is not transferred. Where none is
 * left, the transfer tells of the field.
 */
export function coOwnersAfter(
  { field, change, owners = [] }: Pick<PlannedField, 'field' | 'change' | 'owners'>,
  { from, fields }: TransferredFields,
): readonly FieldOwner[] | undefined {
  if (change !== 'co-own' || !fields.includes(field)) return undefined;
  return owners.filter(({ subresource = '', ...owner }) => !isPreviousEntry({ ...owner, subresource }, from));
}
