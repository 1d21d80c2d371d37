import { managersOf, objectText } from '../../../assembly/identity.js';
import { type ApplyToOneOptions, applyToOne, isOtherObject, waitForNextSecond } from '../../../engine/apply/apply-to-one.js';
import { createdByRunOf } from '../../../engine/apply/preconditions/created-by.js';
import { finishedReason, isFinishedJob } from '../../../engine/apply/preconditions/finished-job.js';
import { objectAlreadyExistsError } from '../../../engine/apply/preconditions/object-already-exists.js';
import { isNotTerminating, objectTerminating } from '../../../engine/apply/preconditions/refuse-terminating.js';
import { creationDenial, removeForReplacement, reportingReplaced } from '../../../engine/apply/replace.js';
import type { Step } from '../../../engine/graph/waves.js';
import { unlistedMark } from '../../../engine/inventory/edited-inventory.js';
import type { Applied, ApplyConflict } from '../../../engine/object/applied.js';
import { causeOf, hasPartialResult } from '../../../engine/object/apply-failure.js';
import { isClearedSince } from '../../../engine/object/cleared-since.js';
import { otherPrunersOf, prunerText } from '../../../engine/pruners/other-pruners.js';
import { immutableFields } from '../../../engine/report/immutable.js';
import { releaseFormer } from '../../../engine/transfer/rename.js';
import { uidOf } from '../../../fields/object.js';
import { ApiError, type ObjectAddress } from '../../../kubernetes/index.js';
import { appliedIntentOf, managedFieldsOf, ownerText } from '../../../ownership/index.js';
import type { JsonObject } from '../../../util/json.js';
import { acceptedIntent, acceptedRename, deployerOf } from './accepted-intent.js';
import { beforeOf, knownBefore } from './object-before.js';
import type { StepContext, StepOutcome } from './step-context.js';
import { changedBy, changesBetween, conflictOutcome, successReport, warningsAfter } from './step-outcome.js';
import { stepTask } from './step-task.js';

/**
 * Applies an owned object; a finished Job that Kubernetes has removed does not run again: its uid in the request keeps the server from
 * creating another.
 */
export async function ownOrFinished(step: Step, address: ObjectAddress, context: StepContext): Promise<StepOutcome> {
  const uid = isFinishedJob(step, context.known) ? context.known?.uid : undefined;
  if (uid === undefined) return own(step, address, context);
  try {
    return await own(step, address, context, uid);
  } catch (error) {
    if (!isOtherObject(error, { uid })) throw error;
    const live = await context.cluster.tryGet(address);
    if (!live) return { result: 'unchanged', reason: finishedReason };
    return own(step, address, { ...context, live });
  }
}

