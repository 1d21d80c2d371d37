import { objectText } from '../../assembly/identity.js';
import { isTerminating, uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, isForbidden, namespaces, type ObjectAddress } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { objectReference } from '../addresses/object-reference.js';
import { addressInAnyVersion, type RemovedVersions } from '../addresses/removed-versions.js';
import { createdBy, createdByRunOf } from '../apply/preconditions/created-by.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { StackIdentity } from '../inventory/inventory-store.js';
import type { OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import { causeOf, hasPartialResult, partialResultOf } from '../object/apply-failure.js';
import type { ApprovedFields } from '../object/collateral.js';
import { adoptedRejected, isReleaseRejected, type ReleaseOptions, releaseAll } from '../object/release.js';
import { type RemovalResult, removeObject } from '../object/remove-object.js';
import { deletionKey } from '../object/unmanaged-contents.js';
import type { WaitForDeletionOptions } from '../object/wait-for-deletion.js';
import { unattempted } from '../report/error-scope.js';
import { emptyReport, type ObjectReport } from '../report/events.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { defaultDeletionTimeoutSeconds, type RunOptions } from '../run/options.js';
import type { Run } from '../run/run.js';
import { newOwnerText, type OtherStacks, type OtherStacksByEntry } from '../transfer/other-stacks.js';
import { isDeleted, ownersOf, type PlainDeletions } from './plain-deletions.js';

/** Options of removing a stack's part in an object. */
export interface RemoveEntryOptions {
  readonly deleteShared: boolean;
  readonly deleteForeign: boolean;
  /** Leaves objects that would be invalid without the stack's fields as they are. */
  readonly retainRejected: boolean;
  /** The wait for deletions. */
  readonly deletionWait: WaitForDeletionOptions;
  /** Objects that this run deletes, see `objectsToDelete`; an object that stays nevertheless is taken out. */
  readonly keysToDelete: Set<string>;
  /** Field managers that the stack had before renames. */
  readonly formerManagers: readonly string[];
  /** Other stacks of the app that are involved with the object; see `findOtherStacks`. */
  readonly otherStacks?: OtherStacks | undefined;
  /** The fields of others that a release may remove; undefined where it can remove none. */
  readonly approvedCollateral?: ApprovedFields | undefined;
  /** The object as the run read it, if it did. */
  readonly live?: JsonObject | undefined;
  readonly plainDeletions?: PlainDeletions | undefined;
  readonly names: OwnerNameResolver;
  /** Present where entries of removed versions may be rewritten before a release. */
  readonly removedVersions?: RemovedVersions | undefined;
  /** Called before fields of the object are released. */
  readonly beforeLoss?: ReleaseOptions['beforeLoss'];
  /** Called where the removal waits for what a run that was cut off may have sent. */
  readonly onLate?: (seconds: number) => void;
}

/**
 * Removes a stack's part in an object: deletes what it owns, releases what it shares or has adopted, and reports it.
 *
 * @returns whether the inventory may forget the object.
 */
export async function removeEntry(
  cluster: ClusterClient,
  run: Run,
  stack: StackIdentity,
  entry: InventoryEntry,
  options: RemoveEntryOptions,
): Promise<boolean> {
  const report = (result: Partial<ObjectReport> & Pick<ObjectReport, 'result'>) => run.report({ ...reportOf(stack, entry), ...result });
  const stopped = run.stopped;
  if (stopped !== undefined) {
    report({ result: 'skipped', reason: stopped });
    return false;
  }
  try {
    const told = withWaitEvent(run, stack, entry, options);
    const removal = removeOrRelease(cluster, stack, entry, told).catch((error: unknown): RemovalResult => {
      if (!options.retainRejected || !isReleaseRejected(error)) throw error;
      return { result: 'retained', reason: `it would be invalid otherwise; ${retainedReason(stack.manager)}` };
    });
    const { unproved, ...before } = await removal;
    if (unproved) run.warn(unprovedWarning(stack, entry));
    const removed = await withLateWrites(cluster, stack, entry, told, before).catch((error: unknown) => {
      if (!unattempted.has(run.note(causeOf(error)).code)) throw error;
      return undefined; // The removal itself is done.
    });
    if (removed === undefined) {
      report({ ...before, warnings: [...(before.warnings ?? []), notAwaitedText] });
      return false;
    }
    if (removed.result !== 'deleted') options.keysToDelete.delete(deletionKey(entry.uid, entry));
    report(removed);
    return true;
  } catch (error) {
    if (await isDeletedWithNamespace(cluster, error, entry).catch(() => false)) {
      report({ result: 'absent', reason: `Namespace ${entry.namespace} is deleted or being deleted, together with the permissions in it` });
      return true;
    }
    const cause = causeOf(error);
    const reported = run.note(cause);
    const rejected = isReleaseRejected(cause) && cause.rejected.length > 0 ? { released: cause.rejected } : {};
    const failed = { ...rejected, ...partialResultOf(error), result: 'failed', error: reported } as const;
    report(
      unattempted.has(reported.code) && !hasPartialResult(error) ? { result: 'skipped', reason: run.stopped ?? reported.message } : failed,
    );
    return false;
  }
}

/** Returns the options with waits that are reported when they begin. */
function withWaitEvent(run: Run, { stack }: StackIdentity, entry: InventoryEntry, options: RemoveEntryOptions): RemoveEntryOptions {
  const { deletionWait } = options;
  const onWait = (timeoutSeconds: number, live: JsonObject) => {
    run.wait({ stack, object: objectText(entry), for: 'delete', timeoutSeconds });
    deletionWait.onWait?.(timeoutSeconds, live);
  };
  const onLate = (timeoutSeconds: number) => run.wait({ stack, object: objectText(entry), for: 'late-write', timeoutSeconds });
  return { ...options, deletionWait: { ...deletionWait, onWait }, onLate };
}

/** Returns the options of a run that concern deletions. */
export function deletionOptions(
  options: RunOptions,
  keysToDelete: Set<string>,
  onHeld?: (live: JsonObject) => void,
): Pick<RemoveEntryOptions, 'deleteShared' | 'deleteForeign' | 'retainRejected' | 'deletionWait' | 'keysToDelete'> {
  return {
    deleteShared: options.deleteShared === true,
    deleteForeign: options.deleteForeign === true,
    retainRejected: options.retainRejected === true,
    deletionWait: {
      timeoutSeconds: options.deletionTimeoutSeconds ?? defaultDeletionTimeoutSeconds,
      signal: options.signal,
      ...(onHeld ? { onWait: (_: number, live: JsonObject) => onHeld(live) } : {}),
    },
    keysToDelete,
  };
}

/**
 * Returns the objects that are to be deleted, by their `deletionKey`: they do not keep a Namespace or a CustomResourceDefinition. All
 * others do, including those that a stack still declares, shares, or retains.
 */
export function objectsToDelete(removals: readonly { readonly entry: InventoryEntry }[], otherStacks: OtherStacksByEntry): Set<string> {
  return new Set(
    removals.flatMap(({ entry }) => {
      return entry.uid !== undefined && isDeleted(entry, otherStacks.get(entry)) ? [deletionKey(entry.uid, entry)] : [];
    }),
  );
}

function unprovedWarning({ stack, manager }: StackIdentity, entry: InventoryEntry): RunDiagnostic {
  return {
    event: 'warning',
    code: 'ownership-unproved',
    message: `${objectText(entry)} is not deleted, and stack ${stack} forgets it: its inventory says that the stack created it, but no Apply entry of ${manager} in the object's managedFields shows it`,
    next: 'Somebody has changed the inventory, taken every field of the stack, or wiped managedFields. If the object belongs to the stack, declare it, deploy, run `fieldwise adopt --with-deletion`, and remove it again; or delete it by hand.',
  };
}

/** Returns the constant part of a report about an object in the inventory. */
export function reportOf(stack: StackIdentity, entry: InventoryEntry): Omit<ObjectReport, 'result'> {
  return emptyReport(objectReference(stack.stack, stack.manager, entry));
}

async function removeOrRelease(
  cluster: ClusterClient,
  { manager, stack }: StackIdentity,
  entry: InventoryEntry,
  options: RemoveEntryOptions,
): Promise<RemovalResult> {
  const managers = [manager, ...options.formerManagers] as const;
  if (entry.lifecycle === 'own' && entry.retain) return { result: 'retained', reason: retainedReason(manager) };
  const address = await addressInAnyVersion(cluster, entry);
  if (!address) return { result: 'absent', reason: 'the server no longer serves its kind' };
  const known =
    entry.uid === undefined ? await recoverPending(cluster, address, managers, entry) : { uid: entry.uid, deletable: entry.deletable };
  if (!known) return { result: 'absent', reason: neverApplied };
  const { approvedCollateral, live, names, removedVersions, beforeLoss } = options;
  const release = { approvedCollateral, names, removedVersions, beforeLoss, stack, dynamic: entry.strategy === 'dynamic' };
  const newOwnerReason = options.otherStacks && newOwnerText(options.otherStacks, entry);
  if (entry.lifecycle === 'own' && known.deletable && newOwnerReason === undefined) {
    return removeObject(cluster, address, {
      uid: known.uid,
      plainVersion: await options.plainDeletions?.versionOf(entry, address),
      ...ownersOf(entry, managers, options.otherStacks, options),
      propagationPolicy: entry.deletePropagation,
      deleteForeign: options.deleteForeign,
      deletionWait: options.deletionWait,
      keysToDelete: options.keysToDelete,
      release,
    });
  }
  const adopted = entry.lifecycle === 'own' && newOwnerReason === undefined;
  const released = releaseAll(cluster, address, known.uid, managers, { ...release, live });
  const { object: _, ...result } = await released.catch((error: unknown) => {
    throw adopted ? adoptedRejected(error, stack) : error;
  });
  if (entry.lifecycle === 'share' || result.result === 'absent') return result;
  const keptReason = 'isOther' in known && known.isOther ? notOfKilledRun : adoptedReason;
  return { ...result, reason: newOwnerReason ?? keptReason };
}

/** The reason for releasing an owned object that its stack has no right to delete. */
export const adoptedReason =
  'it existed before this stack; to have it deleted, declare it with `deleteExisting: true` and deploy before, or delete it by hand';

/** The reason for keeping an object where a run was killed before it recorded what it had created. */
const notOfKilledRun = 'not deleted: nothing shows that it is the object which a run of this stack was about to create when it was killed';

/** The reason where the inventory has a pending entry, and the object shows no trace of the stack. */
export const neverApplied = 'this stack has never applied it; only its inventory forgets it';

/** Returns the reason for a retained object. Nothing is sent, so that nothing changes: the record of its owners stays, too. */
export function retainedReason(manager: string): string {
  return `it stays as it is, its fields owned by ${manager}`;
}

/**
 * Waits until the server carries out nothing more of what runs before may have sent that were cut off, and removes what has arrived after the
 * removal: nobody would know it once the inventory has forgotten the object.
 */
async function withLateWrites(
  cluster: ClusterClient,
  stack: StackIdentity,
  entry: InventoryEntry,
  options: RemoveEntryOptions,
  removed: Omit<RemovalResult, 'unproved'>,
): Promise<Omit<RemovalResult, 'unproved'>> {
  const { machine } = cluster;
  const milliseconds = (entry.lateUntil ?? 0) - machine.monotonic();
  if (milliseconds <= 0 || removed.result === 'retained') return removed;
  options.onLate?.(Math.ceil(milliseconds / 1_000));
  await machine.pause(milliseconds, options.deletionWait.signal);
  const address = await addressInAnyVersion(cluster, entry);
  const live = address && (await cluster.tryGet(address));
  const managers = [stack.manager, ...options.formerManagers];
  if (!live || !managers.some((manager) => applyEntryOf(live, manager))) return removed;
  const isSame = uidOf(live) === entry.uid;
  const isCreated = !isSame && entry.pendingMark !== undefined && createdByRunOf(entry, live, managers);
  const found = { ...entry, uid: uidOf(live), deletable: isCreated || (isSame && entry.deletable) };
  const { unproved: _, ...again } = await removeOrRelease(cluster, stack, found, {
    ...options,
    live: undefined,
    plainDeletions: undefined,
  });
  const released = [...(removed.released ?? []), ...(again.released ?? [])];
  return {
    ...removed,
    ...again,
    ...(isSame || isCreated ? {} : { reason: notOfKilledRun }),
    ...(released.length > 0 ? { released } : {}),
    warnings: [...(removed.warnings ?? []), ...(again.warnings ?? []), lateText],
  };
}

const notAwaitedText =
  'A write of a run before, which was cut off, may still arrive: this run ended before it could look again, and the next one does.';
const lateText = 'A write of a run before, which was cut off, arrived after the removal, and its fields were removed, too.';

/** Resolves a pending entry: the stack has applied the object only if one of its managers is recorded there. */
async function recoverPending(
  cluster: ClusterClient,
  address: ObjectAddress,
  managers: readonly string[],
  entry: InventoryEntry,
): Promise<{ uid: string; deletable: boolean; isOther: boolean } | undefined> {
  const live = await cluster.tryGet(address);
  if (!live || !managers.some((manager) => applyEntryOf(live, manager))) return undefined;
  const isOfRun = createdByRunOf(entry, live, managers);
  return { uid: uidOf(live), deletable: entry.deletable || isOfRun, isOther: !isOfRun && createdBy(live, managers) };
}

/**
 * Returns true if an object was refused because its Namespace is deleted, or being deleted: the Role in the Namespace that gave the rights
 * to the object is deleted with it, and so is the object. False where the Namespace cannot be read either.
 *
 * @param error the error of the request for the object.
 */
async function isDeletedWithNamespace(cluster: ClusterClient, error: unknown, { namespace }: InventoryEntry): Promise<boolean> {
  if (!isForbidden(error) || namespace === undefined) return false;
  try {
    const live = await cluster.tryGet({ resource: namespaces, name: namespace });
    return live === undefined || isTerminating(live);
  } catch (refused) {
    if (refused instanceof ApiError) return false;
    throw refused;
  }
}
