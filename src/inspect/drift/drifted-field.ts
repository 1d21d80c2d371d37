import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import type { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import type { PlannedField } from '../../engine/report/plan-types.js';
import type { ManagedFieldsEntry } from '../../ownership/index.js';
import { applyEntryOf, managedFieldsOf, ownersAt } from '../../ownership/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { type DatedOwner, datedOwner } from '../owners/owners.js';

/**
 * What happened to a field that a stack declares and has applied:
 * - `changed`: it has another value, and where `owners` names somebody it is theirs.
 * - `removed`: it is not there any more; managedFields does not say who removed it.
 * - `ownership-lost`: its value is the declared one, and the stack is not among its owners.
 */
export type Drift = 'changed' | 'removed' | 'ownership-lost';

/** A field of ours that others changed. Values of Secrets are masked. */
export interface DriftedField {
  readonly field: string;
  readonly drift: Drift;
  readonly declared?: Json;
  readonly live?: Json;
  /** Who owns it now, and when each last wrote. */
  readonly owners: readonly DatedOwner[];
}

/** How a declared field stands. `pending`: the program has changed since it was applied. */
export type FieldStatus = { readonly is: 'in-sync' | 'yielded' | 'pending' } | { readonly is: 'drifted'; readonly drift: Drift };

const inSync: FieldStatus = { is: 'in-sync' };

/**
 * How a field stands, judged by what a deploy would do to it.
 *
 * @param sameIntent whether the stack's last apply was of this very intent. Where it was not, a field that nobody contests may as well be
 *   new to the program.
 */
export function fieldStatusOf({ change, gained, newValue }: PlannedField, sameIntent: boolean): FieldStatus {
  const drifted = (drift: Drift): FieldStatus => (sameIntent ? { is: 'drifted', drift } : { is: 'pending' });
  switch (change) {
    case 'force':
    case 'conflict':
      return { is: 'drifted', drift: 'changed' };
    case 'yield':
      return { is: 'yielded' };
    case 'set':
      return newValue === undefined ? inSync : drifted('removed'); // written only, such as stringData
    case 'change':
      return drifted('changed');
    case 'same':
    case 'co-own':
      return gained ? drifted('ownership-lost') : inSync;
    default:
      return { is: 'pending' };
  }
}

export function driftedField(
  { field, oldValue, newValue }: PlannedField,
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
 * Others that wrote the object after the stack's last apply, status aside. Times of managedFields are whole seconds: what was written in the
 * very second of our apply is not named. An apply that changed nothing leaves no time, or that of an earlier one; then the version of the
 * object that it left tells that nobody wrote since. Where no time is known at all, nobody is named.
 *
 * @param known what the inventory remembers of the last apply.
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
  const ours = applyEntryOf(live, manager);
  const since = ours ? ours.time : remembered?.appliedAt;
  if (since === undefined) return [];
  const later = ({ manager: other, time, subresource }: ManagedFieldsEntry) =>
    other !== manager &&
    other !== 'before-first-apply' && // the server's own note about what was there, no change
    subresource !== 'status' &&
    time !== undefined &&
    Date.parse(time) > Date.parse(since);
  return managedFieldsOf(live)
    .filter(later)
    .map((entry) => datedOwner(entry, names));
}
