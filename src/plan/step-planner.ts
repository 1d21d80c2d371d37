import { objectText } from '../assembly/identity.js';
import { endedReason, isMeantToEnd } from '../engine/apply/ended-job.js';
import { isLiving, refuseTerminating } from '../engine/apply/refuse-terminating.js';
import { targetTerminating } from '../engine/apply/share-target.js';
import type { UnionClaim } from '../engine/apply/union-claim.js';
import type { Step } from '../engine/graph/waves.js';
import type { InventoryEntry } from '../engine/inventory/entry.js';
import type { StackNames } from '../engine/inventory/owner-names.js';
import { isNewOrChanged } from '../engine/live/live-before.js';
import type { LiveObjects } from '../engine/live/live-objects.js';
import type { IsReceived } from '../engine/release/receivers.js';
import { explain } from '../engine/run/explain.js';
import type { PlannedField, PlannedObject, PlanSource } from '../engine/run/plan-types.js';
import { addressIfServed, addressOf } from '../engine/target/address.js';
import { isCrd } from '../engine/target/established.js';
import { placeOf } from '../engine/target/place.js';
import { RemovedVersions } from '../engine/target/removed-versions.js';
import { pastedText } from '../engine/transfer/succession.js';
import type { Takeover } from '../engine/transfer/takeovers.js';
import type { Cluster, ObjectAddress } from '../kubernetes/index.js';
import { FieldwiseError } from '../util/error.js';
import { type JsonObject, jsonEqual } from '../util/json.js';
import { judgeHandOver, leavesDynamic } from './hand-over.js';
import { type Handed, withTakeover } from './handed.js';
import { ClaimNeeded, type Judged, judge, judgeUnchanged, judgeWithClaim, ReadAgain, type Verdict } from './judge.js';
import { mayNotApply } from './may-not-apply.js';
import { isGuarded, takesByForce, withPolicies } from './policies.js';
import { rewritten } from './rewritten.js';
import { plannedResource, type SimulatedState } from './simulation.js';

export interface StepPlannerOptions {
  readonly cluster: Cluster;
  readonly steps: readonly Step[];
  readonly live: LiveObjects;
  readonly state: SimulatedState;
  readonly names: StackNames;
  /** Nothing is asked but what may be read. */
  readonly readOnly: boolean;
  readonly known: ReadonlySet<string> | undefined;
  /** Absent where nobody asks what a deploy would refuse or ask. */
  readonly isReceived?: IsReceived;
  readonly takeovers?: ReadonlyMap<Step, Takeover>;
  /** Objects that a step of the plan goes on owning in place of another stack, with the name of the stack that could delete them. */
  readonly inherited?: ReadonlyMap<Step, string | undefined>;
}

type Answer = Judged & { readonly source: PlanSource; readonly live?: JsonObject | undefined };

const reads = 3;

