import { managersOf } from '../../../assembly/identity.js';
import { applyToOne, isOtherObject, refuseForeign } from '../../../engine/apply/apply-to-one.js';
import { plannedObjectGone, planOutdatedError } from '../../../engine/apply/preconditions/expectation.js';
import { isNotTerminating } from '../../../engine/apply/preconditions/refuse-terminating.js';
import { findShareTarget, targetTerminating } from '../../../engine/apply/preconditions/share-target.js';
import type { Step } from '../../../engine/graph/waves.js';
import { ApplyFailure, causeOf, partialResultOf } from '../../../engine/object/apply-failure.js';
import { isClearedSince } from '../../../engine/object/cleared-since.js';
import { releaseFormer } from '../../../engine/transfer/rename.js';
import { uidOf } from '../../../fields/object.js';
import type { ObjectAddress } from '../../../kubernetes/index.js';
import { appliedIntentOf } from '../../../ownership/index.js';
import { FieldwiseError } from '../../../util/error.js';
import type { JsonObject } from '../../../util/json.js';
import { acceptedIntent, acceptedRename, deployerOf } from './accepted-intent.js';
import { beforeOf, isAffected, knownOrRead, type ObjectBefore } from './object-before.js';
import type { StepContext, StepOutcome } from './step-context.js';
import { changedBy, changesBetween, changesOf, conflictOutcome, successReport, warningsAfter } from './step-outcome.js';
import { stepTask } from './step-task.js';

/** The object that a share is applied to, as far as it is known. */
interface ShareTarget {
  /** Absent where the share may create the object. */
  readonly before: ObjectBefore | undefined;
  readonly read: JsonObject | undefined;
  readonly isMergedClientSide: boolean;
  /** The stack has shared another object of this name before. */
  readonly rejoined: boolean;
}

/** Applies an intent to an object of somebody else; creates it only where the policy says so. */
export async function share(step: Step, address: ObjectAddress, context: StepContext): Promise<StepOutcome> {
  let target = await firstTarget(step, address, context);
  for (;;) {
    try {
      return await applyToTarget(step, address, context, target);
    } catch (error) {
      const { before, isMergedClientSide } = target;
      const isOther = before !== undefined && isOtherObject(error, before);
      if (!before || !(isOther || isOnlyTerminating(error))) throw error;
      if (context.planned) throw isOther ? plannedObjectGone(step.stack.manager) : error;
      // The pinned object is deleted, being deleted or replaced: find the one that has its name now, and never create it.
      target = await findTarget(step, address, context, { read: undefined, isMergedClientSide, rejoined: true });
    }
  }
}

/** Returns the object that the plan has seen; without a plan, the one that the stack shared last; without either, finds the one to share. */
async function firstTarget(step: Step, address: ObjectAddress, context: StepContext): Promise<ShareTarget> {
  const { known, live, planned } = context;
  const isMergedClientSide = known?.strategy === 'dynamic';
  const rejoined = known?.uid !== undefined;
  // The plan saw no object, or one that it replaces: this run makes it, or waits for it.
  if (planned && planned.uid === undefined) return findTarget(step, address, context, { read: undefined, isMergedClientSide, rejoined });
  const isTerminating = live !== undefined && !isNotTerminating(live);
  if (planned && isTerminating) throw planOutdatedError('The planned object is being deleted', step.stack.manager);
  const before = isTerminating ? undefined : knownOrRead(known, live, step.stack.manager);
  if (planned?.uid !== undefined && planned.uid !== before?.uid) return plannedTarget(step, address, context, planned.uid);
  const first = { read: isTerminating ? undefined : live, isMergedClientSide, rejoined: before === undefined && rejoined };
  return before ? { ...first, before } : findTarget(step, address, context, first);
}

/**
 * Reads the object that a plan has seen, and to which the stack has not applied yet.
 *
 * @throws FieldwiseError `plan-outdated`.
 */
