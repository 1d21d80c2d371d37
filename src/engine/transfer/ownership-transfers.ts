import type { PartialObject } from '../../assembly/types.js';
import { emptyFieldSet, type FieldSet, fieldSetOfPaths, has, isEmpty, membersOf, union, valueAt } from '../../fields/index.js';
import {
  applyEntryOf,
  declaredByKubectl,
  type EntryIdentity,
  entriesWithout,
  isBeforeFirstApply,
  lastAppliedAnnotation,
  lastAppliedOf,
  type ManagedFieldsEntry,
  managedFieldsOf,
  releasableByInitialEntry,
  releasableFields,
  trimmedLastApplied,
} from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { OwnerPatch } from '../apply/patch-owners.js';

/** Fields that are transferred from one owner to a stack. */
export interface OwnershipTransfer {
  readonly from: EntryIdentity;
  readonly fields: FieldSet;
}

/** The transfers of one object. */
export interface OwnershipTransfers {
  readonly transfers: readonly OwnershipTransfer[];
  /** The last-applied annotation before and after; `after` is undefined where it is removed. Absent where it stays as it is. */
  readonly annotation?: { readonly owner: string; readonly before: string; readonly after: string | undefined };
}

/** The new owner of the fields of an intent. */
export interface TransferRecipient {
  readonly manager: string;
  readonly intent: PartialObject;
  /** The object as the server would create it from the manager's fields, where it is known; see `releasableByInitialEntry`. */
  readonly fresh?: JsonObject | undefined;
  /** Fields that the object no longer has; they are also removed from the annotation of client-side apply. */
  readonly removed?: FieldSet | undefined;
}

const annotationPath = (['metadata', 'annotations', lastAppliedAnnotation] as const).map((name) => ({ kind: 'field', name }) as const);

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

/**
 * Returns the fields of others that a stack declares and owns as well, so that the others can give them up. Fields that the stack does not
 * declare or does not own yet are left out.
 */
export function ownershipTransfers(
  live: JsonObject,
  { manager, intent, fresh, removed = emptyFieldSet }: TransferRecipient,
  from: (entry: ManagedFieldsEntry) => boolean,
): OwnershipTransfers {
  const declared = declaredFields(live, manager, intent);
  const applied = lastAppliedOf(live);
  const transfers: OwnershipTransfer[] = [];
  let annotation: OwnershipTransfers['annotation'];
  for (const entry of managedFieldsOf(live)) {
    if (entry.subresource !== '' || entry.manager === manager || !from(entry)) continue;
    const { manager: name, operation, apiVersion, subresource } = entry;
    const identity = { manager: name, operation, apiVersion, subresource };
    const ofClient = applied !== undefined && operation === 'Update' && has(entry.fields, annotationPath) ? applied : undefined;
    const keeps = ofClient && declaredByKubectl(ofClient);
    let fields = isBeforeFirstApply(entry)
      ? releasableByInitialEntry(entry.fields, declared, live, fresh)
      : releasableFields(entry.fields, declared, keeps);
    if (isEmpty(fields)) continue;
    if (ofClient !== undefined) {
      const before = valueAt(live, annotationPath) as string;
      const after = trimmedLastApplied(ofClient, union(fields, removed));
      if (after === undefined) fields = releasableFields(entry.fields, union(declared, fieldSetOfPaths([annotationPath])), keeps);
      annotation = { owner: name, before, after };
    }
    transfers.push({ from: identity, fields });
  }
  return annotation === undefined ? { transfers } : { transfers, annotation };
}

/** Returns the patch that carries out transfers. */
export function ownershipPatch(live: JsonObject, manager: string, { transfers, annotation }: OwnershipTransfers): OwnerPatch {
  const entries = entriesWithout(live, transfers);
  if (annotation === undefined) return { manager, entries };
  const { owner, after } = annotation;
  const change = after === undefined ? { op: 'remove', path: annotationPointer } : { op: 'replace', path: annotationPointer, value: after };
  return { manager: owner, entries, others: [change] };
}
