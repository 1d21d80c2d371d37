import { objectText } from '../../../assembly/identity.js';
import { addressIfServed, addressOf } from '../../../engine/addresses/address.js';
import { removedMemberText } from '../../../engine/apply/apply-with-union-claims.js';
import { forcedConflictText } from '../../../engine/apply/conflict-policy.js';
import { expectationOf } from '../../../engine/apply/preconditions/expectation.js';
import type { Unchanged } from '../../../engine/apply/skip/find-unchanged.js';
import { rememberedFingerprint } from '../../../engine/apply/skip/noop-fingerprint.js';
import { releasePolicyFor, strictestRelease } from '../../../engine/field-changes/release-policy.js';
import type { Step } from '../../../engine/graph/waves.js';
import { type InventoryEntry, isSameEntry, withoutItems } from '../../../engine/inventory/inventory-entry.js';
import { isNewOrChanged } from '../../../engine/live/live-before.js';
import { causeOf, type PartialResult, partialResultOf } from '../../../engine/object/apply-failure.js';
import { mayContainOwnedFields } from '../../../engine/object/collateral.js';
import { isOutcomeUnknown } from '../../../engine/object/settle.js';
import { releasesUnderPolicy, releaseUnconfirmed } from '../../../engine/release/find-releases.js';
import { type Contention, contentionAfter, contentionBeyondLimit } from '../../../engine/report/contention.js';
import { unattempted } from '../../../engine/report/error-scope.js';
import type { ChangedField, ObjectReport } from '../../../engine/report/events.js';
import { defaultDeletionTimeoutSeconds, type RunOptions } from '../../../engine/run/options.js';
import { policyToRemember, type StackState } from '../../../engine/run/stack-state.js';
import { coOwnersAfter } from '../../../engine/transfer/co-owners-after.js';
import { checkFieldTransfer, type TransferredFields, transferFields } from '../../../engine/transfer/field-transfers.js';
import { isFirstDeploy } from '../../../engine/transfer/first-deploys.js';
import { type ClusterClient, isForbidden } from '../../../kubernetes/index.js';
import type { FieldConflict } from '../../../ownership/index.js';
import { parseExactJson } from '../../../util/exact-json.js';
import type { JsonObject } from '../../../util/json.js';
import type { ConfirmedDeploy } from '../confirm-deploy.js';
import { type DeployProgress, failedDependency } from '../deploy-progress.js';
import { applyStep } from './apply-step.js';
import { repairAfter, repairBefore } from './repair.js';
import type { AcceptedIntent, StepContext, StepOutcome } from './step-context.js';
import { stepReport } from './step-report.js';

/** Receives the uid of the object, and true if the apply may have changed its generation. */
type OnApplied = (uid: string, affected: boolean) => void;

/**
 * Applies one intent of a deploy, and sets the new inventory entry in its stack's state. Reports the server's errors and does not throw
 * them.
 */
export async function deployStep(
  deploy: ConfirmedDeploy,
  progress: DeployProgress,
  step: Step,
  onApplied: OnApplied,
): Promise<ObjectReport> {
  const state = progress.states.get(step.stack.name) as StackState;
  const { transfers, run } = deploy;
  const unclaimed = progress.unclaimed.get(step);
  if (unclaimed && (run.stopped === undefined || isOutcomeUnknown(unclaimed.error)))
    return { ...stepReport(step), result: 'failed', error: run.note(unclaimed.error) };
  const reason =
    run.stopped ??
    state.writeFailure ??
    failedDependency(step, progress.failed, { transfers, states: progress.states, unclaimed: progress.unclaimed });
  if (reason !== undefined) return { ...stepReport(step), result: 'skipped', reason };
  const mustSend = progress.appliedKeys.has(step.key) || transfers.has(step);
  const unchanged = mustSend ? undefined : progress.unchanged.get(step);
  run.countIntent(unchanged ? 'provedUnchanged' : 'sent');
  if (unchanged) return reportUnchanged(step, state, unchanged, onApplied);
  progress.appliedKeys.add(step.key);
  return new StepAttempt(deploy, progress, step, state, onApplied).run();
}

