import { objectText } from '../../assembly/identity.js';
import { metadataOf, nameOf, uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, contendedError, contentionRounds, isForbidden } from '../../kubernetes/index.js';
import { recordedFieldsOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { Machine } from '../../util/machine.js';
import { perhapsReleasedIn } from '../field-changes/report-releases.js';
import { exactMark, provesPending } from '../inventory/pending-proof.js';
import type { Applied, ApplyConflict } from '../object/applied.js';
import { ApplyFailure, causeOf, hasPartialResult, type PartialResult, partialResultOf } from '../object/apply-failure.js';
import { isUnsent, perhapsFailure, perhapsText } from '../object/settle.js';
import type { ApplyTask } from './apply-task.js';
import { applyWithUnionClaims } from './apply-with-union-claims.js';
import { moveToServerSide } from './move-to-server-side.js';
import { createdBy } from './preconditions/created-by.js';
import { type Expectation, planOutdatedError } from './preconditions/expectation.js';
import { objectAlreadyExistsError } from './preconditions/object-already-exists.js';

/** The possible creators of an object that a stack has not applied to before. */
export interface CreatorContext {
  /** The saved plan's expectation for the object; absent where the deploy is not bound to a plan. */
  readonly planned?: Expectation;
  /** The stack's own field managers. */
  readonly managers: readonly string[];
  /** See `createdBy`. */
  readonly sharers: ReadonlySet<string>;
  /** Returns true if this run has applied to the object with a uid. */
  readonly isApplied: (uid: string) => boolean;
}

/** Options of one apply to one object. */
export interface ApplyToOneOptions extends CreatorContext {
  /** The object records an intent that was merged client-side. */
  readonly isMergedClientSide: boolean;
  /** The stack owns only objects that it creates itself (`ifPresent: fail`). */
  readonly ownsOnlyCreated: boolean;
  /** If the object with `uid` is deleted, the intent applies to any object of its name, or creates it. */
  readonly mayRetarget: boolean;
  readonly signal: AbortSignal | undefined;
  /** Called where the object may not be read, so that what the apply releases of it is unknown. */
  readonly onUnreadable?: (() => void) | undefined;
  /** Called before an object is created in place of the one with `uid`; the request is sent once the promise is fulfilled. */
  readonly beforeCreation?: (() => Promise<void>) | undefined;
}

/**
 * Applies an intent to one certain object: the one with `uid`; without it, one that this very apply creates. The server refuses the request
 * where it would meet another one, so that somebody else's object is never mistaken for our own creation, however close in time the two
 * were created. An object that somebody created since the lookup is then read, and applied to by its uid. After an apply that may create,
 * that object may be our own creation whose response was lost: only then do its managedFields name us.
 *
 * @returns `created` of the response is also true for a creation whose response was lost.
 * @throws FieldwiseError `plan-outdated` where a saved plan does not have that object, `object-already-exists`; and the errors of
 * `applyIntent`.
 */
export async function applyToOne(cluster: ClusterClient, task: ApplyTask, how: ApplyToOneOptions): Promise<Applied | ApplyConflict> {
  let target = task;
  let created: OwnCreation | undefined;
  let lost: LostChanges = { forcedConflicts: [], released: [] };
  for (let round = 0; round < contentionRounds; round++) {
    try {
      const applied = await apply(cluster, target.uid === undefined ? { ...target, failIfExists: true } : target, how.isMergedClientSide);
      if (applied.outcome === 'conflict') return applied;
      return withLost(created === undefined ? applied : withCreation(applied, created), lost);
    } catch (failure) {
      const error = causeOf(failure);
      const isMergedAlready = failure instanceof ApplyFailure && failure.merged !== undefined;
      if (isMergedAlready || !isOtherObject(error, target) || (target.uid !== undefined && !how.mayRetarget)) throw failure;
      lost = lostChanges(failure, target, how.managers, lost);
      const { uid: _, resourceVersion: __, live: ___, ...unpinned } = task;
      const live = await readIfAllowed(cluster, task, how);
      if (live === 'forbidden') {
        how.onUnreadable?.();
        await how.beforeCreation?.();
        return apply(cluster, unpinned, how.isMergedClientSide);
      }
      if (live === undefined) {
        if (target.uid !== undefined) await how.beforeCreation?.();
        target = unpinned;
        continue;
      }
      refuseForeign(live, how);
      // Only an apply that may create has creations: an object that replaced the one with `uid` existed before this run sent one.
      created = target.uid === undefined ? ownCreationIn(error, live, task, how) : undefined;
      if (how.ownsOnlyCreated && created === undefined && !how.isApplied(uidOf(live)))
        throw createdSinceError(live, target.uid === undefined ? 'during this run' : 'since the last deploy');
      if (created === undefined) await waitForNextSecond(cluster.machine, live, how);
      target = { ...unpinned, uid: uidOf(live), live };
    }
  }
  throw contendedError('apply-contended', { manager: task.manager }, 'Others delete and create this object again and again. Run again.');
}

/** The perhaps changes of passes to an object that is gone: it was deleted before their end was known. */
type LostChanges = Required<Pick<PartialResult, 'forcedConflicts' | 'released'>>;

function lostChanges(failure: unknown, { live, object }: ApplyTask, managers: readonly string[], before: LostChanges): LostChanges {
  const { forcedConflicts = [], released = live ? perhapsReleasedIn(live, object, managers) : [] } = partialResultOf(failure);
  return { forcedConflicts: [...before.forcedConflicts, ...forcedConflicts], released: [...before.released, ...released] };
}

function withLost(applied: Applied, { forcedConflicts, released }: LostChanges): Applied {
  return {
    ...applied,
    forcedConflicts: [...forcedConflicts, ...applied.forcedConflicts],
    perhapsReleased: [...released, ...(applied.perhapsReleased ?? [])],
  };
}

/** The creation of an object whose response was lost: by this very run, or by one of the stack. */
type OwnCreation = 'of this run' | 'of the stack';

/**
 * Returns whose creation an object is that was there when it was to be created: it has what was sent. It is that of this very request, if an attempt before had no
 * response; the server may have written its values in another form then. Else it is that of the request, repeated by something on the way, or of a run before, carried out
 * late. Undefined if it is somebody else's.
 */
function ownCreationIn(
  error: unknown,
  live: JsonObject,
  { object, dynamic }: ApplyTask,
  { managers, sharers }: ApplyToOneOptions,
): OwnCreation | undefined {
  const cause = causeOf(error);
  if (!(cause instanceof ApiError) || !createdBy(live, managers, sharers)) return undefined;
  if (dynamic !== undefined) return 'of this run'; // The strategy leaves a record of its own.
  const sent = { pendingMark: exactMark(object), ...(cause.responseLost ? { window: { since: 0 } } : {}) };
  if (!provesPending(live, sent, managers)) return undefined;
  return cause.responseLost ? 'of this run' : 'of the stack';
}

function withCreation(applied: Applied, created: OwnCreation): Applied {
  const known = { ...applied, response: { ...applied.response, created: true } };
  return created === 'of this run' ? known : { ...known, mayBeOfEarlierRun: true };
}

/** Applies an intent; an object that records a client-side intent is first moved to server-side apply. */
function apply(cluster: ClusterClient, task: ApplyTask, isMergedClientSide: boolean): Promise<Applied | ApplyConflict> {
  return isMergedClientSide && task.dynamic === undefined ? moveToServerSide(cluster, task) : applyWithUnionClaims(cluster, task);
}

/** Returns true if an apply was refused because the object is not the intended one, or exists although it was to be created. */
export function isOtherObject(failure: unknown, { uid }: { readonly uid?: string | undefined }): boolean {
  const error = causeOf(failure);
  if (hasPartialResult(failure)) return false; // another apply would lose what is known of this one
  if (error instanceof FieldwiseError) return error.code === 'object-replaced';
  if (!(error instanceof ApiError)) return false;
  return uid === undefined ? error.stale : error.uidMismatch !== undefined || error.code === 404;
}

/**
 * Reads the object. Credentials that may not read it apply to any object of its name, unless it may only be created: it never counts as
 * created then.
 */
async function readIfAllowed(
  cluster: ClusterClient,
  { address }: ApplyTask,
  { ownsOnlyCreated, planned }: ApplyToOneOptions,
): Promise<JsonObject | undefined | 'forbidden'> {
  try {
    return await cluster.tryGet(address);
  } catch (error) {
    if (isForbidden(error) && !ownsOnlyCreated && !planned?.creates) return 'forbidden';
    throw isUnsent(error) ? perhapsFailure(error, { reason: perhapsText('applied') }) : error;
  }
}

const maxClockSkewMs = 600_000; // milliseconds: more than this machine's clock and the server's may differ

/**
 * Waits until the second has passed in which somebody created an object without a field, or under the name of one of our managers. managedFields
 * record times in seconds, and such an object names no other owner: applied to at once, it would look like our own to a run after a kill.
 */
export async function waitForNextSecond(
  machine: Machine,
  live: JsonObject,
  { managers, sharers, signal }: Pick<ApplyToOneOptions, 'managers' | 'sharers' | 'signal'>,
): Promise<void> {
  const age = machine.wall() - Date.parse(String(metadataOf(live).creationTimestamp));
  const namesNoOther = recordedFieldsOf(live).length === 0 || createdBy(live, managers, sharers);
  if (namesNoOther && age < maxClockSkewMs) await machine.pause(1000, signal);
}

/**
 * Refuses an object that the plan says is created and that somebody else has created.
 *
 * @throws FieldwiseError `plan-outdated`.
 */
export function refuseForeign(live: JsonObject, { planned, managers, sharers, isApplied }: CreatorContext): void {
  if (!planned?.creates || isApplied(uidOf(live)) || createdBy(live, [...managers, ...planned.managers], sharers)) return;
  throw planOutdatedError('Somebody has created the object that was planned to be created', managers[0]);
}

function createdSinceError(live: JsonObject, since: string): FieldwiseError {
  return objectAlreadyExistsError(`${objectIn(live)}, created by another client ${since}`);
}

function objectIn(object: JsonObject): string {
  const { apiVersion, kind } = object;
  const { namespace } = metadataOf(object);
  return objectText({ apiVersion: String(apiVersion), kind: String(kind), name: nameOf(object), namespace });
}
