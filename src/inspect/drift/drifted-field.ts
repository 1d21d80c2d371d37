import { conflictPolicyFor } from '../../engine/apply/conflict-policy.js';
import type { ConflictPolicies, InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import type { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import type { PlannedField } from '../../engine/report/plan-types.js';
import type { ManagedFieldsEntry } from '../../ownership/index.js';
import { applyEntryOf, managedFieldsOf, ownersAt } from '../../ownership/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { type DatedOwner, datedOwner } from '../owners/owners.js';

/**
 * The drift of a field that a stack declares and has applied:
 * - `changed`: the field has another value; its `owners`, if any, own that value.
 * - `removed`: the field is absent; managedFields does not record who removed it.
 * - `ownership-lost`: the field has the declared value, or one that was not compared, and the stack is not among its owners.
 * - `undeclared` (only with `strict`): others have written the field, and no applier declares it.
 */
export type Drift = 'changed' | 'removed' | 'ownership-lost' | 'undeclared';

/** A field of the stack that others changed. Values of Secrets are masked. */
export interface DriftedField {
  readonly field: string;
  readonly drift: Drift;
  readonly declared?: Json;
  readonly live?: Json;
  /** The current owners, and the time of each one's last write. */
  readonly owners: readonly DatedOwner[];
}

/** The status of a declared field. `pending`: the program has changed since the last apply. */
export type FieldStatus =
  | { readonly is: 'in-sync' | 'rewritten' | 'yielded' | 'pending' }
  | { readonly is: 'drifted'; readonly drift: Drift };

const inSync: FieldStatus = { is: 'in-sync' };
const rewritten: FieldStatus = { is: 'rewritten' };

/**
 * Derives the status of a field from the change that a deploy would make to it.
 *
 * @param sameIntent true if the stack's last apply was of this same intent. If not, an uncontested difference may be a change of the
 *   program and counts as pending.
 * @param policy decides whether a field that others own alone is left to them, although they have given it the declared value.
 */
export function fieldStatusOf(
  { field, change, gained, newValue, declared, owners = [] }: PlannedField,
  sameIntent: boolean,
  policy: ConflictPolicies,
): FieldStatus {
  const isRewritten = declared !== undefined && !gained;
  const drifted = (drift: Drift): FieldStatus => (sameIntent ? { is: 'drifted', drift } : { is: 'pending' });
  switch (change) {
    case 'force':
    case 'conflict':
      return { is: 'drifted', drift: 'changed' };
    case 'yield':
      return { is: 'yielded' };
    case 'set':
      if (newValue !== undefined) return drifted('removed');
      return isRewritten ? rewritten : inSync; // Write-only fields, such as stringData, have no value.
    case 'change':
      // Admission writes another value each time.
      return isRewritten && sameIntent ? rewritten : drifted('changed');
    case 'same':
    case 'co-own':
      if (gained && owners.length > 0 && owners.every(({ manager }) => conflictPolicyFor(field, manager, policy) === 'yield'))
        return { is: 'yielded' };
      if (gained) return drifted('ownership-lost');
      return isRewritten ? rewritten : inSync;
    default:
      return { is: 'pending' };
  }
}

export function driftedField(
  { field, oldValue, newValue }: Pick<PlannedField, 'field' | 'oldValue' | 'newValue'>,
  drift: Drift,
  live: JsonObject,
  names: OwnerNameResolver,
): DriftedField {
  return {
    field,
    drift,
    ...(newValue === undefined ? {} : { declared: newValue }),
    ...(oldValue === undefined ? {} : { live: oldValue }),
    owners: ownersAt(live, field).map((entry) => datedOwner(entry, names)),
  };
}

/**
 * Returns the managers that wrote the object after the stack's last apply, except to status. Times in managedFields are whole seconds, so
 * writes in the same second as the apply are not found. An apply that changed nothing leaves no time, or that of an earlier apply; then an
 * unchanged resourceVersion proves that nobody wrote since. Without any time, the result is empty.
 *
 * @param known the inventory's record of the last apply.
 */
export function otherWritersSince(
  live: JsonObject,
  manager: string,
  names: OwnerNameResolver,
  known: Pick<InventoryEntry, 'uid' | 'resourceVersion' | 'appliedAt'> | undefined,
): readonly DatedOwner[] {
  const { uid, resourceVersion } = live.metadata as JsonObject;
  const remembered = known?.uid === uid ? known : undefined;
  if (remembered?.resourceVersion !== undefined && remembered.resourceVersion === resourceVersion) return [];
  const stackEntry = applyEntryOf(live, manager);
  const since = stackEntry ? stackEntry.time : remembered?.appliedAt;
  if (since === undefined) return [];
  const later = ({ manager: other, time, subresource }: ManagedFieldsEntry) =>
    other !== manager &&
    other !== 'before-first-apply' && // The server's own entry for fields that existed before; not a write.
    subresource !== 'status' &&
    time !== undefined &&
    Date.parse(time) > Date.parse(since);
  return managedFieldsOf(live)
    .filter(later)
    .map((entry) => datedOwner(entry, names));
}