/** Reports an intent that is already applied, and updates the inventory entry with the data that proved it. */
function reportUnchanged(step: Step, state: StackState, unchanged: Unchanged, onApplied: OnApplied): ObjectReport {
  const known = state.before.entries.get(step.key) as InventoryEntry;
  onApplied(known.uid ?? '', false);
  const { retain: _, conflicts: __, releases: ___, ...others } = known;
  const entry = { ...others, ...unchanged, ...policyToRemember(step.intent) };
  if (!isSameEntry(entry, known)) state.entries.set(step.key, entry);
  return { ...stepReport(step), result: 'unchanged' };
}

/** One attempt to apply an intent. It collects partial results, because the report of a failure contains them. */
class StepAttempt {
  readonly #deploy: ConfirmedDeploy;
  readonly #progress: DeployProgress;
  readonly #step: Step;
  readonly #state: StackState;
  readonly #onApplied: OnApplied;
  /** The inventory entry before this run. */
  readonly #known: InventoryEntry | undefined;
  /** The changes of the intent once the server has accepted it, for a report of the apply whatever fails after it. */
  #changes: PartialResult | undefined;
  #contended: readonly Contention[] | undefined;
  #areOwnersCleared = false;
  #isUnreadable = false;
  #metAtomicConflict = false;
  #mayArriveLate = false;
  #isOtherUnread = false;

  constructor(deploy: ConfirmedDeploy, progress: DeployProgress, step: Step, state: StackState, onApplied: OnApplied) {
    this.#deploy = deploy;
    this.#progress = progress;
    this.#step = step;
    this.#state = state;
    this.#onApplied = onApplied;
    this.#known = state.before.entries.get(step.key);
  }