/** Plans intents one by one and knows what earlier ones leave behind: plan CRDs and Namespaces first, then what is owned, then shares. */
export class StepPlanner {
  readonly #options: StepPlannerOptions;
  /** Objects that this deploy makes or changes and that others build on. */
  readonly #planned = new Map<string, { readonly step: Step; readonly after: JsonObject; readonly created: boolean }>();
  readonly #handed = new Map<string, Handed>();
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
    const place = placeOf(step.stack.name, step.stack.manager, step.intent);
    const constant = { event: 'plan' as const, ...place, declaredBy: step.intent.declaredBy };
    const asked: PlanSource = this.#options.readOnly ? 'schema' : 'server';
    try {
      const { source, ...verdict } = await this.#judged(step, known, asked);
      return { ...constant, source, ...(await this.#withPolicies(step, known, verdict)) };
    } catch (error) {
      if (endsPlan(error)) throw error;
      return { ...constant, source: asked, action: 'blocked', fields: [], error: explain(error) };
    }
  }

  async #judged(step: Step, known: InventoryEntry | undefined, asked: PlanSource): Promise<Verdict & Pick<Answer, 'source'>> {
    try {
      const { source, live, ...answer } = await this.#answer(step, known);
      // A deploy makes room for a new object in any case, and applies everything else to what is going.
      if (step.intent.lifecycle === 'own' && live && answer.verdict.action !== 'recreate') refuseTerminating(live);
      const { verdict, after } = this.#takeOver(step, answer);
      if (after !== undefined) this.#remember(step, live, after);
      if (after !== undefined && this.#options.inherited?.has(step)) this.#inherited.set(step.key, after);
      return { source, ...this.#withOrigin(step, verdict) };
    } catch (error) {
      if (endsPlan(error)) throw error;
      return { source: asked, action: 'blocked', fields: [], error: explain(error) };
    }
  }

  /** A deploy looks at what its policies say before anything else, at the object as it was before the run. */
  async #withPolicies(step: Step, known: InventoryEntry | undefined, verdict: Verdict): Promise<Verdict> {
    const { cluster, live: objects, isReceived } = this.#options;
    if (isReceived === undefined || !(isGuarded(step, known) || takesByForce(verdict))) return verdict;
    const address = await addressIfServed(cluster, step.intent);
    const live = address && (await objects.find(address));
    if (!address || !live) return verdict;
    const isInherited = this.#options.inherited?.get(step) !== undefined;
    return withPolicies({ step, known, isInherited }, verdict, { address, live }, { ...this.#options, isReceived });
  }

  /** What the giver of fields that another stack takes over will meet, where this plan says so. */
  handedTo(manager: string, key: string): Handed | undefined {
    const handed = this.#handed.get(key);
    return handed?.giver === manager ? handed : undefined;
  }

  #withOrigin(step: Step, verdict: Verdict): Verdict {
    const from = this.#options.inherited?.get(step);
    if (from !== undefined && verdict.action !== 'blocked') {
      const { adopts: _, ...others } = verdict;
      return { ...others, movedFrom: from };
    }
    const pasted = step.intent.policy.transferFrom === undefined ? pastedText(step.stack.name, verdict.adopts?.owners ?? []) : undefined;
    return pasted === undefined ? verdict : { ...verdict, reason: [verdict.reason, pasted].filter((text) => text).join('; ') };
  }

  /** An object as another stack of this plan leaves it that goes on owning it. */
  inheritedBy(key: string): JsonObject | undefined {
    return this.#inherited.get(key);
  }

  #takeOver(step: Step, answer: Judged): Judged {
    const takeover = this.#options.takeovers?.get(step);
    if (takeover === undefined) return answer;
    const { judged, handed } = withTakeover(step, takeover, answer);
    if (handed) this.#handed.set(step.key, handed);
    return judged;
  }

  #remember(step: Step, live: JsonObject | undefined, after: JsonObject): void {
    const created = live === undefined;
    const matters = isCrd(step.intent) ? !jsonEqual(live?.spec, after.spec) : created && (isNamespace(step) || this.#shared.has(step.key));
    if (matters) this.#planned.set(step.key, { step, after, created });
  }

  async #answer(step: Step, known: InventoryEntry | undefined): Promise<Answer> {
    const { cluster, live: objects, readOnly } = this.#options;
    const definition = this.#changedDefinition(step);
    const address = definition ? plannedAddress(cluster, step, definition.after) : await addressOf(cluster, step.intent);
    const namespace = [...this.#planned.values()].find((other) => isNamespace(other.step) && other.step.intent.name === address.namespace);
    const coming = namespace ?? (definition?.created ? definition : undefined);
    const handed = this.handedTo(step.stack.manager, step.key);
    if (handed) return this.#bySchema(step, address, handed.object, known, `stack ${handed.by} takes fields of it over first`);
    const live = coming ? undefined : await objects.find(address);
    if (!isLiving(live) && step.intent.lifecycle === 'share') {
      const answer = await this.#absentShare(step, address, known, live);
      if (answer) return answer;
    }
    if (!live && !coming && isMeantToEnd(step.object, known))
      return { verdict: { action: 'unchanged', reason: endedReason, fields: [] }, source: readOnly ? 'schema' : 'server' };
    const unknown = this.#options.known?.has(step.key) === false && !coming ? 'the snapshot does not say whether it exists' : undefined;
    const before = coming ?? definition;
    if (before) {
      const what = before.created ? 'comes' : 'changes';
      return this.#bySchema(step, address, live, known, `${objectText(before.step.intent)} ${what} with this deploy`);
    }
    const repaired = live && isNewOrChanged(step, known) ? await rewritten(this.#removed, address, live) : undefined;
    if (repaired) return this.#bySchema(step, address, repaired.live, known, repaired.reason);
    if (readOnly) return this.#bySchema(step, address, live, known, unknown);
    try {
      const answer = await this.#byServer(step, address, live, known);
      return answer.live && leavesDynamic(step, answer.live)
        ? { ...answer, ...(await this.#handOver(step, address, answer.live, answer)) }
        : answer;
    } catch (error) {
      if (error instanceof ClaimNeeded) return this.#bySchema(step, address, live, known, undefined, error.claim);
      if (!mayNotApply(error)) throw error;
      return this.#bySchema(step, address, live, known, 'these credentials may not try it on the server');
    }
  }

  async #byServer(step: Step, address: ObjectAddress, first: JsonObject | undefined, known: InventoryEntry | undefined): Promise<Answer> {
    const { cluster, live: objects, names } = this.#options;
    let live = first;
    for (let read = 1; ; read++) {
      try {
        return { ...(await judge(step, { cluster, live, known, names })), source: 'server', live };
      } catch (error) {
        if (!(error instanceof ReadAgain)) throw error;
        if (read === reads) throw contended(step);
        live = await objects.findAnew(address);
      }
    }
  }

  /** A dry run tries only the first request of a hand-over to the server; the others need what it writes. */
  async #handOver(step: Step, address: ObjectAddress, live: JsonObject, judged: Judged): Promise<Judged> {
    return this.#options.state.ask(address, live, (cluster) => judgeHandOver(cluster, step, address, judged));
  }

  async #bySchema(
    step: Step,
    address: ObjectAddress,
    live: JsonObject | undefined,
    known: InventoryEntry | undefined,
    reason?: string,
    claim?: UnionClaim,
  ): Promise<Answer> {
    const { state, names } = this.#options;
    for (const { after } of this.#neededBy(step, address)) await state.plan(after);
    const same =
      live && (await judgeUnchanged(step, { live, known, names }, (manager) => state.changesNothing(address, live, step.object, manager)));
    if (same) return { ...withReasons(same, [reason]), source: 'schema', live };
    const { verdict, after, there } = await state.ask(address, live, async (cluster) => {
      // Read back, because the simulation counts versions of its own.
      const there = live && (await cluster.find(address));
      const options = { cluster, live: there, known, names };
      if (there && claim) return { ...(await judgeWithClaim(step, { ...options, live: there }, claim)), there };
      try {
        const judged = await judge(step, options);
        const moves = there && leavesDynamic(step, there);
        return { ...(moves ? await judgeHandOver(cluster, step, address, judged) : judged), there };
      } catch (error) {
        if (!there || !(error instanceof ClaimNeeded)) throw error;
        return { ...(await judgeWithClaim(step, { ...options, live: there }, error.claim)), there };
      }
    });
    const fields = state.isDescribedOnly(address.resource) ? verdict.fields.map(perhapsDefaulted) : verdict.fields;
    const judged = { verdict: { ...verdict, fields }, ...(after === undefined ? {} : { after }) };
    return { ...withReasons(judged, [reason, verdict.reason]), source: 'schema', live: there };
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

  /** @param going the object, where it is being deleted. */
  async #absentShare(
    step: Step,
    address: ObjectAddress,
    known: InventoryEntry | undefined,
    going: JsonObject | undefined,
  ): Promise<Answer | undefined> {
    const source = this.#options.readOnly ? 'schema' : 'server';
    const owner = this.#owners.get(step.key);
    const planned = this.#planned.get(step.key);
    if (owner && planned) {
      const answer = await this.#bySchema(step, address, planned.after, known, `its object comes with stack ${owner.stack.name}`);
      const { uid: _, ...verdict } = answer.verdict; // the simulation's
      return { ...answer, verdict };
    }
    if (owner) {
      const reason = `its object is to come with stack ${owner.stack.name}, which would not succeed`;
      return { verdict: { action: 'wait', reason, fields: [] }, source };
    }
    const { ifAbsent, waitSeconds } = step.intent.policy;
    if (ifAbsent === 'create' && known?.uid === undefined && !going) return undefined;
    if (ifAbsent === 'wait') {
      const reason = going
        ? `its object is being deleted; a deploy waits ${waitSeconds} s for another one`
        : `its object does not exist; a deploy waits ${waitSeconds} s for it`;
      return { verdict: { action: 'wait', reason, fields: [] }, source };
    }
    if (going) return { verdict: { action: 'blocked', error: explain(targetTerminating()), fields: [] }, source };
    return { verdict: { action: 'blocked', reason: 'its object does not exist', fields: [] }, source };
  }
}

function withReasons(judged: Judged, reasons: readonly (string | undefined)[]): Judged {
  const said = reasons.filter((text) => text !== undefined);
  return said.length === 0 ? judged : { ...judged, verdict: { ...judged.verdict, reason: said.join('; ') } };
}

function perhapsDefaulted(field: PlannedField): PlannedField {
  return field.change === 'removed' ? { ...field, mayDefault: true } : field;
}

function isNamespace({ intent }: Step): boolean {
  return intent.kind === 'Namespace' && intent.apiVersion === 'v1';
}

function plannedAddress(cluster: Cluster, step: Step, definition: JsonObject): ObjectAddress {
  const { apiVersion, kind, namespace, name } = step.intent;
  const resource = plannedResource(definition, apiVersion, kind) as NonNullable<ReturnType<typeof plannedResource>>;
  return { resource, ...(resource.namespaced ? { namespace: namespace ?? cluster.defaultNamespace } : {}), name };
}

/** Whether every further question would fail as well. */
function endsPlan(error: unknown): boolean {
  return error instanceof FieldwiseError && (error.kind === 'authentication' || error.code === 'cluster-unreachable');
}

function contended({ stack, intent }: Step): FieldwiseError {
  return new FieldwiseError('plan-contended', 'resource', `Others wrote the object each of the ${reads} times that it was looked at`, {
    location: { object: objectText(intent), manager: stack.manager },
    next: 'Run again, or find out which controller writes it so often.',
  });
}
