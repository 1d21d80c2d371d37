import type { PlannedField, PlannedObject } from '../../../deploy/index.js';

/** Returns true for a field that a deploy leaves as it is, its owners included, and whose value is the declared one. */
export function isQuietField(field: PlannedField): boolean {
  return field.declared === undefined && staysAsIs(field);
}

/** Returns true for a field that a deploy leaves as it is, its owners included. */
export function staysAsIs({ change, gained }: PlannedField): boolean {
  return gained === undefined && (change === 'same' || change === 'co-own');
}

/** Returns true for a field that a deploy leaves as it is, and that others own, too. */
export function isQuietCoOwnership({ change, gained }: PlannedField): boolean {
  return gained === undefined && change === 'co-own';
}

/** Returns true for an object of which a plan says nothing but that it does not change. */
export function isQuietObject({
  action,
  fields,
  adopts,
  movedFrom,
  transferred,
  renamedFrom,
  rejoined,
  notJudged,
  error,
  judgments = [],
  warnings = [],
}: PlannedObject): boolean {
  return (
    action === 'unchanged' &&
    fields.every(({ declared }) => declared === undefined) &&
    !(adopts || movedFrom || transferred || renamedFrom || rejoined || notJudged || error) &&
    judgments.length + warnings.length === 0
  );
}
