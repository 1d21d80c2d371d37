import { type ObjectIdentity, objectText } from '../../../assembly/identity.js';
import { patchOptimistically } from '../../../engine/apply/optimistic-patch.js';
import { patchOwners } from '../../../engine/apply/patch-owners.js';
import { applySetAnnotations, applySetOf, ownTooling, parentIdLabel, partOfLabel } from '../../../engine/pruners/apply-set.js';
import { explain } from '../../../engine/report/explain.js';
import type { ReportedError } from '../../../engine/report/run-diagnostic.js';
import { forEachConcurrent } from '../../../engine/run/for-each-concurrent.js';
import { defaultConcurrency } from '../../../engine/run/options.js';
import { addressOf } from '../../../engine/target/address.js';
import { type FieldPath, fieldSetOfPaths, has, pointerTo } from '../../../fields/index.js';
import type { ClusterClient, ObjectAddress } from '../../../kubernetes/index.js';
import { metadataOf, uidOf } from '../../../kubernetes/object.js';
import { entriesWith, entriesWithout, recordedFieldsOf } from '../../../ownership/index.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { applySetManager } from './leave-apply-set.js';
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
    const change = { uid: member.uid, map: 'labels', names, reasonAgainst: reasonAgainstMember(id) } as const;
    results.set(member, await returnOne(cluster, member.reference, change));
  });
  const returned = members.map((member) => results.get(member) as ReturnedObject);
  const { uid, annotations } = parent;
  const failed = returned.some(({ result }) => result === 'failed');
  if (failed)
    return [...returned, { object: objectText(parent), result: 'unchanged', note: 'the set stays closed until every member is returned' }];
  const recorded = annotations.find(({ name }) => name === applySetAnnotations.tooling)?.value;
  const change = { uid, map: 'annotations', names: annotations, reasonAgainst: reasonAgainstParent(id, recorded) } as const;
  return [...returned, await returnOne(cluster, parent, change)];
}

interface ReturnedNames {
  readonly uid: string;
  readonly map: 'labels' | 'annotations';
  readonly names: readonly RecordedName[];
  /** Returns the reason why an object is not changed. */
  readonly reasonAgainst: (live: JsonObject) => string | undefined;
}

function reasonAgainstMember(id: string): ReturnedNames['reasonAgainst'] {
  return (live) => {
    const label = applySetOf(live);
    return label === undefined || label === id ? undefined : `it is a member of another ApplySet now, ${label}`;
  };
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
  { uid, map, names, reasonAgainst }: ReturnedNames,
): Promise<Pick<ReturnedObject, 'result' | 'note'>> {
  let note: string | undefined;
  const isRestorable = (live: JsonObject | undefined): live is JsonObject => {
    const isSame = live !== undefined && uidOf(live) === uid;
    note = isSame ? reasonAgainst(live) : 'the object does not exist, or another one has its name';
    return isSame && note === undefined;
  };
  const values = await patchOptimistically(cluster, address, (live) => {
    const operations = isRestorable(live) ? missingValues(live, map, names) : [];
    return operations.length === 0 ? undefined : { manager: applySetManager, operations };
  });
  if (note !== undefined) return { result: 'unchanged', note };
  const owners = await patchOwners(cluster, address, (live) => {
    const entries = isRestorable(live) ? restoredOwners(live, map, names) : undefined;
    return entries === undefined ? undefined : { manager: applySetManager, entries };
  });
  return { result: values === undefined && owners === undefined ? 'unchanged' : 'returned', ...(note === undefined ? {} : { note }) };
}

function missingValues(live: JsonObject, map: ReturnedNames['map'], names: readonly RecordedName[]): readonly Json[] {
  const current = metadataOf(live)[map];
  const missing = names.filter(({ name, value }) => current?.[name] !== value);
  if (missing.length === 0) return [];
  const operations = missing.map(({ name, value }) => ({ op: 'add', path: pointerTo(pathOf(map, name), live), value }));
  return current === undefined ? [{ op: 'add', path: `/metadata/${map}`, value: {} }, ...operations] : operations;
}

/** Returns the entries in which the recorded owners own the names again; undefined if they do already. */
function restoredOwners(live: JsonObject, map: ReturnedNames['map'], names: readonly RecordedName[]): readonly Json[] | undefined {
  const lost = names.flatMap(({ name, owners }) =>
    owners
      .filter((owner) => !owns(live, owner, pathOf(map, name)))
      .map((owner) => ({ owner, fields: fieldSetOfPaths([pathOf(map, name)]) })),
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

function owns(live: JsonObject, owner: RecordedName['owners'][number], path: FieldPath): boolean {
  return recordedFieldsOf(live).some(
    ({ manager, operation, fields, subresource }) =>
      manager === owner.manager && operation === owner.operation && subresource === owner.subresource && has(fields, path),
  );
}

function pathOf(map: ReturnedNames['map'], name: string): FieldPath {
  return ['metadata', map, name].map((step) => ({ kind: 'field', name: step }) as const);
}

function withEntries(object: JsonObject, managedFields: readonly Json[]): JsonObject {
  return { ...object, metadata: { ...metadataOf(object), managedFields } as JsonObject };
}
