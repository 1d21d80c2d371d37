import { objectText } from '../assembly/identity.js';
import { finishedReason, isFinishedJob } from '../engine/apply/preconditions/finished-job.js';
import { isNotTerminating, refuseTerminating } from '../engine/apply/preconditions/refuse-terminating.js';
import { targetTerminating } from '../engine/apply/preconditions/share-target.js';
import type { UnionClaim } from '../engine/apply/union-claim.js';
import type { Step } from '../engine/graph/waves.js';
import type { InventoryEntry } from '../engine/inventory/inventory-entry.js';
import type { OwnerNameResolver } from '../engine/inventory/owner-name-resolver.js';
import { isNewOrChanged } from '../engine/live/live-before.js';
import type { LiveObjects } from '../engine/live/live-objects.js';
import type { IsTransferred } from '../engine/release/is-transferred.js';
import { explain } from '../engine/report/explain.js';
import type { PlannedField, PlannedObject, PlanSource } from '../engine/report/plan-types.js';
import { addressIfServed, addressOf } from '../engine/target/address.js';
import { objectReference } from '../engine/target/object-reference.js';
import { RemovedVersions } from '../engine/target/removed-versions.js';
import { isCrd } from '../engine/target/wait-for-established.js';
import type { FieldTransfer } from '../engine/transfer/field-transfers.js';
import { foreignOwnerText } from '../engine/transfer/other-stacks.js';
import type { ClusterClient, ObjectAddress } from '../kubernetes/index.js';
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
import { mayNotApply } from './may-not-apply.js';
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
  /** Nothing is asked but what may be read. */
  readonly readOnly: boolean;
  readonly known: ReadonlySet<string> | undefined;
  /** Absent where nobody asks what a deploy would refuse or ask. */
  readonly isTransferred?: IsTransferred;
  readonly transfers?: ReadonlyMap<Step, FieldTransfer>;
  /** Objects that a step of the plan goes on owning in place of another stack, with the name of the stack that could delete them. */
  readonly inherited?: ReadonlyMap<Step, string | undefined>;
}

type SourcedDryRun = DryRunResult & { readonly source: PlanSource; readonly live?: JsonObject | undefined };

const maxReads = 3;

/** Plans intents one by one and knows what earlier ones leave behind: plan CRDs and Namespaces first, then what is owned, then shares. */
export class StepPlanner {
  readonly #options: StepPlannerOptions;
  /** Objects that this deploy makes or changes and that others build on. */
  readonly #planned = new Map<string, { readonly step: Step; readonly after: JsonObject; readonly created: boolean }>();
  readonly #transferred = new Map<string, TransferredObject>();
  readonly #inherited = new Map<string, JsonObject>();
  readonly #definitions: readonly Step[];
  readonly #owners: ReadonlyMap<string, Step>;
  readonly #shared: ReadonlySet<string>;
  readonly #removed: RemovedVersions;

  constructor(options: StepPlannerOptions) {
    this.#options = options;
    this.#removed = new RemovedVersions(options.cluster);
    this.#definitions = options.steps.filter((step) => isCrd(step.intent));
    this.#owners = new Map(options.steps.filter(({ intent }) => intent.lifecycle === 'own').map((step) => [step.key, step]));
    this.#shared = new Set(options.steps.filter(({ intent }) => intent.lifecycle === 'share').map(({ key }) => key));
  }

