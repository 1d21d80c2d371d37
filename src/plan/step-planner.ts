import { identityKey, managersOf, objectText } from '../assembly/identity.js';
import { addressIfServed, addressOf } from '../engine/addresses/address.js';
import { addressInAnyVersion, RemovedVersions } from '../engine/addresses/removed-versions.js';
import { isCrd } from '../engine/addresses/wait-for-established.js';
import type { IsLeaving } from '../engine/apply/conflict-policy.js';
import { finishedReason, isFinishedJob } from '../engine/apply/preconditions/finished-job.js';
import { isNotTerminating, refuseTerminating } from '../engine/apply/preconditions/refuse-terminating.js';
import { targetTerminating } from '../engine/apply/preconditions/share-target.js';
import type { NoopProofs } from '../engine/apply/skip/noop-proofs.js';
import type { UnionClaim } from '../engine/apply/union-claim.js';
import type { Step } from '../engine/graph/waves.js';
import type { InventoryEntry } from '../engine/inventory/inventory-entry.js';
import type { OwnerNameResolver } from '../engine/inventory/owner-name-resolver.js';
import { isNewOrChanged } from '../engine/live/live-before.js';
import type { LiveObjects } from '../engine/live/live-objects.js';
import type { IsTransferred } from '../engine/release/is-transferred.js';
import { clearedObjectOf, withoutInitialEntry } from '../engine/repairs/cleared-objects.js';
import { explain } from '../engine/report/explain.js';
import { lacksRight } from '../engine/report/forbidden.js';
import type { FieldChange, PlannedField, PlannedObject, PlanSource } from '../engine/report/plan-types.js';
import { prunedFields } from '../engine/report/pruned-fields.js';
import type { ReportedError, RunDiagnostic } from '../engine/report/run-diagnostic.js';
import { intentKey, type UnreadFieldsByIntent } from '../engine/secrets/keep-unread-values.js';
import { claimFields } from '../engine/transfer/claim-fields.js';
import type { FieldClaims, FieldTransfer } from '../engine/transfer/field-transfers.js';
import { transferFromWarnings } from '../engine/transfer/fields-of-subresource.js';
import { lastAppliedWarning } from '../engine/transfer/last-applied-diagnostic.js';
import { byKey, foreignOwnerText, type MovedFrom } from '../engine/transfer/other-stacks.js';
import { ApiError, type ClusterClient, type ObjectAddress } from '../kubernetes/index.js';
import { FieldwiseError } from '../util/error.js';
import { type JsonObject, jsonEqual } from '../util/json.js';
import {
  ClaimNeededError,
  type DryRunResult,
  dryRun,
  dryRunWithClaim,
  type PlannedChange,
  planUnchanged,
  StaleReadError,
} from './dry-run.js';
import { type ChangedObject, dependenceOf, neededBySimulation, type RefusedRequest } from './may-depend-on.js';
import { mayNotApply } from './may-not-apply.js';
import { rowOf } from './planned-rows.js';
import { changedFirstOf, changedFirstText, RunChanges } from './run-changes.js';
import { serverWarnings } from './server-warnings.js';
import { plannedResource, type SimulatedState } from './simulation.js';
import { dryRunStrategyMove, movesToServerSide } from './strategy-move.js';
import { hasForcedConflicts, isGuarded, withPolicies } from './with-policies.js';
import { withRewrittenVersions } from './with-rewritten-versions.js';
import { type TransferredObject, withTransfer } from './with-transfer.js';

export interface StepPlannerOptions {
  readonly cluster: ClusterClient;
  readonly steps: readonly Step[];
  readonly live: LiveObjects;
  readonly state: SimulatedState;
  readonly names: OwnerNameResolver;
  /** Sends no dry runs to the server. */
  readonly readOnly: boolean;
  readonly known: ReadonlySet<string> | undefined;
  /** Absent if the plan does not have to show what a deploy would reject or ask because of its policies. */
  readonly isTransferred?: IsTransferred;
  readonly transfers?: ReadonlyMap<Step, FieldTransfer>;
  readonly claims?: FieldClaims;
  /** The steps whose object another stack owned until now, with the name of that stack if it could delete the object. */
  readonly movedSteps?: ReadonlyMap<Step, string | undefined>;
  readonly movedFrom?: MovedFrom;
  /** The field managers of the stacks of the run, also their former ones. */
  readonly managersOfRun?: ReadonlySet<string>;
  /** The keys of objects that stacks of the run no longer declare. */
  readonly removedKeys?: ReadonlySet<string>;
  readonly isLeavingOf?: (step: Step) => IsLeaving;
  /** With it, an intent that is proved to change nothing is not sent. */
  readonly noopProofs?: NoopProofs | undefined;
  /** Receives each object before and after the deploy, as far as they are known. */
  readonly onStates?: (
    step: Step,
    states: { readonly before: JsonObject | undefined; readonly after: JsonObject | undefined },
    source: PlanSource,
  ) => void;
  /** The fields whose values could not be read: these steps are never sent. */
  readonly unread?: UnreadFieldsByIntent | undefined;
}

