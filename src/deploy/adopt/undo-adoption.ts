import { identityKey } from '../../assembly/identity.js';
import { addressOf } from '../../engine/addresses/address.js';
import { type OwnerPatch, patchOwners } from '../../engine/object/patch-owners.js';
import type { EventHost } from '../../engine/report/events.js';
import { explain } from '../../engine/report/explain.js';
import type { ReportedError } from '../../engine/report/run-diagnostic.js';
import type { RunOptions } from '../../engine/run/options.js';
import { beginSession } from '../../engine/run/session.js';
import { annotationPointer, isTransfer } from '../../engine/transfer/ownership-transfers.js';
import { containsSet, type FieldSet, fieldSetOfPaths, formatPath, isEmpty, leafTexts, membersOf, valueAt } from '../../fields/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { entriesWith, lastAppliedAnnotation, managedFieldsOf, ownerText } from '../../ownership/index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { type ReturnedObject, returnToApplySet } from './apply-set/return-to-apply-set.js';
import type { AdoptionRecord, RecordedAdoption } from './record.js';
import { recordDeletable } from './record-deletable.js';

/** The result of undoing the adoption of one object. */
export interface UndoneAdoption {
  readonly object: string;
  readonly stack: string;
  readonly transfers: readonly { readonly to: string; readonly fields: readonly string[] }[];
  readonly result: 'undone' | 'unchanged' | 'failed';
  /** Present if the stack lost the right to delete the object again. */
  readonly lifecycleTransferred?: true;
  /** The reason why nothing was undone, or not everything. */
  readonly note?: string;
  readonly error?: ReportedError;
}

/** The result of undoing an adoption. */
export interface UndoResult {
  readonly undone: readonly UndoneAdoption[];
  /** The members and the parent of an ApplySet; empty if the adoption took none over. */
  readonly returned: readonly ReturnedObject[];
}

/**
 * Makes the previous owners of adopted fields co-owners of the stack again. Fields that were removed in between stay removed. The
 * annotation of client-side apply gets its old value, unless it was written in between. Members of an ApplySet return to the set afterwards,
 * so that the stacks no longer have the right to delete them.
 *
 * @throws FieldwiseError the errors of locks.
 */
export async function undoAdoption(
  record: AdoptionRecord,
  cluster: ClusterClient,
  options: Pick<RunOptions, 'inventoryNamespace' | 'lockTimeoutSeconds' | 'leaseDurationSeconds' | 'signal'>,
  host: EventHost,
): Promise<UndoResult> {
  const { app, instance, objects, applySet } = record;
  const managers = new Map([...objects, ...(applySet?.members ?? [])].map(({ reference }) => [reference.manager, reference.stack]));
  const identities = [...managers].map(([manager, stack]) => ({ app, instance, stack, manager }));
  const session = await beginSession(cluster, identities, options, host);
  try {
    const undone: UndoneAdoption[] = [];
    const returned = new Set<RecordedAdoption>();
    for (const stack of identities) {
      const transferredLifecycles = record.objects.filter(
        ({ reference, lifecycleTransferred }) => lifecycleTransferred && reference.manager === stack.manager,
      );
      const changed = await recordDeletable(
        session.inventories,
        stack,
        new Map(transferredLifecycles.map(({ reference, uid }) => [identityKey(reference), uid])),
        false,
      );
      for (const adoption of transferredLifecycles) if (changed.has(identityKey(adoption.reference))) returned.add(adoption);
    }
    for (const adoption of record.objects) {
      const outcome = await undoOne(session.cluster, adoption);
      undone.push(returned.has(adoption) ? withLifecycleTransferred(outcome) : outcome);
    }
    return { undone, returned: applySet === undefined ? [] : await returnToApplySet(session.cluster, applySet) };
  } finally {
    await session.end();
  }
}

/** Adds the loss of the right to delete to a result. */
function withLifecycleTransferred(outcome: UndoneAdoption): UndoneAdoption {
  return { ...outcome, result: outcome.result === 'unchanged' ? 'undone' : outcome.result, lifecycleTransferred: true };
}

async function undoOne(cluster: ClusterClient, adoption: RecordedAdoption): Promise<UndoneAdoption> {
  const { object, stack, manager } = adoption.reference;
  let transfers: UndoneAdoption['transfers'] = [];
  let note: string | undefined;
  if (!isTransfer(adoption.transfers)) return { object, stack, transfers: [], result: 'unchanged', ...unrecorded(adoption) };
  try {
    const changed = await patchOwners(cluster, await addressOf(cluster, adoption.reference), (live) => {
      if (live === undefined || (live.metadata as JsonObject).uid !== adoption.uid) {
        note = 'the object does not exist, or another one has its name';
        return undefined;
      }
      const taken = takenSince(live, adoption);
      const back = transfersBack(live, adoption, taken);
      const annotation = taken.size > 0 ? annotationKept(taken) : annotationBack(live, adoption);
      transfers = back.map(({ from, fields }) => ({ to: ownerText(from), fields: leafTexts(fields) }));
      if (back.length === 0 && annotation.operations.length === 0) {
        const isOfFields = taken.size === 0 && adoption.transfers.transfers.length > 0;
        note = isOfFields ? 'the previous owners already own the fields, or the fields no longer exist' : annotation.note;
        return undefined;
      }
      note = annotation.note;
      const entries = back.reduce((object, { from, fields }) => withEntries(object, entriesWith(object, from, fields)), live);
      return { manager: annotation.owner ?? manager, entries: entriesOf(entries), others: annotation.operations };
    });
    const result = changed !== undefined ? 'undone' : 'unchanged';
    return { object, stack, transfers, result, ...(note === undefined ? {} : { note }) };
  } catch (error) {
    return { object, stack, transfers: [], result: 'failed', error: explain(error) };
  }
}