  /** @throws FieldwiseError where every further question would fail as well: no connection, no authentication. */
  async plan(step: Step, known: InventoryEntry | undefined): Promise<PlannedObject> {
    const reference = objectReference(step.stack.name, step.stack.manager, step.intent);
    const constant = { event: 'plan' as const, ...reference, declaredBy: step.intent.declaredBy };
    const intendedSource: PlanSource = this.#options.readOnly ? 'schema' : 'server';
    try {
      const { source, ...plannedChange } = await this.#dryRun(step, known, intendedSource);
      return { ...constant, source, ...(await this.#withPolicies(step, known, plannedChange)) };
    } catch (error) {
      if (endsPlan(error)) throw error;
      return { ...constant, source: intendedSource, action: 'blocked', fields: [], error: explain(error) };
    }
  }

  async #dryRun(
    step: Step,
    known: InventoryEntry | undefined,
    intendedSource: PlanSource,
  ): Promise<PlannedChange & Pick<SourcedDryRun, 'source'>> {
    try {
      const { source, live, ...result } = await this.#dryRunStep(step, known);
      // A deploy makes room for a new object in any case, and applies everything else to what is going.
      if (step.intent.lifecycle === 'own' && live && result.plannedChange.action !== 'recreate') refuseTerminating(live);
      const { plannedChange, after } = this.#transferFields(step, result);
      if (after !== undefined) this.#remember(step, live, after);
      if (after !== undefined && this.#options.inherited?.has(step)) this.#inherited.set(step.key, after);
      return { source, ...this.#withOrigin(step, plannedChange) };
    } catch (error) {
      if (endsPlan(error)) throw error;
      return { source: intendedSource, action: 'blocked', fields: [], error: explain(error) };
    }
  }

  /** A deploy looks at what its policies say before anything else, at the object as it was before the run. */
  async #withPolicies(step: Step, known: InventoryEntry | undefined, plannedChange: PlannedChange): Promise<PlannedChange> {
    const { cluster, live: objects, isTransferred } = this.#options;
    if (isTransferred === undefined || !(isGuarded(step, known) || hasForcedConflicts(plannedChange))) return plannedChange;
    const address = await addressIfServed(cluster, step.intent);
    const live = address && (await objects.find(address));
    if (!address || !live) return plannedChange;
    const isInherited = this.#options.inherited?.get(step) !== undefined;
    return withPolicies({ step, known, isInherited }, plannedChange, { address, live }, { ...this.#options, isTransferred: isTransferred });
  }

  /** What the giver of fields that another stack takes over will meet, where this plan says so. */
  transferredFrom(manager: string, key: string): TransferredObject | undefined {
    const transferred = this.#transferred.get(key);
    return transferred?.previousOwner === manager ? transferred : undefined;
  }

  #withOrigin(step: Step, plannedChange: PlannedChange): PlannedChange {
    const from = this.#options.inherited?.get(step);
    if (from !== undefined && plannedChange.action !== 'blocked') {
      const { adopts: _, ...others } = plannedChange;
      return { ...others, movedFrom: from };
    }
    const pasted =
      step.intent.policy.transferFrom === undefined ? foreignOwnerText(step.stack.name, plannedChange.adopts?.owners ?? []) : undefined;
    return pasted === undefined
      ? plannedChange
      : { ...plannedChange, reason: [plannedChange.reason, pasted].filter((text) => text).join('; ') };
  }

  /** An object as another stack of this plan leaves it that goes on owning it. */
  inheritedBy(key: string): JsonObject | undefined {
    return this.#inherited.get(key);
  }

  #transferFields(step: Step, result: DryRunResult): DryRunResult {
    const transfer = this.#options.transfers?.get(step);
    if (transfer === undefined) return result;
    const { judged: dryRunResult, handed: transferred } = withTransfer(step, transfer, result);
    if (transferred) this.#transferred.set(step.key, transferred);
    return dryRunResult;
  }

  #remember(step: Step, live: JsonObject | undefined, after: JsonObject): void {
    const created = live === undefined;
    const matters = isCrd(step.intent) ? !jsonEqual(live?.spec, after.spec) : created && (isNamespace(step) || this.#shared.has(step.key));
    if (matters) this.#planned.set(step.key, { step, after, created });
  }

  async #dryRunStep(step: Step, known: InventoryEntry | undefined): Promise<SourcedDryRun> {
    const { cluster, live: objects, readOnly } = this.#options;
    const definition = this.#changedDefinition(step);
    const address = definition ? plannedAddress(cluster, step, definition.after) : await addressOf(cluster, step.intent);
    const namespace = [...this.#planned.values()].find((other) => isNamespace(other.step) && other.step.intent.name === address.namespace);
    const coming = namespace ?? (definition?.created ? definition : undefined);
    const transferred = this.transferredFrom(step.stack.manager, step.key);
    if (transferred)
      return this.#bySchema(step, address, transferred.object, known, `stack ${transferred.newOwner} takes fields of it over first`);
    const live = coming ? undefined : await objects.find(address);
    if (!isNotTerminating(live) && step.intent.lifecycle === 'share') {
      const result = await this.#absentShare(step, address, known, live);
      if (result) return result;
    }
    if (!live && !coming && isFinishedJob(step, known))
      return { plannedChange: { action: 'unchanged', reason: finishedReason, fields: [] }, source: readOnly ? 'schema' : 'server' };
    const unknown = this.#options.known?.has(step.key) === false && !coming ? 'the snapshot does not say whether it exists' : undefined;
    const before = coming ?? definition;
    if (before) {
      const what = before.created ? 'comes' : 'changes';
      return this.#bySchema(step, address, live, known, `${objectText(before.step.intent)} ${what} with this deploy`);
    }
    const repaired = live && isNewOrChanged(step, known) ? await withRewrittenVersions(this.#removed, address, live) : undefined;
    if (repaired) return this.#bySchema(step, address, repaired.live, known, repaired.reason);
    if (readOnly) return this.#bySchema(step, address, live, known, unknown);
    try {
      const result = await this.#byServer(step, address, live, known);
      return result.live && movesToServerSide(step, result.live)
        ? { ...result, ...(await this.#moveStrategy(step, address, result.live, result)) }
        : result;
    } catch (error) {
      if (error instanceof ClaimNeededError) return this.#bySchema(step, address, live, known, undefined, error.claim);
      if (!mayNotApply(error)) throw error;
      return this.#bySchema(step, address, live, known, 'these credentials may not try it on the server');
    }
  }

  async #byServer(
    step: Step,
    address: ObjectAddress,
    first: JsonObject | undefined,
    known: InventoryEntry | undefined,
  ): Promise<SourcedDryRun> {
    const { cluster, live: objects, names } = this.#options;
    let live = first;
    for (let read = 1; ; read++) {
      try {
        return { ...(await dryRun(step, { cluster, live, known, names })), source: 'server', live };
      } catch (error) {
        if (!(error instanceof StaleReadError)) throw error;
        if (read === maxReads) throw planContendedError(step);
        live = await objects.refetch(address);
      }
    }
  }

  /** A dry run tries only the first request of a hand-over to the server; the others need what it writes. */
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
  ): Promise<SourcedDryRun> {
    const { state, names } = this.#options;
    for (const { after } of this.#neededBy(step, address)) await state.plan(after);
    const same =
      live && (await planUnchanged(step, { live, known, names }, (manager) => state.wouldBeNoop(address, live, step.object, manager)));
    if (same) return { ...withReasons(same, [reason]), source: 'schema', live };
    const { plannedChange, after, there } = await state.withObject(address, live, async (cluster) => {
      // Read back, because the simulation counts versions of its own.
      const there = live && (await cluster.tryGet(address));
      const options = { cluster, live: there, known, names };
      if (there && claim) return { ...(await dryRunWithClaim(step, { ...options, live: there }, claim)), there };
      try {
        const result = await dryRun(step, options);
        const changesStrategy = there && movesToServerSide(step, there);
        return { ...(changesStrategy ? await dryRunStrategyMove(cluster, step, address, result) : result), there };
      } catch (error) {
        if (!there || !(error instanceof ClaimNeededError)) throw error;
        return { ...(await dryRunWithClaim(step, { ...options, live: there }, error.claim)), there };
      }
    });
    const fields = state.hasOpenApiOnly(address.resource) ? plannedChange.fields.map(withMayDefault) : plannedChange.fields;
    const result = { plannedChange: { ...plannedChange, fields }, ...(after === undefined ? {} : { after }) };
    return { ...withReasons(result, [reason, plannedChange.reason]), source: 'schema', live: there };
  }

  /** What of this plan an object stands on: its definition, its Namespace. */
  #neededBy(step: Step, address: ObjectAddress) {
    return [...this.#planned.values()].filter(({ step: other, after }) => {
      if (isNamespace(other)) return other.intent.name === address.namespace;
      return isCrd(other.intent) && plannedResource(after, step.intent.apiVersion, step.intent.kind) !== undefined;
    });
  }

  /** The definition of an object's kind, where this plan makes it or changes what it defines. */
  #changedDefinition(step: Step) {
    for (const { key } of this.#definitions) {
      const planned = this.#planned.get(key);
      if (planned && plannedResource(planned.after, step.intent.apiVersion, step.intent.kind)) return planned;
    }
    return undefined;
  }

  /** @param terminating the object, where it is being deleted. */
  async #absentShare(
    step: Step,
    address: ObjectAddress,
    known: InventoryEntry | undefined,
    terminating: JsonObject | undefined,
  ): Promise<SourcedDryRun | undefined> {
    const source = this.#options.readOnly ? 'schema' : 'server';
    const owner = this.#owners.get(step.key);
    const planned = this.#planned.get(step.key);
    if (owner && planned) {
      const result = await this.#bySchema(step, address, planned.after, known, `its object comes with stack ${owner.stack.name}`);
      const { uid: _, ...plannedChange } = result.plannedChange; // the simulation's
      return { ...result, plannedChange: plannedChange };
    }
    if (owner) {
      const reason = `its object is to come with stack ${owner.stack.name}, which would not succeed`;
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
  const said = reasons.filter((text) => text !== undefined);
  return said.length === 0 ? dryRunResult : { ...dryRunResult, plannedChange: { ...dryRunResult.plannedChange, reason: said.join('; ') } };
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

/** Whether every further question would fail as well. */
function endsPlan(error: unknown): boolean {
  return error instanceof FieldwiseError && (error.kind === 'authentication' || error.code === 'cluster-unreachable');
}

function planContendedError({ stack, intent }: Step): FieldwiseError {
  return new FieldwiseError('plan-contended', 'resource', `Others wrote the object each of the ${maxReads} times that it was looked at`, {
    location: { object: objectText(intent), manager: stack.manager },
    next: 'Run again, or find out which controller writes it so often.',
  });
}
