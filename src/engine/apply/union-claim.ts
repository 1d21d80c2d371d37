import type { PartialObject } from '../../assembly/types.js';
import {
  difference,
  emptyFieldSet,
  type FieldPath,
  type FieldSet,
  fieldSetOfPaths,
  formatPath,
  isEmpty,
  membersOf,
  recursiveDifference,
  serializeElement,
  union,
  valueAt,
  withoutPath,
} from '../../fields/index.js';
import { metadataOf, preconditionsOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, type ObjectAddress } from '../../kubernetes/index.js';
import {
  anotherWriter,
  applyEntryOf,
  blockingUnionMembers,
  type EntryIdentity,
  entriesWithout,
  extractOwnedFields,
  type FieldConflict,
  isApplyEntryOf,
  isBeforeFirstApply,
  managedFieldsOf,
  recordedFieldsOf,
} from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { saysImmutable } from '../report/immutable.js';

/** Undeclared fields of a live object because of which the server refuses an intent. */
export interface UnionClaim {
  /** The members of unions that conflict with the intent, such as `.spec.strategy.rollingUpdate`. */
  readonly paths: readonly FieldPath[];
  /** The parts of them that others own. */
  readonly transfers: readonly { readonly from: EntryIdentity; readonly fields: FieldSet }[];
  /** Values of others that would be removed; empty where the server itself set them as defaults and nobody applies them. */
  readonly forcedConflicts: readonly FieldConflict[];
}

/** The part of an apply task that a claim needs. */
export interface ClaimTask {
  readonly address: ObjectAddress;
  readonly object: PartialObject;
  readonly manager: string;
  readonly formerManagers?: readonly string[];
}

/**
 * Returns what has to be claimed so that the server removes it with the intent that it refuses; undefined where the refusal is about
 * something else, or where claiming does not help. A dry run of a creation shows what the server sets as defaults.
 */
export async function unionClaimOf(
  cluster: ClusterClient,
  { address, object, manager, formerManagers = [] }: ClaimTask,
  error: unknown,
  live: JsonObject,
): Promise<UnionClaim | undefined> {
  if (!(error instanceof ApiError) || error.code !== 422 || error.causes.some(saysImmutable)) return undefined;
  const paths = blockingUnionMembers(error.causes, live, object);
  if (paths === undefined) return undefined;
  const entries = managedFieldsOf(live);
  const stackEntry = applyEntryOf(live, manager);
  // Paths of another version may mean other fields.
  if (stackEntry !== undefined && stackEntry.apiVersion !== live.apiVersion) return undefined;
  const others = entries.filter((entry) => !isApplyEntryOf(entry, manager));
  const fieldOwners = others.flatMap((entry) => {
    const fields = fieldsAt(entry.fields, paths);
    return isEmpty(fields) ? [] : [{ entry, fields }];
  });
  // A patch of owners does not change entries of subresources or entries that are kept in annotations.
  if (fieldOwners.some(({ entry }) => entry.subresource !== '' || entry.applied !== undefined)) return undefined;
  if (fieldOwners.length === 0 && paths.every((path) => stackEntry !== undefined && ownsAll(stackEntry.fields, path, live)))
    return undefined;
  const transfers = fieldOwners.map(({ entry, fields }) => ({ from: entry, fields }));
  const foreign = fieldOwners.filter(({ entry }) => !formerManagers.some((former) => isApplyEntryOf(entry, former)));
  const applied = foreign.some(({ entry }) => entry.operation === 'Apply');
  const own = paths.filter((path) => stackEntry !== undefined && ownsAll(stackEntry.fields, path, live));
  const open = foreign.length > 0 ? paths : paths.filter((path) => !own.includes(path));
  const changed = open.flatMap((path) => changedBeside(path, live, object));
  const isDefault = async () =>
    (await areDefaults(cluster, address, live, open)) || (changed.length > 0 && areDefaults(cluster, address, live, [...open, ...changed]));
  if (open.length === 0 || (!applied && (await isDefault()))) return { paths, transfers, forcedConflicts: [] };
  const forcedConflicts = open.flatMap((path): FieldConflict[] => {
    const old = { field: formatPath(path), oldValue: valueAt(live, path) as Json };
    const owners = foreign.filter(({ fields }) => !isEmpty(fieldsAt(fields, [path])));
    if (owners.length === 0) return [{ ...old, from: anotherWriter, operation: 'Update' }];
    return owners.map(({ entry }) => ({ ...old, from: entry.manager, operation: entry.operation }));
  });
  return { paths, transfers, forcedConflicts };
}

