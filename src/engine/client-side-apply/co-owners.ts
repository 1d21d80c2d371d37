import { type FieldPath, type FieldSet, formatPath, has, membersOf, quote, valueAt } from '../../fields/index.js';
import { ApiError, type ObjectAddress } from '../../kubernetes/index.js';
import type { ContestedField } from '../../merge/dynamic/index.js';
import {
  anotherWriter,
  coveringLength,
  hasDescendants,
  type ManagedFieldsEntry,
  managedFieldsOf,
  recordedFieldsOf,
} from '../../ownership/index.js';
import type { RootType } from '../../schema/index.js';
import { isJsonObject, isList, type JsonObject, jsonEqual } from '../../util/json.js';
import { hasOwnedMembers } from './has-owned-members.js';
import { rulesOfServer } from './list-rules.js';

/** An owner as a conflict names it. */
type ConflictOwner = Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'subresource' | 'apiVersion'>;

/** A contested field and one of its owners. */
export interface OwnerConflict {
  readonly field: string;
  readonly owner: ConflictOwner;
}

/** The owners of an object's fields besides one manager. */
export class CoOwners {
  readonly #live: JsonObject;
  readonly #manager: string;
  readonly #others: readonly ManagedFieldsEntry[];
  readonly #root: RootType | undefined;

  constructor(live: JsonObject, manager: string, root: RootType | undefined) {
    this.#live = live;
    this.#manager = manager;
    this.#root = root;
    this.#others = managedFieldsOf(live).filter((entry) => !(entry.manager === manager && entry.subresource === ''));
  }

  /**
   * Returns true if somebody owns a field that is no longer declared, so that it stays. A manager that replaced the whole list owns none of
   * its items unless its intent declares the list.
   */
  isOwnedByOthers = (path: FieldPath): boolean =>
    this.#others.some(({ fields, operation }) => {
      if (has(fields, path)) return true;
      const steps = this.#coveringLength(fields, path);
      return steps !== undefined && (operation === 'Apply' || path.slice(steps).every(({ kind }) => kind === 'field'));
    });

  /**
   * Returns true if an owner of a field introduced it, and stays on record for it. A stack that found the field there, introduced by nobody
   * on record, did not: so it stays when the last of them drops it. A manager that owns the field only as a part of a list or map that the
   * server takes for one value loses the whole with the next write of another part, so its record cannot show later that the field is not
   * ours.
   */
  introduced = (path: FieldPath): boolean =>
    this.#others.some(({ fields }) => has(fields, path)) &&
    !this.#others.some(({ applied }) => applied !== undefined && has(applied.preexisting, path));

  /** Returns true if somebody declares, as a whole, a list or a map that contains a field: it then owns the present content, too. */
  isDeclaredAsWhole = (path: FieldPath): boolean =>
    this.#others.some(({ fields, operation }) => {
      const steps = operation === 'Apply' ? this.#coveringLength(fields, path) : undefined;
      return steps !== undefined && steps < path.length;
    });

  /** Returns true if a value that differs from what was applied is ours nevertheless: the server has rewritten it (`1000m` as `1`). */
  isRewritten(path: FieldPath): boolean {
    if (path.at(-1)?.kind !== 'field') return false;
    return recordedFieldsOf(this.#live).some(
      ({ manager, subresource, fields }) => manager === this.#manager && subresource === '' && has(fields, path),
    );
  }

  /** As `coveringLength`, without the markers of maps whose members have their own owners. */
  #coveringLength(fields: FieldSet, path: FieldPath): number | undefined {
    const steps = coveringLength(fields, path);
    if (steps === undefined || steps === path.length) return steps;
    const container = path.slice(0, steps);
    return hasOwnedMembers(this.#root, container, valueAt(this.#live, container)) ? undefined : steps;
  }

  /**
   * Returns the owners with whom a field is contested; empty where nobody minds: the server has set it as a default, or rewritten our own
   * value. Where the server does not record who wrote it, the owner is another writer. A second item with the key of a declared one is always
   * somebody's: no default adds it.
   */
  conflictingOwners({ path }: ContestedField, base: JsonObject | undefined): readonly ConflictOwner[] {
    const owners = this.#others.filter(({ fields }) => this.#coveringLength(fields, path) !== undefined || hasDescendants(fields, path));
    if (owners.length > 0) return owners;
    const recorded = recordedFieldsOf(this.#live);
    const unknown = { manager: anotherWriter, operation: 'Update' as const, subresource: '', apiVersion: String(this.#live.apiVersion) };
    if (recorded.length === 0) return [unknown];
    const covering = recorded.filter(({ fields }) => this.#coveringLength(fields, path) !== undefined);
    const ours = covering.some(
      (entry) => entry.manager === this.#manager && (valueAt(base, path) !== undefined || has(entry.fields, path)),
    );
    const isItem = path.at(-1)?.kind !== 'field';
    return (covering.length === 0 || ours) && !isItem ? [] : [unknown];
  }

  /**
   * Returns the lists and maps that others apply as one value and that a merge changes in part: the server takes the whole from them, and
   * their next apply sets it back. A manager that only updated such a value declares nothing, and all that it wrote stays.
   */
  overwrittenAtomics(merged: JsonObject): readonly OwnerConflict[] {
    if (merged === this.#live) return [];
    return this.#others
      .filter(({ operation }) => operation === 'Apply')
      .flatMap((owner) =>
        membersOf(owner.fields)
          .filter(({ path, leaf }) => leaf && this.#isAtomic(path) && !jsonEqual(valueAt(this.#live, path), valueAt(merged, path)))
          .map(({ path }) => ({ field: formatPath(path), owner })),
      );
  }

  /** Returns true if a path leads to a list or a map that the server takes for one value. */
  #isAtomic(path: FieldPath): boolean {
    const value = valueAt(this.#live, path);
    if (isList(value)) return rulesOfServer(this.#root)(path, [value]).type === 'atomic';
    return isJsonObject(value) && !hasOwnedMembers(this.#root, path, value);
  }
}

/**
 * Returns the refusal with which a server responds to a server-side apply. Source: Kubernetes documentation "Server-Side Apply", conflicts.
 */
export function conflictError(address: ObjectAddress, conflicts: readonly OwnerConflict[]): ApiError {
  const causes = conflicts.map(({ field, owner }) => {
    const through = owner.subresource === '' ? '' : ` with subresource ${quote(owner.subresource)}`;
    const using = owner.operation === 'Update' ? ` using ${owner.apiVersion}` : '';
    return { reason: 'FieldManagerConflict', message: `conflict with ${quote(owner.manager)}${through}${using}`, field };
  });
  const fields = causes.map(({ message, field }) => `${message}: ${field}`).join('; ');
  return statusError(address, 409, 'Conflict', `Apply failed with ${causes.length} conflicts: ${fields}`, causes);
}

/** Returns a refusal in the form of a server's. */
export function statusError(
  { resource, name }: ObjectAddress,
  code: number,
  reason: string,
  message: string,
  causes: readonly { readonly reason: string; readonly message: string; readonly field: string }[] = [],
): ApiError {
  const details = { name, kind: resource.plural, ...(causes.length > 0 ? { causes: [...causes] } : {}) };
  return new ApiError('PATCH', `${resource.plural}/${name}`, code, { kind: 'Status', code, reason, message, details });
}
