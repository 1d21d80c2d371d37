import {
  type FieldPath,
  formatPath,
  membersOf,
  pathCovers,
  resolvePath,
  unquote,
  valueAt,
  valueOrItemsAt,
  withRoundedKeys,
} from '../../fields/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { anotherWriter, applyEntryOf, isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf } from '../managed-fields/managed-fields.js';
import { conflictingFields } from './conflicting-fields.js';

/** A field whose owner declares another value. Reports mask values of Secrets. */
export interface FieldConflict {
  /** The path as the server writes it, such as `.spec.replicas`. */
  readonly field: string;
  /** Absent if the field did not exist; absent together with `newValue` if neither was read. */
  readonly oldValue?: Json;
  /** Absent if the field is removed. */
  readonly newValue?: Json;
  /** The other owner's field manager. */
  readonly from: string;
  readonly operation: 'Apply' | 'Update';
  /** Absent for owners of the object itself. */
  readonly subresource?: string;
}

/** The applied object and its manager. */
export interface Applying {
  readonly object: JsonObject;
  readonly manager: string;
  /** Absent for the object itself. */
  readonly subresource?: string;
}

/** Returns the server's causes of a conflict, with the owner and both values. */
export function describeConflicts(
  causes: readonly { readonly field: string; readonly message: string }[],
  live: JsonObject,
  { object }: Applying,
): readonly FieldConflict[] {
  return causes.map((cause) => {
    const { manager, operation, subresource } = reportedOwner(conflictOwnerIn(cause.message), live);
    const path = resolvePath(cause.field, object);
    const oldValue = path && valueOrItemsAt(live, path);
    const newValue = path && valueAt(object, path);
    return {
      field: cause.field,
      from: manager,
      operation,
      ...(subresource ? { subresource } : {}),
      ...(oldValue === undefined ? {} : { oldValue }),
      ...(newValue === undefined ? {} : { newValue }),
    };
  });
}

/** Reads `conflict with "m" with subresource "status" using apps/v1`; names are quoted, and only Update entries carry `using`. */
export function conflictOwnerIn(message: string): { manager: string; operation: 'Apply' | 'Update'; subresource: string } {
  const found = conflictMessage.exec(message);
  const [, manager, subresource = '""', using] = found ?? [];
  return {
    manager: manager === undefined ? message : unquote(manager),
    subresource: unquote(subresource),
    operation: using === undefined ? 'Apply' : 'Update',
  };
}

const conflictMessage = /^conflict with ("(?:[^"\\]|\\.)*")(?: with subresource ("(?:[^"\\]|\\.)*"))?( using )?/;

/** Returns the owner to report: the server knows a stack of the strategy `dynamic` only by its writes. */
function reportedOwner(owner: ReturnType<typeof conflictOwnerIn>, live: JsonObject): ReturnType<typeof conflictOwnerIn> {
  const declares = owner.operation === 'Update' && owner.subresource === '' && applyEntryOf(live, owner.manager)?.applied !== undefined;
  return declares ? { ...owner, operation: 'Apply' } : owner;
}

/**
 * Returns true if the owners recorded in an object contest more than the server listed, so that the list belongs to another state of
 * the object: other fields, or a field of which another owner has taken the place of the listed one.
 */
export function hasUnlistedConflict(listed: readonly FieldConflict[], live: JsonObject, applying: Applying): boolean {
  return conflictingFields(live, applying.object, applying.manager, applying.subresource).some(
    ({ field, owner }) =>
      !listed.some(
        (conflict) => conflict.from === owner.manager && (pathCovers(conflict.field, field) || pathCovers(field, conflict.field)),
      ),
  );
}

/** Returns fields that other owners held before a forced pass and no longer hold after it, except those already listed. */
export function additionalLostFields(
  listed: readonly FieldConflict[],
  before: JsonObject,
  after: JsonObject,
  ownManagers: readonly string[],
  subresource = '',
): readonly FieldConflict[] {
  const afterwards = managedFieldsOf(after);
  return managedFieldsOf(before)
    .filter((owner) => !ownManagers.some((manager) => isApplyEntryOf(owner, manager, subresource)))
    .flatMap((owner) => {
      const same = afterwards.filter((entry) => sameOwner(entry, owner));
      const kept = new Set(same.flatMap(({ fields }) => membersOf(fields).map(({ path }) => formatPath(withRoundedKeys(path)))));
      return membersOf(owner.fields)
        .filter((member) => member.leaf && !kept.has(formatPath(withRoundedKeys(member.path))))
        .filter(
          (member) => !listed.some((conflict) => conflict.from === owner.manager && pathCovers(conflict.field, formatPath(member.path))),
        )
        .map(({ path }) => lostField(path, owner, before));
    });
}

function lostField(path: FieldPath, owner: ManagedFieldsEntry, before: JsonObject): FieldConflict {
  const oldValue = valueOrItemsAt(before, path);
  return {
    field: formatPath(path),
    from: owner.manager,
    operation: owner.operation,
    ...(owner.subresource ? { subresource: owner.subresource } : {}),
    ...(oldValue === undefined ? {} : { oldValue }),
  };
}

/** Returns true if the other owner of a conflict still owns the field in the object as it was read. */
export function isOwned({ field, from, operation, subresource = '' }: FieldConflict, live: JsonObject): boolean {
  if (from === anotherWriter) return resolvePath(field, live) !== undefined;
  const entries = managedFieldsOf(live).filter((entry) => sameOwner(entry, { manager: from, operation, subresource }));
  return entries.some(({ fields, applied }) =>
    membersOf(fields).some(({ path, leaf }) => {
      const ownedField = formatPath(path);
      // A stack of the strategy `dynamic` owns items where the server records one list.
      return ownedField === field || (applied !== undefined && pathCovers(field, ownedField)) || (leaf && pathCovers(ownedField, field));
    }),
  );
}

type OwnerKey = Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'subresource'>;

function sameOwner(left: OwnerKey, right: OwnerKey): boolean {
  return left.manager === right.manager && left.operation === right.operation && left.subresource === right.subresource;
}
