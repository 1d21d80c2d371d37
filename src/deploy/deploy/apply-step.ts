import { formerManagersOf, managersOf, objectText } from '../../assembly/identity.js';
import type { PartialObject } from '../../assembly/types.js';
import { ApplyFailure, causeOf, partialResultOf } from '../../engine/apply/apply-failure.js';
import { type Applied, type ApplyConflict, type ApplyTask, dynamicOf } from '../../engine/apply/apply-intent.js';
import { type ApplyToOneOptions, applyToOne, isOtherObject, refuseForeign, waitForNextSecond } from '../../engine/apply/apply-to-one.js';
import { createdBy } from '../../engine/apply/created-by.js';
import { type Expectation, planOutdatedError } from '../../engine/apply/expectation.js';
import { finishedReason, isFinishedJob } from '../../engine/apply/finished-job.js';
import { immutableFields } from '../../engine/apply/immutable.js';
import { portNameTaken, repeatedPortNames } from '../../engine/apply/port-name-taken.js';
import { isNotTerminating, objectTerminating } from '../../engine/apply/refuse-terminating.js';
import { removeForReplacement } from '../../engine/apply/replace.js';
import { findShareTarget, targetTerminating } from '../../engine/apply/share-target.js';
import { topologyChangedSince } from '../../engine/apply/topology-change.js';
import type { Step } from '../../engine/graph/waves.js';
import { isEdited } from '../../engine/inventory/intent-digest.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import type { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { policyToRemember } from '../../engine/inventory/stack-state.js';
import { overwrittenIn } from '../../engine/release/overwritten-fields.js';
import { type PartialResult, rejectedIn, releasedIn } from '../../engine/release/released-fields.js';
import { type ApprovedFields, appliedItems } from '../../engine/removal/collateral.js';
import { isClearedSince, isUnrecorded } from '../../engine/repairs/cleared-objects.js';
import type { Deployer } from '../../engine/repairs/deployers.js';
import type { ObjectReport, Waiting, YieldedField } from '../../engine/run/events.js';
import { addressOf } from '../../engine/target/address.js';
import { isCrd, isEstablished, waitForEstablished } from '../../engine/target/wait-for-established.js';
import { objectAlreadyExistsError } from '../../engine/transfer/first-deploys.js';
import { releaseFormer } from '../../engine/transfer/rename.js';
import { ApiError, type ClusterClient, type ObjectAddress } from '../../kubernetes/index.js';
import {
  appliedIntentOf,
  appliedLast,
  applyEntryOf,
  type FieldConflict,
  isBeforeFirstApply,
  managedFieldsOf,
  ownerText,
  recordedFieldsOf,
} from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';

export interface StepContext {
  readonly cluster: ClusterClient;
  readonly signal: AbortSignal | undefined;
  /** The inventory entry before this run; pending if it has no uid. */
  readonly known: InventoryEntry | undefined;
  /** The managers that applied to the object before this run, with their entries: the stack, or stacks from which the object moves. */
  readonly deployers: readonly Deployer[];
  /** The object as the run read it before its first question; undefined if it was absent or not read. */
  readonly live: JsonObject | undefined;
  /** The seconds to wait for the deletion of an object that is recreated. */
  readonly deletionTimeoutSeconds: number;
  /** The seconds to wait for the object of a share. @default the policy's `waitSeconds` */
  readonly waitSeconds?: number | undefined;
  /** The expectation of the saved plan that the deploy is bound to. */
  readonly planned?: Expectation;
  /** The fields of others that may be removed with items that the intent drops; present if it drops items. */
  readonly approvedCollateral?: ApprovedFields | undefined;
  /** Decides if values of others that are incompatible with the intent may be removed; see `applyWithUnionClaims`. */
  readonly mayRemove?: ApplyTask['mayRemove'];
  /** Resolves field managers to stacks. */
  readonly names: OwnerNameResolver;
  /** Decides if a first deploy may force a conflict; see `ApplyTask`. */
  readonly mayForce?: ApplyTask['mayForce'];
  /** Checks releases against the policy `releases`; see `ApplyTask`. */
  readonly checkReleases?: ApplyTask['checkReleases'];
  /** True if the policy `ifPresent` permits the stack to own only an object that it creates. */
  readonly mustCreate: boolean;
  /** The managers of this run that share the object and therefore cannot have created it. */
  readonly sharers: ReadonlySet<string>;
  /** Returns true if this run has applied to an object. */
  readonly isApplied: (uid: string) => boolean;
  readonly onWait: (event: Omit<Waiting, 'event' | 'stack' | 'object'>) => void;
  /** Called if the response shows that managedFields were wiped since the first apply. */
  readonly onOwnersCleared: () => void;
  /** Called if the apply met conflicts that a later schema may hide; see `metAtomicConflict`. */
  readonly onAtomicConflict: () => void;
  /** Called as soon as the server has accepted the intent. */
  readonly onApplied: (accepted: AcceptedIntent) => void;
}

