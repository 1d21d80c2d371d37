import { objectText } from '../../assembly/identity.js';
import { resolvePath } from '../../fields/index.js';
import { uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { type FieldwiseError, sentence } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { addressInAnyVersion } from '../addresses/removed-versions.js';
import { createdByRunOf } from '../apply/preconditions/created-by.js';
import { perhapsReleasedIn } from '../field-changes/report-releases.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import { unprovedReason } from '../object/ownership-proof.js';
import { adoptedRejected, keptRejected, releaseRejected, replacedReason } from '../object/release.js';
import { deletionKey, unmanagedContents } from '../object/unmanaged-contents.js';
import { dryRelease } from '../release/empty-intent.js';
import type { LiveRemovals } from '../release/release-collateral.js';
import { isOfOneObject } from '../report/error-scope.js';
import { seenTexts } from '../report/sensitive-changes.js';
import { forEachConcurrent } from '../run/for-each-concurrent.js';
import type { RunOptions } from '../run/options.js';
import { type EntryRemoval, newOwnerText, type OtherStacksByEntry } from '../transfer/other-stacks.js';
import { deletionDecision } from './deletion-decision.js';
import { containersLast } from './may-need.js';
import { adoptedReason, deletionOptions, objectsToDelete } from './remove-entry.js';

/** The action of a run on an object that is removed, as a question names it. */
export interface PredictedRemoval {
  readonly action: 'delete' | 'release' | 'forget' | 'fail';
  readonly reason?: string;
}

/** Predicted removals by inventory entry. */
export type PredictedRemovals = ReadonlyMap<InventoryEntry, PredictedRemoval>;

/** The facts known before the first question. */
export interface PredictRemovalsContext {
  readonly live: LiveRemovals;
  readonly otherStacks: OtherStacksByEntry;
  readonly options: RunOptions;
  /** Returns true if a stack of the run declares the object: the effect of a release is unknown before its apply. */
  readonly isDeclared?: (key: string) => boolean;
}

/**
 * Predicts the removal of objects. The contents of a Namespace or a CustomResourceDefinition are judged first: the container stays if any
 * of them does. For objects that have not been read, their inventory alone decides.
 *
 * @throws FieldwiseError where every further request would fail as well.
 */
export async function predictRemovals(
  cluster: ClusterClient,
  entryRemovals: readonly EntryRemoval[],
  { live, otherStacks, options, isDeclared = () => false }: PredictRemovalsContext,
  concurrency: number,
): Promise<PredictedRemovals> {
  const { deleteShared, deleteForeign, deletionWait, keysToDelete } = deletionOptions(options, objectsToDelete(entryRemovals, otherStacks));
  const found = new Map<InventoryEntry, PredictedRemoval>();
  const isAsked = options.yes !== true; // otherwise nobody reads the prediction
  const contentOf = async (object: JsonObject) =>
    isAsked && !deleteForeign ? unmanagedContents(cluster, object, keysToDelete, deletionWait.timeoutSeconds) : [];
  const predict = async ({ stack, formerManagers, entry }: EntryRemoval): Promise<PredictedRemoval> => {
    const managers = [stack.manager, ...formerManagers] as const;
    const object = live.get(entry);
    const certain = predictByInventory(entry, otherStacks, managers, { object, isRead: live.has(entry) });
    if (certain !== undefined || object === undefined) return certain ?? { action: 'delete' };
    const candidate = { entry, stack: stack.stack, managers, otherStacks: otherStacks.get(entry), deleteShared };
    const alone = deletionDecision(object, candidate);
    const { kept, ...reason } = alone.kept ? alone : deletionDecision(object, candidate, await contentOf(object));
    return { action: kept ? 'release' : 'delete', ...reason };
  };
  /** Reports a release that would fail before the question, not after everybody has confirmed it. */
  const tried = async (prediction: PredictedRemoval, entryRemoval: EntryRemoval): Promise<PredictedRemoval> => {
    const { entry, key } = entryRemoval;
    const object = live.get(entry);
    const isSent =
      prediction.action === 'release' && prediction.reason !== unprovedReason && otherStacks.get(entry)?.newOwner === undefined;
    if (!isAsked || !isSent || object === undefined || isDeclared(key)) return prediction;
    const { refusal, after } = await triedRelease(cluster, entryRemoval, object);
    if (refusal === undefined)
      return after && prediction.reason === adoptedReason ? withLosses(prediction, entryRemoval, object, after) : prediction;
    if (options.retainRejected) return { action: 'forget', reason: 'it would be invalid without the fields of this stack' };
    const { message, next } = rejectionOf(refusal, entryRemoval, prediction.reason);
    return { action: 'fail', reason: `${sentence(message)} ${next}`.replace(/\.$/, '') };
  };
  for (const group of containersLast(entryRemovals)) {
    await forEachConcurrent(group, concurrency, async (entryRemoval) => {
      const { entry } = entryRemoval;
      const prediction = await predict(entryRemoval)
        .then((predicted) => tried(predicted, entryRemoval))
        .catch((error: unknown): PredictedRemoval => {
          if (!isOfOneObject(error)) throw error;
          return { action: 'fail', reason: (error as Error).message };
        });
      found.set(entry, prediction);
      if (prediction.action !== 'delete') keysToDelete.delete(deletionKey(entry.uid, entry));
    });
  }
  return found;
}

/** Names a predicted removal in a question. */
export function predictedRemovalText(entry: InventoryEntry, predictions: PredictedRemovals): string {
  const { action, reason } = predictions.get(entry) ?? { action: 'delete' };
  const remarks = [...(reason === undefined ? [] : [reason]), ...(action === 'delete' ? seenTexts(entry, 'delete') : [])];
  return `${action === 'fail' ? 'fail to remove' : action} ${objectText(entry)}${remarks.length === 0 ? '' : ` (${remarks.join('; ')})`}`;
}

/** Returns the object as a release would leave it, or the error with which it would end; neither where neither is known. */
async function triedRelease(
  cluster: ClusterClient,
  { entry, stack, formerManagers }: EntryRemoval,
  live: JsonObject,
): Promise<{ readonly refusal?: FieldwiseError | undefined; readonly after?: JsonObject | undefined }> {
  const managers = [stack.manager, ...formerManagers];
  const manager = managers.find((candidate) => applyEntryOf(live, candidate)) ?? stack.manager;
  const address = await addressInAnyVersion(cluster, entry);
  if (address === undefined) return {};
  try {
    return { after: await dryRelease(cluster, address, live, manager) };
  } catch (error) {
    if (!isOfOneObject(error)) throw error;
    return error instanceof ApiError && error.code === 422 ? { refusal: releaseRejected(error, { manager, stack: stack.stack }) } : {};
  }
}

/** Names what an object loses that stays because the stack may not delete it: it may be of no use without. */
function withLosses(
  prediction: PredictedRemoval,
  { stack, formerManagers }: EntryRemoval,
  before: JsonObject,
  after: JsonObject,
): PredictedRemoval {
  const lost = perhapsReleasedIn(before, {}, [stack.manager, ...formerManagers])
    .map(({ field }) => field)
    .filter((field) => !field.startsWith('.metadata.') && resolvePath(field, after) === undefined);
  if (lost.length === 0) return prediction;
  const more = lost.length > namedFields ? ` and ${lost.length - namedFields} more` : '';
  return { ...prediction, reason: `without ${lost.slice(0, namedFields).join(', ')}${more}; ${prediction.reason}` };
}

/** The lost fields that a question names. */
const namedFields = 3;

/** Returns the refusal as the run would report it for the object. */
function rejectionOf(refusal: FieldwiseError, { entry, stack }: EntryRemoval, kept: string | undefined): FieldwiseError {
  if (entry.lifecycle === 'share') return refusal;
  return (
    kept === undefined || kept === adoptedReason ? adoptedRejected(refusal, stack.stack) : keptRejected(refusal, kept)
  ) as FieldwiseError;
}

/** Predicts a removal by the inventory entry and the object; undefined where the object is to be deleted, unless its owners keep it. */
function predictByInventory(
  entry: InventoryEntry,
  otherStacks: OtherStacksByEntry,
  managers: readonly string[],
  { object, isRead }: { readonly object: JsonObject | undefined; readonly isRead: boolean },
): PredictedRemoval | undefined {
  if (entry.lifecycle === 'own' && entry.retain) return { action: 'forget' };
  const uid = uidOf(object);
  if (isRead && object === undefined) return { action: 'forget', reason: 'it does not exist any more' };
  if (isRead && entry.uid !== undefined && uid !== entry.uid) return { action: 'forget', reason: replacedReason };
  if (entry.lifecycle === 'share') return { action: 'release' };
  const others = otherStacks.get(entry);
  const newOwnerReason = others && newOwnerText(others, entry);
  if (newOwnerReason !== undefined) return { action: 'release', reason: newOwnerReason };
  const deletable = entry.deletable || (entry.uid === undefined && object !== undefined && createdByRunOf(entry, object, managers));
  return deletable ? undefined : { action: 'release', reason: adoptedReason };
}
