import type { PartialObject } from '../../assembly/types.js';
import { emptyFieldSet, formatPath, membersOf, pathCovers, resolvePath, valueAt, valueOrItemsAt } from '../../fields/index.js';
import { metadataOf, preconditionsOf, resourceVersionOfNoObject, uidOf } from '../../fields/object.js';
import {
  ApiError,
  type ApplyResponse,
  type ClusterClient,
  contendedError,
  contentionRounds,
  isForbidden,
  type StatusCause,
  toleratedDifferenceMs,
} from '../../kubernetes/index.js';
import {
  additionalLostFields,
  applyEntryOf,
  describeConflicts,
  type FieldConflict,
  type ForcedPass,
  forcedPassOf,
  hasUnlistedConflict,
  outcomeOfPass,
  type PassLoss,
} from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { keepsDeclaredValues, keepsValue } from '../field-changes/keeps-declared-values.js';
import { mayOverwrite, perhapsOverwrittenIn } from '../field-changes/overwritten-fields.js';
import {
  collateralLosses,
  mayRelease,
  perhapsReleasedIn,
  perhapsReleasedSince,
  releasedLosses,
  undeclaredMembers,
} from '../field-changes/report-releases.js';
import type { Applied, ApplyConflict } from '../object/applied.js';
import { ApplyFailure, type PartialResult } from '../object/apply-failure.js';
import { requireApprovedCollateral } from '../object/collateral.js';
import { carriedOutText, perhapsFailure, perhapsText, readAfterRefusal, settle } from '../object/settle.js';
import { conflictsWithAtomic, mayChangeTopology, overwrittenAtomicFields } from '../object/topology-change.js';
import { type ForcedField, perhapsForced } from '../report/forced-field.js';
import type { ReleasedField } from '../report/released-field.js';
import { maskField } from '../secrets/secret-masker.js';
import type { ApplyTask } from './apply-task.js';
import { type DecidedIntent, decide } from './decide.js';

/** After so many refusals as stale, a pass that must not be pinned is sent without a version. */
const pinnedRounds = 4;

/**
 * Applies an intent in two passes. The first is not forced, so that the server names every conflict and changes nothing. Then the object is
 * read once, `decide` decides each contested field by its policy, and the second pass carries the uid and resourceVersion that were read: if
 * the object changed in between, the server rejects the request and the loop retries.
 *
 * Force covers a whole request, so the second pass is sent only when the server's list of conflicts is known to be complete for the
 * object as it was read: either the owners recorded there contest nothing beyond the list, or two reads around the list agree.
 *
 * @throws ApiError where the server refuses for another reason; FieldwiseError `apply-contended` when others keep writing,
 *   `object-replaced` when the object is not the one with `uid`, `plan-outdated`, `force-unconfirmed`.
 */
