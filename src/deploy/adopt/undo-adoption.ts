import { identityKey } from '../../assembly/identity.js';
import { type OwnerPatch, patchOwners } from '../../engine/apply/patch-owners.js';
import { InventoryStore } from '../../engine/inventory/inventory-store.js';
import type { EventHost } from '../../engine/report/events.js';
import { explain } from '../../engine/report/explain.js';
import type { ReportedError } from '../../engine/report/run-diagnostic.js';
import type { RunOptions } from '../../engine/run/options.js';
import { beginSession } from '../../engine/run/session.js';
import { addressOf } from '../../engine/target/address.js';
import { annotationPointer } from '../../engine/transfer/ownership-transfers.js';
import { containsSet, type FieldSet, fieldSetOfPaths, formatPath, isEmpty, membersOf, valueAt } from '../../fields/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { entriesWith, lastAppliedAnnotation, managedFieldsOf, ownerText } from '../../ownership/index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { AdoptionRecord, RecordedAdoption } from './record.js';
import { recordDeletable } from './record-deletable.js';

/** What became of one object's adoption. */
export interface UndoneAdoption {
  readonly object: string;
  readonly stack: string;
  readonly transfers: readonly { readonly to: string; readonly fields: readonly string[] }[];
  readonly result: 'undone' | 'unchanged' | 'failed';
  /** The stack had become the one to delete it, and only releases it again. */
  readonly lifecycleTransferred?: true;
  /** Why nothing was undone, or not all. */
  readonly note?: string;
  readonly error?: ReportedError;
}

/**
 * Gives the fields of an adoption back to their former owners, who own them together with the stack again. Fields that are gone since stay
 * gone; the annotation of client-side apply becomes what it was, unless it was written since.
 *
 * @throws FieldwiseError those of locks.
 */
export async function undoAdoption(
  record: AdoptionRecord,
  cluster: ClusterClient,
  options: Pick<RunOptions, 'inventoryNamespace' | 'lockTimeoutSeconds' | 'leaseDurationSeconds' | 'signal'>,
  host: EventHost,
): Promise<readonly UndoneAdoption[]> {
  const { app, instance } = record;
  const managers = new Map(record.objects.map(({ reference }) => [reference.manager, reference.stack]));
  const identities = [...managers].map(([manager, stack]) => ({ app, instance, stack, manager }));
  const session = await beginSession(cluster, identities, options, host);
  try {
    const undone: UndoneAdoption[] = [];
    const returned = new Set<RecordedAdoption>();
    const store = new InventoryStore(session.records, options.inventoryNamespace);
    for (const stack of identities) {
      const transferredLifecycles = record.objects.filter(
        ({ reference, lifecycleTransferred }) => lifecycleTransferred && reference.manager === stack.manager,
      );
      const changed = await recordDeletable(
        store,
        stack,
        new Map(transferredLifecycles.map(({ reference, uid }) => [identityKey(reference), uid])),
        false,
      );
      for (const adoption of transferredLifecycles) if (changed.has(identityKey(adoption.reference))) returned.add(adoption);
    }
    for (const adoption of record.objects) {
      const end = await undoOne(session.cluster, adoption);
      undone.push(returned.has(adoption) ? withLifecycleTransferred(end) : end);
    }
    return undone;
  } finally {
    await session.end();
  }
}

/** The right to delete went back, whatever became of the fields. */
function withLifecycleTransferred(end: UndoneAdoption): UndoneAdoption {
  return { ...end, result: end.result === 'unchanged' ? 'undone' : end.result, lifecycleTransferred: true };
}

async function undoOne(cluster: ClusterClient, adoption: RecordedAdoption): Promise<UndoneAdoption> {
  const { object, stack, manager } = adoption.reference;
  let transfers: UndoneAdoption['transfers'] = [];
  let note: string | undefined;
  if (adoption.transfers.transfers.length === 0) return { object, stack, transfers: [], result: 'unchanged' };
  try {
    await patchOwners(cluster, await addressOf(cluster, adoption.reference), (live) => {
      if (live === undefined || (live.metadata as JsonObject).uid !== adoption.uid) {
        note = 'the object is gone, or another one by now';
        return undefined;
      }
      const back = transfersBack(live, adoption);
      const annotation = annotationBack(live, adoption);
      transfers = back.map(({ from, fields }) => ({ to: ownerText(from), fields: leavesOf(fields) }));
      if (back.length === 0) {
        note = 'the former owners have all of it, or it is gone';
        return undefined;
      }
      note = annotation.note;
      const entries = back.reduce((object, { from, fields }) => withEntries(object, entriesWith(object, from, fields)), live);
      return { manager: annotation.owner ?? manager, entries: entriesOf(entries), others: annotation.operations };
    });
    const result = transfers.length > 0 ? 'undone' : 'unchanged';
    return { object, stack, transfers: transfers, result, ...(note === undefined ? {} : { note }) };
  } catch (error) {
    return { object, stack, transfers: [], result: 'failed', error: explain(error) };
  }
}

/** What each former owner lacks of what was taken, as far as it is still there. */
function transfersBack(live: JsonObject, { transfers }: RecordedAdoption) {
  return transfers.transfers.flatMap(({ from, fields }) => {
    const has = managedFieldsOf(live).find(
      ({ manager, operation, apiVersion, subresource }) =>
        manager === from.manager &&
        operation === from.operation &&
        subresource === from.subresource &&
        (operation === 'Apply' || apiVersion === from.apiVersion),
    );
    const there: FieldSet = fieldSetOfPaths(
      membersOf(fields)
        .filter(({ path }) => valueAt(restored(live, transfers), path) !== undefined)
        .map(({ path }) => path),
    );
    return isEmpty(there) || (has !== undefined && containsSet(has.fields, there)) ? [] : [{ from, fields: there }];
  });
}

/** The object with the annotation as it will be. */
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
  const now = isJsonObject(annotations) ? annotations[lastAppliedAnnotation] : undefined;
  if (now !== annotation.after) return { operations: [], note: 'the annotation of kubectl apply was written since, and stays as it is' };
  const made = isJsonObject(annotations) ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} }];
  return { operations: [...made, { op: 'add', path: annotationPointer, value: annotation.before }], owner: annotation.owner };
}

function withEntries(object: JsonObject, managedFields: ReturnType<typeof entriesWith>): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), managedFields } };
}

function entriesOf(object: JsonObject): OwnerPatch['entries'] {
  return (object.metadata as JsonObject).managedFields as OwnerPatch['entries'];
}

function leavesOf(fields: FieldSet): readonly string[] {
  return membersOf(fields)
    .filter(({ leaf }) => leaf)
    .map(({ path }) => formatPath(path));
}
