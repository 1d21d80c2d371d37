import type { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { type ManagedFieldsEntry, ownedFields } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { datedOwner } from '../owners/owners.js';
import type { DriftedField } from './drifted-field.js';

/**
 * Returns the fields of an object that only Updates of other managers have written, except to its status: no applier declares them. Defaults
 * have no owner, so they are not among them.
 *
 * @param managers the managers of the stack.
 */
export function undeclaredFields(live: JsonObject, managers: readonly string[], names: OwnerNameResolver): readonly DriftedField[] {
  const declares = ({ manager, operation }: ManagedFieldsEntry) => operation === 'Apply' || managers.includes(manager);
  return ownedFields(live)
    .filter(
      ({ value, owners }) => value !== undefined && owners.some(({ subresource }) => subresource !== 'status') && !owners.some(declares),
    )
    .map(({ field, value, owners }) => ({
      field,
      drift: 'undeclared',
      ...(value === undefined ? {} : { live: value }),
      owners: owners.map((owner) => datedOwner(owner, names)),
    }));
}