// Longer than 60 lines because each round goes by what the ones before have found.
export async function applyIntent(cluster: ClusterClient, task: ApplyTask): Promise<Applied | ApplyConflict> {
  let known = task.live;
  let lastRead: string | undefined;
  let mayHaveWritten = false;
  /** The object before a pass that was carried out, and whose repetition met conflicts. */
  let carriedOut: JsonObject | undefined;
  let isRepeated = false;
  let wasStale = false;
  let perhaps: readonly ForcedField[] = [];
  let perhapsReleased: readonly ReleasedField[] = [];
  for (let round = 0; round < contentionRounds; round++) {
    const tried = await firstPass(cluster, task, known, round < pinnedRounds).catch((error: unknown) => {
      const unsure = {
        ...(perhaps.length > 0 ? { forcedConflicts: perhaps } : {}),
        ...(perhapsReleased.length > 0 ? { released: perhapsReleased } : {}),
        ...(mayHaveWritten ? { reason: perhapsText('applied') } : {}),
      };
      throw Object.keys(unsure).length === 0 ? error : perhapsFailure(error, unsure);
    });
    if ('stale' in tried) {
      if (known && tried.stale && wasSentTwice(task, known, tried.stale)) carriedOut ??= known;
      wasStale = true;
      known = tried.stale;
      // The server refuses a client-side merge as stale also where something on the way has sent it twice.
      mayHaveWritten ||= tried.responseLost || task.dynamic !== undefined;
      perhapsReleased = [...perhapsReleased, ...tried.released];
      continue;
    }
    const { first, overwritten, ...pass } = tried;
    if (!('conflicts' in first)) {
      const hasWritten =
        first.changed === true || (pass.pinned !== undefined && preconditionsOf(first.object).resourceVersion !== pass.pinned);
      const pinned = mayHaveWritten || carriedOut || (wasStale && !hasWritten) ? undefined : (pass.pinned ?? task.resourceVersion);
      const none = { forcedConflicts: perhaps, yielded: [], metAtomicConflict: false };
      const response = mayHaveWritten && first.changed !== true ? { ...first, responseLost: true } : first;
      const before = carriedOut ?? pass.before;
      const unsure = carriedOut ? releasedBeside(carriedOut, pass.before, task.object, task) : perhapsReleased;
      return { outcome: 'applied', response, sent: task.object, ...pass, before, pinned, ...none, perhapsReleased: unsure };
    }

    if (task.failIfExists) throw objectReplaced(task.manager); // the server looks for conflicts before it compares versions
    const live = overwritten ? overwritten.live : await readAfterRefusal(cluster, task.address, perhapsApplied(task.uid));
    if (isOfRepetition(first, known, live, task)) {
      mayHaveWritten = true;
      isRepeated = true;
      carriedOut ??= known;
    }
    if (!live) continue; // deleted since: the next first pass creates it, or is refused
    const { uid, resourceVersion } = preconditionsOf(live);
    if (known === undefined && meetsAtomics(live, task)) {
      known = live; // the next first pass looks for changes that the server accepts beside these conflicts
      continue;
    }
    known &&= live;
    const isStable = resourceVersion === lastRead;
    lastRead = resourceVersion;
    if (task.uid !== undefined && uid !== task.uid) throw objectReplaced(task.manager); // the server looks for conflicts before it compares uids
    const listed = [...describeConflicts(first.conflicts, live, task), ...(overwritten?.parts ?? [])];
    if (!overwritten && !isStable && hasUnlistedConflict(listed, live, task)) continue;
    const decision = decide(listed, live, task);
    if (decision.action === 'refuse') throw isRepeated && !task.dryRun ? repeatedFailure(task, carriedOut, listed) : decision.error;
    if (decision.action === 'reread') continue;
    const metAtomicConflict = meetsAtomics(live, task, decision.conflicts);
    if (decision.action === 'conflict') {
      if (isRepeated && !task.dryRun) throw repeatedFailure(task, carriedOut, decision.failing);
      return { outcome: 'conflict', conflicts: mask(decision.failing, task), metAtomicConflict };
    }
    const applied = await applyDecision(cluster, task, decision, { live, listed });
    if (applied.outcome === 'applied') {
      const forcedConflicts = [...perhaps, ...applied.forcedConflicts];
      const response = mayHaveWritten && applied.response.changed !== true ? { ...applied.response, responseLost: true } : applied.response;
      const before = carriedOut ?? applied.before;
      return {
        ...applied,
        before,
        response,
        forcedConflicts,
        perhapsReleased: carriedOut ? releasedBeside(carriedOut, applied.before, applied.sent, task) : perhapsReleased,
        pinned: mayHaveWritten || carriedOut ? undefined : resourceVersion,
        metAtomicConflict,
      };
    }
    perhaps = [...perhaps, ...applied.perhaps];
    mayHaveWritten = true;
  }
  const contended = contendedError(
    'apply-contended',
    { manager: task.manager },
    `${mayHaveWritten ? 'No attempt is known to have changed this object.' : 'Nothing of this object was changed.'} Run again, or find the controller that writes it so often.`,
  );
  throw perhaps.length === 0 ? contended : new ApplyFailure(contended, { partialResult: { forcedConflicts: perhaps } });
}

/** Returns what a pass has perhaps changed that was refused, and may have been sent twice. */
function perhapsApplied(uid: string | undefined) {
  return { ...(uid === undefined ? {} : { uid }), reason: perhapsText('applied') };
}

/**
 * Returns true if conflicts were perhaps those of a repetition: the manager has applied to the object since it was read, as the time of its entry
 * shows, which only its own applies move; or the response to an earlier sending was lost, and the object shows what that releases, or was not read.
 */
