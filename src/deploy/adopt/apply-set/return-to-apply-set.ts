import { type ObjectIdentity, objectText } from '../../../assembly/identity.js';
import { addressOf } from '../../../engine/addresses/address.js';
import { patchOptimistically } from '../../../engine/object/optimistic-patch.js';
import { patchOwners } from '../../../engine/object/patch-owners.js';
import { applySetAnnotations, applySetOf, ownTooling, parentIdLabel, partOfLabel } from '../../../engine/pruners/apply-set.js';
import { explain } from '../../../engine/report/explain.js';
import type { ReportedError } from '../../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../../engine/run/for-each-concurrent.js';
import { defaultConcurrency } from '../../../engine/run/options.js';
import { fieldSetOfPaths, pointerTo } from '../../../fields/index.js';
import { metadataOf, uidOf } from '../../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../../kubernetes/index.js';
import { type EntryIdentity, entriesWith, entriesWithout, recordedFieldsOf } from '../../../ownership/index.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { applySetManager } from './leave-apply-set.js';
import { type MetadataMap, metadataPath, ownersOfName } from './metadata-name.js';
import type { RecordedApplySet, RecordedMember, RecordedName } from './recorded-apply-set.js';

/** The result of undoing the takeover for one member, or for the parent. */
export interface ReturnedObject {
  readonly object: string;
  readonly result: 'returned' | 'unchanged' | 'failed';
  /** The reason why nothing was returned. */
  readonly note?: string;
  readonly error?: ReportedError;
}

/**
 * Returns members to their ApplySet, and then the set to kubectl. Objects and values that somebody has changed since the takeover stay as
 * they are. The set stays closed if a member cannot be returned.
 */
export async function returnToApplySet(
  cluster: ClusterClient,
  { id, parent, members }: RecordedApplySet,
): Promise<readonly ReturnedObject[]> {
  const results = new Map<RecordedMember, ReturnedObject>();
  await forEachConcurrent(members, defaultConcurrency, async (member) => {
    const names = [{ name: partOfLabel, value: id, owners: member.owners }];
    const change = { uid: member.uid, map: 'labels', names, reasonAgainst: reasonAgainstMember(id), isOurs: () => true } as const;
    results.set(member, await returnOne(cluster, member.reference, change));
  });
  const returned = members.map((member) => results.get(member) as ReturnedObject);
  const { uid, annotations } = parent;
  const failed = returned.some(({ result }) => result === 'failed');
  if (failed)
    return [...returned, { object: objectText(parent), result: 'unchanged', note: 'the set stays closed until every member is returned' }];
  const recorded = annotations.find(({ name }) => name === applySetAnnotations.tooling)?.value;
  const change = {
    uid,
    map: 'annotations',
    names: annotations,
    reasonAgainst: reasonAgainstParent(id, recorded),
    isOurs: isClosed,
  } as const;
  return [...returned, await returnOne(cluster, parent, change)];
}

interface ReturnedNames {
  readonly uid: string;
  readonly map: MetadataMap;
  readonly names: readonly RecordedName[];
  /** Returns the reason why an object is not changed. */
  readonly reasonAgainst: (live: JsonObject) => string | undefined;
  /** Returns true if the values may be restored, not only their owners. */
  readonly isOurs: (live: JsonObject) => boolean;
}

function reasonAgainstMember(id: string): ReturnedNames['reasonAgainst'] {
  return (live) => {
    const label = applySetOf(live);
    return label === undefined || label === id ? undefined : `it is a member of another ApplySet now, ${label}`;
  };
}

/** Returns true while the set is closed. Afterwards kubectl may have changed its record. */
function isClosed(live: JsonObject): boolean {
  return metadataOf(live).annotations?.[applySetAnnotations.tooling] === ownTooling;
}

function reasonAgainstParent(id: string, recorded: string | undefined): ReturnedNames['reasonAgainst'] {
  return (live) => {
    const { labels, annotations } = metadataOf(live);
    if (labels?.[parentIdLabel] !== id) return 'it is not the parent of the set any more';
    const tooling = annotations?.[applySetAnnotations.tooling];
    return tooling === ownTooling || tooling === recorded ? undefined : 'its record was written since';
  };
}