/** The refusal of an intent, and what earlier steps change on which it can depend. */
interface Reconsidered {
  readonly refusal: ReportedError;
  /** The simulation has refused it, which was asked in place of the server. */
  readonly isSimulated: true | undefined;
  readonly changed: readonly ChangedObject[];
}

/** Effects on a field that the stack owns afterwards. */
const appliedChanges: ReadonlySet<FieldChange> = new Set(['set', 'change', 'same', 'co-own', 'force']);

/** An intent that this plan applies, and the object as it alone leaves it. */
interface AppliedBesides {
  readonly step: Step;
  readonly known: InventoryEntry | undefined;
  readonly after: JsonObject;
  readonly fields: PlannedChange['fields'];
}

type SourcedDryRun = DryRunResult & { readonly source: PlanSource; readonly live?: JsonObject | undefined };

const maxReads = 3;

const notReadReason = 'not read, because these credentials may not read it: whether it exists is not known, and the deploy judges it';

const initialEntryText =
  'a deploy asks first whether to remove before-first-apply as an owner, as after another client wiped metadata.managedFields; without a yes, what the stack drops stays';

/** The actions of objects to which a deploy applies, and which exist then. */
const applying: ReadonlySet<PlannedObject['action']> = new Set(['update', 'unchanged']);

/**
 * Plans intents one by one, each on the state that earlier ones leave: callers plan CustomResourceDefinitions and Namespaces first, then
 * owned objects, then shares.
 */
export class StepPlanner {
  readonly #options: StepPlannerOptions;
  /** The objects that this deploy creates or changes and that the plans of other objects depend on. */
  readonly #planned = new Map<string, { readonly step: Step; readonly after: JsonObject; readonly created: boolean }>();
  readonly #transferred = new Map<string, TransferredObject>();
  /** The intents of objects that other stacks share or no longer declare, with the object after each. */
  readonly #appliedBesides = new Map<string, readonly AppliedBesides[]>();
  readonly #claims: ReadonlyMap<string, readonly { readonly step: Step; readonly transfers: readonly FieldTransfer[] }[]>;
  /** The objects of which stacks claim fields, as claims and the intents that are planned leave them. */
  readonly #claimed = new Map<string, JsonObject>();
  readonly #claimedBy = new Map<Step, readonly string[]>();
  readonly #pruned = new Map<Step, readonly string[]>();
  readonly #warnings = new Map<Step, readonly RunDiagnostic[]>();
  /** The keys of objects that this deploy deletes and creates again. */
  readonly #recreated = new Set<string>();
  /** The objects that planned intents create or change. */
  readonly #changes = new RunChanges();
  readonly #refused = new Map<Step, RefusedRequest & { readonly isSimulated?: true }>();
  readonly #definitions: readonly Step[];
  readonly #owners: ReadonlyMap<string, Step>;
  readonly #shared: ReadonlySet<string>;
  readonly #removed: RemovedVersions;

  constructor(options: StepPlannerOptions) {
    this.#options = options;
    this.#removed = new RemovedVersions(options.cluster);
    this.#claims = byKey([...(options.claims ?? [])].map(([step, transfers]) => ({ key: step.key, step, transfers })));
    this.#definitions = options.steps.filter((step) => isCrd(step.intent));
    this.#owners = new Map(options.steps.filter(({ intent }) => intent.lifecycle === 'own').map((step) => [step.key, step]));
    this.#shared = new Set(options.steps.filter(({ intent }) => intent.lifecycle === 'share').map(({ key }) => key));
  }

  /** Plans one intent. @throws FieldwiseError if every further request would fail as well: no connection, no authentication. */
  async plan(step: Step, known: InventoryEntry | undefined): Promise<PlannedObject> {
    return this.#plan(step, known);
  }