function isOfRepetition(
  { responseLost = false }: { readonly responseLost?: boolean },
  before: JsonObject | undefined,
  now: JsonObject | undefined,
  task: ApplyTask,
): boolean {
  if (now === undefined) return false;
  if (before === undefined) return responseLost && applyEntryOf(now, task.manager) !== undefined;
  if (uidOf(before) !== uidOf(now)) return false;
  if (hasApplied(before, now, task)) return true;
  const releases = (live: JsonObject) => mayRelease(live, task.object, managersOf(task));
  return responseLost && releases(before) && !releases(now);
}

/** Returns what the last pass may have released beside what the object before the first one shows: perhaps that one was of another run. */
function releasedBeside(before: JsonObject, last: JsonObject | undefined, intent: JsonObject, task: ApplyTask) {
  return last === undefined ? [] : perhapsReleasedSince(before, last, intent, managersOf(task));
}

/** Returns the failure of an intent that was applied, or perhaps was, and whose repetition met conflicts that may not be forced. */
function repeatedFailure(task: ApplyTask, before: JsonObject | undefined, conflicts: readonly FieldConflict[]): unknown {
  const error = new FieldwiseError(
    'outcome-unknown',
    'resource',
    `The object was perhaps changed: the request was sent twice, and the second one met ${conflicts.map(({ field, from }) => `${field} of ${from}`).join(', ')}`,
    { location: { manager: task.manager }, next: 'Run again: the conflict is reported as it is then.' },
  );
  const managers = managersOf(task);
  const released =
    before && mayRelease(before, task.object, managers) ? { released: perhapsReleasedIn(before, task.object, managers) } : {};
  return perhapsFailure(error, { ...(before ? { uid: uidOf(before) } : {}), ...released, reason: perhapsText('applied') });
}

/**
 * Sends the second pass, and says what it changed.
 *
 * @returns `refused` if the server rejected the pass, because the object has been written, replaced or deleted since it was read, and
 *   nothing proves that an earlier sending of it, whose response was lost, was applied; with the fields that it has perhaps taken.
 * @throws ApplyFailure with these fields if it was answered with another error.
 */
async function applyDecision(
  cluster: ClusterClient,
  task: ApplyTask,
  { intent, forcedConflicts, formerManagerConflicts, yielded }: DecidedIntent,
  { live, listed }: { readonly live: JsonObject; readonly listed: readonly FieldConflict[] },
): Promise<Omit<Applied, 'pinned' | 'metAtomicConflict'> | { readonly outcome: 'refused'; readonly perhaps: readonly ForcedField[] }> {
  const managers = managersOf(task);
  const force = forcedConflicts.length + formerManagerConflicts.length > 0;
  // A merge on our side leaves a yielded field as it is. The server would remove what this manager owned of it.
  const kept = task.dynamic ? task.object : intent;
  const collateral = task.approvedCollateral ? requireApprovedCollateral(live, kept, managers, task.approvedCollateral) : [];
  const releases = mayRelease(live, kept, managers);
  if (releases) task.checkReleases?.(live, kept);
  const changesOthers = releases || overwrites(live, intent, task);
  const pass = forcedPassOf(live, [...forcedConflicts, ...formerManagerConflicts], managers);
  await noteLosses(task, live, kept, { forcedConflicts, collateral });
  const dynamic = task.dynamic && { ...task.dynamic, yielded: yielded.map(({ field }) => field) };
  const second = await secondPass(cluster, { ...task, dynamic }, { live, intent }, { force, changesOthers, pass });
  const perhaps = perhapsForced(mask(forcedConflicts, task));
  if (!('response' in second)) {
    const { refusal } = second;
    if (refusal === undefined) return { outcome: 'refused', perhaps: second.isUnknown ? perhaps : [] };
    if (!second.isUnknown || task.dryRun) throw refusal;
    const released = releases ? { released: perhapsReleasedIn(live, kept, managers) } : {};
    throw perhapsFailure(refusal, { uid: pass.uid, forcedConflicts: perhaps, ...released, reason: perhapsText('applied') });
  }
  const { response } = second;
  const now = response.object;
  const isListed = ({ field }: FieldConflict) => listed.some((conflict) => pathCovers(conflict.field, field));
  return {
    outcome: 'applied',
    response,
    sent: intent,
    before: live,
    // The server records a list that is merged client-side as one value, so its owners after the write name no items. The conflicts do.
    forcedConflicts: mask(
      task.dynamic
        ? asMerged(forcedConflicts, now)
        : [
            ...forcedConflicts,
            ...additionalLostFields(forcedConflicts, live, now, managers),
            ...overwrittenAtomicFields(live, { ...intent, metadata: now.metadata as JsonObject }, managers).filter(
              (part) => !isListed(part),
            ),
          ],
      task,
    ),
    yielded: mask(yielded, task),
    collateral: task.dynamic ? removedCollateral(live, now, collateral) : collateral,
  };
}