/** An intent that the server has accepted. */
export interface AcceptedIntent {
  /** The new inventory entry. */
  readonly entry: InventoryEntry;
  /** True if the apply may have changed the object's generation. */
  readonly affected: boolean;
  /** True for a CustomResourceDefinition that is established and whose spec did not change. */
  readonly established: boolean;
  /** True if the server wrote nothing, and would write nothing for the same request again. */
  readonly settled: boolean;
}

/** The outcome of a step, with the parts of its report. */
export type StepOutcome = Partial<ObjectReport> & Pick<ObjectReport, 'result'>;

/** The state of an object before the apply, as far as it is known. */
interface ObjectBefore {
  readonly uid: string;
  readonly resourceVersion: string | undefined;
  readonly appliedAt: string | undefined;
  readonly generation: number | undefined;
}

const establishTimeoutSeconds = 60;

/** Applies one intent by its lifecycle and returns its outcome. @throws the errors of the server. */
export async function applyStep(step: Step, context: StepContext): Promise<StepOutcome> {
  const address = await addressOf(context.cluster, step.intent);
  const apply = step.intent.lifecycle === 'own' ? ownOrFinished : share;
  let established = false;
  const onApplied = (accepted: AcceptedIntent) => {
    established ||= accepted.established;
    context.onApplied(accepted);
  };
  const outcome = await apply(step, address, { ...context, onApplied }).catch(async (failure) => {
    throw await stepFailure(failure, step, address, context);
  });
  if (isCrd(step.intent) && outcome.result !== 'conflict' && !established) {
    const onWait = () => context.onWait({ for: 'established', timeoutSeconds: establishTimeoutSeconds });
    await waitForEstablished(context.cluster, address, step.object, { seconds: establishTimeoutSeconds, signal: context.signal, onWait });
  }
  return outcome;
}

/** Returns the error to report for a failed apply. */
async function stepFailure(failure: unknown, step: Step, address: ObjectAddress, context: StepContext): Promise<unknown> {
  const error = causeOf(failure);
  if (repeatedPortNames(error).length > 0) {
    return portNameTaken(error, await context.cluster.tryGet(address), step.stack.manager) ?? error;
  }
  const merged = failure instanceof ApplyFailure ? failure.merged : undefined;
  if (merged !== undefined && error instanceof Error)
    return new ApplyFailure(error, { partialResult: changesOf(merged, managersOf(step.stack), context.names) });
  if (context.planned?.uid === undefined || !isOtherObject(error, context.planned)) return withRejected(failure, step, context.live);
  return planOutdatedError('The planned object no longer exists, or another one has its name', step.stack.manager);
}

/**
 * Applies an owned object; a finished Job that Kubernetes has removed does not run again: its uid in the request keeps the server from
 * creating another.
 */
