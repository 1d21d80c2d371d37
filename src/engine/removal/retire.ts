import { objectText } from '../../assembly/identity.js';
import type { Cluster, ObjectAddress } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { createdBy } from '../apply/created-by.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { StackNames } from '../inventory/owner-names.js';
import type { StackIdentity } from '../inventory/store.js';
import { reportedBy } from '../release/released-fields.js';
import { unattempted } from '../run/error-scope.js';
import { type ObjectReport, untouched } from '../run/events.js';
import { defaultGoneSeconds, type RunOptions } from '../run/options.js';
import type { Run } from '../run/run.js';
import type { RunWarning } from '../run/run-warning.js';
import { placeOf } from '../target/place.js';
import { addressInAnyVersion, type RemovedVersions } from '../target/removed-versions.js';
import { inheritedText, type Succession, type Successions } from '../transfer/succession.js';
import { deletionKey } from './foreign.js';
import type { GoneOptions } from './gone.js';
import { isGoneWithNamespace } from './gone-with-namespace.js';
import { adoptedRejected, isReleaseRejected, releaseAll } from './release.js';
import { type Removed, removeObject } from './remove.js';
import type { Agreed } from './vanishing.js';

export interface RetireOptions {
  readonly deleteShared: boolean;
  readonly deleteForeign: boolean;
  /** Leave what would be invalid without the stack's fields as it is. */
  readonly retainRejected: boolean;
  /** How long to wait until a deleted object is gone. */
  readonly gone: GoneOptions;
  /** Objects that this run deletes, see `objectsToDelete`; one that stays after all is taken out. */
  readonly ours: Set<string>;
  /** Field managers that the stack had before renames. */
  readonly formerManagers: readonly string[];
  /** What else of the app has to do with the object; see `findSuccessions`. */
  readonly succession?: Succession | undefined;
  /** What may go along with a release; undefined where nothing can. */
  readonly agreed?: Agreed | undefined;
  /** The object as the run read it, where it did. */
  readonly live?: JsonObject | undefined;
  readonly names: StackNames;
  /** Present where entries of versions that are gone may be rewritten before a release. */
  readonly rewriter?: RemovedVersions | undefined;
}

/**
 * Ends a stack's part in an object: deletes what it owns, releases what it shares or has adopted, and reports it.
 *
 * @returns whether the inventory may forget the object.
 */
export async function retire(
  cluster: Cluster,
  run: Run,
  stack: StackIdentity,
  entry: InventoryEntry,
  options: RetireOptions,
): Promise<boolean> {
  const report = (end: Partial<ObjectReport> & Pick<ObjectReport, 'result'>) => run.report({ ...reportOf(stack, entry), ...end });
  const stopped = run.stopped;
  if (stopped !== undefined) {
    report({ result: 'skipped', reason: stopped });
    return false;
  }
  try {
    const ending = removeOrRelease(cluster, stack, entry, options).catch((error: unknown): Removed => {
      if (!options.retainRejected || !isReleaseRejected(error)) throw error;
      return { result: 'retained', reason: `it would be invalid otherwise; ${retainedReason(stack.manager)}` };
    });
    const { unproved, ...removed } = await ending;
    if (unproved) run.warn(unprovedWarning(stack, entry));
    if (removed.result !== 'deleted') options.ours.delete(deletionKey(entry.uid, entry));
    report(removed);
    return true;
  } catch (error) {
    if (await isGoneWithNamespace(cluster, error, entry).catch(() => false)) {
      report({ result: 'gone', reason: `Namespace ${entry.namespace} is gone or going, and the rights inside went with it` });
      return true;
    }
    const noted = run.note(error);
    const failed = { ...reportedBy(error), result: 'failed', error: noted } as const;
    report(unattempted.has(noted.code) ? { result: 'skipped', reason: run.stopped ?? noted.message } : failed);
    return false;
  }
}

/** What the options of a run say of deletions. */
export function deletionOptions(
  options: RunOptions,
  ours: Set<string>,
  onHeld?: (live: JsonObject) => void,
): Pick<RetireOptions, 'deleteShared' | 'deleteForeign' | 'retainRejected' | 'gone' | 'ours'> {
  return {
    deleteShared: options.deleteShared === true,
    deleteForeign: options.deleteForeign === true,
    retainRejected: options.retainRejected === true,
    gone: {
      seconds: options.goneSeconds ?? defaultGoneSeconds,
      signal: options.signal,
      ...(onHeld ? { onWait: (_: number, live: JsonObject) => onHeld(live) } : {}),
    },
    ours,
  };
}