/** Has noted what a pass is about to take, to release, to remove or to overwrite. */
async function noteLosses(
  task: ApplyTask,
  live: JsonObject,
  object: PartialObject,
  { forcedConflicts, collateral }: Pick<Applied, 'forcedConflicts' | 'collateral'>,
): Promise<void> {
  if (task.dryRun || task.beforeLoss === undefined) return;
  const losses = lossesOf(live, object, task, collateral);
  if (forcedConflicts.length + losses.length > 0) await task.beforeLoss(forcedPassOf(live, forcedConflicts, managersOf(task), losses));
}

/**
 * The end of the pass that is not forced. `stale` is the object as it is now, if the server rejected the pass because the object has been
 * written since it was read; with `responseLost`, an earlier sending of the pass may have changed it.
 */
type FirstPass =
  | ({
      readonly first: ApplyAttempt;
      readonly pinned?: string;
      /**
       * Parts of lists and maps that others own as one value, which the server would let the intent change without a conflict, beside the
       * conflicts that it names of the very same object; nothing was changed.
       */
      readonly overwritten?: { readonly live: JsonObject; readonly parts: readonly FieldConflict[] };
    } & Pick<Applied, 'collateral' | 'before'>)
  | { readonly stale: JsonObject | undefined; readonly responseLost: boolean; readonly released: readonly ReleasedField[] };

/**
 * Sends the pass that is not forced, pinned to the object as it was read, where it was: what it changes is known with the values before. Where the
 * intent drops fields that the stack applied before, or may change a list or map that others own as one value, it is always pinned: no field of
 * another owner is removed but those agreed to.
 *
 * @param pins false leaves other passes without a version: somebody writes the object again and again.
 */
async function firstPass(cluster: ClusterClient, task: ApplyTask, known: JsonObject | undefined, pins: boolean): Promise<FirstPass> {
  const managers = managersOf(task);
  const live = task.failIfExists
    ? undefined
    : (known ?? ((task.approvedCollateral || task.checkReleases) && (await cluster.tryGet(task.address))));
  const releases = live ? mayRelease(live, task.object, managers) : false;
  const changesOthers = releases || (live ? overwrites(live, task.object, task) : false);
  const retyped = !task.dynamic && mayChangeTopology(live || undefined, task.object, managers);
  if (!live || !(task.approvedCollateral || retyped || changesOthers || (pins && !task.dryRun)))
    return { ...(await plainPass(cluster, task, live || undefined)), collateral: [] };
  const { uid, resourceVersion } = preconditionsOf(live);
  if (task.uid !== undefined && uid !== task.uid) throw objectReplaced(task.manager);
  const collateral = task.approvedCollateral ? requireApprovedCollateral(live, task.object, managers, task.approvedCollateral) : [];
  if (releases) task.checkReleases?.(live, task.object);
  const body = pinnedTo(task.object, uid, resourceVersion);
  try {
    const attempt = retyped ? await topologyPass(cluster, task, live, body) : undefined;
    if (attempt) return { ...attempt, collateral: collateral };
    await noteLosses(task, live, task.object, { forcedConflicts: [], collateral });
    const first = await tryApply(cluster, task, body, { force: false });
    const removed = task.dynamic && !('conflicts' in first) ? removedCollateral(live, first.object, collateral) : collateral;
    return { first, collateral: removed, pinned: resourceVersion, before: live };
  } catch (error) {
    const isRefused = error instanceof ApiError && (error.stale || error.uidMismatch !== undefined);
    if (!isRefused && !task.dryRun && (changesOthers || isUnclear(error))) {
      const object = await settlePass(cluster, task, error, { live, intent: task.object });
      const first = { created: false, responseLost: true, object, warnings: [carriedOutText(error)] };
      return { first, collateral, ...provedPin(live, object, task), before: live };
    }
    if (!isRefused || task.resourceVersion !== undefined) throw error;
    const released: PartialResult = releases ? { released: perhapsReleasedIn(live, task.object, managers) } : {};
    const now = await readAfterRefusal(cluster, task.address, { ...perhapsApplied(uid), ...released });
    if (now && !task.dryRun && wasCarriedOut(task, { live, intent: task.object }, now, error.responseLost)) {
      // The server refused the repetition of a pass that it had applied, by this run or by something on the way.
      const first = { created: false, responseLost: true, object: now, warnings: [] };
      return { first, collateral, ...provedPin(live, now, task), before: live };
    }
    const mayHaveWritten = error.responseLost || (now !== undefined && !task.dynamic && hasApplied(live, now, task));
    const isGone = (found: JsonObject) =>
      undeclaredMembers(live, task.object, managers).some(({ path, leaf }) => leaf && valueAt(found, path) === undefined);
    const showsRelease = (found: JsonObject) =>
      mayHaveWritten
        ? !mayRelease(found, task.object, managers)
        : isReleased({ live, intent: task.object }, found, managers) && isGone(found);
    const isPerhapsReleased = now !== undefined && releases && showsRelease(now);
    return { stale: now, responseLost: mayHaveWritten, released: (isPerhapsReleased && released.released) || [] };
  }
}

