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
import { ApiError, type Cluster, type ObjectAddress } from '../../kubernetes/index.js';
import { metadataOf, preconditionsOf } from '../../kubernetes/object.js';
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
import { saysImmutable } from './immutable.js';

/** Fields of a live object that an intent does not declare, and with which the server refuses it. */
export interface UnionClaim {
  /** The members of unions that stand in the way, such as `.spec.strategy.rollingUpdate`. */
  readonly paths: readonly FieldPath[];
  /** What others own of them. */
  readonly transfers: readonly { readonly from: EntryIdentity; readonly fields: FieldSet }[];
  /** Whose values go; empty where the server itself filled them in and nobody applies them. */
  readonly forcedConflicts: readonly FieldConflict[];
}

export interface ClaimTask {
  readonly address: ObjectAddress;
  readonly object: PartialObject;
  readonly manager: string;
  readonly formerManagers?: readonly string[];
}

/**
 * What has to be claimed, so that the server lets go of it with the intent that it refuses; undefined where the refusal is about something
 * else, or where claiming does not help. One dry run of a creation tells what the server fills in by itself.
 */
export async function unionClaimOf(
  cluster: Cluster,
  { address, object, manager, formerManagers = [] }: ClaimTask,
  error: unknown,
  live: JsonObject,
): Promise<UnionClaim | undefined> {
  if (!(error instanceof ApiError) || error.code !== 422 || error.causes.some(saysImmutable)) return undefined;
  const paths = blockingUnionMembers(error.causes, live, object);
  if (paths === undefined) return undefined;
  const entries = managedFieldsOf(live);
  const ours = applyEntryOf(live, manager);
  // Paths of another version may mean other fields.
  if (ours !== undefined && ours.apiVersion !== live.apiVersion) return undefined;
  const others = entries.filter((entry) => !isApplyEntryOf(entry, manager));
  const fieldOwners = others.flatMap((entry) => {
    const fields = fieldsAt(entry.fields, paths);
    return isEmpty(fields) ? [] : [{ entry, fields }];
  });
  // Entries of subresources, and those that stand in annotations, are not changed by a patch of owners.
  if (fieldOwners.some(({ entry }) => entry.subresource !== '' || entry.applied !== undefined)) return undefined;
  if (fieldOwners.length === 0 && paths.every((path) => ours !== undefined && ownsAll(ours.fields, path, live))) return undefined;
  const transfers = fieldOwners.map(({ entry, fields }) => ({ from: entry, fields }));
  const foreign = fieldOwners.filter(({ entry }) => !formerManagers.some((former) => isApplyEntryOf(entry, former)));
  const applied = foreign.some(({ entry }) => entry.operation === 'Apply');
  const own = paths.filter((path) => ours !== undefined && ownsAll(ours.fields, path, live));
  const open = foreign.length > 0 ? paths : paths.filter((path) => !own.includes(path));
  const changed = open.flatMap((path) => changedBeside(path, live, object));
  const isDefault = async () =>
    (await areDefaults(cluster, address, live, open)) || (changed.length > 0 && areDefaults(cluster, address, live, [...open, ...changed]));
  if (open.length === 0 || (!applied && (await isDefault()))) return { paths, transfers: transfers, forcedConflicts: [] };
  const forcedConflicts = open.flatMap((path): FieldConflict[] => {
    const old = { field: formatPath(path), oldValue: valueAt(live, path) as Json };
    const owners = foreign.filter(({ fields }) => !isEmpty(fieldsAt(fields, [path])));
    if (owners.length === 0) return [{ ...old, from: anotherWriter, operation: 'Update' }];
    return owners.map(({ entry }) => ({ ...old, from: entry.manager, operation: entry.operation }));
  });
  return { paths, transfers: transfers, forcedConflicts: forcedConflicts };
}

/** The intent that claims: all that the manager owns and what stands in the way, with the values that are there. */
export function claimingIntent({ address, object, manager }: ClaimTask, live: JsonObject, paths: readonly FieldPath[]): JsonObject {
  const ours = applyEntryOf(live, manager)?.fields ?? fieldSetOfPaths([]);
  const wanted = fieldSetOfPaths([...paths]);
  const part = extractOwnedFields(live, union(recursiveDifference(ours, wanted), wanted));
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
 * An object as if nothing had been claimed: what a manager owns at paths only because it has claimed them is none of its own, so that a
 * policy for releases has no say in it.
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

/** What `before-first-apply` owns of paths. */
export function initialEntryTransfers(object: JsonObject, paths: readonly FieldPath[]): UnionClaim['transfers'] {
  return recordedFieldsOf(object)
    .filter(isBeforeFirstApply)
    .map((entry) => ({ from: entry, fields: fieldsAt(entry.fields, paths) }));
}

/** The members of a set that are the paths or lie below them. */
function fieldsAt(set: FieldSet, paths: readonly FieldPath[]): FieldSet {
  const members = membersOf(set).map(({ path }) => path);
  return fieldSetOfPaths(members.filter((member) => paths.some((path) => startsWith(member, path))));
}

function startsWith(path: FieldPath, prefix: FieldPath): boolean {
  return (
    path.length >= prefix.length && prefix.every((element, index) => serializeElement(element) === serializeElement(path[index] ?? element))
  );
}

/** Whether a set has all that is there at a path: what is dropped goes whole. */
function ownsAll(set: FieldSet, path: FieldPath, live: JsonObject): boolean {
  const owned = membersOf(fieldsAt(set, [path]));
  if (owned.some((member) => member.leaf && member.path.length === path.length)) return true;
  const there = valueAt(live, path);
  const names = isJsonObject(there) ? Object.keys(there) : [];
  return names.length > 0 && names.every((name) => ownsAll(set, [...path, { kind: 'field', name }], live));
}

/** What an intent changes beside a member of a union: some defaults are filled in only together. */
function changedBeside(path: FieldPath, live: JsonObject, intent: PartialObject): readonly FieldPath[] {
  const parent = path.slice(0, -1);
  const [there, declared] = [valueAt(live, parent), valueAt(intent, parent)];
  if (!isJsonObject(there) || !isJsonObject(declared)) return [];
  return Object.keys(declared)
    .filter((name) => there[name] !== undefined && !jsonEqual(there[name], declared[name]))
    .map((name) => [...parent, { kind: 'field', name }]);
}

/** Whether the server fills in these very values by itself. Credentials that may not create an object do not learn it. */
async function areDefaults(cluster: Cluster, address: ObjectAddress, live: JsonObject, paths: readonly FieldPath[]): Promise<boolean> {
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
