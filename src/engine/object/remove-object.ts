import { groupOf } from '../../assembly/identity.js';
import type { DeletePropagation } from '../../assembly/policy-vocabulary.js';
import { trackingKey } from '../../assembly/tracking-key.js';
import { formatPath, membersOf } from '../../fields/index.js';
import { isTerminating, preconditionsOf, uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, contendedError, contentionRounds, isNotFound, type ObjectAddress } from '../../kubernetes/index.js';
import { type FieldConflict, type ManagedFieldsEntry, managedFieldsOf, unreadableEntries } from '../../ownership/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { ReleasedField } from '../report/released-field.js';
import type { RunOptions } from '../run/options.js';
import { deleteExactly } from './delete-exactly.js';
import { allFinalizersOf } from './deletion-blockers.js';
import { provesOwnership, unprovedReason } from './ownership-proof.js';
import { keptRejected, type ReleaseOptions, releaseAll, replacedReason, transferAdvice } from './release.js';
import { unmanagedContents } from './unmanaged-contents.js';
import { type WaitForDeletionOptions, waitForDeletion } from './wait-for-deletion.js';

/** The field managers of an object that is to be deleted. */
export interface ObjectOwners {
  /** The stack's field manager, then those it had before renames. */
  readonly managers: readonly [string, ...string[]];
  /** Field managers whose part is removed in the same run: their fields do not keep the object. */
  readonly removedManagers: readonly string[];
  /** Field managers that share the object in the same run: they always keep it. */
  readonly sharers: readonly string[];
  /** Deletes even objects that other managers apply fields to. */
  readonly deleteShared: boolean;
}

/** Options of deleting an object, or releasing it instead. */
export interface RemoveOptions extends ObjectOwners {
  readonly uid: string;
  /** The resourceVersion at which the object was found to be deletable; see `PlainDeletions`. */
  readonly plainVersion?: string | undefined;
  readonly propagationPolicy: DeletePropagation;
  /** Deletes a Namespace or a CustomResourceDefinition even with objects of others in it. */
  readonly deleteForeign: boolean;
  /** The wait for the deletion. */
  readonly deletionWait: WaitForDeletionOptions;
  /** Objects that this run deletes, see `objectsToDelete`. */
  readonly keysToDelete: ReadonlySet<string>;
  /** Options for releasing it instead. */
  readonly release: Omit<ReleaseOptions, 'live'>;
}

/** The result of a removal. */
export interface RemovalResult {
  readonly result: Extract<Outcome, 'deleted' | 'released' | 'retained' | 'absent'>;
  readonly finalizers?: readonly string[];
  readonly reason?: string;
  /** Fields of others that a release removed. */
  readonly collateral?: readonly FieldConflict[];
  /** It was to be deleted, and nothing on it shows that the stack applied it. */
  readonly unproved?: true;
  readonly released?: readonly ReleasedField[];
  /** That it was removed although the server answered with an error. */
  readonly warnings?: readonly string[];
}

/**
 * Deletes an object that the stack owns: only this very object (uid), only as it was read a moment before (resourceVersion), and only where
 * the object itself shows that the stack applied it. Where other managers apply fields beyond metadata, it is released instead:
 * other managers still declare their fields.
 */
export async function removeObject(cluster: ClusterClient, address: ObjectAddress, options: RemoveOptions): Promise<RemovalResult> {
  let absent: RemovalResult = { result: 'absent' };
  if (options.plainVersion !== undefined) {
    const deleted = await deleteAt(cluster, address, options.plainVersion, options);
    if (deleted) return deleted;
    absent = { result: 'absent', reason: goneReason };
  }
  for (let round = 0; round < contentionRounds; round++) {
    const live = await cluster.tryGet(address);
    if (!live) return absent;
    if (uidOf(live) !== options.uid) return { result: 'absent', reason: replacedReason };
    if (!provesOwnership(live, options.managers)) return { result: 'released', reason: unprovedReason, unproved: true };
    const others = keepersOf(live, options);
    const foreign =
      options.deleteForeign || others.length > 0
        ? []
        : await unmanagedContents(cluster, live, options.keysToDelete, options.deletionWait.timeoutSeconds);
    const reason = retentionReason(others, foreign);
    if (reason !== undefined)
      return releaseInstead(cluster, address, live, options, { reason, after: releasedReason(address, others, foreign) });
    // The server's own steps of a deletion in the foreground change the object, so a request with its resourceVersion would never fit.
    if (isTerminating(live)) return awaitDeletion(cluster, address, live, options);
    const deleted = await deleteAt(cluster, address, preconditionsOf(live).resourceVersion, options);
    if (deleted) return deleted;
    absent = { result: 'absent', reason: goneReason };
  }
  throw contendedError('delete-contended', { manager: options.managers[0] }, 'It was not deleted. Run again.');
}

