import { formatPath, membersOf, valueAt } from '../../fields/index.js';
import { metadataOf, preconditionsOf, uidOf } from '../../fields/object.js';
import { ApiError, type ApplyResponse, type ClusterClient, contendedError, contentionRounds } from '../../kubernetes/index.js';
import { appliedAnnotation, appliedIntentOf, conflictOwnerIn, managedFieldsOf, recordedFieldsOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { entriesWithoutInitialOwnership } from '../client-side-apply/initial-entry.js';
import type { Applied, ApplyConflict } from '../object/applied.js';
import { ApplyFailure, causeOf, partialResultOf } from '../object/apply-failure.js';
import { freshObject } from '../object/fresh-object.js';
import { patchOwners } from '../object/patch-owners.js';
import { applyIntent, objectReplaced } from './apply-intent.js';
import type { ApplyTask } from './apply-task.js';

/**
 * Applies an intent to an object that records an earlier one from the strategy `dynamic`, and moves it to server-side apply: the intent is
 * merged client-side, so that fields that are no longer declared are removed by those rules; then the server applies it, which changes no
 * value any more; then the recorded intent is removed, and with it the ownership of client-side writes. A run may be killed after each
 * step: the next run repeats them all. Where others write in between, the intent is merged again.
 *
 * @throws FieldwiseError `strategy-move-loses` where the server's apply would change values after all: a list that it takes for one value
 * holds items of others; `object-replaced`; the errors of `applyIntent`. After the merge, an error is the cause of an `ApplyFailure`, whose
 * `merged` holds the result of the merge.
 */
export async function moveToServerSide(cluster: ClusterClient, task: ApplyTask): Promise<Applied | ApplyConflict> {
  const { manager } = task;
  let merged: Applied | undefined;
  try {
    for (let round = 0; round < contentionRounds; round++) {
      const applied = await applyIntent(cluster, { ...task, dynamic: {} });
      if (applied.outcome === 'conflict') return merged === undefined ? applied : { ...applied, merged };
      merged = merged === undefined ? applied : combinedResult(merged, applied);
      const moved = await moveMergedObject(cluster, task, applied);
      if (moved) return { ...merged, response: { ...merged.response, changed: true, ...moved } };
    }
  } catch (error) {
    const cause = causeOf(error);
    throw merged === undefined || !(cause instanceof Error)
      ? error
      : new ApplyFailure(cause, { merged, partialResult: partialResultOf(error) });
  }
  const contended = contendedError('apply-contended', { manager }, 'Nothing was lost. Run again.');
  throw merged === undefined ? contended : new ApplyFailure(contended, { merged });
}

/** Combines the results of two consecutive merges. */
function combinedResult(first: Applied, second: Applied): Applied {
  return {
    ...second,
    pinned: undefined,
    before: first.before ?? second.before,
    forcedConflicts: [...first.forcedConflicts, ...second.forcedConflicts],
    collateral: [...first.collateral, ...second.collateral],
  };
}

/**
 * Applies the merged intent server-side and removes the recorded one.
 *
 * @returns undefined where the object was written or deleted since it was merged.
 */
async function moveMergedObject(
  cluster: ClusterClient,
  task: ApplyTask,
  { response, sent }: Applied,
): Promise<Pick<ApplyResponse, 'object' | 'warnings'> | undefined> {
  const { address, manager } = task;
  const merged = response.object;
  const { uid, resourceVersion } = preconditionsOf(merged);
  const body = { ...sent, metadata: { ...sent.metadata, uid, resourceVersion } };
  try {
    const tried = await cluster.apply(address, body, { manager, force: false, dryRun: true });
    requireSameValues(merged, tried.object, task);
    const { warnings } = await cluster.apply(address, body, { manager, force: false, metadataOnly: true });
    const isSame = (live: JsonObject | undefined) => uidOf(live) === uid;
    const fresh = appliedIntentOf(merged, manager)?.unrecorded ? await freshObject(cluster, address, sent) : undefined;
    const object = await patchOwners(cluster, address, (live) =>
      live && isSame(live) ? withoutIntentAnnotation(live, manager, fresh) : undefined,
    );
    return { object: object ?? merged, warnings };
  } catch (error) {
    if (!(error instanceof ApiError) || (error.code !== 409 && error.uidMismatch === undefined)) throw error;
    // The server looks for conflicts, and for the version, before it compares uids.
    const now = (await cluster.tryGet(address))?.metadata as JsonObject | undefined;
    if (now !== undefined && now.uid !== uid) throw objectReplaced(manager);
    if (now?.resourceVersion !== resourceVersion || error.conflicts.length === 0) return undefined;
    // Values are as declared: the conflict is about a list as a whole, with items of others in it. Its owners are all that merged items.
    const isOwn = (message: string) => conflictOwnerIn(message).manager === manager;
    const isOthers = (field: string) => error.conflicts.some((conflict) => conflict.field === field && !isOwn(conflict.message));
    throw strategyMoveError(task, [
      ...error.conflicts.filter(({ message }) => !isOwn(message)).map(({ field, message }) => `${field} (${message})`),
      ...error.conflicts.map(({ field }) => field).filter((field) => !isOthers(field)),
    ]);
  }
}

/**
 * Returns the owners without the entry of client-side writes, and the removal of the recorded intent, once the server itself has the
 * intent.
 */
function withoutIntentAnnotation(live: JsonObject, manager: string, fresh: JsonObject | undefined) {
  const isWritten = (entry: JsonObject) => entry.manager === manager && entry.operation === 'Update' && (entry.subresource ?? '') === '';
  const { annotations } = metadataOf(live);
  const name = appliedAnnotation(manager);
  const ours = recordedFieldsOf(live).find((entry) => entry.manager === manager && entry.operation === 'Apply' && entry.subresource === '');
  if (ours === undefined || !isJsonObject(annotations) || annotations[name] === undefined) return undefined;
  const all = entriesWithoutInitialOwnership(live, { recorded: appliedIntentOf(live, manager), declared: ours.fields, fresh });
  const entries = all.filter((entry) => !isWritten(entry));
  return { manager, entries, others: [{ op: 'remove', path: `/metadata/annotations/${name.replaceAll('/', '~1')}` }] };
}

function requireSameValues(merged: JsonObject, tried: JsonObject, task: ApplyTask): void {
  if (jsonEqual(contentOf(merged), contentOf(tried))) return;
  const lost = managedFieldsOf(merged).flatMap(({ fields }) =>
    membersOf(fields)
      .filter(({ path, leaf }) => leaf && !jsonEqual(valueAt(merged, path), valueAt(tried, path)))
      .map(({ path }) => formatPath(path)),
  );
  throw strategyMoveError(task, lost);
}

function strategyMoveError({ manager }: ApplyTask, fields: readonly string[]): FieldwiseError {
  const shown = [...new Set(fields)].slice(0, 10).join(', ');
  return new FieldwiseError(
    'strategy-move-loses',
    'resource',
    `The server would not keep the values of others in this object: ${shown || 'it merges its lists differently'}`,
    {
      location: { manager },
      next: 'The object stays under `dynamic`, which still merges its intent. Keep `strategy: dynamic` for it, or declare list types in its schema.',
    },
  );
}

function contentOf(object: JsonObject): Json {
  const { managedFields: _, resourceVersion: __, generation: ___, ...metadata } = metadataOf(object);
  return { ...object, metadata };
}
