import { metadataOf, uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, contendedError, contentionRounds } from '../../kubernetes/index.js';
import { entriesWithout, type FieldConflict, forcedPassOf, isOwned, recordedFieldsOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';
import { requireReadableOwners } from '../addresses/removed-versions.js';
import type { Applied, ApplyConflict } from '../object/applied.js';
import { ApplyFailure, causeOf, hasPartialResult, type PartialResult, partialResultOf } from '../object/apply-failure.js';
import { perhapsFailure, settle } from '../object/settle.js';
import { perhapsForced } from '../report/forced-field.js';
import { waysToConfirm } from '../run/ways-to-confirm.js';
import { maskField } from '../secrets/secret-masker.js';
import { applyIntent } from './apply-intent.js';
import type { ApplyTask } from './apply-task.js';
import { decidingPolicy } from './conflict-policy.js';
import { planOutdatedError } from './preconditions/expectation.js';
import { type ClaimTask, claimingIntent, initialEntryTransfers, type UnionClaim, unionClaimOf, withoutClaim } from './union-claim.js';

/**
 * Applies an intent as `applyIntent` does. Where the server refuses it because of a member of a union that the intent does not declare
 * (mostly a default of the server), the member is claimed with its live value, which changes nothing; other owners lose it; and the intent,
 * which does not declare it, releases it. Every request is pinned to the object as the one before left it. If a run is killed in between,
 * the next apply finds the member claimed, and releases it whatever the intent says by then.
 *
 * @throws the errors of `applyIntent`; FieldwiseError `union-member-owned` where somebody's value would be removed and nobody has confirmed
 * it.
 */
export async function applyWithUnionClaims(cluster: ClusterClient, task: ApplyTask): Promise<Applied | ApplyConflict> {
  try {
    return await applyIntent(cluster, task);
  } catch (error) {
    // Also where somebody wrote before the look at the object, so that the look could not tell what the refused apply had changed.
    const refusal = causeOf(error);
    if (task.dynamic || task.dryRun || !(refusal instanceof ApiError) || refusal.code !== 422 || refusal.uidMismatch !== undefined)
      throw error;
    const perhaps = hasPartialResult(error) ? partialResultOf(error) : undefined;
    const cured = await claimAndRelease(cluster, task, refusal, perhaps).catch((next: unknown) => {
      throw perhaps === undefined ? next : perhapsFailure(next, perhaps);
    });
    if (cured === undefined) throw error;
    return cured;
  }
}

/** @param perhaps what the refused apply has perhaps changed. */
async function claimAndRelease(
  cluster: ClusterClient,
  task: ApplyTask,
  first: ApiError,
  perhaps: PartialResult | undefined,
): Promise<Applied | ApplyConflict | undefined> {
  let refusal = first;
  for (let round = 0; round < contentionRounds; round++) {
    const live = await cluster.tryGet(task.address);
    if (live === undefined || (task.uid !== undefined && uidOf(live) !== task.uid)) return undefined;
    const claim = await unionClaimOf(cluster, task, refusal, live);
    if (claim === undefined) {
      const isSame = round === 0 && (task.live === undefined || versionOf(task.live) === versionOf(live));
      if (isSame || (perhaps !== undefined && task.live === undefined)) return undefined;
      try {
        const applied = await applyIntent(cluster, { ...task, live });
        return perhaps === undefined || applied.outcome === 'conflict' ? applied : afterPerhaps(applied, task.live, perhaps);
      } catch (error) {
        const cause = causeOf(error);
        if (!(cause instanceof ApiError) || cause.code !== 422 || round + 1 === contentionRounds) throw error;
        refusal = cause; // the union member has been written since
        continue;
      }
    }
    const contested = contestedBy(claim, task);
    if (contested.length > 0) return { outcome: 'conflict', conflicts: contested, metAtomicConflict: false };
    requireApproval(claim, task);
    let resourceVersion: string | undefined;
    const pass = forcedPassOf(live, claim.forcedConflicts, [task.manager, ...(task.formerManagers ?? [])]);
    if (pass.fields.length > 0) await task.beforeLoss?.(pass);
    try {
      const claimed = await carryOutClaim(cluster, task, live, claim);
      resourceVersion = versionOf(claimed);
      const { checkReleases, beforeLoss } = task;
      const applied = await applyIntent(cluster, {
        ...task,
        uid: uidOf(live),
        resourceVersion,
        live: claimed,
        beforeLoss: beforeLoss && ((next) => beforeLoss({ ...next, fields: [...pass.fields, ...next.fields] })),
        checkReleases: checkReleases && ((now, object) => checkReleases(withoutClaim(now, claim.paths, live, task), object)),
      });
      if (applied.outcome === 'conflict') return applied;
      return {
        ...applied,
        forcedConflicts: [...claim.forcedConflicts.map((field) => maskField(field, task.object)), ...applied.forcedConflicts],
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw await claimFailure(cluster, task, error, claim, uidOf(live));
      // Written in between: read again. The server reports a conflict before it compares versions, and the claim has the values that were
      // live.
      if (error.stale || error.conflicts.length > 0) continue;
      if (error.code !== 422 || resourceVersion === undefined || (await restoreOwners(cluster, task, live, resourceVersion)))
        throw await claimFailure(cluster, task, error, claim, uidOf(live));
    }
  }
  throw contendedError('apply-contended', { manager: task.manager }, 'No value of this object was changed. Run again.');
}

/** Returns the result of an apply after one that has perhaps been carried out, as the result of both. */
function afterPerhaps(applied: Applied, before: JsonObject | undefined, { forcedConflicts = [], released = [] }: PartialResult): Applied {
  const { pinned, response } = applied;
  const hasWritten = response.changed === true || (pinned !== undefined && pinned !== versionOf(response.object));
  return {
    ...applied,
    before,
    pinned: undefined,
    response: hasWritten ? { ...response, changed: true, responseLost: false } : { ...response, responseLost: true },
    forcedConflicts: [...forcedConflicts, ...applied.forcedConflicts],
    perhapsReleased: [...released, ...(applied.perhapsReleased ?? [])],
  };
}

/** Returns the failure of a claim, with the fields that other owners have lost by it, or have perhaps lost. */
async function claimFailure(
  cluster: ClusterClient,
  task: ApplyTask,
  error: unknown,
  { forcedConflicts }: UnionClaim,
  uid: string,
): Promise<unknown> {
  if (forcedConflicts.length === 0) return error;
  const settled = await settle(cluster, task.address, causeOf(error), (now) => {
    if (now === undefined || uidOf(now) !== uid) return 'unknown';
    return forcedConflicts.every((conflict) => isOwned(conflict, now)) ? 'refused' : 'applied';
  });
  if (settled.outcome === 'refused') return error;
  const lost = forcedConflicts.map((field) => maskField(field, task.object));
  const { forcedConflicts: later = [] } = partialResultOf(error);
  const fields = [...(settled.outcome === 'applied' ? lost : perhapsForced(lost)), ...later];
  const cause = causeOf(error);
  return cause instanceof Error
    ? new ApplyFailure(cause, { partialResult: { uid, ...partialResultOf(error), forcedConflicts: fields } })
    : error;
}

/** Makes a manager the only owner of the members that conflict with its intent; no value changes. Returns the object afterwards. */
export async function carryOutClaim(
  cluster: ClusterClient,
  task: ClaimTask,
  live: JsonObject,
  { paths, transfers }: Pick<UnionClaim, 'paths' | 'transfers'>,
): Promise<JsonObject> {
  const { address, manager } = task;
  requireReadableOwners(address, live, { manager });
  const intent = claimingIntent(task, live, paths);
  const { object: claimed } = await cluster.apply(address, intent, { manager, force: false });
  // For an object without owners, the server has just recorded one owner of everything in it.
  const ended = recordedFieldsOf(live).length === 0 ? initialEntryTransfers(claimed, paths) : transfers;
  if (ended.length === 0) return claimed;
  return cluster.patch(
    address,
    [
      { op: 'replace', path: '/metadata/resourceVersion', value: versionOf(claimed) },
      { op: 'replace', path: '/metadata/managedFields', value: entriesWithout(claimed, ended) as Json },
    ],
    manager,
  );
}

/**
 * Restores the owners as they were: the intent is refused for more than the claimed members.
 *
 * @returns false where the object was written in between, so that the refusal may be about that. A claim changes no value, and may stay.
 */
async function restoreOwners(
  cluster: ClusterClient,
  { address, manager }: ApplyTask,
  before: JsonObject,
  resourceVersion: string,
): Promise<boolean> {
  const entries = metadataOf(before).managedFields as readonly Json[] | undefined;
  if (entries === undefined || entries.length === 0) return true;
  const operations = [
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'replace', path: '/metadata/managedFields', value: entries },
  ];
  try {
    await cluster.patch(address, operations, manager);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return !error.stale;
  }
}

/** Returns the claimed fields whose policy is not `force`. They cannot be yielded: the intent would stay invalid. */
function contestedBy({ forcedConflicts }: UnionClaim, { policy, isLeaving, object }: ApplyTask): readonly FieldConflict[] {
  return forcedConflicts
    .filter((conflict) => decidingPolicy(conflict, { policy, isLeaving }) !== 'force')
    .map((field) => maskField(field, object));
}

function requireApproval({ forcedConflicts }: UnionClaim, task: ApplyTask): void {
  const unplanned = task.expects && forcedConflicts.find((conflict) => !task.expects?.(conflict));
  if (unplanned)
    throw planOutdatedError(`${unplanned.field} of ${unplanned.from} would be removed, and the plan does not say so`, task.manager);
  const open = forcedConflicts.filter((conflict) => task.mayRemove?.(conflict) !== true).map(removedMemberText);
  if (open.length === 0) return;
  throw new FieldwiseError(
    'union-member-owned',
    'resource',
    `The server accepts the intent only without ${open.join(', ')}, which this stack does not declare`,
    {
      location: { manager: task.manager },
      next:
        `This object was not changed. Run again ${waysToConfirm()}; or declare the field with its present value, ` +
        'deploy, run `fieldwise adopt --from` with its owner, and drop it then.',
    },
  );
}

/** Names a value of somebody that would be removed, in a question and in its confirmation. */
export function removedMemberText({ field, from }: FieldConflict): string {
  return `${field} of ${from}`;
}

function versionOf(object: JsonObject): string {
  return metadataOf(object).resourceVersion as string;
}