/** Sends the pass that neither releases nor overwrites. Where it was answered with an error that shows nothing, a read does. */
async function plainPass(cluster: ClusterClient, task: ApplyTask, live: JsonObject | undefined) {
  try {
    return { first: await tryApply(cluster, task, firstBody(task), { force: false }) };
  } catch (error) {
    if (task.dryRun || !isUnclear(error)) throw error;
    const object = await settlePass(cluster, task, error, { live, intent: task.object });
    const first = { created: false, responseLost: true, object, warnings: [carriedOutText(error)] };
    return { first, ...(live ? provedPin(live, object, task) : {}) };
  }
}

/**
 * Returns true if an object shows that a pass was carried out which was refused as stale: something on the way has sent it twice. A field of the manager has another
 * value: whoever else changes it takes it.
 */
function wasSentTwice(task: ApplyTask, before: JsonObject, now: JsonObject): boolean {
  if (uidOf(before) !== uidOf(now)) return false;
  if (hasApplied(before, now, task)) return true;
  const owned = membersOf(applyEntryOf(now, task.manager)?.fields ?? emptyFieldSet).filter(({ leaf }) => leaf);
  return owned.some(({ path }) => !jsonEqual(valueAt(before, path), valueAt(now, path)) && valueAt(task.object, path) !== undefined);
}

/** Returns true if a manager has applied to an object between two reads: only its own applies move the time of its entry, by whole seconds. */
function hasApplied(before: JsonObject, after: JsonObject, { manager }: ApplyTask): boolean {
  const entry = applyEntryOf(after, manager); // there is none where others have taken all of its fields
  return entry !== undefined && entry.time !== applyEntryOf(before, manager)?.time;
}

/** Returns true if the last apply of a manager to an object is a recorded one, or not one that has just been sent, whatever the clocks are. */
function isAppliedBefore({ machine }: ClusterClient, object: JsonObject, { manager, appliedAt }: ApplyTask): boolean {
  const time = applyEntryOf(object, manager)?.time;
  return (time !== undefined && time === appliedAt) || machine.wall() - Date.parse(String(time)) > toleratedDifferenceMs;
}

/** Returns the version to which a pass was pinned, by which its result is known; nothing where only what is left of the fields shows that it was carried out. */
function provedPin(before: JsonObject, after: JsonObject, task: ApplyTask): { readonly pinned?: string } {
  const { resourceVersion } = preconditionsOf(before);
  return hasApplied(before, after, task) && resourceVersion !== undefined ? { pinned: resourceVersion } : {};
}

