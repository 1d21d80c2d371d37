import type { Cluster, ObjectAddress } from '../cluster/index.js';
import { applyEntryOf } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import { addressOf } from './address.js';
import { createdBy } from './created-by.js';
import { type ObjectReport, untouched } from './events.js';
import type { InventoryEntry } from './inventory/entry.js';
import type { StackIdentity } from './inventory/store.js';
import { kindRank } from './kind-order.js';
import type { RunOptions } from './options.js';
import { placeOf } from './place.js';
import { inPool } from './pool.js';
import { releaseObject } from './release.js';
import { type Removed, removeObject } from './remove.js';
import type { Run } from './run.js';

export interface RetireOptions {
  readonly deleteShared: boolean;
  readonly deleteForeign: boolean;
  /** uids of objects that the stacks of this run know. */
  readonly ours: ReadonlySet<string>;
  /** Another stack of this run declares the object: it is released, whoever owned it. */
  readonly declaredElsewhere: boolean;
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
    report(await removeOrRelease(cluster, stack.manager, entry, options));
    return true;
  } catch (error) {
    report({ result: 'failed', error: run.note(error) });
    return false;
  }
}

/** What the options of a run say of deletions. */
export function deletionOptions(options: RunOptions, ours: ReadonlySet<string>): Omit<RetireOptions, 'declaredElsewhere'> {
  return { deleteShared: options.deleteShared === true, deleteForeign: options.deleteForeign === true, ours };
}

/** The uids that inventories know. */
export function uidsOf(inventories: readonly ReadonlyMap<string, InventoryEntry>[]): ReadonlySet<string> {
  return new Set(inventories.flatMap((entries) => [...entries.values()].flatMap((entry) => entry.uid ?? [])));
}

/** Works through inventory entries in reverse order of kinds: what needs others goes before what they need. */
export async function inOrder<T>(
  items: readonly (readonly [item: T, entry: InventoryEntry])[],
  concurrency: number,
  task: (item: readonly [item: T, entry: InventoryEntry]) => Promise<void>,
): Promise<void> {
  const ranks = [...new Set(items.map(([, entry]) => kindRank(entry)))].sort((left, right) => right - left);
  for (const rank of ranks) {
    const sameRank = items.filter(([, entry]) => kindRank(entry) === rank);
    await inPool(sameRank, concurrency, task);
  }
}

/** The constant part of a report about an object that the inventory knows. */
export function reportOf(stack: StackIdentity, entry: InventoryEntry): Omit<ObjectReport, 'result'> {
  return { ...untouched, ...placeOf(stack.stack, stack.manager, entry) };
}

async function removeOrRelease(cluster: Cluster, manager: string, entry: InventoryEntry, options: RetireOptions): Promise<Removed> {
  const address = await addressIfServed(cluster, entry);
  if (!address) return { result: 'gone', reason: 'the server no longer serves its kind' };
  const known =
    entry.uid === undefined ? await recover(cluster, address, manager, entry.deletable) : { uid: entry.uid, deletable: entry.deletable };
  if (!known) return { result: 'gone', reason: 'it was never applied' };
  if (entry.lifecycle === 'own' && known.deletable && !options.declaredElsewhere) {
    return removeObject(cluster, address, {
      uid: known.uid,
      manager,
      propagationPolicy: entry.deletePropagation,
      deleteShared: options.deleteShared,
      deleteForeign: options.deleteForeign,
      ours: options.ours,
    });
  }
  const result = await releaseObject(cluster, address, known.uid, manager);
  if (entry.lifecycle === 'share' || result === 'gone') return { result };
  return { result, reason: options.declaredElsewhere ? 'another stack declares it now' : 'it was there before this stack' };
}

/** A pending entry: only an object that carries our manager was ever ours. */
async function recover(
  cluster: Cluster,
  address: ObjectAddress,
  manager: string,
  adopt: boolean,
): Promise<{ uid: string; deletable: boolean } | undefined> {
  const live = await cluster.find(address);
  if (!live || !applyEntryOf(live, manager)) return undefined;
  return { uid: (live.metadata as JsonObject).uid as string, deletable: adopt || createdBy(live, manager) };
}

/** Undefined where the server no longer serves the kind. */
async function addressIfServed(cluster: Cluster, entry: InventoryEntry): Promise<ObjectAddress | undefined> {
  try {
    return await addressOf(cluster, entry);
  } catch (error) {
    if (error instanceof FieldwiseError && error.code === 'kind-unknown') return undefined;
    throw error;
  }
}