  /**
   * Plans again by the schema, in the order of the deploy, the intents that were refused and whose refusals can depend on what earlier steps create or
   * change. The others stay as they are.
   *
   * @param waveOf returns the wave of a step.
   */
  async *planRefused(
    waveOf: (step: Step) => number,
    knownOf: (step: Step) => InventoryEntry | undefined,
  ): AsyncGenerator<readonly [Step, PlannedObject]> {
    const refused = [...this.#refused.values()].sort((one, other) => waveOf(one.step) - waveOf(other.step));
    for (const { isSimulated, ...request } of refused) {
      const { step } = request;
      const mayDepend = dependenceOf(request);
      const changed = this.#changes.all.filter((change) => waveOf(change.step) < waveOf(step) && mayDepend(change));
      if (changed.length === 0) continue;
      this.#refused.delete(step);
      const planned = await this.#plan(step, knownOf(step), { refusal: explain(request.error), isSimulated, changed });
      yield [step, planned];
    }
  }

  async #plan(step: Step, known: InventoryEntry | undefined, reconsidered?: Reconsidered): Promise<PlannedObject> {
    const notCompared = this.#options.unread?.get(intentKey(step))?.fields;
    const common = { ...rowOf(step), ...(notCompared ? { notCompared } : {}) };
    const intendedSource: PlanSource = this.#sendsNothing(step) || reconsidered ? 'schema' : 'server';
    try {
      const { source, ...plannedChange } = await this.#dryRun(step, known, intendedSource, reconsidered);
      if (plannedChange.action === 'recreate') await this.#rememberRecreated(step, known);
      const change = await this.#withPolicies(step, known, this.#withNewObject(step, known, plannedChange));
      this.#changes.confirm(step, change.action);
      return { ...common, source, ...change, fields: change.fields.map((field) => withUncompared(field, notCompared)) };
    } catch (error) {
      if (endsPlan(error)) throw error;
      return { ...common, source: intendedSource, action: 'blocked', fields: [], error: explain(error) };
    }
  }