async function ownOrFinished(step: Step, address: ObjectAddress, context: StepContext): Promise<StepOutcome> {
  const uid = isFinishedJob(step.object, context.known) ? context.known?.uid : undefined;
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
  const left = pending ? (context.live ?? (await context.cluster.tryGet(address))) : undefined; // A killed run may have created it.
  const ours = left !== undefined && createdBy(left, managers, context.sharers);
  const read = left ?? context.live;
  const isStrange = read !== undefined && !ours && known?.uid !== uidOf(read);
  if (isStrange && context.mustCreate) throw objectAlreadyExistsError(objectText(step.intent));
  const before = read ? beforeOf(read, step.stack.manager) : knownBefore(known);
  const creator = known?.deletable === true ? known.uid : ours ? uidOf(left) : undefined;
  if (isStrange) await waitForNextSecond(read, context.signal);
  const { applied, replaced } = await applyOrReplace(step, address, context, {
    managers,
    uid: context.planned?.uid ?? pinned ?? (read ? uidOf(read) : known?.uid),
    mayRetarget: context.planned?.uid === undefined && pinned === undefined,
    deletable: creator,
    isMergedClientSide: known?.strategy === 'dynamic' || appliedIntentOf(read, step.stack.manager) !== undefined,
  });
  if (applied.metAtomicConflict) context.onAtomicConflict();
  if (applied.outcome === 'conflict') return { ...conflicted(applied, managers, context.names), ...(replaced ? { replaced } : {}) };

  const uid = uidOf(applied.response.object);
  const same = known?.uid === uid && known.lifecycle === 'own';
  const created = applied.response.created || (ours && uidOf(left) === uid);
  const adopted = !created && !same ? { owners: otherOwners(applied.response.object, managers) } : undefined;
  const deletable = created || step.intent.policy.adopt || (same && known.deletable);
  const manager = step.stack.manager;
  const last = deployerOf(applied.response.object, context);
  if (isClearedSince(last, read, applied.response.object, managers)) context.onOwnersCleared();
  const report = successReport(step, applied, before, { known, read });
  context.onApplied({
    entry: entryOf(step, applied, deletable, last),
    affected: affected(before, applied),
    established: !affected(before, applied) && isEstablished(applied.response.object),
    settled: isSettled(report, applied, manager),
  });
  if (!isNotTerminating(applied.response.object))
    throw new ApplyFailure(objectTerminating(), { partialResult: changesOf(applied, managers, context.names) });
  const renamed = await releaseFormer(context.cluster, taskOf(step, address), applied);
  if (renamed)
    context.onApplied({ entry: entryOf(step, renamed.applied, deletable, last), affected: true, established: false, settled: false });
  return {
    ...report,
    ...renamed?.report,
    ...changedBy(renamed?.applied ?? applied, managers, context.names),
    ...(applied.response.created ? { result: replaced ? 'recreated' : 'created' } : {}),
    ...(replaced ? { replaced } : {}),
    ...(adopted ? { adopted } : {}),
    ...(adopted && known?.uid !== undefined ? { rejoined: true } : {}),
  };
}

/** Applies an intent; if a declared field is immutable and the policy permits it, deletes the object and creates it again. */
async function applyOrReplace(
  step: Step,
  address: ObjectAddress,
  context: StepContext,
  rights: Pick<ApplyToOneOptions, 'managers' | 'isMergedClientSide' | 'mayRetarget'> & {
    readonly uid: string | undefined;
    readonly deletable: string | undefined;
  },
): Promise<{ readonly applied: Applied | ApplyConflict; readonly replaced?: JsonObject }> {
  const { cluster, signal, deletionTimeoutSeconds, onWait } = context;
  const applyOptions = { ...context, ...rights };
  try {
    const task = taskOf(step, address, context);
    return { applied: await applyToOne(cluster, rights.uid === undefined ? task : { ...task, uid: rights.uid }, applyOptions) };
  } catch (failure) {
    const error = causeOf(failure);
    if (!(error instanceof ApiError) || !step.intent.policy.replace || immutableFields(error).length === 0) throw failure;
    const wait = {
      timeoutSeconds: deletionTimeoutSeconds,
      signal,
      onWait: (seconds: number) => onWait({ for: 'delete', timeoutSeconds: seconds }),
    };
    const replaced = await removeForReplacement(cluster, address, error, { intent: step.intent, ...rights }, wait);
    const { planned: _, ...others } = applyOptions;
    const freshOptions = { ...others, isMergedClientSide: false, mayRetarget: true };
    return { applied: await applyToOne(cluster, taskOf(step, address), freshOptions), ...(replaced ? { replaced } : {}) };
  }
}

