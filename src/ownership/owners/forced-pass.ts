import { emptyFieldSet, formatPath, membersOf, pathCovers, resolvePath, valueOrItemsAt } from '../../fields/index.js';
import { preconditionsOf, uidOf } from '../../fields/object.js';
import { isUnverifiable } from '../../merge/dynamic/index.js';
import { type JsonObject, jsonEqual } from '../../util/json.js';
import { applyEntryOf } from '../managed-fields/managed-fields.js';
import { appliedIntentOf } from '../requests/applied-intent.js';
import { type FieldConflict, isOwned } from './field-conflict.js';

/** An apply that takes fields of other managers by force, or changes what nobody else would report, pinned to the object as it was read. */
export interface ForcedPass {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly fields: readonly PassField[];
  /** Absent if there are none. */
  readonly losses?: readonly PassLoss[];
  /** When the manager of the pass had last applied; absent if it had not. */
  readonly appliedAt?: string;
}

/** A field that a forced pass takes. */
export interface PassField extends Pick<FieldConflict, 'field' | 'oldValue' | 'from' | 'operation' | 'subresource'> {
  /** The manager of the pass owned the field before, too, so that owning it afterwards proves nothing. */
  readonly owned?: true;
}

/** A value that a pass may change or remove beside the fields that it takes. */
export interface PassLoss extends Pick<FieldConflict, 'field' | 'oldValue' | 'from' | 'operation' | 'subresource'> {
  /**
   * `released`: the manager of the pass gives it up. `overwritten`: it has no owner, so that `from` is empty. `collateral`: it is in a list
   * item or map entry that the pass removes, and belongs to another manager.
   */
  readonly change: 'released' | 'overwritten' | 'collateral';
}

/**
 * The effect of a forced pass: `refused` if it has taken no field, `unknown` if the object does not show it, because others have written,
 * deleted or replaced it since.
 */
export type PassOutcome = 'applied' | 'refused' | 'unknown';

/**
 * Returns a forced pass, with everything that a later read needs to find out what it did.
 *
 * @param live the object that the pass is pinned to.
 */
export function forcedPassOf(
  live: JsonObject,
  conflicts: readonly FieldConflict[],
  managers: readonly string[],
  losses: readonly PassLoss[] = [],
): ForcedPass {
  const owned = ownedFieldsOf(live, managers);
  const appliedAt = lastAppliedAt(live, managers);
  return {
    ...preconditionsOf(live),
    ...(appliedAt === undefined ? {} : { appliedAt }),
    fields: conflicts.map(({ field, from, operation, subresource, oldValue }) => ({
      field,
      from,
      operation,
      ...(subresource === undefined ? {} : { subresource }),
      ...(oldValue === undefined ? {} : { oldValue }),
      ...(isAmong(owned, field) ? { owned: true as const } : {}),
    })),
    ...(losses.length === 0 ? {} : { losses }),
  };
}

/**
 * Judges by a read object what a forced pass did whose response was lost, or was an error. Nobody else writes under the managers, and anybody
 * else who changes a value takes over its ownership. So a field that they did not own before and own now, or own with another value, was
 * taken by that pass; and a pass takes all of its fields or none. That the others own them proves nothing alone: they may have taken them back.
 * But an apply moves the time of its manager's entry.
 *
 * @param now the object after the pass; undefined if it does not exist.
 */
export function outcomeOfPass(
  { uid, resourceVersion, fields, appliedAt }: ForcedPass,
  now: JsonObject | undefined,
  managers: readonly string[],
): PassOutcome {
  if (now === undefined || uidOf(now) !== uid) return 'unknown';
  if (preconditionsOf(now).resourceVersion === resourceVersion) return 'refused';
  const owned = ownedFieldsOf(now, managers);
  if (fields.some((one) => isTaken(one, now, { owned, managers }))) return 'applied';
  const hasNotApplied = appliedAt !== undefined && appliedAt === lastAppliedAt(now, managers);
  return hasNotApplied && fields.every((one) => isLeft(one, now, owned)) ? 'refused' : 'unknown';
}

