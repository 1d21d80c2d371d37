import { objectText } from '../../assembly/identity.js';
import { ApiError, type Cluster } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { createdBy } from '../apply/created-by.js';
import type { InventoryEntry } from '../inventory/entry.js';
import { dryRelease } from '../release/empty-intent.js';
import { isOfOneObject } from '../run/error-scope.js';
import type { RunOptions } from '../run/options.js';
import { inPool } from '../run/pool.js';
import { addressInAnyVersion } from '../target/removed-versions.js';
import { type EndingPart, inheritedText, type Successions } from '../transfer/succession.js';
import { endingReason } from './ending-reason.js';
import { deletionKey, foreignContent } from './foreign.js';
import { containersLast } from './held-back.js';
import { unprovedReason } from './ownership-proof.js';
import { adoptedRejected, keptRejected, releaseRejected, replacedReason } from './release.js';
import { adoptedReason, deletionOptions, objectsToDelete } from './retire.js';
import type { LiveEndings } from './vanishing-release.js';

/** What a run does with an object that ends, as a question tells it. */
export interface Fate {
  readonly does: 'delete' | 'release' | 'forget' | 'fail';
  readonly reason?: string;
}

export type Fates = ReadonlyMap<InventoryEntry, Fate>;

/** What is known before the first question. */
export interface FateContext {
  readonly live: LiveEndings;
  readonly successions: Successions;
  readonly options: RunOptions;
  /** Whether a stack of the run declares the object: what a release leaves is not known before its apply. */
  readonly isDeclared?: (key: string) => boolean;
}

/**
 * What becomes of objects that end. What lives in a Namespace or belongs to a CustomResourceDefinition is judged first: it keeps them if it
 * stays. Where objects have not been read, their inventory alone decides.
 *
 * @throws FieldwiseError where every further request would fail as well.
 */
export async function findFates(
  cluster: Cluster,
  parts: readonly EndingPart[],
  { live, successions, options, isDeclared = () => false }: FateContext,
  concurrency: number,
): Promise<Fates> {
  const { deleteShared, deleteForeign, gone, ours } = deletionOptions(options, objectsToDelete(parts, successions));
  const found = new Map<InventoryEntry, Fate>();
  const isTold = options.yes !== true; // else nobody reads it
  const contentOf = async (object: JsonObject) => (isTold && !deleteForeign ? foreignContent(cluster, object, ours, gone.seconds) : []);
  const judge = async ({ stack, formerManagers, entry }: EndingPart): Promise<Fate> => {
    const managers = [stack.manager, ...formerManagers] as const;
    const object = live.get(entry);
    const certain = fateByRecord(entry, successions, managers, { object, isRead: live.has(entry) });
    if (certain !== undefined || object === undefined) return certain ?? { does: 'delete' };
    const candidate = { entry, stack: stack.stack, managers, succession: successions.get(entry), deleteShared };
    const alone = endingReason(object, candidate);
    const { kept, ...reason } = alone.kept ? alone : endingReason(object, candidate, await contentOf(object));
    return { does: kept ? 'release' : 'delete', ...reason };
  };
  /** What cannot be released is said first and not when everybody has agreed to it. */
  const tried = async (fate: Fate, part: EndingPart): Promise<Fate> => {
    const { entry, key } = part;
    const object = live.get(entry);
    const isSent = fate.does === 'release' && fate.reason !== unprovedReason && successions.get(entry)?.heir === undefined;
    if (!isTold || !isSent || object === undefined || isDeclared(key)) return fate;
    const refusal = await refusedRelease(cluster, part, object);
    if (refusal === undefined) return fate;
    if (options.retainRejected) return { does: 'forget', reason: 'it would be invalid without the fields of this stack' };
    const { message, next } = rejectionOf(refusal, part, fate.reason);
    return { does: 'fail', reason: `${message}. ${next}` };
  };
  for (const group of containersLast(parts)) {
    await inPool(group, concurrency, async (part) => {
      const { entry } = part;
      const fate = await judge(part)
        .then((judged) => tried(judged, part))
        .catch((error: unknown): Fate => {
          if (!isOfOneObject(error)) throw error;
          return { does: 'fail', reason: (error as Error).message };
        });
      found.set(entry, fate);
      if (fate.does !== 'delete') ours.delete(deletionKey(entry.uid, entry));
    });
  }
  return found;
}

/** A fate as a question names it. */
export function fateText(entry: InventoryEntry, fates: Fates): string {
  const { does, reason } = fates.get(entry) ?? { does: 'delete' };
  return `${does === 'fail' ? 'fail to end' : does} ${objectText(entry)}${reason === undefined ? '' : ` (${reason})`}`;
}

/** The error with which a release would end, if the server refuses it. */
async function refusedRelease(
  cluster: Cluster,
  { entry, stack, formerManagers }: EndingPart,
  live: JsonObject,
): Promise<FieldwiseError | undefined> {
  const managers = [stack.manager, ...formerManagers];
  const manager = managers.find((candidate) => applyEntryOf(live, candidate)) ?? stack.manager;
  const address = await addressInAnyVersion(cluster, entry);
  if (address === undefined) return undefined;
  try {
    await dryRelease(cluster, address, live, manager);
    return undefined;
  } catch (error) {
    if (!isOfOneObject(error)) throw error;
    return error instanceof ApiError && error.code === 422 ? releaseRejected(error, { manager, stack: stack.stack }) : undefined;
  }
}

/** As the run would say it of the object. */
function rejectionOf(refusal: FieldwiseError, { entry, stack }: EndingPart, kept: string | undefined): FieldwiseError {
  if (entry.lifecycle === 'share') return refusal;
  return (
    kept === undefined || kept === adoptedReason ? adoptedRejected(refusal, stack.stack) : keptRejected(refusal, kept)
  ) as FieldwiseError;
}

/** Undefined where the object is to be deleted, unless it says otherwise. */
function fateByRecord(
  entry: InventoryEntry,
  successions: Successions,
  managers: readonly string[],
  { object, isRead }: { readonly object: JsonObject | undefined; readonly isRead: boolean },
): Fate | undefined {
  if (entry.lifecycle === 'own' && entry.retain) return { does: 'forget' };
  const uid = (object?.metadata as JsonObject | undefined)?.uid;
  if (isRead && object === undefined) return { does: 'forget', reason: 'it is gone' };
  if (isRead && entry.uid !== undefined && uid !== entry.uid) return { does: 'forget', reason: replacedReason };
  if (entry.lifecycle === 'share') return { does: 'release' };
  const succession = successions.get(entry);
  const inherited = succession && inheritedText(succession, entry);
  if (inherited !== undefined) return { does: 'release', reason: inherited };
  const deletable = entry.deletable || (entry.uid === undefined && object !== undefined && createdBy(object, managers));
  return deletable ? undefined : { does: 'release', reason: adoptedReason };
}
