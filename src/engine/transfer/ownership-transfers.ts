import type { PartialObject } from '../../assembly/types.js';
import { type FieldSet, fieldSetOfPaths, has, isEmpty, membersOf, union, valueAt } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import {
  appliesLastApplied,
  applyEntryOf,
  clientSideApplyManager,
  declaredByKubectl,
  type EntryIdentity,
  entriesWithout,
  isBeforeFirstApply,
  lastAppliedAnnotation,
  lastAppliedOf,
  managedFieldsOf,
  releasableByInitialEntry,
  releasableFields,
} from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { OwnerPatch } from '../object/patch-owners.js';
import { annotationPath, type FieldsInLastApplied, fieldsInLastApplied } from './fields-in-last-applied.js';

/** Fields that are transferred from one owner to a stack. */
export interface OwnershipTransfer {
  readonly from: EntryIdentity;
  readonly fields: FieldSet;
}

/** The transfers of one object. */
export interface OwnershipTransfers {
  readonly transfers: readonly OwnershipTransfer[];
  /** The last-applied annotation before and after; `after` is undefined where it is removed. Absent where it stays as it is. */
  readonly annotation?: {
    readonly owner: string;
    readonly before: string;
    readonly after: string | undefined;
    /** The fields of the stack that the annotation loses. */
    readonly fields: FieldSet;
  };
}

/** The new owner of the fields of an intent. */
export interface TransferRecipient {
  readonly manager: string;
  readonly intent: PartialObject;
  /** The object as the server would create it from the manager's fields, where it is known; see `releasableByInitialEntry`. */
  readonly fresh?: JsonObject | undefined;
  /** Fields that the object no longer has; they are also removed from the annotation of client-side apply. */
  readonly removed?: FieldSet | undefined;
  /** Returns the fields of a set that are to be transferred. @default all */
  readonly select?: (fields: FieldSet) => FieldSet;
}

/** The JSON pointer (RFC 6901) of the annotation. */
export const annotationPointer = `/metadata/annotations/${lastAppliedAnnotation.replaceAll('/', '~1')}`;

/** Returns the fields of a manager's own entry that an intent declares. */
export function declaredFields(live: JsonObject, manager: string, intent: PartialObject): FieldSet {
  const ours = applyEntryOf(live, manager);
  if (ours === undefined) return fieldSetOfPaths([]);
  return fieldSetOfPaths(
    membersOf(ours.fields)
      .filter(({ path }) => valueAt(intent, path) !== undefined)
      .map(({ path }) => path),
  );
}

/** Returns true if there is something to transfer: fields, or only what the last-applied annotation has of the stack. */
export function isTransfer({ transfers, annotation }: OwnershipTransfers): boolean {
  return transfers.length > 0 || annotation !== undefined;
}

/**
 * Returns the fields of others that a stack declares and owns as well, so that the others can give them up. Fields that the stack does not
 * declare or does not own yet are left out. The last-applied annotation loses all of these fields that it contains, and not only those that
 * managedFields still give to its client: a forced take leaves them in the annotation, and an apply of equal values returns them to it.
 *
 * @param from returns true for the entries that may give up fields; the annotation is changed where it is true for an owner of it.
 */
export function ownershipTransfers(
  live: JsonObject,
  { manager, intent, fresh, removed, select = (fields) => fields }: TransferRecipient,
  from: (entry: EntryIdentity) => boolean,
): OwnershipTransfers {
  const declared = select(declaredFields(live, manager, intent));
  const applied = lastAppliedOf(live);
  const held = inLastAppliedOf(live, declared, from, removed);
  const transfers: OwnershipTransfer[] = [];
  for (const entry of managedFieldsOf(live)) {
    if (entry.subresource !== '' || entry.manager === manager || !from(entry)) continue;
    const { manager: name, operation, apiVersion, subresource } = entry;
    const identity = { manager: name, operation, apiVersion, subresource };
    const hasAnnotation = has(entry.fields, annotationPath);
    const keeps = applied !== undefined && operation === 'Update' && hasAnnotation ? declaredByKubectl(applied) : undefined;
    const isRemoved = held !== undefined && held.after === undefined && hasAnnotation;
    const given = isRemoved ? union(declared, fieldSetOfPaths([annotationPath])) : declared;
    const fields = isBeforeFirstApply(entry)
      ? releasableByInitialEntry(entry.fields, given, live, fresh)
      : releasableFields(entry.fields, given, keeps);
    if (!isEmpty(fields)) transfers.push({ from: identity, fields });
  }
  return held === undefined ? { transfers } : { transfers, annotation: held };
}

/**
 * Returns the change of the last-applied annotation that takes fields of a stack out of it; undefined where it has none of them, or nobody may
 * give them up.
 *
 * @param from returns true for the owners of the annotation that may give up fields.
 */
export function inLastAppliedOf(
  live: JsonObject,
  declared: FieldSet,
  from: (entry: EntryIdentity) => boolean,
  removed?: FieldSet,
): OwnershipTransfers['annotation'] {
  const held = fieldsInLastApplied(live, declared, removed);
  const owner = held && trimmingOwner(held, from);
  if (held === undefined || owner === undefined) return undefined;
  const { before, after, fields } = held;
  return { owner, before, after, fields };
}

/**
 * Returns the manager in whose name the last-applied annotation may lose fields; undefined where none of its owners may give them up, and
 * where somebody applies it: the next apply would bring them back.
 */
function trimmingOwner({ writers }: FieldsInLastApplied, from: (entry: EntryIdentity) => boolean): string | undefined {
  if (writers.some(appliesLastApplied)) return undefined;
  const nobody = { manager: clientSideApplyManager, operation: 'Update', apiVersion: '', subresource: '' } as const;
  return (writers.length === 0 ? [nobody] : writers.map((writer): EntryIdentity => ({ ...writer, operation: 'Update' }))).find(from)
    ?.manager;
}

/** Returns an object as it is after transfers. */
export function afterTransfers(live: JsonObject, { transfers, annotation }: OwnershipTransfers): JsonObject {
  const metadata = { ...metadataOf(live), managedFields: entriesWithout(live, transfers) } as JsonObject;
  if (annotation === undefined) return { ...live, metadata };
  const { [lastAppliedAnnotation]: _, ...others } = metadata.annotations as JsonObject;
  const annotations = annotation.after === undefined ? others : { ...others, [lastAppliedAnnotation]: annotation.after };
  return { ...live, metadata: { ...metadata, annotations } };
}

/** Returns the patch that carries out transfers. */
export function ownershipPatch(live: JsonObject, manager: string, { transfers, annotation }: OwnershipTransfers): OwnerPatch {
  const entries = entriesWithout(live, transfers);
  if (annotation === undefined) return { manager, entries };
  const { owner, after } = annotation;
  const change = after === undefined ? { op: 'remove', path: annotationPointer } : { op: 'replace', path: annotationPointer, value: after };
  return { manager: owner, entries, others: [change] };
}