async function returnOne(cluster: ClusterClient, identity: ObjectIdentity, change: ReturnedNames): Promise<ReturnedObject> {
  const object = objectText(identity);
  try {
    return { object, ...(await restoreNames(cluster, await addressOf(cluster, identity), change)) };
  } catch (error) {
    return { object, result: 'failed', error: explain(error) };
  }
}

/**
 * Restores labels or annotations with their owners. The server records a patch of a value as an Update of the request's manager, so a second
 * patch, which changes no value, returns the names to their owners.
 */
async function restoreNames(
  cluster: ClusterClient,
  address: ObjectAddress,
  { uid, map, names, reasonAgainst, isOurs }: ReturnedNames,
): Promise<Pick<ReturnedObject, 'result' | 'note'>> {
  let note: string | undefined;
  const isRestorable = (live: JsonObject | undefined): live is JsonObject => {
    const isSame = live !== undefined && uidOf(live) === uid;
    note = isSame ? reasonAgainst(live) : 'the object does not exist, or another one has its name';
    return isSame && note === undefined;
  };
  const values = await patchOptimistically(cluster, address, (live) => {
    const operations = isRestorable(live) && isOurs(live) ? restoringOperations(live, map, names) : [];
    return operations.length === 0 ? undefined : { manager: applySetManager, operations };
  });
  if (note !== undefined) return { result: 'unchanged', note };
  const owners = await patchOwners(cluster, address, (live) => {
    const entries = isRestorable(live) ? restoredOwners(live, map, names) : undefined;
    return entries === undefined ? undefined : { manager: applySetManager, entries };
  });
  return { result: values === undefined && owners === undefined ? 'unchanged' : 'returned', ...(note === undefined ? {} : { note }) };
}

function restoringOperations(live: JsonObject, map: MetadataMap, names: readonly RecordedName[]): readonly Json[] {
  const current = metadataOf(live)[map];
  const operations = names.flatMap(({ name, value }): Json[] => {
    const path = pointerTo(metadataPath(map, name), live);
    if (current?.[name] === value) return [];
    return [value === undefined ? { op: 'remove', path } : { op: 'add', path, value }];
  });
  if (operations.length === 0 || current !== undefined) return operations;
  return [{ op: 'add', path: `/metadata/${map}`, value: {} }, ...operations];
}

/** Returns the entries in which the recorded owners own the names again; undefined if they do already. */
function restoredOwners(live: JsonObject, map: MetadataMap, names: readonly RecordedName[]): readonly Json[] | undefined {
  const restoredNames = names.filter(({ name, value }) => value !== undefined && metadataOf(live)[map]?.[name] === value);
  const lost = restoredNames.flatMap(({ name, owners }) =>
    owners
      .filter((owner) => !isOneOf(owner, ownersOfName(live, map, name)))
      .map((owner) => ({ owner, fields: fieldSetOfPaths([metadataPath(map, name)]) })),
  );
  if (lost.length === 0) return undefined;
  const container = ['metadata', map].map((step) => ({ kind: 'field', name: step }) as const);
  const restored = [...lost.map(({ fields }) => fields), fieldSetOfPaths([container])]; // The first patch may have created the map.
  const scratch = recordedFieldsOf(live).filter(({ manager, operation }) => manager === applySetManager && operation === 'Update');
  const without = scratch.flatMap((from) => restored.map((fields) => ({ from, fields })));
  const start = without.reduce((object, transfer) => withEntries(object, entriesWithout(object, [transfer])), live);
  const end = lost.reduce((object, { owner, fields }) => withEntries(object, entriesWith(object, owner, fields)), start);
  return metadataOf(end).managedFields as readonly Json[];
}

function isOneOf({ manager, operation }: EntryIdentity, owners: readonly EntryIdentity[]): boolean {
  return owners.some((owner) => owner.manager === manager && owner.operation === operation);
}

function withEntries(object: JsonObject, managedFields: readonly Json[]): JsonObject {
  return { ...object, metadata: { ...metadataOf(object), managedFields } as JsonObject };
}