/** The reason where an object is gone after its deletion was refused. Something on the way may have sent its deletion twice, and brought the answer to the second. */
const goneReason = 'it was deleted a moment ago, perhaps by this run, perhaps by somebody else';

/**
 * Deletes an object as it was at a resourceVersion, and waits for it.
 *
 * @returns undefined if it was written since, or the answer is that there is none: only a read shows that, because something on the way may
 * have given that answer.
 */
async function deleteAt(
  cluster: ClusterClient,
  address: ObjectAddress,
  resourceVersion: string,
  options: RemoveOptions,
): Promise<RemovalResult | undefined> {
  const { uid, propagationPolicy } = options;
  try {
    const { left, ...settled } = await deleteExactly(cluster, address, { uid, resourceVersion, propagationPolicy });
    return { ...(await awaitDeletion(cluster, address, left, options)), ...settled };
  } catch (error) {
    if (isNotFound(error) || (error instanceof ApiError && error.code === 409)) return undefined;
    throw error;
  }
}

/** Waits until an object is gone that is being deleted, unless the options say not to wait. `left` is undefined where it is already gone. */
async function awaitDeletion(
  cluster: ClusterClient,
  address: ObjectAddress,
  left: JsonObject | undefined,
  options: RemoveOptions,
): Promise<RemovalResult> {
  const waits = options.deletionWait.timeoutSeconds > 0;
  if (left && waits) await waitForDeletion(cluster, address, left, options.deletionWait);
  return { result: 'deleted', ...dependentsOf(address, options), ...(waits ? {} : remainingFinalizers(left)) };
}

/** Releases an object that may not be deleted. Where the server does not accept it without the stack's fields either, it stays as it is. */
async function releaseInstead(
  cluster: ClusterClient,
  address: ObjectAddress,
  live: JsonObject,
  { uid, managers, release }: RemoveOptions,
  { reason, after }: { readonly reason: string; readonly after: string },
): Promise<RemovalResult> {
  try {
    const { object: _, ...result } = await releaseAll(cluster, address, uid, managers, { ...release, live });
    return { ...result, ...(result.result === 'released' ? { reason: after } : {}) };
  } catch (error) {
    throw keptRejected(error, reason);
  }
}

/** Returns the reason for releasing an owned object instead of deleting it, if there is one, with the flag that deletes it. */
export function retentionReason(others: readonly string[], foreign: readonly string[]): string | undefined {
  if (others.length > 0) return `${retainedForText(others, foreign)} (--delete shared deletes it)${transferAdviceText(others)}`;
  return foreign.length > 0 ? `${retainedForText(others, foreign)} (--delete foreign deletes it)` : undefined;
}

/** Returns the same reason after the release: the stack has forgotten the object, so no flag of a later run reaches it. */
function releasedReason({ resource, namespace, name }: ObjectAddress, others: readonly string[], foreign: readonly string[]): string {
  const group = groupOf(resource.apiVersion);
  const kind = `${resource.plural}${group === '' ? '' : `.${group}`}`;
  const namespaceFlag = namespace === undefined ? '' : ` --namespace ${namespace}`;
  return `${retainedForText(others, foreign)}; this stack has released it, and \`kubectl delete ${kind} ${name}${namespaceFlag}\` deletes it`;
}

