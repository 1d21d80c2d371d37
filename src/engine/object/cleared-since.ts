import { uidOf } from '../../fields/object.js';
import { clearedOwnershipOf, isBeforeFirstApply, recordedFieldsOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';

/**
 * Returns true if the response to an apply shows wiped managedFields: `before-first-apply` owns declared fields, and did not when the stack
 * first applied; or it owns anything, and did not when the object was read.
 */
export function isClearedSince(
  known: InventoryEntry | undefined,
  read: JsonObject | undefined,
  response: JsonObject,
  managers: readonly string[],
): boolean {
  if (known?.uid === undefined || isUnrecorded(known) || uidOf(response) !== known.uid) return false;
  const state = clearedOwnershipOf(response, managers, known.initialEntryTime);
  if (state === 'shared') return true;
  const readOwners = recordedFieldsOf(read);
  const isNew = readOwners.length > 0 && !readOwners.some(isBeforeFirstApply) && recordedFieldsOf(response).some(isBeforeFirstApply);
  return isNew && state !== 'lost';
}

/**
 * Returns true if the server had no owners on record when the stack applied last, as for an object found like that under the strategy
 * `dynamic`.
 */
export function isUnrecorded({ strategy, appliedAt }: InventoryEntry): boolean {
  return strategy === 'dynamic' && appliedAt === undefined;
}