  get #isAccepted(): boolean {
    return this.#changes !== undefined;
  }

  get #cluster(): ClusterClient {
    return this.#deploy.session.cluster;
  }

  get #options(): RunOptions {
    return this.#deploy.options;
  }

  async run(): Promise<ObjectReport> {
    const report = await this.#report();
    return this.#mayArriveLate ? { ...report, warnings: [...(report.warnings ?? []), lateWarning] } : report;
  }

  async #report(): Promise<ObjectReport> {
    const { run } = this.#deploy;
    try {
      return await this.#apply();
    } catch (error) {
      const noted = run.note(causeOf(error));
      if (this.#metAtomicConflict || unconfirmedCodes.has(noted.code)) this.#forgetItems();
      const partialResult = partialResultOf(error);
      if (isUnsure(partialResult)) this.#progress.forceNotes.keep(this.#state, this.#step.key);
      const isUnchanged = !this.#isAccepted && Object.keys(partialResult).length === 0;
      if (unattempted.has(noted.code) && isUnchanged)
        return { ...stepReport(this.#step), result: 'skipped', reason: run.stopped ?? noted.message };
      const changes = { ...this.#changes, ...partialResult };
      const contended = this.#isAccepted ? this.#noteForcedConflicts(changes.forcedConflicts) : [];
      return { ...stepReport(this.#step), ...changes, ...contendedIn(contended), result: 'failed', error: noted };
    }
  }

  async #apply(): Promise<ObjectReport> {
    const step = this.#step;
    const transfer = this.#deploy.transfers.get(step);
    const schema = await this.#schemaFingerprint();
    await repairBefore(this.#cluster, step, this.#deploy);
    if (transfer && !transfer.isImplied) await checkFieldTransfer(this.#cluster, step, transfer);
    const outcome = await applyStep(step, await this.#context(schema));
    const contended = await this.#noteApplied(outcome);
    const moved = this.#isAccepted && transfer && !transfer.isImplied ? await transferFields(this.#cluster, step, transfer) : undefined;
    this.#recordVersion(moved?.object);
    const hasUnknownReleases = this.#isOtherUnread || (this.#isUnreadable && this.#known !== undefined);
    return {
      ...stepReport(step),
      ...(moved?.transferred ? transferredOutcome(outcome, moved.transferred) : outcome),
      ...contendedIn(contended),
      ...(hasUnknownReleases ? { warnings: [...(outcome.warnings ?? []), unreadableText] } : {}),
    };
  }

  async #context(schema: string | undefined): Promise<StepContext> {
    const { names, host, lifecycleTransfers, collateral } = this.#deploy;
    const { sharers, latestVersions } = this.#progress;
    const step = this.#step;
    const { plan, signal, waitSeconds, deletionTimeoutSeconds = defaultDeletionTimeoutSeconds } = this.#options;
    const planned = plan && expectationOf(plan.saved, step.stack.name, step.key);
    return {
      cluster: this.#cluster,
      signal,
      ...(planned ? { planned } : {}),
      known: this.#known,
      deployers: lifecycleTransfers.deployersOf(step, this.#known),
      live: await this.#liveBeforeApply(schema, planned?.uid),
      names,
      mayForce: this.#mayForce(),
      isLeaving: this.#deploy.isLeavingOf(step),
      claimed: this.#progress.claimed.get(step),
      beforeLoss: (pass) => this.#progress.forceNotes.note(this.#state, { key: step.key, entry: step.intent }, pass),
      beforeCreation: () => this.#noteCreation(),
      checkReleases: this.#checkReleases(),
      onUnreadable: () => {
        this.#isOtherUnread = true;
      },
      onMayArriveLate: () => {
        this.#mayArriveLate = true;
      },
      ownsOnlyCreated: this.#ownsOnlyCreated(),
      approvedCollateral: collateral.get(step),
      mayRemove: this.#mayRemove(),
      onWarning: host,
      onOwnersCleared: () => {
        this.#areOwnersCleared = true;
      },
      onAtomicConflict: () => {
        this.#metAtomicConflict = true;
      },
      deletionTimeoutSeconds,
      waitSeconds,
      sharers: sharers.get(step.key) ?? new Set(),
      isApplied: (uid) => latestVersions.has(uid),
      mayBeOldSchema: (error) =>
        !this.#isAccepted && this.#progress.changedDefinitions.mayExplain(error, step.intent, this.#cluster.machine.wall()),
      onWait: (wait) => host({ event: 'waiting', stack: step.stack.name, object: objectText(step.intent), ...wait }),
      onApplied: (accepted) => this.#noteAccepted(accepted, schema),
    };
  }

  #noteAccepted({ entry: applied, affected, settled, isProvedByObject, changes }: AcceptedIntent, schema: string | undefined): void {
    this.#changes = changes;
    this.#onApplied(applied.uid ?? '', affected);
    const { noopFingerprints, latestVersions, changedDefinitions, unobserved } = this.#progress;
    if (affected) changedDefinitions.record(this.#step.object, this.#cluster.machine.wall());
    const entry = schema === undefined ? applied : { ...applied, schema };
    // Otherwise admission may have changed the PATCH into one that changes nothing, and need not do so for the next one.
    const isNoop = () => settled && (unobserved.get(this.#step) === entry.resourceVersion || isProvedByObject());
    const fingerprint = rememberedFingerprint(noopFingerprints, isNoop, this.#step, entry, this.#known);
    this.#state.entries.set(this.#step.key, { ...entry, ...fingerprint });
    if (entry.uid !== undefined && entry.resourceVersion !== undefined) latestVersions.record(entry.uid, entry.resourceVersion);
  }

  /** Repairs the recorded owners after the apply, and records contention. @returns the contended fields. */
  async #noteApplied({ forcedConflicts }: StepOutcome) {
    const entry = this.#state.entries.get(this.#step.key);
    const applied = {
      uid: entry?.uid ?? '',
      isWiped: this.#areOwnersCleared,
      isChanged: isNewOrChanged(this.#step, this.#known),
      yes: this.#options.yes === true,
    };
    this.#keepLateMark();
    if (this.#isAccepted) this.#recordVersion(await repairAfter(this.#cluster, this.#step, this.#deploy, applied, this.#deploy.host));
    const contended = this.#noteForcedConflicts(forcedConflicts);
    if (this.#metAtomicConflict) this.#forgetItems();
    return contended;
  }

  /** Notes the creation of an object in place of one that an entry names. */
  async #noteCreation(): Promise<void> {
    if (this.#known?.uid !== undefined) await this.#progress.forceNotes.noteCreation(this.#state, this.#step.key);
  }

  /** The creation of a run before, which was cut off, may still arrive after the object of this run is gone: its mark will show it. */
  #keepLateMark(): void {
    const { pendingMark, lateUntil } = this.#known ?? {};
    const entry = this.#state.entries.get(this.#step.key);
    if (!this.#isAccepted || entry === undefined || pendingMark === undefined || lateUntil === undefined) return;
    this.#state.entries.set(this.#step.key, { ...entry, pendingMark, lateUntil });
  }

  /** Records once the fields that were taken by force, and how often in a row. @returns the contended fields. */
  #noteForcedConflicts(forcedConflicts: readonly FieldConflict[] = []): readonly Contention[] {
    if (this.#contended) return this.#contended;
    const { stack, key, intent } = this.#step;
    const entry = this.#state.entries.get(key);
    const contention = contentionAfter(new Date(this.#cluster.machine.wall()), this.#known?.contention, forcedConflicts);
    if (this.#isAccepted && entry && contention.length > 0) this.#state.entries.set(key, { ...entry, contention });
    for (const { field, from } of forcedConflicts) {
      this.#progress.forcedConflicts.push({ object: objectText(intent), key, field, from, stack: stack.name, manager: stack.manager });
    }
    this.#contended = contentionBeyondLimit(contention, this.#options.contentionLimit);
    return this.#contended;
  }

  /** Removes the items from the inventory entry, so that the next run reads the object and can ask about it before its first write. */
  #forgetItems(): void {
    const entry = this.#state.entries.get(this.#step.key);
    if (entry?.items === undefined) return;
    this.#state.entries.set(this.#step.key, withoutItems(entry));
  }

  /** True if `--yes` or an approved plan answers questions that arise during the run. */
  get #isPreapproved(): boolean {
    return this.#options.yes === true || this.#options.plan !== undefined;
  }

  /** Permits a first deploy to force the conflicts that were confirmed, and those with other stacks of the run. */
  #mayForce(): StepContext['mayForce'] {
    if (this.#options.forces === false) return () => false;
    if (this.#isPreapproved) return undefined;
    const { firstDeploys, live: before } = this.#deploy;
    const approved = firstDeploys.forcedConflicts.get(this.#step);
    const isFirst = isFirstDeploy(this.#step, this.#known, before.get(this.#step));
    return (conflict, live) => {
      // Another object may have the name since the read, or since the last deploy if the object was not read.
      if (!isFirst && !isFirstDeploy(this.#step, this.#known, live)) return true;
      return this.#progress.managers.has(conflict.from) || approved?.has(forcedConflictText(conflict)) === true;
    };
  }

  /**
   * Permits the removal of confirmed values. Those that are incompatible with an unchanged intent are found only when the server rejects
   * it.
   */
  #mayRemove(): StepContext['mayRemove'] {
    const approved = this.#deploy.repairs.forcedUnionMembers.get(this.#step);
    return (conflict) => this.#isPreapproved || approved?.has(removedMemberText(conflict)) === true;
  }

  #checkReleases(): StepContext['checkReleases'] {
    const step = this.#step;
    const { policy } = step.intent;
    const { releases, names } = this.#deploy;
    if (this.#options.plan || strictestRelease(policy) === 'report' || !isNewOrChanged(step, this.#known)) return undefined;
    const checked = releases.checked.get(step);
    return (live, object) => {
      const more = releasesUnderPolicy(live, object, step, this.#known, names).filter((field) => !checked?.has(field));
      const open = more.filter((field) => this.#options.yes !== true || releasePolicyFor(field, policy) === 'fail');
      if (open.length > 0) throw releaseUnconfirmed(open, step.stack.manager);
    };
  }

  /**
   * Returns true if the policy `ifPresent` forbids owning an existing object; not if the run read the object and therefore asked about
   * it.
   */
  #ownsOnlyCreated(): boolean {
    const { lifecycle, policy } = this.#step.intent;
    if (lifecycle !== 'own' || policy.transferFrom !== undefined || policy.ifPresent === undefined) return false;
    return !(policy.ifPresent === 'ask' && this.#isPreapproved) && this.#deploy.live.get(this.#step) === undefined;
  }

  /**
   * Returns the object as it was read, or reads it again if its recorded owners have just been repaired.
   *
   * @param plannedUid the uid of the object to which a saved plan binds the apply.
   */
  async #liveBeforeApply(schema: string | undefined, plannedUid: string | undefined): Promise<JsonObject | undefined> {
    const step = this.#step;
    const { live, repairs } = this.#deploy;
    const isRepaired = repairs.removedVersionEntries.has(step) || repairs.cleared.has(step);
    if (isRepaired) return this.#cluster.tryGet(await addressOf(this.#cluster, step.intent));
    if (live.has(step)) return live.get(step);
    const drifted = this.#progress.drifted.get(step);
    if (drifted !== undefined) return parseExactJson(drifted) as JsonObject;
    const isOther = plannedUid !== undefined && plannedUid !== this.#known?.uid; // Nothing recorded is about that object.
    const isRepair = this.#options.onlyAsApplied === true; // Its report says what it restores.
    if (!isRepair && !isOther && !isNewOrChanged(step, this.#known) && !isRedefined(step, this.#known, schema)) return undefined;
    return this.#readIfPermitted(); // Without a read, the releases of the apply are unknown.
  }

  /** Reads the object if the credentials permit it; otherwise the report warns that the released fields are unknown. */
  async #readIfPermitted(): Promise<JsonObject | undefined> {
    const address = await addressIfServed(this.#cluster, this.#step.intent);
    if (address === undefined) return undefined;
    try {
      return await this.#cluster.tryGet(address);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      this.#isUnreadable = true;
      return undefined;
    }
  }

  #recordVersion(object: JsonObject | undefined): void {
    const { uid, resourceVersion } = (object?.metadata ?? {}) as { uid?: string; resourceVersion?: string };
    if (uid !== undefined && resourceVersion !== undefined) this.#progress.latestVersions.record(uid, resourceVersion);
  }

  /** Reads the fingerprint before the apply, so that the next run detects a schema that changed in between. */
  async #schemaFingerprint(): Promise<string | undefined> {
    const { schemaFingerprints } = this.#progress;
    if (!schemaFingerprints) return undefined;
    const { apiVersion, kind } = this.#step.intent;
    return schemaFingerprints.fingerprintOf(await this.#cluster.resourceOf(apiVersion, kind));
  }
}

function contendedIn(contended: readonly Contention[]): Pick<ObjectReport, 'contendedFields'> {
  return contended.length > 0 ? { contendedFields: contended } : {};
}

const lateWarning =
  'The connection broke before this was answered, and it was sent again. The first request may still arrive, and set the fields of this stack back to what this run declares: `fieldwise drift` shows it.';

const unreadableText =
  'These credentials may not read the object, so the fields that this apply released are unknown. Grant the permission to get its kind.';

/**
 * Returns true if the schema of a custom resource is known to have changed since the last apply: parts of lists and maps that others own as
 * one value may have lost their owner.
 */
function isRedefined({ intent }: Step, known: InventoryEntry | undefined, schema: string | undefined): boolean {
  return known?.schema !== undefined && schema !== undefined && known.schema !== schema && mayContainOwnedFields(intent.apiVersion);
}

/** Returns the outcome of an apply after a transfer: the previous owner owns the fields no longer. */
function transferredOutcome({ changed = [], ...outcome }: StepOutcome, transferred: TransferredFields): StepOutcome {
  const left = changed.flatMap((field): readonly ChangedField[] => {
    const owners = coOwnersAfter(field, transferred);
    if (owners === undefined) return [field];
    return owners.length > 0 ? [{ ...field, owners }] : [];
  });
  return { ...outcome, result: updatedOutcome(outcome.result), transferred, ...(left.length > 0 ? { changed: left } : {}) };
}

/** Returns the outcome after a transfer or a claim, which changes at least the owners. */
export function updatedOutcome(result: ObjectReport['result']): ObjectReport['result'] {
  return result === 'unchanged' || result === 'applied' ? 'updated' : result;
}

/** The codes of errors for an apply that needs a confirmation that was not asked for before the run. */
const unconfirmedCodes: ReadonlySet<string> = new Set(['force-unconfirmed', 'union-member-owned']);

/** Returns true if a run does not know what a pass did that it has noted: the next one finds out. */
function isUnsure({ forcedConflicts = [], released = [] }: PartialResult): boolean {
  return forcedConflicts.some(({ perhaps }) => perhaps) || released.some(({ change }) => change === 'perhaps');
}