/**
 * Returns the parts of lists and maps that others own as one value which the server would let an intent change without a conflict. Asks by dry
 * runs: nothing is changed.
 */
export async function silentlyOverwrittenFields(
  cluster: ClusterClient,
  task: ApplyTask,
  live: JsonObject,
): Promise<readonly FieldConflict[]> {
  const pass = task.dynamic ? undefined : await topologyPass(cluster, task, live, pinnedTo(task.object, preconditionsOf(live).uid));
  return pass?.overwritten?.parts ?? [];
}

/** Tries, as a dry run, whether the server would let the intent change such parts; undefined where it would not, and names no conflict. */
async function topologyPass(cluster: ClusterClient, task: ApplyTask, live: JsonObject, body: Json) {
  const managers = managersOf(task);
  if (!mayChangeTopology(live, task.object, managers)) return undefined;
  const tried = await tryApply(cluster, { ...task, dryRun: true }, body, { force: false });
  const conflicts = 'conflicts' in tried ? tried.conflicts : [];
  const after = 'conflicts' in tried ? await tryApply(cluster, { ...task, dryRun: true }, body, { force: true }) : tried;
  const parts = 'conflicts' in after ? [] : overwrittenAtomicFields(live, after.object, managers);
  const silent = parts.filter(({ field }) => !conflicts.some((conflict) => pathCovers(conflict.field, field)));
  return conflicts.length + silent.length > 0 ? { first: { conflicts }, overwritten: { live, parts: silent } } : undefined;
}

/** Returns true if an apply meets conflicts, or may meet some, that the server does not name once a schema has changed. */
function meetsAtomics(live: JsonObject, task: ApplyTask, conflicts?: readonly FieldConflict[]): boolean {
  return !task.dynamic && conflictsWithAtomic(live, task.object, managersOf(task), conflicts);
}

/** Returns forced conflicts as a merge has written them: a list or map that was taken as a whole also holds what others declare in it. */
function asMerged(forcedConflicts: readonly FieldConflict[], now: JsonObject): readonly FieldConflict[] {
  const isPartOf = (part: FieldConflict, whole: FieldConflict) =>
    part !== whole && part.from === whole.from && part.operation === whole.operation && pathCovers(whole.field, part.field);
  return forcedConflicts
    .filter((part) => !forcedConflicts.some((whole) => isPartOf(part, whole)))
    .map(({ newValue: _, ...conflict }) => {
      const path = resolvePath(conflict.field, now);
      const newValue = path && valueAt(now, path);
      return newValue === undefined ? conflict : { ...conflict, newValue };
    });
}

/** Returns the collateral that was removed: where the intent is merged client-side, an item that was there before the stack stays. */
function removedCollateral(before: JsonObject, after: JsonObject, collateral: readonly FieldConflict[]): readonly FieldConflict[] {
  return collateral.filter(({ field }) => {
    const path = resolvePath(field, before);
    return path === undefined || valueAt(after, path) === undefined;
  });
}

function managersOf({ manager, formerManagers = [] }: ApplyTask): readonly string[] {
  return [manager, ...formerManagers];
}

/** Returns the values that a pass may change or remove, or give up, beside those that it takes by force. */
function lossesOf(live: JsonObject, object: PartialObject, task: ApplyTask, collateral: readonly FieldConflict[]): readonly PassLoss[] {
  const overwritten = task.dynamic ? [] : perhapsOverwrittenIn(live, object);
  return [
    ...releasedLosses(live, object, managersOf(task)),
    ...overwritten.map((value) => ({ ...value, from: '', operation: 'Update' as const, change: 'overwritten' as const })),
    ...collateralLosses(collateral),
  ];
}

/** Not where the intent is merged client-side: its fields have owners that the server does not know. */
function overwrites(live: JsonObject, object: PartialObject, { dynamic, dryRun }: ApplyTask): boolean {
  return !dynamic && !dryRun && mayOverwrite(live, object);
}

/** Another client has deleted the object and created another one with its name. */
export function objectReplaced(manager: string): FieldwiseError {
  return new FieldwiseError('object-replaced', 'resource', 'Another object has this name now', {
    location: { manager },
    next: 'Deploy again.',
  });
}