/**
 * The objects that are to be deleted, by their `deletionKey`: they do not keep a Namespace or a CustomResourceDefinition, and all others do,
 * also those that a stack declares still, shares, or retains.
 */
export function objectsToDelete(ending: readonly { readonly entry: InventoryEntry }[], successions: Successions): Set<string> {
  return new Set(
    ending.flatMap(({ entry }) => {
      const goes = entry.lifecycle === 'own' && entry.deletable && !entry.retain && successions.get(entry)?.heir === undefined;
      return goes && entry.uid !== undefined ? [deletionKey(entry.uid, entry)] : [];
    }),
  );
}

function unprovedWarning({ stack, manager }: StackIdentity, entry: InventoryEntry): RunWarning {
  return {
    event: 'warning',
    code: 'ownership-unproved',
    message: `${objectText(entry)} is not deleted, and stack ${stack} forgets it: its inventory says that the stack created it, and no Apply entry of ${manager} in the object's managedFields shows it`,
    next: 'Somebody has changed the inventory, taken every field of the stack, or wiped managedFields. If the object is the stack’s, declare it, deploy, run `fieldwise adopt --with-deletion`, and remove it again; or delete it by hand.',
  };
}

/** The constant part of a report about an object that the inventory knows. */
export function reportOf(stack: StackIdentity, entry: InventoryEntry): Omit<ObjectReport, 'result'> {
  return untouched(placeOf(stack.stack, stack.manager, entry));
}

async function removeOrRelease(
  cluster: Cluster,
  { manager, stack }: StackIdentity,
  entry: InventoryEntry,
  options: RetireOptions,
): Promise<Removed> {
  const managers = [manager, ...options.formerManagers] as const;
  if (entry.lifecycle === 'own' && entry.retain) return { result: 'retained', reason: retainedReason(manager) };
  const address = await addressInAnyVersion(cluster, entry);
  if (!address) return { result: 'gone', reason: 'the server no longer serves its kind' };
  const known =
    entry.uid === undefined ? await recover(cluster, address, managers, entry.deletable) : { uid: entry.uid, deletable: entry.deletable };
  if (!known) return { result: 'gone', reason: neverApplied };
  const { agreed, live, names, rewriter } = options;
  const release = { agreed, names, rewriter, stack, dynamic: entry.strategy === 'dynamic' };
  const inherited = options.succession && inheritedText(options.succession, entry);
  if (entry.lifecycle === 'own' && known.deletable && inherited === undefined) {
    return removeObject(cluster, address, {
      uid: known.uid,
      managers,
      partners: options.succession?.partners ?? [],
      sharers: options.succession?.sharers ?? [],
      propagationPolicy: entry.deletePropagation,
      deleteShared: options.deleteShared,
      deleteForeign: options.deleteForeign,
      gone: options.gone,
      ours: options.ours,
      release,
    });
  }
  const adopted = entry.lifecycle === 'own' && inherited === undefined;
  const released = releaseAll(cluster, address, known.uid, managers, { ...release, live });
  const { object: _, ...end } = await released.catch((error: unknown) => {
    throw adopted ? adoptedRejected(error, stack) : error;
  });
  if (entry.lifecycle === 'share' || end.result === 'gone') return end;
  return { ...end, reason: inherited ?? adoptedReason };
}

/** Why an owned object is released that its stack has no right to delete. */
export const adoptedReason = 'it was there before this stack';

/** The inventory has a pending entry, and the object shows nothing of the stack. */
export const neverApplied = 'this stack has never applied it; only its inventory forgets it';

/** Nothing is sent, so that nothing changes: the record of who owns the fields stays, too. */
export function retainedReason(manager: string): string {
  return `it stays as it is, its fields owned by ${manager}`;
}

/** A pending entry: only an object that carries a manager of ours was ever ours. */
async function recover(
  cluster: Cluster,
  address: ObjectAddress,
  managers: readonly string[],
  adopt: boolean,
): Promise<{ uid: string; deletable: boolean } | undefined> {
  const live = await cluster.find(address);
  if (!live || !managers.some((manager) => applyEntryOf(live, manager))) return undefined;
  return { uid: (live.metadata as JsonObject).uid as string, deletable: adopt || createdBy(live, managers) };
}