  async #dryRun(
    step: Step,
    known: InventoryEntry | undefined,
    intendedSource: PlanSource,
    reconsidered: Reconsidered | undefined,
  ): Promise<PlannedChange & Pick<SourcedDryRun, 'source'>> {
    try {
      const { source, live, ...result } = await this.#dryRunStep(step, known, reconsidered);
      // Only a recreate can follow a deletion in progress; a deploy refuses any other apply to a terminating object.
      if (step.intent.lifecycle === 'own' && live && result.plannedChange.action !== 'recreate') refuseTerminating(live);
      const { plannedChange, after } = this.#transferFields(step, result, live);
      this.#options.onStates?.(step, { before: live, after }, source);
      if (after !== undefined) this.#pruned.set(step, prunedFields(step.object, after, step.stack.manager));
      const warnings =
        after === undefined ? [] : [...transferFromWarnings(step, after), lastAppliedWarning(step, this.#afterTransfer(step) ?? after)];
      this.#warnings.set(
        step,
        warnings.filter((warning) => warning !== undefined),
      );
      if (after !== undefined) this.#remember(step, live, after);
      this.#changes.add(step, { before: live, after, action: plannedChange.action });
      if (after !== undefined && this.#claimed.has(step.key)) this.#claimed.set(step.key, after);
      if (live && after && (this.#options.removedKeys?.has(step.key) || this.#shared.has(step.key))) {
        const { fields } = plannedChange;
        this.#appliedBesides.set(step.key, [...(this.#appliedBesides.get(step.key) ?? []), { step, known, after, fields }]);
      }
      return { source, ...this.#withOrigin(step, plannedChange) };
    } catch (error) {
      if (endsPlan(error)) throw error;
      return { source: intendedSource, action: 'blocked', fields: [], error: explain(error) };
    }
  }

  /** Adds the effect of policies that a deploy checks before its first write, on the object as it is before the run. */
  async #withPolicies(step: Step, known: InventoryEntry | undefined, plannedChange: PlannedChange): Promise<PlannedChange> {
    const { cluster, live: objects, isTransferred } = this.#options;
    if (isTransferred === undefined || !(isGuarded(step, known) || hasForcedConflicts(plannedChange))) return plannedChange;
    const address = await addressIfServed(cluster, step.intent);
    const live = address && (await objects.find(address));
    if (!address || !live) return plannedChange;
    const isMoved = this.#options.movedSteps?.get(step) !== undefined;
    const { managersOfRun = new Set<string>(), isLeavingOf = () => () => false } = this.#options;
    return withPolicies(
      { step, known, isMoved, managersOfRun, isLeaving: isLeavingOf(step) },
      plannedChange,
      { address, live },
      { ...this.#options, isTransferred },
    );
  }

  /** Says where a deploy applies to another object than the last one did. One that this deploy makes has no uid yet that a plan could bind. */
  #withNewObject(step: Step, known: InventoryEntry | undefined, plannedChange: PlannedChange): PlannedChange {
    const { uid, ...unbound } = plannedChange;
    const isMadeByPlan = step.intent.lifecycle === 'share' && this.#recreated.has(step.key);
    const change: PlannedChange = isMadeByPlan ? unbound : plannedChange;
    const isOther = change.uid === undefined ? step.intent.lifecycle === 'share' && applying.has(change.action) : uid !== known?.uid;
    return known?.uid !== undefined && isOther ? { ...change, rejoined: true } : change;
  }

  /** Returns the declared fields of a planned step that the server would not store. */
  prunedFields(step: Step): readonly string[] {
    return this.#pruned.get(step) ?? [];
  }

  /** Returns the warnings about fields of a planned step that other clients keep, or will delete or reset. */
  warnings(step: Step): readonly RunDiagnostic[] {
    return this.#warnings.get(step) ?? [];
  }

  /** Returns the object as the previous owner of fields will find it after this plan has transferred them to another stack. */
  transferredFrom(stack: Step['stack'], key: string): TransferredObject | undefined {
    const transferred = this.#transferred.get(key);
    return transferred && managersOf(stack).includes(transferred.previousOwner) ? transferred : undefined;
  }

  #withOrigin(step: Step, plannedChange: PlannedChange): PlannedChange {
    const { movedFrom } = this.#options;
    const from = movedFrom?.(step, plannedChange.uid ?? (plannedChange.action === 'create' ? '' : undefined));
    if (from !== undefined && plannedChange.action !== 'blocked') {
      const { adopts: _, ...others } = plannedChange;
      return { ...others, movedFrom: from };
    }
    const copied =
      step.intent.policy.transferFrom === undefined ? foreignOwnerText(step.stack.name, plannedChange.adopts?.owners ?? []) : undefined;
    return copied === undefined
      ? plannedChange
      : { ...plannedChange, reason: [plannedChange.reason, copied].filter((text) => text).join('; ') };
  }

  /**
   * Returns an object as this plan leaves it before a stack gives up its part of it: with the intents of all other stacks, and after the
   * transfers of its fields; undefined if no intent of the plan applies to it.
   */
  async objectBeforeRemoval(stack: Step['stack'], key: string): Promise<JsonObject | undefined> {
    const transferred = this.transferredFrom(stack, key);
    const applied = this.#appliedBesides.get(key) ?? [];
    const [first, ...rest] = transferred ? applied.filter(({ step }) => step.stack.name !== transferred.newOwner) : applied;
    let object = transferred?.object ?? first?.after;
    for (const { step, known } of transferred && first ? [first, ...rest] : rest) {
      const address = await addressOf(this.#options.cluster, step.intent);
      const live = object;
      const { after } = await this.#options.state.withObject(address, live, async (cluster) =>
        dryRun(step, { cluster, live: await cluster.tryGet(address), ...this.#known(step, known) }),
      );
      object = after ?? object;
    }
    return object;
  }

  /** Returns the object as a step leaves it, if it transfers fields. */
  #afterTransfer({ key, stack }: Step): JsonObject | undefined {
    const transferred = this.#transferred.get(key);
    return transferred?.newOwner === stack.name ? transferred.object : undefined;
  }

  #transferFields(step: Step, result: DryRunResult, live: JsonObject | undefined): DryRunResult {
    const transfer = this.#options.transfers?.get(step);
    if (transfer === undefined || transfer.isImplied) return result;
    const { dryRunResult, transferred } = withTransfer(step, transfer, result, live);
    if (transferred) this.#transferred.set(step.key, transferred);
    return dryRunResult;
  }

  #remember(step: Step, live: JsonObject | undefined, after: JsonObject): void {
    const created = live === undefined;
    const isNeeded = isCrd(step.intent) ? !jsonEqual(live?.spec, after.spec) : created && (isNamespace(step) || this.#shared.has(step.key));
    if (isNeeded) this.#planned.set(step.key, { step, after, created });
  }

  /** Keeps the object as this deploy makes it again, for those that share it. */
  async #rememberRecreated(step: Step, known: InventoryEntry | undefined): Promise<void> {
    this.#recreated.add(step.key);
    if (!this.#shared.has(step.key)) return;
    const { after } = await this.#bySchema(step, await addressOf(this.#options.cluster, step.intent), undefined, known);
    if (after !== undefined) this.#planned.set(step.key, { step, after, created: true });
  }

  #sendsNothing(step: Step): boolean {
    return this.#options.readOnly || this.#options.unread?.has(intentKey(step)) === true;
  }

  async #dryRunStep(step: Step, known: InventoryEntry | undefined, reconsidered: Reconsidered | undefined): Promise<SourcedDryRun> {
    const { cluster, live: objects } = this.#options;
    const sendsNothing = this.#sendsNothing(step);
    const definition = this.#changedDefinition(step);
    const address = definition ? plannedAddress(cluster, step, definition.after) : await addressOf(cluster, step.intent);
    const namespace = [...this.#planned.values()].find((other) => isNamespace(other.step) && other.step.intent.name === address.namespace);
    const created = namespace ?? (definition?.created ? definition : undefined);
    const transferred = this.transferredFrom(step.stack, step.key);
    const bySchema = (object: JsonObject | undefined, reason: string | undefined) =>
      this.#bySchema(step, address, object, known, reason, undefined, reconsidered?.changed);
    if (transferred) return bySchema(transferred.object, `fields of it are transferred to stack ${transferred.newOwner} first`);
    const found = created ? undefined : await objects.find(address).catch(unreadIf(this.#options.readOnly && known === undefined));
    const live = found ?? (definition?.created === false ? await this.#inServedVersion(step, address, definition.after) : undefined);
    if (live === 'unread') return this.#planUnread(step, address);
    if (step.intent.lifecycle === 'share' && (!isNotTerminating(live) || this.#recreated.has(step.key))) {
      const result = await this.#absentShare(step, address, known, live);
      if (result) return result;
    }
    if (!live && !created && isFinishedJob(step, known))
      return { plannedChange: { action: 'unchanged', reason: finishedReason, fields: [] }, source: sendsNothing ? 'schema' : 'server' };
    const unknown = this.#options.known?.has(step.key) === false && !created ? 'the snapshot does not show whether it exists' : undefined;
    const before = created ?? definition;
    if (before) {
      const verb = before.created ? 'creates' : 'changes';
      return bySchema(live, `this deploy ${verb} ${objectText(before.step.intent)}`);
    }
    const claimed = live && (await this.#withClaims(step, address, live));
    if (claimed) return bySchema(claimed, 'stacks of this deploy exchange fields of it');
    const isRepairable = live !== undefined && isNewOrChanged(step, known); // a deploy repairs no other
    const repaired = isRepairable ? await withRewrittenVersions(this.#removed, address, live) : undefined;
    if (repaired) return bySchema(repaired.live, repaired.reason);
    const cleared = isRepairable && known ? clearedObjectOf({ managers: managersOf(step.stack), known }, step, live) : undefined;
    const freed = cleared?.state === 'shared' ? await withoutInitialEntry(cluster, address, cleared, live as JsonObject) : undefined;
    if (freed) return bySchema(freed, initialEntryText);
    if (reconsidered) return this.#reconsider(step, address, live, known, reconsidered);
    if (sendsNothing) return bySchema(live, unknown);
    const proved = live && (await this.#byProof(step, live, known));
    if (proved) return proved;
    try {
      const result = await this.#byServer(step, address, live, known);
      if (result.refusal) this.#refused.set(step, { step, address, live, error: result.refusal });
      const owner = this.#ownerOfReleased(step, result.plannedChange);
      if (owner) return this.#bySchema(step, address, owner.after, known, `stack ${owner.step.stack.name} applies to it first`);
      return result.live && movesToServerSide(step, result.live)
        ? { ...result, ...(await this.#moveStrategy(step, address, result.live, result)) }
        : result;
    } catch (error) {
      if (error instanceof ClaimNeededError) return this.#bySchema(step, address, live, known, undefined, error.claim);
      if (error instanceof ApiError && !mayNotApply(error)) this.#refused.set(step, { step, address, live, error });
      if (!mayNotApply(error)) throw error;
      return this.#bySchema(step, address, live, known, 'these credentials do not permit a dry run on the server');
    }
  }

  /** Plans an intent whose object these credentials may not read, and which the stack has not applied yet: the deploy judges it. */
  async #planUnread(step: Step, address: ObjectAddress): Promise<SourcedDryRun> {
    const result = step.intent.lifecycle === 'share' ? await this.#absentShare(step, address, undefined, undefined) : undefined;
    if (result !== undefined && !this.#owners.has(step.key)) {
      const { error: _, ...plannedChange } = result.plannedChange;
      return { ...result, plannedChange: { ...plannedChange, action: 'wait', reason: notReadReason, notRead: true } };
    }
    if (result !== undefined) return result;
    const { plannedChange, ...created } = await this.#bySchema(step, address, undefined, undefined, notReadReason);
    return { ...created, plannedChange: { ...plannedChange, notRead: true } };
  }

  /** Plans an intent that was refused as it is when earlier steps have changed what the refusal can depend on. */
  async #reconsider(
    step: Step,
    address: ObjectAddress,
    live: JsonObject | undefined,
    known: InventoryEntry | undefined,
    { refusal, isSimulated, changed }: Reconsidered,
  ): Promise<SourcedDryRun> {
    const first = changedFirstText(changed);
    if (isSimulated) return this.#bySchema(step, address, live, known, `this deploy ${first}`, undefined, changed);
    const reason = `not judged by the server, because this deploy ${first} first`;
    const result = await this.#bySchema(step, address, live, known, reason, undefined, changed);
    if (result.plannedChange.action === 'blocked') return result;
    const notJudged = { changedFirst: changed.map(changedFirstOf), refusal };
    return { ...result, plannedChange: { ...result.plannedChange, notJudged } };
  }

  /** Returns an object of which stacks claim fields, as the deploy finds it when it applies an intent; undefined for any other. */
  async #withClaims({ key }: Step, address: ObjectAddress, live: JsonObject): Promise<JsonObject | undefined> {
    const claims = this.#claims.get(key);
    if (claims === undefined) return undefined;
    const known = this.#claimed.get(key);
    if (known) return known;
    const claimed = await this.#options.state.withObject(address, live, async (cluster) => {
      for (const { step, transfers } of claims) this.#claimedBy.set(step, await claimFields(cluster, address, step, transfers));
      return cluster.get(address);
    });
    this.#claimed.set(key, claimed);
    return claimed;
  }

  /** Returns what a dry run of an intent has to know beside its object. */
  #known(step: Step, known: InventoryEntry | undefined) {
    return { known, names: this.#options.names, isLeaving: this.#options.isLeavingOf?.(step), claimed: this.#claimedBy.get(step) };
  }

  /** Returns the intent that this plan applies before another one, and that gets fields which this one releases: they keep their values. */
  #ownerOfReleased(step: Step, { fields }: PlannedChange): AppliedBesides | undefined {
    const released = new Set(fields.filter(({ change }) => change === 'removed' || change === 'defaulted').map(({ field }) => field));
    const { transfers } = this.#options;
    const owners = (this.#appliedBesides.get(step.key) ?? []).filter(
      (other) => other.step.intent.lifecycle === 'own' || transfers?.get(other.step)?.isImplied,
    );
    return owners.find((other) => other.fields.some(({ field, change }) => released.has(field) && appliedChanges.has(change)));
  }

  /** Plans an intent of which what was read proves that its PATCH would change nothing. */
  async #byProof(step: Step, live: JsonObject, known: InventoryEntry | undefined): Promise<SourcedDryRun | undefined> {
    const { noopProofs, movedSteps, transfers } = this.#options;
    if (!noopProofs || movedSteps?.has(step) || transfers?.has(step)) return undefined;
    const same = await planUnchanged(step, { live, ...this.#known(step, known) }, async () => noopProofs.prove(step, live));
    return same && { ...same, source: 'server', live };
  }

  async #byServer(
    step: Step,
    address: ObjectAddress,
    first: JsonObject | undefined,
    known: InventoryEntry | undefined,
  ): Promise<SourcedDryRun> {
    const { cluster, live: objects } = this.#options;
    let live = first;
    for (let read = 1; ; read++) {
      try {
        const { plannedChange, warnings = [], ...result } = await dryRun(step, { cluster, live, ...this.#known(step, known) });
        return { ...result, plannedChange: { ...plannedChange, ...serverWarnings(warnings) }, source: 'server', live };
      } catch (error) {
        if (!(error instanceof StaleReadError)) throw error;
        if (read === maxReads) throw planContendedError(step);
        live = await objects.refetch(address);
      }
    }
  }

  /**
   * Tries the whole move to `server-side` on the simulation: its later requests need what the first one writes, so dry runs cannot try
   * them.
   */
  async #moveStrategy(step: Step, address: ObjectAddress, live: JsonObject, result: DryRunResult): Promise<DryRunResult> {
    return this.#options.state.withObject(address, live, (cluster) => dryRunStrategyMove(cluster, step, address, result));
  }

  async #bySchema(
    step: Step,
    address: ObjectAddress,
    live: JsonObject | undefined,
    known: InventoryEntry | undefined,
    reason?: string,
    claim?: UnionClaim,
    changed: readonly ChangedObject[] = [],
  ): Promise<SourcedDryRun> {
    const { state } = this.#options;
    for (const { after } of this.#neededBy(step, address)) await state.plan(after);
    for (const object of neededBySimulation(step.object)) {
      const planned = changed.find(({ step: other }) => other.key === identityKey(object))?.after;
      if (planned) await state.plan(planned);
      else await state.ensureNeeded(object, this.#options.known?.has(identityKey(object)) !== false);
    }
    try {
      return await this.#simulate(step, address, live, known, reason, claim);
    } catch (error) {
      if (error instanceof ApiError && !changed.length) this.#refused.set(step, { step, address, live, error, isSimulated: true });
      throw error;
    }
  }

  async #simulate(
    step: Step,
    address: ObjectAddress,
    live: JsonObject | undefined,
    known: InventoryEntry | undefined,
    reason: string | undefined,
    claim: UnionClaim | undefined,
  ): Promise<SourcedDryRun> {
    const { state } = this.#options;
    const same =
      live &&
      (await planUnchanged(step, { live, ...this.#known(step, known) }, (manager) =>
        state.wouldBeNoop(address, live, step.object, manager),
      ));
    if (same) return { ...withReasons(same, [reason]), source: 'schema', live };
    const { plannedChange, after, simulated } = await state.withObject(address, live, async (cluster) => {
      // Read back, because the simulation has resourceVersions of its own.
      const simulated = live && (await cluster.tryGet(address));
      const options = { cluster, live: simulated, ...this.#known(step, known) };
      if (simulated && claim) return { ...(await dryRunWithClaim(step, { ...options, live: simulated }, claim)), simulated };
      try {
        const result = await dryRun(step, options);
        const changesStrategy = simulated && movesToServerSide(step, simulated);
        return { ...(changesStrategy ? await dryRunStrategyMove(cluster, step, address, result) : result), simulated };
      } catch (error) {
        if (!simulated || !(error instanceof ClaimNeededError)) throw error;
        return { ...(await dryRunWithClaim(step, { ...options, live: simulated }, error.claim)), simulated };
      }
    });
    const fields = state.hasOpenApiOnly(address.resource) ? plannedChange.fields.map(withMayDefault) : plannedChange.fields;
    const result = { plannedChange: { ...plannedChange, fields }, ...(after === undefined ? {} : { after }) };
    return { ...withReasons(result, [reason, plannedChange.reason]), source: 'schema', live: simulated };
  }

  /** Returns the planned objects that an object depends on: the CustomResourceDefinition of its kind, and its Namespace. */
  #neededBy(step: Step, address: ObjectAddress) {
    return [...this.#planned.values()].filter(({ step: other, after }) => {
      if (isNamespace(other)) return other.intent.name === address.namespace;
      return isCrd(other.intent) && plannedResource(after, step.intent.apiVersion, step.intent.kind) !== undefined;
    });
  }

  /** Returns an object in a version that its definition gets only by this deploy, as the server converts it, where it exists in another one. */
  async #inServedVersion({ intent }: Step, { namespace }: ObjectAddress, { spec }: JsonObject): Promise<JsonObject | undefined> {
    const { conversion } = spec as { readonly conversion?: { readonly strategy?: string } };
    if (conversion?.strategy === 'Webhook') return undefined;
    const address = await addressInAnyVersion(this.#options.cluster, { ...intent, namespace: intent.namespace ?? namespace });
    const live = address && (await this.#options.live.find(address));
    return live && { ...live, apiVersion: intent.apiVersion };
  }

  /** Returns the CustomResourceDefinition of an object's kind if this plan creates it or changes its spec. */
  #changedDefinition(step: Step) {
    for (const { key } of this.#definitions) {
      const planned = this.#planned.get(key);
      if (planned && plannedResource(planned.after, step.intent.apiVersion, step.intent.kind)) return planned;
    }
    return undefined;
  }

  /**
   * Plans a share whose object does not exist or is being deleted. Returns undefined if the share may create the object.
   *
   * @param terminating the live object, if it is being deleted.
   */
  async #absentShare(
    step: Step,
    address: ObjectAddress,
    known: InventoryEntry | undefined,
    terminating: JsonObject | undefined,
  ): Promise<SourcedDryRun | undefined> {
    const source = this.#sendsNothing(step) ? 'schema' : 'server';
    const owner = this.#owners.get(step.key);
    const planned = this.#planned.get(step.key);
    if (owner && planned) {
      const result = await this.#bySchema(
        step,
        address,
        planned.after,
        known,
        `stack ${owner.stack.name} ${this.#recreated.has(step.key) ? 'makes its object again' : 'creates its object'}`,
      );
      const { uid: _, ...plannedChange } = result.plannedChange; // The uid is one of the simulation.
      return { ...result, plannedChange };
    }
    if (owner) {
      const reason = `stack ${owner.stack.name} is to create its object, and would not succeed`;
      return { plannedChange: { action: 'wait', reason, fields: [] }, source };
    }
    const { ifAbsent, waitSeconds } = step.intent.policy;
    if (ifAbsent === 'create' && known?.uid === undefined && !terminating) return undefined;
    if (ifAbsent === 'wait') {
      const reason = terminating
        ? `its object is being deleted; a deploy waits ${waitSeconds} s for another one`
        : `its object does not exist; a deploy waits ${waitSeconds} s for it`;
      return { plannedChange: { action: 'wait', reason, fields: [] }, source };
    }
    if (terminating) return { plannedChange: { action: 'blocked', error: explain(targetTerminating()), fields: [] }, source };
    return { plannedChange: { action: 'blocked', reason: 'its object does not exist', fields: [] }, source };
  }
}

function withReasons(dryRunResult: DryRunResult, reasons: readonly (string | undefined)[]): DryRunResult {
  const texts = reasons.filter((text) => text !== undefined);
  return texts.length === 0
    ? dryRunResult
    : { ...dryRunResult, plannedChange: { ...dryRunResult.plannedChange, reason: texts.join('; ') } };
}

/** Says of a conflict that the declared value is not known. */
function withUncompared(field: PlannedField, notCompared: readonly string[] = []): PlannedField {
  const isConflict = field.change === 'force' || field.change === 'conflict';
  return isConflict && notCompared.includes(field.field) ? { ...field, reason: 'values not compared, perhaps equal' } : field;
}

function withMayDefault(field: PlannedField): PlannedField {
  return field.change === 'removed' ? { ...field, mayDefault: true } : field;
}

function isNamespace({ intent }: Step): boolean {
  return intent.kind === 'Namespace' && intent.apiVersion === 'v1';
}

function plannedAddress(cluster: ClusterClient, step: Step, definition: JsonObject): ObjectAddress {
  const { apiVersion, kind, namespace, name } = step.intent;
  const resource = plannedResource(definition, apiVersion, kind) as NonNullable<ReturnType<typeof plannedResource>>;
  return { resource, ...(resource.namespaced ? { namespace: namespace ?? cluster.defaultNamespace } : {}), name };
}

/** Returns the handler of an error of a read: a missing right does not count where an object is planned without it. */
function unreadIf(isPlannedUnread: boolean): (error: unknown) => 'unread' {
  return (error) => {
    if (isPlannedUnread && lacksRight(error)) return 'unread';
    throw error;
  };
}

/** Returns true if every further request would fail as well. */
function endsPlan(error: unknown): boolean {
  return error instanceof FieldwiseError && (error.kind === 'authentication' || error.code === 'cluster-unreachable');
}

function planContendedError({ stack, intent }: Step): FieldwiseError {
  return new FieldwiseError(
    'plan-contended',
    'resource',
    `Others wrote the object between each of ${maxReads} reads and the dry run after it`,
    {
      location: { object: objectText(intent), manager: stack.manager },
      next: 'Run again, or find the controller that writes it so often.',
    },
  );
}