type ApplyAttempt = ApplyResponse | { readonly conflicts: readonly StatusCause[]; readonly responseLost?: boolean };

/** Sends one PATCH. A refusal because of field managers is a result here. */
async function tryApply(
  cluster: ClusterClient,
  task: ApplyTask,
  body: Json,
  { force }: { readonly force: boolean },
): Promise<ApplyAttempt> {
  const { manager, dynamic, dryRun = false, address, onMayArriveLate } = task;
  const isBound = dryRun || dynamic !== undefined || metadataOf(body as JsonObject).resourceVersion !== undefined;
  try {
    const response = await cluster.apply(address, body, { manager, force, dryRun, dynamic });
    if (!isBound && response.responseLost) onMayArriveLate?.();
    return response;
  } catch (error) {
    if (!isBound && isAnswerLost(error)) onMayArriveLate?.();
    if (error instanceof ApiError && error.conflicts.length > 0) return { conflicts: error.conflicts, responseLost: error.responseLost };
    throw error;
  }
}

/** Returns true if a request that failed may have been sent more than once, or is on its way. */
function isAnswerLost(error: unknown): boolean {
  if (error instanceof ApiError) return error.responseLost;
  return error instanceof FieldwiseError && (error.code === 'response-lost' || error.code === 'outcome-unknown');
}

/** Returns true for an answer that leaves open whether the server has carried the request out: of a refusal, too, it shows nothing who has sent it. */
function isUnclear(error: unknown): boolean {
  if (error instanceof ApiError) return !error.stale && error.uidMismatch === undefined;
  return error instanceof FieldwiseError && error.code === 'response-unexpected';
}

/** The end of the pinned pass; without `refusal`, the server refused it as stale. `isUnknown` if it has perhaps been carried out. */
type SecondPass = { readonly response: ApplyResponse } | { readonly refusal?: unknown; readonly isUnknown: boolean };

/** Sends the pinned pass. Where it was answered with an error, or its first response was lost, a read shows what it did. */
async function secondPass(
  cluster: ClusterClient,
  task: ApplyTask,
  { live, intent }: { readonly live: JsonObject; readonly intent: PartialObject },
  { pass, ...how }: { readonly force: boolean; readonly changesOthers: boolean; readonly pass: ForcedPass },
): Promise<SecondPass> {
  try {
    const { uid, resourceVersion } = preconditionsOf(live);
    const response = await tryApply(cluster, task, pinnedTo(intent, uid, resourceVersion), how);
    return 'conflicts' in response ? { isUnknown: false } : { response };
  } catch (error) {
    const isRefused = error instanceof ApiError && (error.stale || error.uidMismatch !== undefined);
    if (!how.force || task.dryRun) {
      if (isRefused) return { isUnknown: false };
      if (task.dryRun || !(how.changesOthers || isUnclear(error))) throw error;
      const object = await settlePass(cluster, task, error, { live, intent });
      return { response: { created: false, responseLost: true, object, warnings: [carriedOutText(error)] } };
    }
    const settled = await settle(cluster, task.address, error, (now) => outcomeOfPass(pass, now, managersOf(task)));
    if (settled.outcome === 'applied' && settled.now !== undefined) {
      const warnings = isRefused ? [] : [carriedOutText(error)];
      return { response: { created: false, responseLost: true, object: settled.now, warnings } };
    }
    const isGone = settled.now === undefined || uidOf(settled.now) !== pass.uid;
    if (isRefused) return { isUnknown: settled.outcome === 'unknown' && (error.responseLost || isGone) };
    return { refusal: error, isUnknown: settled.outcome !== 'refused' };
  }
}

/**
 * Finds out whether an apply without force, which was answered with an error, was carried out.
 *
 * @returns the object after it.
 * @throws the error if it was not; ApplyFailure with the fields that it releases if nothing shows it.
 */
