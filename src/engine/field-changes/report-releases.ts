import { formatPath, type Member, pathCovers, valueAt, valueOrItemsAt } from '../../fields/index.js';
import type { StatusCause } from '../../kubernetes/index.js';
import type { FieldConflict, PassLoss } from '../../ownership/index.js';
import { type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { OtherOwners, type OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import type { PlannedField } from '../report/plan-types.js';
import type { ProvedRelease, ReleasedField } from '../report/released-field.js';
import { maskField } from '../secrets/secret-masker.js';
import { membersByField } from './planned-fields.js';
import { rejectedFields, releasedFields } from './release-diff.js';

/** An object before and after a write that released some of its fields. */
export interface ReleasingWrite {
  readonly live: JsonObject;
  readonly after: JsonObject;
  /** The intent of the write; absent where it released everything. */
  readonly intent?: JsonObject;
  /** The managers that the stack has and had. */
  readonly managers: readonly string[];
  /** Paths that are reported elsewhere, because others own them. */
  readonly contested: readonly string[];
  readonly names: OwnerNameResolver;
}

/**
 * Returns true if applying an object releases anything that one of the managers applied before. May be true where a list map key is left to
 * its default; `releasedIn` decides by the response.
 */
export function mayRelease(live: JsonObject, object: JsonObject, managers: readonly string[]): boolean {
  return undeclaredMembers(live, object, managers).length > 0;
}

/** Returns the outcome of each field that a write released. */
export function releasedIn({ live, after, intent, managers, contested, names }: ReleasingWrite): readonly ProvedRelease[] {
  const fields = releasedFields({
    live,
    after,
    before: membersOf(live, managers),
    declared: membersOf(after, managers),
    intent,
    forcedPaths: contested,
    others: new OtherOwners(after, managers, names),
    manager: managers,
    names,
  });
  return masked(
    fields.filter(({ field }) => !contested.some((path) => pathCovers(path, field))),
    live,
  );
}

/** Returns the fields that a refusal keeps from being released. */
export function rejectedIn(live: JsonObject, object: JsonObject, managers: readonly string[], causes: readonly StatusCause[]) {
  return masked(rejectedFields(live, undeclaredMembers(live, object, managers), causes), live);
}

/** Returns the fields that a write has perhaps released, which was answered with an error and of which nothing shows what became of it. */
export function perhapsReleasedIn(live: JsonObject, object: JsonObject, managers: readonly string[]): readonly ReleasedField[] {
  return perhapsReleasedOf(undeclaredMembers(live, object, managers), live);
}

function perhapsReleasedOf(members: readonly Member[], live: JsonObject): readonly ReleasedField[] {
  return members
    .filter(({ leaf }) => leaf)
    .map(({ path }) => {
      const oldValue = valueOrItemsAt(live, path);
      return maskField({ field: formatPath(path), change: 'perhaps', ...(oldValue === undefined ? {} : { oldValue }) }, live);
    });
}

/**
 * Returns the fields that a write has perhaps released beside those that it released of the object before: what its managers own since then, or own with another
 * value since then, is perhaps of a run that was cut off.
 */
export function perhapsReleasedSince(
  before: JsonObject,
  live: JsonObject,
  object: JsonObject,
  managers: readonly string[],
): readonly ReleasedField[] {
  const known = undeclaredMembers(before, object, managers).map(({ path }) => formatPath(path));
  const isKnown = ({ path }: Member) => known.includes(formatPath(path)) && jsonEqual(valueAt(before, path), valueAt(live, path));
  return perhapsReleasedOf(
    undeclaredMembers(live, object, managers).filter((member) => !isKnown(member)),
    live,
  );
}

/** Returns the fields that applying an object may release, as they are noted before. */
export function releasedLosses(live: JsonObject, object: JsonObject, managers: readonly string[]): readonly PassLoss[] {
  return perhapsReleasedIn(live, object, managers).map(({ field, oldValue }) => ({
    field,
    from: managers[0] as string,
    operation: 'Apply',
    change: 'released',
    ...(oldValue === undefined ? {} : { oldValue }),
  }));
}

/** Returns the fields of others that are removed along with an item, as they are noted before. */
export function collateralLosses(collateral: readonly FieldConflict[]): readonly PassLoss[] {
  return collateral.map(({ newValue: _, ...field }) => ({ ...field, change: 'collateral' }));
}

/** Returns what one of the managers applied before and an object does not have. */
export function undeclaredMembers(live: JsonObject, object: JsonObject, managers: readonly string[]): readonly Member[] {
  return [...membersOf(live, managers).values()].filter(({ path }) => valueAt(object, path) === undefined);
}

/** Returns true if the stack has certainly given the field up. */
export function isReleased({ change }: Pick<ReleasedField, 'change'>): boolean {
  return change !== 'rejected' && change !== 'perhaps';
}

/** Returns true if the field has another value now, or none. */
export function changesValue(field: ReleasedField): boolean {
  if (field.change === 'removed' || field.change === 'item-removed') return true;
  return isReleased(field) && !jsonEqual(field.oldValue, field.newValue);
}

function membersOf(object: JsonObject, managers: readonly string[]): ReadonlyMap<string, Member> {
  return new Map(managers.flatMap((manager) => [...membersByField(object, manager)]));
}

function masked(fields: readonly PlannedField[], object: Json): readonly ProvedRelease[] {
  return fields.map((field) => {
    const lost = field.collateral?.map((inside) => maskField(inside, object));
    return maskField({ ...field, ...(lost ? { collateral: lost } : {}) }, object) as ProvedRelease;
  });
}