/** Returns the intent that claims: all that the manager owns and what conflicts with its intent, with the live values. */
export function claimingIntent({ address, object, manager }: ClaimTask, live: JsonObject, paths: readonly FieldPath[]): JsonObject {
  const ownFields = applyEntryOf(live, manager)?.fields ?? fieldSetOfPaths([]);
  const wanted = fieldSetOfPaths([...paths]);
  const part = extractOwnedFields(live, union(recursiveDifference(ownFields, wanted), wanted));
  const { uid, resourceVersion } = preconditionsOf(live);
  const { name, namespace } = address;
  return {
    ...part,
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      ...metadataOf(part),
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
    },
  };
}

/**
 * Returns an object as if nothing had been claimed: a policy for releases does not apply to what a manager owns at paths only because it
 * has claimed them.
 *
 * @param before the object before the claim.
 */
export function withoutClaim(
  object: JsonObject,
  paths: readonly FieldPath[],
  before: JsonObject,
  { manager, formerManagers = [] }: ClaimTask,
): JsonObject {
  const now = applyEntryOf(object, manager);
  if (now === undefined) return object;
  const owned = [manager, ...formerManagers].map((name) => applyEntryOf(before, name)?.fields ?? emptyFieldSet).reduce(union);
  const claimed = { from: now, fields: difference(fieldsAt(now.fields, paths), owned) };
  return { ...object, metadata: { ...metadataOf(object), managedFields: entriesWithout(object, [claimed]) as Json } };
}

/** Returns what `before-first-apply` owns at the paths. */
export function initialEntryTransfers(object: JsonObject, paths: readonly FieldPath[]): UnionClaim['transfers'] {
  return recordedFieldsOf(object)
    .filter(isBeforeFirstApply)
    .map((entry) => ({ from: entry, fields: fieldsAt(entry.fields, paths) }));
}

/** Returns the members of a set that are the paths or lie below them. */
function fieldsAt(set: FieldSet, paths: readonly FieldPath[]): FieldSet {
  const members = membersOf(set).map(({ path }) => path);
  return fieldSetOfPaths(members.filter((member) => paths.some((path) => startsWith(member, path))));
}

function startsWith(path: FieldPath, prefix: FieldPath): boolean {
  return (
    path.length >= prefix.length && prefix.every((element, index) => serializeElement(element) === serializeElement(path[index] ?? element))
  );
}

/** Returns true if a set contains everything at a path: a dropped path is removed as a whole. */
function ownsAll(set: FieldSet, path: FieldPath, live: JsonObject): boolean {
  const owned = membersOf(fieldsAt(set, [path]));
  if (owned.some((member) => member.leaf && member.path.length === path.length)) return true;
  const there = valueAt(live, path);
  const names = isJsonObject(there) ? Object.keys(there) : [];
  return names.length > 0 && names.every((name) => ownsAll(set, [...path, { kind: 'field', name }], live));
}

/** Returns what an intent changes beside a member of a union: the server sets some defaults only together. */
function changedBeside(path: FieldPath, live: JsonObject, intent: PartialObject): readonly FieldPath[] {
  const parent = path.slice(0, -1);
  const [there, declared] = [valueAt(live, parent), valueAt(intent, parent)];
  if (!isJsonObject(there) || !isJsonObject(declared)) return [];
  return Object.keys(declared)
    .filter((name) => there[name] !== undefined && !jsonEqual(there[name], declared[name]))
    .map((name) => [...parent, { kind: 'field', name }]);
}

/** Returns true if the server itself sets these values as defaults; false where the credentials may not create an object. */
async function areDefaults(
  cluster: ClusterClient,
  address: ObjectAddress,
  live: JsonObject,
  paths: readonly FieldPath[],
): Promise<boolean> {
  const { status: _, metadata, ...content } = paths.reduce<Json>((object, path) => withoutPath(object, path), live) as JsonObject;
  const { labels, annotations } = isJsonObject(metadata) ? metadata : {};
  const body = {
    ...content,
    metadata: {
      generateName: 'fieldwise-',
      ...(address.namespace === undefined ? {} : { namespace: address.namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
  try {
    const created = await cluster.create(address.resource, address.namespace, body as Json, 'fieldwise', true);
    return paths.every((path) => jsonEqual(valueAt(created, path), valueAt(live, path)));
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