async function share(step: Step, address: ObjectAddress, context: StepContext): Promise<StepOutcome> {
  const { cluster, known } = context;
  const makers = { ...context, managers: managersOf(step.stack) };
  const isGoing = context.live !== undefined && !isNotTerminating(context.live);
  let before = isGoing ? undefined : knownOrRead(known, context.live, step.stack.manager);
  let remembered = known?.strategy === 'dynamic';
  let rejoined = isGoing && known?.uid !== undefined;
  let read = isNotTerminating(context.live) ? context.live : undefined;
  for (;;) {
    if (!before) {
      read ??= await findShareTarget(cluster, address, {
        policy: step.intent.policy,
        waitSeconds: context.waitSeconds,
        knownBefore: rejoined,
        signal: context.signal,
        onWait: (seconds, terminating) =>
          context.onWait({ for: 'create', timeoutSeconds: seconds, ...(terminating ? { terminating } : {}) }),
      });
      if (read) refuseForeign(read, makers);
      before = read && beforeOf(read, step.stack.manager);
      remembered ||= appliedIntentOf(read, step.stack.manager) !== undefined;
    }
    try {
      const task = { ...taskOf(step, address, context), live: read, ...(before ? { uid: before.uid } : {}) };
      const applied = await applyToOne(cluster, task, {
        ...makers,
        isMergedClientSide: remembered,
        mustCreate: false,
        mayRetarget: !before,
      });
      if (applied.metAtomicConflict) context.onAtomicConflict();
      if (applied.outcome === 'conflict') return conflicted(applied, makers.managers, context.names);
      if (!isNotTerminating(applied.response.object))
        throw new ApplyFailure(targetTerminating(), { partialResult: changesOf(applied, makers.managers, context.names) });
      const last = deployerOf(applied.response.object, context);
      if (isClearedSince(last, read, applied.response.object, makers.managers)) context.onOwnersCleared();
      const report = successReport(step, applied, before, { known, read });
      const changed = report.result !== 'unchanged' && affected(before, applied);
      context.onApplied({
        entry: entryOf(step, applied, false, last),
        affected: changed,
        established: !affected(before, applied) && isEstablished(applied.response.object),
        settled: isSettled(report, applied, step.stack.manager),
      });
      const renamed = await releaseFormer(cluster, taskOf(step, address), applied);
      if (renamed) {
        const changedAfter = changed || affected(before, renamed.applied);
        context.onApplied({
          entry: entryOf(step, renamed.applied, false, last),
          affected: changedAfter,
          established: false,
          settled: false,
        });
      }
      return {
        ...report,
        ...renamed?.report,
        ...changedBy(renamed?.applied ?? applied, makers.managers, context.names),
        ...(rejoined ? { rejoined } : {}),
      };
    } catch (error) {
      if (!before || !(isOtherObject(error, before) || isOnlyTerminating(error)) || context.planned) throw error;
      // The pinned object is absent, terminating or replaced: find the object that has its name now, and never create it.
      before = undefined;
      read = undefined;
      rejoined = true;
    }
  }
}

function taskOf(
  step: Step,
  address: ObjectAddress,
  { planned, approvedCollateral, mayRemove, live, mayForce, checkReleases }: Partial<StepContext> = {},
) {
  const { manager } = step.stack;
  return {
    address,
    object: step.object as PartialObject,
    manager,
    formerManagers: formerManagersOf(step.stack),
    policy: step.intent.policy,
    ...dynamicOf(step.intent.policy),
    ...(planned?.uid === undefined ? {} : { uid: planned.uid }),
    ...(planned === undefined ? {} : { expects: planned.expects }),
    approvedCollateral,
    mayRemove,
    live,
    mayForce,
    checkReleases,
  };
}

/** Adds the dropped fields that the server requires to its rejection. */
function withRejected(error: unknown, step: Step, live: JsonObject | undefined): unknown {
  if (!(error instanceof ApiError) || error.code !== 422 || live === undefined) return error;
  const released = rejectedIn(live, step.object, managersOf(step.stack), error.causes);
  return released.length > 0 ? new ApplyFailure(error, { partialResult: { released } }) : error;
}

