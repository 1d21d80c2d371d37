import { objectText } from '../../assembly/identity.js';
import { ApiError, type Cluster, contendedError, contentionRounds, isForbidden } from '../../kubernetes/index.js';
import { recordedFieldsOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { pause } from '../../util/pause.js';
import { moveToServerSide } from '../client-side-apply/move-to-server-side.js';
import { objectAlreadyExistsError } from '../transfer/first-deploys.js';
import { ApplyFailure, causeOf } from './apply-failure.js';
import type { Applied, ApplyConflict, ApplyTask } from './apply-intent.js';
import { applyWithUnionClaims } from './apply-with-union-claims.js';
import { createdBy } from './created-by.js';
import { type Expectation, planOutdatedError } from './expectation.js';

/** Who may have made an object that a stack has not applied to before. */
export interface CreatorContext {
  /** What the saved plan says of the object; absent where the deploy is bound to none. */
  readonly planned?: Expectation;
  /** The stack's own field managers. */
  readonly managers: readonly string[];
  /** See `createdBy`. */
  readonly sharers: ReadonlySet<string>;
  /** Whether this run has applied to an object. */
  readonly isApplied: (uid: string) => boolean;
}

/** How an intent is applied. */
export interface ApplyToOneOptions extends CreatorContext {
  /** The object remembers an intent that was merged client-side. */
  readonly isMergedClientSide: boolean;
  /** The stack owns what it creates itself, and nothing else. */
  readonly mustCreate: boolean;
  /** Where the object with `uid` is gone, the intent is for whatever has its name, or creates it. */
  readonly mayRetarget: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Applies an intent to one certain object: the one with `uid`; without it, one that this very apply creates. The server refuses the request
 * where it would meet another one, so that nobody's object is ever taken for a creation of ours, however close in time the two were made.
 * What somebody made since it was looked for is then read, and applied to by its uid. After an apply that may create, that may be our own
 * creation, of which the answer was lost: only then are we on its record.
 *
 * @returns `created` of the answer holds for a creation of which the answer was lost, too.
 * @throws FieldwiseError `plan-outdated` where a saved plan does not have that object, `object-already-exists`; and as `applyIntent` does.
 */
export async function applyToOne(cluster: Cluster, task: ApplyTask, how: ApplyToOneOptions): Promise<Applied | ApplyConflict> {
  let target = task;
  let created = false;
  for (let round = 0; round < contentionRounds; round++) {
    try {
      const applied = await apply(cluster, target.uid === undefined ? { ...target, mustCreate: true } : target, how.isMergedClientSide);
      return created && applied.outcome === 'applied' ? { ...applied, response: { ...applied.response, created } } : applied;
    } catch (error) {
      const isMergedAlready = error instanceof ApplyFailure;
      if (isMergedAlready || !isOtherObject(error, target) || (target.uid !== undefined && !how.mayRetarget)) throw error;
      const { uid: _, resourceVersion: __, live: ___, ...anew } = task;
      const live = await readIfAllowed(cluster, task, how);
      if (live === 'forbidden') return apply(cluster, anew, how.isMergedClientSide);
      if (live === undefined) {
        target = anew;
        continue;
      }
      refuseForeign(live, how);
      // Only an apply that may create has creations: what came in place of the object with `uid` was there before this run had sent one.
      created = target.uid === undefined && createdBy(live, how.managers, how.sharers);
      if (how.mustCreate && !created && !how.isApplied(uidOf(live)))
        throw createdSinceError(live, target.uid === undefined ? 'during this run' : 'since the last deploy');
      if (!created) await waitForNextSecond(live, how.signal);
      target = { ...anew, uid: uidOf(live), live };
    }
  }
  throw contendedError('apply-contended', { manager: task.manager }, 'Others delete and create this object again and again. Run again.');
}

/** Applies; an object that remembers an intent merged on this side is handed over to the server first. */
function apply(cluster: Cluster, task: ApplyTask, isMergedClientSide: boolean): Promise<Applied | ApplyConflict> {
  return isMergedClientSide && task.dynamic === undefined ? moveToServerSide(cluster, task) : applyWithUnionClaims(cluster, task);
}

/** Whether an apply was refused because the object is not the one that it was for, or is there although it was to be created. */
export function isOtherObject(failure: unknown, { uid }: { readonly uid?: string | undefined }): boolean {
  const error = causeOf(failure);
  if (error instanceof FieldwiseError) return error.code === 'object-replaced';
  if (!(error instanceof ApiError)) return false;
  return uid === undefined ? error.stale : error.uidMismatch !== undefined || error.code === 404;
}

/** Who may not read an object applies to whatever is there, unless it may only be created: it never counts as created then. */
async function readIfAllowed(
  cluster: Cluster,
  { address }: ApplyTask,
  { mustCreate, planned }: ApplyToOneOptions,
): Promise<JsonObject | undefined | 'forbidden'> {
  try {
    return await cluster.tryGet(address);
  } catch (error) {
    if (isForbidden(error) && !mustCreate && !planned?.creates) return 'forbidden';
    throw error;
  }
}

const maxClockSkewMs = 600_000; // milliseconds: beyond what the clock of this machine and the server's may differ

/**
 * Waits until the second in which somebody made an object without a field has passed. managedFields tell times by the second, and such an
 * object tells of no owner: applied to at once, it would look like one of ours to a run after a kill.
 */
export async function waitForNextSecond(live: JsonObject, signal: AbortSignal | undefined): Promise<void> {
  const age = Date.now() - Date.parse(String((live.metadata as JsonObject).creationTimestamp));
  if (recordedFieldsOf(live).length === 0 && age < maxClockSkewMs) await pause(1000, signal);
}

/** @throws FieldwiseError `plan-outdated` where the plan says that the object is created and somebody else has made this one. */
export function refuseForeign(live: JsonObject, { planned, managers, sharers, isApplied }: CreatorContext): void {
  if (!planned?.creates || isApplied(uidOf(live)) || createdBy(live, [...managers, ...planned.managers], sharers)) return;
  throw planOutdatedError('Somebody has made the object that was planned to be created', managers[0]);
}

function createdSinceError(live: JsonObject, since: string): FieldwiseError {
  return objectAlreadyExistsError(`${objectIn(live)}, created by another client ${since}`);
}

function objectIn({ apiVersion, kind, metadata }: JsonObject): string {
  const { name, namespace } = metadata as { readonly name: string; readonly namespace?: string };
  return objectText({ apiVersion: String(apiVersion), kind: String(kind), name, namespace });
}

function uidOf(object: JsonObject): string {
  return (object.metadata as JsonObject).uid as string;
}
