import type { PlannedField, PlannedObject } from '../../../deploy/index.js';

/** Returns true for a field that a deploy leaves as it is, its owners included. */
export function isQuietField({ change, gained }: PlannedField): boolean {
  return gained === undefined && (change === 'same' || change === 'co-own');
}

/** Returns true for a field that a deploy leaves as it is, and that others own, too. */
export function isQuietCoOwnership({ change, gained }: PlannedField): boolean {
  return gained === undefined && change === 'co-own';
}

/** Returns true for an object of which a plan says nothing but that it does not change. */
export function isQuietObject({
  action,
  adopts,
  movedFrom,
  transferred,
  renamedFrom,
  error,
  judgments = [],
  warnings = [],
}: PlannedObject): boolean {
  return (
    action === 'unchanged' && !adopts && !movedFrom && !transferred && !renamedFrom && !error && judgments.length + warnings.length === 0
  );
}