/**
 * Judges by a read object what a pass did to a value that it was about to change or to remove. An apply of the managers moves the time of their
 * entry, and none but that of the pass can have been carried out since it was noted; a time is a whole second, so that an equal one proves
 * nothing.
 *
 * @returns `refused` also where the value is as before, or still theirs.
 */
export function outcomeOfLoss(loss: PassLoss, pass: ForcedPass, now: JsonObject | undefined, managers: readonly string[]): PassOutcome {
  if (now === undefined || uidOf(now) !== pass.uid) return 'unknown';
  if (preconditionsOf(now).resourceVersion === pass.resourceVersion) return 'refused';
  const isOwn = isAmong(ownedFieldsOf(now, managers), loss.field);
  if (loss.change === 'released' ? isOwn : isThere(loss, now)) return 'refused';
  if (loss.change === 'overwritten' && isOwn) return 'applied';
  // Whoever else ends their ownership changes the value. An apply that changes no value may leave the time as it is.
  if (loss.change === 'released' && loss.oldValue !== undefined && isThere(loss, now)) return 'applied';
  const appliedAt = lastAppliedAt(now, managers);
  const hasApplied = appliedAt !== undefined && appliedAt !== pass.appliedAt;
  return hasApplied || outcomeOfPass(pass, now, managers) === 'applied' ? 'applied' : 'unknown';
}

/** Returns true if the value is as it was; where it is not known, if there is one. */
function isThere({ field, oldValue, change }: PassLoss, now: JsonObject): boolean {
  const path = resolvePath(field, now);
  const value = path && valueOrItemsAt(now, path);
  if (change === 'collateral' || oldValue === undefined) return value !== undefined;
  return jsonEqual(value, oldValue);
}

/** Returns the time of the last apply (RFC 3339) of any of the managers. */
function lastAppliedAt(object: JsonObject, managers: readonly string[]): string | undefined {
  return managers
    .flatMap((manager) => applyEntryOf(object, manager)?.time ?? [])
    .sort()
    .at(-1);
}

function isTaken(
  one: PassField,
  now: JsonObject,
  { owned, managers }: { readonly owned: readonly string[]; readonly managers: readonly string[] },
): boolean {
  if (!isAmong(owned, one.field)) return false;
  // Whoever else changes the value takes it from them; not from a manager that merges client-side, whose own record others leave as it is.
  return one.owned === undefined || (valueChanged(one, now) === true && managers.every((manager) => isAsRecorded(one, now, manager)));
}

/** Returns false if a manager that merges client-side has another value on record than the object has. */
function isAsRecorded({ field }: PassField, now: JsonObject, manager: string): boolean {
  const intent = appliedIntentOf(now, manager)?.intent ?? {};
  const valueIn = (object: JsonObject) => {
    const path = resolvePath(field, object);
    return path && valueOrItemsAt(object, path);
  };
  const recorded = valueIn(intent);
  return recorded === undefined || isUnverifiable(recorded) || jsonEqual(recorded, valueIn(now));
}

/** Returns true if the other owner still has the field. */
function isLeft(one: PassField, now: JsonObject, owned: readonly string[]): boolean {
  if (!isOwned(one, now)) return false;
  return one.owned === undefined ? !isAmong(owned, one.field) : valueChanged(one, now) !== true;
}

/** Returns undefined if the old value is not known. */
function valueChanged({ field, oldValue }: PassField, now: JsonObject): boolean | undefined {
  if (oldValue === undefined) return undefined;
  const path = resolvePath(field, now);
  return !jsonEqual(path && valueOrItemsAt(now, path), oldValue);
}

function ownedFieldsOf(object: JsonObject, managers: readonly string[]): readonly string[] {
  return managers.flatMap((manager) =>
    membersOf(applyEntryOf(object, manager)?.fields ?? emptyFieldSet).map(({ path }) => formatPath(path)),
  );
}

function isAmong(owned: readonly string[], field: string): boolean {
  return owned.some((one) => pathCovers(field, one));
}