function retainedForText(others: readonly string[], foreign: readonly string[]): string {
  if (others.length > 0) return `not deleted: ${others.join(', ')} still appl${others.length > 1 ? 'y' : 'ies'} fields to it`;
  const more = foreign.length > 5 ? ` and ${foreign.length - 5} more` : '';
  return `not deleted: it contains ${foreign.slice(0, 5).join(', ')}${more}, which ${foreign.length === 1 ? 'does' : 'do'} not belong to this stack`;
}

/**
 * Returns advice for objects that other stacks keep: a stack that shares an object, or one of another app that declares it, does not get
 * the right to delete it.
 */
function transferAdviceText(others: readonly string[]): string {
  if (!others.some((manager) => manager.startsWith('fieldwise/'))) return '';
  return transferAdvice;
}

/** Returns the managers that keep an owned object from being deleted: those that apply fields to it, and those that share it in the run. */
export function keepersOf(live: Json, { managers, removedManagers, sharers, deleteShared }: ObjectOwners): readonly string[] {
  return deleteShared ? [] : [...new Set([...coOwners(live, [...managers, ...removedManagers]), ...sharers])];
}

/**
 * Returns other managers that apply fields outside metadata and status. Update entries do not count: they record writes (schedulers,
 * autoscalers, volume binding) and are deleted with the object; an Apply entry is an intent that somebody still declares.
 */
export function coOwners(live: Json, managers: readonly string[]): readonly string[] {
  const owners = managedFieldsOf(live).filter(
    (entry) => !managers.includes(entry.manager) && entry.operation === 'Apply' && entry.subresource === '',
  );
  const unreadable = unreadableEntries(live).filter(({ manager }) => !managers.includes(manager)); // it may be anybody's
  return [
    ...new Set(owners.filter(ownsBeyondMetadata).map((entry) => entry.manager)),
    ...unreadable.map(({ reason }) => `somebody (managedFields ${reason})`),
  ];
}

/**
 * Returns true if an owner has anything other than metadata or status; the tracking annotation of a stack that owns the object counts, too.
 */
export function ownsBeyondMetadata(entry: ManagedFieldsEntry): boolean {
  const roots = new Set([...entry.fields.members, ...entry.fields.children.keys()]);
  return [...roots].some((root) => root !== 'f:metadata' && root !== 'f:status') || isMarkedOnly(entry);
}

/** Returns true if an owner has nothing but the tracking annotation: it is a stack that owns the object without declaring a field of it. */
export function isMarkedOnly({ manager, fields }: ManagedFieldsEntry): boolean {
  const leaves = membersOf(fields).filter(({ leaf }) => leaf);
  const annotation = `.metadata.annotations.${trackingKey(manager)}`;
  return leaves.length === 1 && leaves.every(({ path }) => formatPath(path) === annotation);
}

const podOwnerKinds: ReadonlySet<string> = new Set([
  ...['apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'apps/ReplicaSet', '/ReplicationController'],
  ...['batch/Job', 'batch/CronJob'],
]);

/** Returns a note about pods: they outlive their workload, unless they are deleted first (`Foreground`). */
function dependentsOf({ resource }: ObjectAddress, { propagationPolicy }: RemoveOptions): { reason?: string } {
  if (propagationPolicy === 'Foreground' || !podOwnerKinds.has(`${groupOf(resource.apiVersion)}/${resource.kind}`)) return {};
  return { reason: propagationPolicy === 'Orphan' ? 'its pods stay' : 'its pods may still run: they are deleted in the background' };
}

/** Returns the finalizers that still hold a deleted object for which nobody waits. */
function remainingFinalizers(left: JsonObject | undefined): { finalizers?: readonly string[] } {
  if (!isTerminating(left)) return {};
  const finalizers = allFinalizersOf(left as JsonObject);
  return finalizers.length > 0 ? { finalizers } : {};
}

/** Returns true if an object is deleted even if others apply fields to it. */
export function deletesShared(entry: Pick<InventoryEntry, 'deleteShared'>, { deleteShared }: Pick<RunOptions, 'deleteShared'>): boolean {
  return deleteShared === true || entry.deleteShared === true;
}