/** Returns true if an apply failed only because the object is being deleted, and has no changes to report. */
function isOnlyTerminating(failure: unknown): boolean {
  const { forcedConflicts = [], ...others } = partialResultOf(failure);
  const isNothing = forcedConflicts.length === 0 && Object.keys(others).length === 0;
  const error = causeOf(failure);
  return error instanceof FieldwiseError && error.code === 'object-terminating' && isNothing;
}

function conflicted({ conflicts, merged }: ApplyConflict, managers: readonly string[], names: OwnerNameResolver): StepOutcome {
  return { result: 'conflict', conflicts, ...(merged ? changesOf(merged, managers, names) : {}) };
}

/** Returns the changes of an incomplete apply. */
function changesOf(applied: Applied, managers: readonly string[], names: OwnerNameResolver): PartialResult {
  const { forcedConflicts, collateral } = applied;
  return {
    forcedConflicts,
    ...(collateral.length > 0 ? { collateral } : {}),
    ...changedBy(applied, managers, names),
  };
}

function successReport(
  step: Step,
  applied: Applied,
  before: ObjectBefore | undefined,
  { known, read }: Pick<StepContext, 'known'> & { readonly read: JsonObject | undefined },
) {
  const { manager } = step.stack;
  const result = resultOf(applied, before, manager);
  // Topology is compared with the inventory only if neither a read nor a conflict has compared it with the object. A list merged
  // client-side has items of others, whoever owns the whole list on the server.
  const sameIntent = known?.items !== undefined && !isEdited(known, step.object) && step.intent.policy.strategy !== 'dynamic';
  const unread = read === undefined && sameIntent && applied.forcedConflicts.length + applied.yielded.length === 0;
  const retyped =
    unread && (result === 'updated' || result === 'applied') && affected(before, applied)
      ? topologyChangedSince(applied.response.object, managersOf(step.stack), known.items)
      : [];
  return {
    result,
    forcedConflicts: unread ? retyped : applied.forcedConflicts,
    yielded: applied.yielded.map(yieldedField),
    ...(applied.collateral.length > 0 ? { collateral: applied.collateral } : {}),
    warnings: applied.response.warnings,
  };
}

/** Returns a yielded conflict, whose value did not change. */
function yieldedField({ oldValue, newValue, ...owned }: FieldConflict): YieldedField {
  return { ...owned, ...(oldValue === undefined ? {} : { value: oldValue }), ...(newValue === undefined ? {} : { declared: newValue }) };
}

/** Returns the fields that an apply released, and the unowned values that it changed; empty if the object was not read before. */
function changedBy(
  { before, response, sent, forcedConflicts, yielded }: Applied,
  managers: readonly string[],
  names: OwnerNameResolver,
): Pick<ObjectReport, 'released' | 'overwritten'> {
  if (before === undefined) return {};
  const contested = [...forcedConflicts, ...yielded].map(({ field }) => field);
  const released = releasedIn({ live: before, after: response.object, intent: sent, managers, contested, names });
  const overwritten = overwrittenIn({ live: before, after: response.object }, managers[0] as string, contested, names);
  return { ...(released.length > 0 ? { released } : {}), ...(overwritten.length > 0 ? { overwritten } : {}) };
}

/** Returns the outcome that the response proves; see `Outcome`. */
function resultOf(applied: Applied, before: ObjectBefore | undefined, manager: string): Outcome {
  const { object, created, changed, responseLost } = applied.response;
  const { resourceVersion } = object.metadata as JsonObject;
  if (created) return 'created';
  if (changed !== undefined && !responseLost) return changed ? 'updated' : 'unchanged';
  if (applied.pinned !== undefined) return applied.pinned === resourceVersion ? 'unchanged' : 'updated';
  if (!before || before.uid !== uidOf(object)) return 'applied';
  if (before.resourceVersion === resourceVersion) return 'unchanged';
  const appliedAt = applyEntryOf(object, manager)?.time;
  return appliedAt !== undefined && before.resourceVersion !== undefined && appliedAt !== before.appliedAt ? 'updated' : 'applied';
}