async function own(step: Step, address: ObjectAddress, context: StepContext, pinned?: string): Promise<StepOutcome> {
  const { known } = context;
  const managers = managersOf(step.stack);
  const pending = known !== undefined && known.uid === undefined;
  const objectOfKilledRun = pending ? (context.live ?? (await context.cluster.tryGet(address))) : undefined; // A killed run may have created it.
  const createdByKilledRun = objectOfKilledRun && pending && createdByRunOf(known, objectOfKilledRun, managers, context.sharers);
  const read = objectOfKilledRun ?? context.live;
  const isForeign = read !== undefined && !createdByKilledRun && known?.uid !== uidOf(read);
  if (isForeign && context.ownsOnlyCreated) throw objectAlreadyExistsError(objectText(step.intent));
  const before = read ? beforeOf(read, step.stack.manager) : knownBefore(known);
  const deletableUid = known?.deletable === true ? known.uid : createdByKilledRun ? uidOf(objectOfKilledRun) : undefined;
  if (isForeign) await waitForNextSecond(context.cluster.machine, read, { ...context, managers });
  const { applied, replaced } = await applyOrReplace(step, address, context, {
    managers,
    uid: context.planned?.uid ?? pinned ?? (read ? uidOf(read) : known?.uid),
    mayRetarget: context.planned?.uid === undefined && pinned === undefined,
    deletableUid,
    isMergedClientSide: known?.strategy === 'dynamic' || appliedIntentOf(read, step.stack.manager) !== undefined,
  });
  if (applied.metAtomicConflict) context.onAtomicConflict();
  if (applied.outcome === 'conflict') return { ...conflictOutcome(applied, managers, context.names), ...(replaced ? { replaced } : {}) };

  const uid = uidOf(applied.response.object);
  const same = known?.uid === uid && known.lifecycle === 'own';
  const created = applied.response.created || (createdByKilledRun && uidOf(objectOfKilledRun) === uid);
  const adopted =
    !created && !same ? { owners: otherOwners(applied.response.object, managers), ...unlistedMark(known, read, managers) } : undefined;
  const deletable = created || step.intent.policy.adopt || (same && known.deletable);
  const last = deployerOf(applied.response.object, context);
  if (isClearedSince(last, read, applied.response.object, managers)) context.onOwnersCleared();
  const success = successReport(step, applied, before, { known, read });
  warningsAfter(step, applied).forEach(context.onWarning);
  const pruners = otherPrunersOf(applied.response.object).map(prunerText);
  const warnings = pruners.length > 0 ? { warnings: [...success.warnings, ...pruners] } : {};
  const given = { ...success, ...warnings, ...changedBy(applied, managers, context.names) };
  const report = { ...given, ...changesBetween(applied, given, step.stack, context) };
  const accepted = { before, deletable, last };
  context.onApplied(acceptedIntent(step, applied, accepted, report));
  if (!isNotTerminating(applied.response.object)) throw objectTerminating();
  const renamed = await releaseFormer(context.cluster, stepTask(step, address), applied, report.result, (now) => {
    const changes = { ...report, ...changedBy(now, managers, context.names) };
    context.onApplied(acceptedRename(step, now, accepted, changes, true));
  });
  return {
    ...report,
    ...renamed?.report,
    ...(renamed ? changedBy(renamed.applied, managers, context.names) : {}),
    ...(applied.response.created ? { result: pending && applied.mayBeOfEarlierRun ? 'applied' : replaced ? 'recreated' : 'created' } : {}),
    ...(replaced ? { replaced } : {}),
    ...(adopted ? { adopted } : {}),
    ...(adopted && known?.uid !== undefined && known.uid !== uid ? { rejoined: true } : {}),
  };
}

/** Applies an intent; if a declared field is immutable and the policy permits it, deletes the object and creates it again. */
async function applyOrReplace(
  step: Step,
  address: ObjectAddress,
  context: StepContext,
  rights: Pick<ApplyToOneOptions, 'managers' | 'isMergedClientSide' | 'mayRetarget'> & {
    readonly uid: string | undefined;
    readonly deletableUid: string | undefined;
  },
): Promise<{ readonly applied: Applied | ApplyConflict; readonly replaced?: JsonObject }> {
  const { cluster, signal, deletionTimeoutSeconds, onWait } = context;
  const applyOptions = { ...context, ...rights };
  try {
    const task = stepTask(step, address, context);
    return { applied: await applyToOne(cluster, rights.uid === undefined ? task : { ...task, uid: rights.uid }, applyOptions) };
  } catch (failure) {
    const error = causeOf(failure);
    if (hasPartialResult(failure) || !(error instanceof ApiError) || !step.intent.policy.replace || immutableFields(error).length === 0)
      throw failure;
    const denial = await creationDenial(cluster, address, step.object, step.stack.manager);
    if (denial !== undefined) throw denial; // With nothing deleted: the object would be lost.
    const wait = {
      timeoutSeconds: deletionTimeoutSeconds,
      signal,
      onWait: (seconds: number) => onWait({ for: 'delete', timeoutSeconds: seconds }),
    };
    const replacement = { intent: step.intent, ...rights, beforeLoss: context.beforeLoss };
    const replaced = await removeForReplacement(cluster, address, error, replacement, wait);
    const { planned: _, ...others } = applyOptions;
    const freshOptions = { ...others, isMergedClientSide: false, mayRetarget: true };
    const applied = await reportingReplaced(replaced, async () => {
      if (replaced) await context.beforeCreation?.();
      return applyToOne(cluster, stepTask(step, address, { beforeLoss: context.beforeLoss }), freshOptions);
    });
    return { applied, ...(replaced ? { replaced } : {}) };
  }
}

function otherOwners(object: JsonObject, managers: readonly string[]): string[] {
  return [
    ...new Set(
      managedFieldsOf(object)
        .filter((entry) => !managers.includes(entry.manager))
        .map(ownerText),
    ),
  ];
}