async function plannedTarget(step: Step, address: ObjectAddress, { cluster, known, live }: StepContext, uid: string): Promise<ShareTarget> {
  const { manager } = step.stack;
  const read = live ?? (await cluster.tryGet(address));
  if (read === undefined || uidOf(read) !== uid) throw plannedObjectGone(manager);
  const isMergedClientSide = known?.strategy === 'dynamic' || appliedIntentOf(read, manager) !== undefined;
  return { before: beforeOf(read, manager), read, isMergedClientSide, rejoined: known?.uid !== undefined };
}

/** Finds the object that has the name now; `read` is that object where the run has read it. */
async function findTarget(
  step: Step,
  address: ObjectAddress,
  context: StepContext,
  { read: found, isMergedClientSide, rejoined }: Omit<ShareTarget, 'before'>,
): Promise<ShareTarget> {
  const { manager } = step.stack;
  const read =
    found ??
    (await findShareTarget(context.cluster, address, {
      policy: step.intent.policy,
      waitSeconds: context.waitSeconds,
      knownBefore: rejoined,
      signal: context.signal,
      onWait: (seconds, terminating) => context.onWait({ for: 'create', timeoutSeconds: seconds, ...(terminating ? { terminating } : {}) }),
    }));
  if (read) refuseForeign(read, { ...context, managers: managersOf(step.stack) });
  return {
    before: read && beforeOf(read, manager),
    read,
    isMergedClientSide: isMergedClientSide || appliedIntentOf(read, manager) !== undefined,
    rejoined: rejoined && !(read && uidOf(read) === context.known?.uid),
  };
}

async function applyToTarget(step: Step, address: ObjectAddress, context: StepContext, target: ShareTarget): Promise<StepOutcome> {
  const { cluster, known, names } = context;
  const { before, read, isMergedClientSide, rejoined } = target;
  const managers = managersOf(step.stack);
  const task = { ...stepTask(step, address, context), live: read, ...(before ? { uid: before.uid } : {}) };
  const how = { ...context, managers, isMergedClientSide, ownsOnlyCreated: false, mayRetarget: !before };
  const applied = await applyToOne(cluster, task, how);
  if (applied.metAtomicConflict) context.onAtomicConflict();
  if (applied.outcome === 'conflict') return conflictOutcome(applied, managers, names);
  if (!isNotTerminating(applied.response.object))
    throw new ApplyFailure(targetTerminating(), { partialResult: changesOf(applied, managers, names) });
  const last = deployerOf(applied.response.object, context);
  if (isClearedSince(last, read, applied.response.object, managers)) context.onOwnersCleared();
  warningsAfter(step, applied).forEach(context.onWarning);
  const given = { ...successReport(step, applied, before, { known, read }), ...changedBy(applied, managers, names) };
  const report = { ...given, ...changesBetween(applied, given, step.stack, context) };
  const shared = { before, deletable: false, last };
  const accepted = acceptedIntent(step, applied, shared, report);
  const affected = report.result !== 'unchanged' && accepted.affected;
  context.onApplied({ ...accepted, affected });
  const renamed = await releaseFormer(cluster, stepTask(step, address), applied, report.result, (now) => {
    const changes = { ...report, ...changedBy(now, managers, names) };
    context.onApplied(acceptedRename(step, now, shared, changes, affected || isAffected(before, now)));
  });
  return {
    ...report,
    ...renamed?.report,
    ...(renamed ? changedBy(renamed.applied, managers, names) : {}),
    ...(rejoined && context.known?.uid !== undefined ? { rejoined } : {}),
  };
}

/** Returns true if an apply met an object that is being deleted, and has nothing to report of it. */
function isOnlyTerminating(failure: unknown): boolean {
  const { forcedConflicts = [], ...others } = partialResultOf(failure);
  const isNothing = forcedConflicts.length === 0 && Object.keys(others).length === 0;
  const error = causeOf(failure);
  return error instanceof FieldwiseError && error.code === 'object-terminating' && isNothing;
}