/** Returns the reason why nothing can be undone where only the annotation of a Secret was changed: its record does not contain the annotation. */
function unrecorded({ reference, lifecycleTransferred }: RecordedAdoption): Pick<UndoneAdoption, 'note'> {
  return reference.kind === 'Secret' && lifecycleTransferred === undefined
    ? { note: 'the record contains no values of a Secret, and so not its annotation of kubectl apply' }
    : {};
}

/** Returns the adopted fields that the stack has lost to another manager since, by path, with that manager: they are not the stack's to return. */
function takenSince(live: JsonObject, { reference, transfers }: RecordedAdoption): ReadonlyMap<string, string> {
  const entries = managedFieldsOf(live);
  const { annotation } = transfers;
  const previous = new Set([...transfers.transfers.map(({ from }) => from.manager), ...(annotation ? [annotation.owner] : [])]);
  const own = entries.find(({ manager, operation }) => manager === reference.manager && operation === 'Apply');
  const others = entries.filter((entry) => entry !== own && !previous.has(entry.manager));
  return new Map(
    [...transfers.transfers, ...(annotation ? [annotation] : [])].flatMap(({ fields }) =>
      membersOf(fields).flatMap(({ path, leaf }) => {
        const field = fieldSetOfPaths([path]);
        if (!leaf || (own !== undefined && containsSet(own.fields, field))) return [];
        const owner = others.find((entry) => containsSet(entry.fields, field));
        return owner === undefined ? [] : [[formatPath(path), ownerText(owner)] as const];
      }),
    ),
  );
}

function annotationKept(taken: ReadonlyMap<string, string>): ReturnType<typeof annotationBack> {
  const fields = [...taken].map(([path, owner]) => `${path} to ${owner}`).join(', ');
  return { operations: [], note: `not returned, because the stack has lost them since: ${fields}` };
}

/** Returns the adopted fields that still exist, that nobody took since, and that their previous owners do not own. */
function transfersBack(live: JsonObject, { transfers }: RecordedAdoption, taken: ReadonlyMap<string, string>) {
  const after = taken.size > 0 ? live : restored(live, transfers);
  return transfers.transfers.flatMap(({ from, fields }) => {
    const entry = managedFieldsOf(live).find(
      ({ manager, operation, apiVersion, subresource }) =>
        manager === from.manager &&
        operation === from.operation &&
        subresource === from.subresource &&
        (operation === 'Apply' || apiVersion === from.apiVersion),
    );
    const returned = membersOf(fields).filter(({ path }) => valueAt(after, path) !== undefined && !taken.has(formatPath(path)));
    // The lists and maps around fields that somebody took are not returned alone.
    const existing: FieldSet = fieldSetOfPaths(returned.some(({ leaf }) => leaf) ? returned.map(({ path }) => path) : []);
    return isEmpty(existing) || (entry !== undefined && containsSet(entry.fields, existing)) ? [] : [{ from, fields: existing }];
  });
}

/** Returns the object with the annotation that it will have after the undo. */
function restored(live: JsonObject, { annotation }: RecordedAdoption['transfers']): JsonObject {
  if (annotation === undefined || annotation.after !== undefined) return live;
  const metadata = live.metadata as JsonObject;
  const annotations = isJsonObject(metadata.annotations) ? metadata.annotations : {};
  return { ...live, metadata: { ...metadata, annotations: { [lastAppliedAnnotation]: annotation.before, ...annotations } } };
}

function annotationBack(
  live: JsonObject,
  { transfers: { annotation } }: RecordedAdoption,
): { readonly operations: NonNullable<OwnerPatch['others']>; readonly owner?: string; readonly note?: string } {
  if (annotation === undefined) return { operations: [] };
  const { annotations } = live.metadata as JsonObject;
  const current = isJsonObject(annotations) ? annotations[lastAppliedAnnotation] : undefined;
  if (current === annotation.before) return { operations: [], note: 'the annotation of kubectl apply already has its old value' };
  if (current !== annotation.after)
    return { operations: [], note: 'the annotation of kubectl apply was written since, and was not changed' };
  const createAnnotations = isJsonObject(annotations) ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} }];
  return { operations: [...createAnnotations, { op: 'add', path: annotationPointer, value: annotation.before }], owner: annotation.owner };
}

function withEntries(object: JsonObject, managedFields: ReturnType<typeof entriesWith>): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), managedFields } };
}

function entriesOf(object: JsonObject): OwnerPatch['entries'] {
  return (object.metadata as JsonObject).managedFields as OwnerPatch['entries'];
}