/** Returns true if the same apply again would write and report nothing; conflicts are reported by every run. */
function isSettled(
  { result }: Pick<ObjectReport, 'result'>,
  { forcedConflicts, yielded, collateral, response }: Applied,
  manager: string,
): boolean {
  const settledFirst = forcedConflicts.length + yielded.length + collateral.length > 0;
  return result === 'unchanged' && !settledFirst && appliedLast(response.object, manager);
}

/** Returns the inventory entry for the same object before this run, of this stack or of the stack from which the object moves. */
function deployerOf(object: JsonObject, { deployers }: StepContext): InventoryEntry | undefined {
  return deployers.find(({ known }) => known.uid === uidOf(object))?.known;
}

/** @param last the entry for the same object before this run. */
function entryOf(step: Step, applied: Applied, deletable: boolean, last: InventoryEntry | undefined): InventoryEntry {
  const { apiVersion, kind, namespace, name, lifecycle } = step.intent;
  const { uid, resourceVersion } = applied.response.object.metadata as JsonObject;
  const isDynamic = step.intent.policy.strategy === 'dynamic';
  // If managedFields were wiped there is no time; the recorded one shows that there was an owner before.
  const appliedAt = applyEntryOf(applied.response.object, step.stack.manager)?.time ?? (isDynamic ? last?.appliedAt : undefined);
  const generation = generationOf(applied.response.object);
  return {
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    lifecycle,
    uid: uid as string,
    deletable,
    ...policyToRemember(step.intent),
    ...appliedItems(step.object, applied.response.object, step.stack.manager),
    resourceVersion: resourceVersion as string,
    ...(isDynamic ? { strategy: 'dynamic' } : {}),
    ...(appliedAt === undefined ? {} : { appliedAt }),
    ...initialEntryTime(last, applied.response.object),
    ...(generation === undefined ? {} : { generation }),
  };
}

/** Returns true unless the generation is the one from before: then the apply gives the object's controller nothing to do. */
function affected(before: ObjectBefore | undefined, applied: Applied): boolean {
  const generation = generationOf(applied.response.object);
  return generation === undefined || before?.uid !== uidOf(applied.response.object) || before.generation !== generation;
}

function generationOf(object: JsonObject): number | undefined {
  const { generation } = object.metadata as JsonObject;
  return typeof generation === 'number' ? generation : undefined;
}

/** Returns the time of the `before-first-apply` entry that existed at the stack's first apply. */
function initialEntryTime(last: InventoryEntry | undefined, object: JsonObject): Pick<InventoryEntry, 'initialEntryTime'> {
  const isOld = last !== undefined && !isUnrecorded(last);
  const found = isOld ? last.initialEntryTime : recordedFieldsOf(object).find(isBeforeFirstApply)?.time;
  return found === undefined ? {} : { initialEntryTime: found };
}

function knownBefore(known: InventoryEntry | undefined): ObjectBefore | undefined {
  if (known?.uid === undefined) return undefined;
  const { uid, resourceVersion, appliedAt, generation } = known;
  return { uid, resourceVersion, appliedAt, generation };
}

/** Returns the state from the inventory, or from the live object if it was read and is the same. */
function knownOrRead(known: InventoryEntry | undefined, live: JsonObject | undefined, manager: string): ObjectBefore | undefined {
  const before = knownBefore(known);
  return before && live && before.uid === uidOf(live) ? beforeOf(live, manager) : before;
}

function beforeOf(live: JsonObject, manager: string): ObjectBefore {
  const resourceVersion = (live.metadata as JsonObject).resourceVersion as string;
  return { uid: uidOf(live), resourceVersion, appliedAt: applyEntryOf(live, manager)?.time, generation: generationOf(live) };
}

function otherOwners(object: JsonObject, ours: readonly string[]): string[] {
  return [
    ...new Set(
      managedFieldsOf(object)
        .filter((entry) => !ours.includes(entry.manager))
        .map(ownerText),
    ),
  ];
}

function uidOf(object: JsonObject | undefined): string {
  return String((object?.metadata as JsonObject | undefined)?.uid);
}