async function settlePass(
  cluster: ClusterClient,
  task: ApplyTask,
  error: unknown,
  { live, intent }: { readonly live: JsonObject | undefined; readonly intent: PartialObject },
): Promise<JsonObject> {
  const managers = managersOf(task);
  const releases = live !== undefined && mayRelease(live, intent, managers);
  const isRefusal = error instanceof ApiError && error.code < 500 && !releases && !(live !== undefined && overwrites(live, intent, task));
  const settled = await settle(cluster, task.address, error, (now) => {
    if (live === undefined) {
      if (now === undefined) return 'refused';
      const isBefore = isAppliedBefore(cluster, now, task);
      // Others may have taken a part of what it set.
      const isPossible = keepsDeclaredValues(now, intent)
        ? !(isRefusal && isBefore)
        : applyEntryOf(now, task.manager) !== undefined && !isBefore;
      return isPossible ? 'unknown' : 'refused';
    }
    if (now === undefined || uidOf(now) !== uidOf(live)) return isRefusal ? 'refused' : 'unknown';
    if (preconditionsOf(now).resourceVersion === preconditionsOf(live).resourceVersion) return 'refused';
    if (wasSentTwice(task, live, now) || (releases && isReleased({ live, intent }, now, managers))) return 'applied';
    return isRefusal && (keepsDeclaredValues(live, intent) || !keepsDeclaredValues(now, intent)) ? 'refused' : 'unknown';
  });
  if (settled.outcome === 'applied' && settled.now !== undefined) return settled.now;
  if (settled.outcome === 'refused' || task.dryRun) throw error;
  if (isRefusal && isForbidden(error) && isForbidden(settled.unread)) throw error; // these credentials have no rights to the object
  const released = releases ? { released: perhapsReleasedIn(live, intent, managers) } : {};
  throw perhapsFailure(error, { ...(live ? { uid: uidOf(live) } : {}), ...released, reason: perhapsText('applied') });
}

/**
 * Returns true if an object shows that an intent has released what it drops: whoever else ends its ownership changes the value, and a pass that was carried out has set
 * all that it declares.
 */
function isReleased(
  { live, intent }: { readonly live: JsonObject; readonly intent: PartialObject },
  now: JsonObject,
  managers: readonly string[],
): boolean {
  if (mayRelease(now, intent, managers) || !keepsDeclaredValues(now, intent)) return false;
  return releasedLosses(live, intent, managers).every(({ field, oldValue }) => {
    const path = resolvePath(field, now);
    const value = path && valueOrItemsAt(now, path);
    return value === undefined || jsonEqual(value, oldValue);
  });
}

/**
 * Judges by a read object whether a pass was carried out that was refused as stale: a repetition of it is, too. Then the manager owns what the
 * intent declares, with its values, and nothing else: a rival that has written meanwhile has taken a field, or the pass had nothing to do.
 */
function wasCarriedOut(
  task: ApplyTask,
  { live, intent }: { readonly live: JsonObject; readonly intent: PartialObject },
  now: JsonObject,
  responseLost: boolean,
): boolean {
  const managers = managersOf(task);
  const [before, after] = [applyEntryOf(live, task.manager), applyEntryOf(now, task.manager)];
  if (after === undefined || uidOf(now) !== uidOf(live) || mayRelease(now, intent, managers)) return false;
  if (responseLost && mayRelease(live, intent, managers)) return keepsDeclaredValues(now, intent);
  if (before === undefined || after.time === before.time) return false; // only its own applies move the time of an entry, by whole seconds
  const leaves = membersOf(after.fields).filter(({ leaf }) => leaf);
  const owned = new Set(leaves.map(({ path }) => formatPath(path)));
  const isKept = membersOf(before.fields).every(
    ({ path, leaf }) => !leaf || owned.has(formatPath(path)) || valueAt(intent, path) === undefined,
  );
  // The server does not store each empty value whose owner it records.
  return isKept && leaves.every(({ path }) => keepsValue(valueAt(now, path), valueAt(intent, path)));
}

function mask(conflicts: readonly FieldConflict[], task: ApplyTask): FieldConflict[] {
  return conflicts.map((conflict) => maskField(conflict, task.object));
}

function firstBody({ object, uid, resourceVersion, failIfExists }: ApplyTask): PartialObject {
  if (failIfExists) return { ...object, metadata: { ...object.metadata, resourceVersion: resourceVersionOfNoObject } };
  return uid === undefined ? object : pinnedTo(object, uid, resourceVersion);
}

function pinnedTo(object: PartialObject, uid: string, resourceVersion?: string): PartialObject {
  return { ...object, metadata: { ...object.metadata, uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}
