import { formerManagersOf, objectText } from '../../assembly/identity.js';
import { causeOf, partialResultOf } from '../../engine/apply/apply-failure.js';
import { removedMemberText } from '../../engine/apply/apply-with-union-claims.js';
import { forcedConflictText } from '../../engine/apply/conflict-policy.js';
import { createdBy } from '../../engine/apply/created-by.js';
import { expectationOf } from '../../engine/apply/expectation.js';
import { findUnchanged, type Unchanged } from '../../engine/apply/skip/find-unchanged.js';
import { NoopFingerprints, rememberedFingerprint } from '../../engine/apply/skip/noop-fingerprint.js';
import { SchemaFingerprints } from '../../engine/apply/skip/schema-fingerprints.js';
import { dependsOn } from '../../engine/graph/depends-on.js';
import type { Step } from '../../engine/graph/waves.js';
import { contentionAfter, contentionBeyondLimit } from '../../engine/inventory/contention.js';
import { type InventoryEntry, isSameEntry } from '../../engine/inventory/inventory-entry.js';
import type { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { policyToRemember, type StackState } from '../../engine/inventory/stack-state.js';
import { isNewOrChanged, type LiveBefore } from '../../engine/live/live-before.js';
import { DeployReadiness } from '../../engine/readiness/deploy-readiness.js';
import { pendingReleases, releasesUnderPolicy, releaseUnconfirmed } from '../../engine/release/find-releases.js';
import { releasePolicyFor, strictestRelease } from '../../engine/release/release-policy.js';
import { type ApprovedFields, mayContainOwnedFields } from '../../engine/removal/collateral.js';
import type { RemovalCandidate } from '../../engine/removal/may-need.js';
import { undeclaredEntries } from '../../engine/removal/prune-question.js';
import type { ApprovedReleases, LiveRemovals } from '../../engine/removal/release-collateral.js';
import { deletionOptions, objectsToDelete, removeEntry, reportOf } from '../../engine/removal/remove-entry.js';
import { removeInReverseOrder } from '../../engine/removal/remove-in-reverse-order.js';
import { unattempted } from '../../engine/run/error-scope.js';
import { type EventHost, emptyReport, type ObjectReport } from '../../engine/run/events.js';
import { forEachConcurrent, forEachConcurrentFair } from '../../engine/run/for-each-concurrent.js';
import { LatestResourceVersions } from '../../engine/run/latest-resource-versions.js';
import { defaultConcurrency, defaultDeletionTimeoutSeconds, type RunOptions } from '../../engine/run/options.js';
import type { Run } from '../../engine/run/run.js';
import { addressIfServed, addressOf } from '../../engine/target/address.js';
import { objectReference } from '../../engine/target/object-reference.js';
import { isSelected } from '../../engine/target/select-stacks.js';
import { checkFieldTransfer, type FieldTransfer, type TransferredFields, transferFields } from '../../engine/transfer/field-transfers.js';
import { type FirstDeploys, isFirstDeploy } from '../../engine/transfer/first-deploys.js';
import type { LifecycleTransfers } from '../../engine/transfer/lifecycle-transfers.js';
import type { NewOwner } from '../../engine/transfer/other-stacks.js';
import { transferLifecycles } from '../../engine/transfer/transfer-lifecycle.js';
import { type Cluster, isForbidden } from '../../kubernetes/index.js';
import type { ForcedConflict } from '../../plan/forced-by-both.js';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import { applyStep, type StepContext } from './apply-step.js';
import { repairAfter, repairBefore } from './repair.js';
import type { Repairs } from './repairs.js';
import type { StaleRemovals } from './stale-removals.js';

/** What a deploy has found before its first change. */
export interface DeploymentInput {
  readonly cluster: Cluster;
  readonly options: RunOptions;
  readonly host: EventHost;
  readonly run: Run;
  readonly steps: readonly Step[];
  /** The steps in the order in which they are applied. */
  readonly waves: readonly (readonly Step[])[];
  readonly states: readonly StackState[];
  readonly live: LiveBefore;
  /** Objects that end. */
  readonly liveRemovals: LiveRemovals;
  readonly names: OwnerNameResolver;
  /** Which fields of others may go along with items that an intent drops. */
  readonly approvedCollateral: ReadonlyMap<Step, ApprovedFields>;
  /** The same for releases. */
  readonly approvedReleases: ApprovedReleases;
  /** What intents take over from others. */
  readonly transfers: ReadonlyMap<Step, FieldTransfer>;
  /** What is wrong with recorded owners, and whether the part of `before-first-apply` ends where they were wiped. */
  readonly repairs: Repairs & { readonly endsStrangers: boolean };
  readonly removedVersionsRewriter: StaleRemovals['removedVersionsRewriter'];
  /** Which rights to delete move. */
  readonly lifecycleTransfers: LifecycleTransfers;
  readonly firstDeploys: FirstDeploys;
  /** Fields that steps release and that a policy other than `report` has looked at. */
  readonly checkedReleases: ReadonlyMap<Step, ReadonlySet<string>>;
}

/** A deploy under way: its phases in the order in which `deploy` calls them. */
export class Deployment {
  readonly #cluster: Cluster;
  readonly #options: RunOptions;
  readonly #host: EventHost;
  readonly #run: Run;
  readonly #steps: readonly Step[];
  readonly #waves: readonly (readonly Step[])[];
  readonly #live: LiveBefore;
  readonly #liveRemovals: LiveRemovals;
  readonly #names: OwnerNameResolver;
  readonly #approvedCollateral: ReadonlyMap<Step, ApprovedFields>;
  readonly #approvedReleases: ApprovedReleases;
  readonly #transfers: ReadonlyMap<Step, FieldTransfer>;
  readonly #repairs: DeploymentInput['repairs'];
  readonly #removedVersionsRewriter: DeploymentInput['removedVersionsRewriter'];
  readonly #lifecycleTransfers: LifecycleTransfers;
  readonly #firstDeploys: FirstDeploys;
  readonly #checkedReleases: DeploymentInput['checkedReleases'];
  /** Field managers of the stacks of this run. */
  readonly #managers: ReadonlySet<string>;
  readonly #states: ReadonlyMap<string, StackState>;
  readonly #concurrency: number;
  readonly #latestVersions = new LatestResourceVersions();
  /** By step, where nothing needs to be sent; an apply of the same object by another stack voids it. */
  #unchanged: ReadonlyMap<Step, Unchanged> = new Map();
  /** Objects of unchanged intents that a look for drift has read anyway, as JSON. */
  readonly #drifted = new Map<Step, string>();
  readonly #appliedKeys = new Set<string>();
  /** What this run took by force. */
  readonly #forcedConflicts: ForcedConflict[] = [];
  readonly #fingerprints: SchemaFingerprints | undefined;
  readonly #noopFingerprints = new NoopFingerprints();
  /** Steps that did not succeed, and what they are instead. */
  readonly #failed = new Map<Step, 'did not succeed' | 'is not ready'>();
  readonly #readiness: DeployReadiness;
  /** Managers that share an object and never create one, by identity key. */
  readonly #sharers = new Map<string, Set<string>>();

  constructor(input: DeploymentInput) {
    const { cluster, options, host, run, steps, waves, states, live, liveRemovals: removals, names } = input;
    const {
      approvedCollateral: collateral,
      approvedReleases,
      transfers,
      repairs,
      removedVersionsRewriter,
      lifecycleTransfers,
      firstDeploys,
      checkedReleases,
    } = input;
    this.#cluster = cluster;
    this.#options = options;
    this.#host = host;
    this.#run = run;
    this.#steps = steps;
    this.#waves = waves;
    this.#live = live;
    this.#liveRemovals = removals;
    this.#names = names;
    this.#approvedCollateral = collateral;
    this.#approvedReleases = approvedReleases;
    this.#transfers = transfers;
    this.#repairs = repairs;
    this.#removedVersionsRewriter = removedVersionsRewriter;
    this.#lifecycleTransfers = lifecycleTransfers;
    this.#firstDeploys = firstDeploys;
    this.#checkedReleases = checkedReleases;
    this.#managers = new Set(steps.map(({ stack }) => stack.manager));
    this.#states = new Map(states.map((state) => [state.stack.name, state]));
    this.#concurrency = options.concurrency ?? defaultConcurrency;
    this.#fingerprints = options.reconcile === 'changed' ? new SchemaFingerprints(cluster) : undefined;
    this.#readiness = new DeployReadiness(cluster, options, host);
    for (const { key, intent, stack } of steps) {
      if (intent.lifecycle === 'own' || intent.policy.ifAbsent === 'create') continue;
      this.#sharers.set(key, (this.#sharers.get(key) ?? new Set()).add(stack.manager));
    }
  }

  /** Whether everything that is declared succeeded. */
  get complete(): boolean {
    return this.#failed.size === 0 && this.#run.stopped === undefined;
  }

  async writePendingInventory(): Promise<void> {
    await forEachConcurrent([...this.#states.values()], this.#concurrency, (state) =>
      state.writePendingInventory(this.#run, (step) => pendingReleases(this.#live.get(step), step)),
    );
  }

  /** With `reconcile: changed`: which intents need no request. */
  async findUnchanged(): Promise<void> {
    if (!this.#fingerprints || this.#run.stopped !== undefined) return;
    const candidates = this.#steps.map((step) => ({ step, known: this.#states.get(step.stack.name)?.before.entries.get(step.key) }));
    this.#unchanged = await findUnchanged(this.#cluster, candidates, {
      schemaFingerprints: this.#fingerprints,
      noopFingerprints: this.#noopFingerprints,
      concurrency: this.#concurrency,
      onDrifted: (step, live) => this.#drifted.set(step, stringifyExactJson(live)),
    });
  }

  async applyWaves(): Promise<void> {
    for (const wave of this.#waves) {
      const chosen = wave.filter((step) => isSelected(step, this.#options));
      await forEachConcurrentFair(
        chosen,
        ({ intent }) => intent.kind,
        this.#concurrency,
        (step) => this.#applyAndReport(step),
      );
      this.#readiness.refresh();
    }
  }

  async awaitReady(): Promise<void> {
    await this.#readiness.waitForAll();
  }

  get forcedConflicts(): readonly ForcedConflict[] {
    return this.#forcedConflicts;
  }

  close(): void {
    this.#readiness.close();
  }

  /** Gives stacks of this run the right to delete what they now own in place of others. */
  transferLifecycles(): void {
    const { entryRemovals, otherStacks } = this.#lifecycleTransfers;
    transferLifecycles(entryRemovals, otherStacks, [...this.#states.values()], ({ stack, formerManagers }, step) => {
      const live = this.#live.get(step);
      return live && createdBy(live, [stack.manager, ...formerManagers]) ? String((live.metadata as JsonObject).uid) : undefined;
    });
  }

  /**
   * Deletes or releases what stacks no longer declare, where all that they do declare succeeded.
   *
   * @param writeFailure why objects whose heirs the run leaves out must be left as they are, if so.
   */
  async prune(writeFailure: string | undefined): Promise<void> {
    if (this.#options.targets) return;
    const { otherStacks } = this.#lifecycleTransfers;
    const removals: (RemovalCandidate & { readonly state: StackState })[] = [];
    for (const state of this.#states.values()) {
      const candidates = undeclaredEntries(state.before, state.steps);
      const { stack } = state.before;
      if (!this.#complete(state) && this.#run.stopped === undefined) {
        const reason = 'no longer declared, but kept because its stack did not fully succeed';
        for (const [, entry] of candidates) this.#run.report({ ...reportOf(stack, entry), result: 'skipped', reason });
        continue;
      }
      for (const [key, entry] of candidates) {
        const newOwner = otherStacks.get(entry)?.newOwner;
        const reason =
          this.#failedTransfer(key, state.stack.manager) ?? this.#failedNewOwner(key, newOwner) ?? (newOwner?.inventory && writeFailure);
        if (reason !== undefined) this.#run.report({ ...reportOf(stack, entry), result: 'skipped', reason });
        else removals.push({ state, stack, key, entry });
      }
    }
    const ours = objectsToDelete(removals, otherStacks);
    await removeInReverseOrder(this.#run, removals, this.#concurrency, async ({ state, stack, key, entry }, onHeld) => {
      const formerManagers = formerManagersOf(state.stack);
      const options = {
        ...deletionOptions(this.#options, ours, onHeld),
        formerManagers,
        otherStacks: otherStacks.get(entry),
        approvedCollateral: this.#approvedReleases.get(entry),
        live: this.#liveRemovals.get(entry),
        names: this.#names,
        removedVersions: this.#removedVersionsRewriter(entry),
      };
      const done = await removeEntry(this.#cluster, this.#run, stack, entry, options);
      if (done) state.entries.delete(key);
      return done;
    });
  }

  async writeAppliedInventory(): Promise<void> {
    await forEachConcurrent([...this.#states.values()], this.#concurrency, (state) =>
      state.writeAppliedInventory(this.#run, this.#latestVersions),
    );
  }

  async writeFinalInventory(): Promise<void> {
    await forEachConcurrent([...this.#states.values()], this.#concurrency, (state) =>
      state.writeFinalInventory(this.#run, this.#latestVersions),
    );
  }

  /** Applies a step and reports it when its object is ready. */
  async #applyAndReport(step: Step): Promise<void> {
    await this.#readiness.dependenciesOf(step);
    let applied = { uid: '', affected: false };
    const outcome = await this.#apply(step, (uid, affected) => {
      applied = { uid, affected };
    });
    const report = this.#withOrigin(step, applied.uid === '' ? outcome : { ...outcome, uid: applied.uid });
    if (!successOutcomes.has(report.result)) {
      this.#failed.set(step, 'did not succeed');
      this.#run.report(report);
      return;
    }
    this.#states.get(step.stack.name)?.succeededKeys.add(step.key);
    if (applied.uid === '') return this.#run.report(report); // there is no object, and none is meant to be
    const created = report.result === 'created' || report.result === 'recreated';
    await this.#readiness.follow(step, { ...applied, created }, (readiness) => {
      if (readiness !== undefined && readiness.state !== 'current') this.#failed.set(step, 'is not ready');
      this.#run.report(readiness === undefined ? report : { ...report, readiness });
    });
  }

  /** What moves from a stack of the app is not adopted: the app has made it. */
  #withOrigin(step: Step, report: ObjectReport): ObjectReport {
    const from = successOutcomes.has(report.result) ? this.#lifecycleTransfers.movedFrom(step) : undefined;
    if (from === undefined) return report;
    const { adopted: _, ...others } = report;
    return { ...others, movedFrom: from };
  }

  async #apply(step: Step, onApplied: (uid: string, affected: boolean) => void): Promise<ObjectReport> {
    const state = this.#states.get(step.stack.name) as StackState;
    const reason = this.#run.stopped ?? state.writeFailure ?? this.#failedDependency(step);
    if (reason !== undefined) return { ...stepReport(step), result: 'skipped', reason };
    const transfer = this.#transfers.get(step);
    const unchanged = this.#appliedKeys.has(step.key) || transfer ? undefined : this.#unchanged.get(step);
    if (unchanged) return this.#reportUnchanged(step, state, unchanged, onApplied);
    this.#appliedKeys.add(step.key);
    let accepted = false;
    let areOwnersCleared = false;
    let isUnseen = false;
    let metAtomicConflict = false;
    const known = state.before.entries.get(step.key);
    try {
      const schema = await this.#fingerprintOf(step);
      await repairBefore(this.#cluster, step, this.#repairs);
      if (transfer) await checkFieldTransfer(this.#cluster, step, transfer);
      const outcome = await applyStep(step, {
        cluster: this.#cluster,
        signal: this.#options.signal,
        ...(this.#options.plan ? { planned: expectationOf(this.#options.plan.saved, step.stack.name, step.key) } : {}),
        known,
        deployers: this.#lifecycleTransfers.deployersOf(step, known),
        live: await this.#liveBeforeApply(step, known, schema, () => {
          isUnseen = true;
        }),
        names: this.#names,
        mayForce: this.#mayForce(step, known),
        checkReleases: this.#checkReleases(step, known),
        mustCreate: this.#mustCreate(step),
        approvedCollateral: this.#approvedCollateral.get(step),
        mayRemove: this.#mayRemove(step),
        onOwnersCleared: () => {
          areOwnersCleared = true;
        },
        onAtomicConflict: () => {
          metAtomicConflict = true;
        },
        deletionTimeoutSeconds: this.#options.deletionTimeoutSeconds ?? defaultDeletionTimeoutSeconds,
        waitSeconds: this.#options.waitSeconds,
        sharers: this.#sharers.get(step.key) ?? new Set(),
        isApplied: (uid) => this.#latestVersions.has(uid),
        onWait: (wait) => this.#host({ event: 'waiting', stack: step.stack.name, object: objectText(step.intent), ...wait }),
        onApplied: ({ entry: applied, affected, settled }) => {
          accepted = true;
          onApplied(applied.uid ?? '', affected);
          const entry = schema === undefined ? applied : { ...applied, schema };
          state.entries.set(step.key, { ...entry, ...rememberedFingerprint(this.#noopFingerprints, settled, step, entry, known) });
          if (entry.uid !== undefined && entry.resourceVersion !== undefined) this.#latestVersions.record(entry.uid, entry.resourceVersion);
        },
      });
      const entry = state.entries.get(step.key);
      const isChanged = isNewOrChanged(step, known);
      const applied = { uid: entry?.uid ?? '', isWiped: areOwnersCleared, isChanged, yes: this.#options.yes === true };
      if (accepted) this.#recordVersion(await repairAfter(this.#cluster, step, this.#repairs, applied, this.#host));
      const contention = contentionAfter(known?.contention, outcome.forcedConflicts);
      if (accepted && entry && contention.length > 0) state.entries.set(step.key, { ...entry, contention: contention });
      if (metAtomicConflict) this.#forgetItems(step, state);
      const contended = contentionBeyondLimit(contention, this.#options.contentionLimit);
      const { stack, key, intent } = step;
      for (const { field, from } of outcome.forcedConflicts ?? [])
        this.#forcedConflicts.push({ object: objectText(intent), key, field, from, stack: stack.name, manager: stack.manager });
      const transferred = accepted && transfer && (await this.#transferFields(step, transfer));
      const contendedReport = contended.length > 0 ? { contendedFields: contended } : {};
      const unseen = isUnseen && known !== undefined ? { warnings: [...(outcome.warnings ?? []), unreadableText] } : {};
      return {
        ...stepReport(step),
        ...outcome,
        ...contendedReport,
        ...unseen,
        ...(transferred ? { result: updatedOutcome(outcome.result), transferred: transferred } : {}),
      };
    } catch (error) {
      const noted = this.#run.note(causeOf(error));
      if (metAtomicConflict || unconfirmedCodes.has(noted.code)) this.#forgetItems(step, state);
      if (unattempted.has(noted.code) && !accepted)
        return { ...stepReport(step), result: 'skipped', reason: this.#run.stopped ?? noted.message };
      return { ...stepReport(step), ...partialResultOf(error), result: 'failed', error: noted };
    }
  }

  /** An entry without items is one whose object the next run reads, and so can ask about, before its first write. */
  #forgetItems({ key }: Step, state: StackState): void {
    const entry = state.entries.get(key);
    if (entry?.items === undefined) return;
    const { items: _, ...others } = entry;
    state.entries.set(key, others);
  }

  /** Whether questions that come up now are answered already: by `--yes`, or by a plan that was approved. */
  get #isPreapproved(): boolean {
    return this.#options.yes === true || this.#options.plan !== undefined;
  }

  /** What a first deploy may take by force: what was asked for, and what other stacks of the run have just applied. */
  #mayForce(step: Step, known: InventoryEntry | undefined): StepContext['mayForce'] {
    if (this.#isPreapproved) return undefined;
    const approved = this.#firstDeploys.forcedConflicts.get(step);
    const isFirst = isFirstDeploy(step, known, this.#live.get(step));
    return (conflict, live) => {
      // Another object may have come to the name since it was read, or since the last deploy where nothing was to be read.
      if (!isFirst && !isFirstDeploy(step, known, live)) return true;
      return this.#managers.has(conflict.from) || approved?.has(forcedConflictText(conflict)) === true;
    };
  }

  /** What stands in the way of an intent: of an unchanged one it is found only when the server has refused it. */
  #mayRemove(step: Step): StepContext['mayRemove'] {
    const approved = this.#repairs.forcedUnionMembers.get(step);
    return (conflict) => this.#isPreapproved || approved?.has(removedMemberText(conflict)) === true;
  }

  #checkReleases(step: Step, known: InventoryEntry | undefined): StepContext['checkReleases'] {
    const { policy } = step.intent;
    if (this.#options.plan || strictestRelease(policy) === 'report' || !isNewOrChanged(step, known)) return undefined;
    const checked = this.#checkedReleases.get(step);
    return (live, object) => {
      const more = releasesUnderPolicy(live, object, step, known, this.#names).filter((field) => !checked?.has(field));
      const open = more.filter((field) => this.#options.yes !== true || releasePolicyFor(field, policy) === 'fail');
      if (open.length > 0) throw releaseUnconfirmed(open, step.stack.manager);
    };
  }

  /** What was there when the run looked has been asked for. */
  #mustCreate(step: Step): boolean {
    const { lifecycle, policy } = step.intent;
    if (lifecycle !== 'own' || policy.transferFrom !== undefined || policy.ifPresent === undefined) return false;
    return !(policy.ifPresent === 'ask' && this.#isPreapproved) && this.#live.get(step) === undefined;
  }

  /** The object as it was read; as it is now where its record of owners has just been repaired. */
  async #liveBeforeApply(
    step: Step,
    known: InventoryEntry | undefined,
    schema: string | undefined,
    onUnseen: () => void,
  ): Promise<JsonObject | undefined> {
    const { removedVersionEntries, cleared } = this.#repairs;
    if (removedVersionEntries.has(step) || cleared.has(step)) return this.#cluster.tryGet(await addressOf(this.#cluster, step.intent));
    if (this.#live.has(step)) return this.#live.get(step);
    const drifted = this.#drifted.get(step);
    if (drifted !== undefined) return parseExactJson(drifted) as JsonObject;
    if (!isNewOrChanged(step, known) && !isRedefined(step, known, schema)) return undefined;
    return this.#readIfPermitted(step, onUnseen); // what it releases stands in no record otherwise
  }

  /** Where reading it was refused before the first question: who may not read at all deploys without knowing what it gives up. */
  async #readIfPermitted({ intent }: Step, onUnseen: () => void): Promise<JsonObject | undefined> {
    const address = await addressIfServed(this.#cluster, intent);
    if (address === undefined) return undefined;
    try {
      return await this.#cluster.tryGet(address);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      onUnseen();
      return undefined;
    }
  }

  async #transferFields(step: Step, transfer: FieldTransfer): Promise<TransferredFields | undefined> {
    const { transferred, object } = await transferFields(this.#cluster, step, transfer);
    this.#recordVersion(object);
    return transferred;
  }

  #recordVersion(object: JsonObject | undefined): void {
    const { uid, resourceVersion } = (object?.metadata ?? {}) as { uid?: string; resourceVersion?: string };
    if (uid !== undefined && resourceVersion !== undefined) this.#latestVersions.record(uid, resourceVersion);
  }

  /** The object holds the intent already; only the inventory learns what was seen. */
  #reportUnchanged(step: Step, state: StackState, unchanged: Unchanged, onApplied: (uid: string, affected: boolean) => void): ObjectReport {
    const known = state.before.entries.get(step.key) as InventoryEntry;
    onApplied(known.uid ?? '', false);
    const { retain: _, conflicts: __, releases: ___, ...lasting } = known;
    const entry = { ...lasting, ...unchanged, ...policyToRemember(step.intent) };
    if (!isSameEntry(entry, known)) state.entries.set(step.key, entry);
    return { ...stepReport(step), result: 'unchanged' };
  }

  /** Read before the apply: where the schema changes in between, the next run finds another stamp. */
  async #fingerprintOf(step: Step): Promise<string | undefined> {
    if (!this.#fingerprints) return undefined;
    const resource = await this.#cluster.resourceOf(step.intent.apiVersion, step.intent.kind);
    return this.#fingerprints.fingerprintOf(resource);
  }

  /** Declared dependencies that did not succeed; order by kind alone is no reason to give up. */
  #failedDependency(step: Step): string | undefined {
    for (const [failed, what] of this.#failed) {
      if (failed.stack === step.stack && dependsOn(step.stack, step.index, failed.index)) {
        return `it depends on ${objectText(failed.intent)}, which ${what}`;
      }
      if (step.stack.dependsOn.includes(failed.stack.name)) return `its stack depends on ${failed.stack.name}, which ${what}`;
    }
    return this.#failedTransfer(step.key, step.stack.manager);
  }

  /** Whoever was to take fields over from a manager does not own them yet, so the manager must not drop them. */
  #failedTransfer(key: string, previousOwner: string): string | undefined {
    for (const [step, transfer] of this.#transfers) {
      if (step.key !== key || transfer.previousOwner !== previousOwner || this.#states.get(step.stack.name)?.succeededKeys.has(key))
        continue;
      return `stack ${step.stack.name}, which takes fields of it over, did not succeed`;
    }
    return undefined;
  }

  /** Whoever is to own an object in place of another stack does not yet, so the other must not drop it. */
  #failedNewOwner(key: string, newOwner: NewOwner | undefined): string | undefined {
    if (newOwner === undefined || newOwner.inventory || this.#states.get(newOwner.stack.stack)?.succeededKeys.has(key)) return undefined;
    return `stack ${newOwner.stack.stack}, which declares it now, did not succeed`;
  }

  #complete(state: StackState): boolean {
    return state.writeFailure === undefined && !state.steps.some((step) => this.#failed.has(step));
  }
}

const unreadableText =
  'These credentials may not read the object, so that nobody knows which fields this apply released. Grant get of its kind.';

/** Whether the schema of a custom resource is known to be another than at the last apply: parts of what others own as one value may be free. */
function isRedefined({ intent }: Step, known: InventoryEntry | undefined, schema: string | undefined): boolean {
  return known?.schema !== undefined && schema !== undefined && known.schema !== schema && mayContainOwnedFields(intent.apiVersion);
}

/** Owners have changed, if nothing else has. */
function updatedOutcome(result: ObjectReport['result']): ObjectReport['result'] {
  return result === 'unchanged' || result === 'applied' ? 'updated' : result;
}

/** Nobody was asked before the run, and nothing is done without a yes. */
const unconfirmedCodes: ReadonlySet<string> = new Set(['force-unconfirmed', 'union-member-owned']);

const successOutcomes: ReadonlySet<string> = new Set(['created', 'recreated', 'updated', 'unchanged', 'applied']);

/** The constant part of a report about an intent. */
export function stepReport(step: Step): Omit<ObjectReport, 'result'> {
  return emptyReport(objectReference(step.stack.name, step.stack.manager, step.intent), step.intent.declaredBy);
}
