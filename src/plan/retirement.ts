import { createdBy } from '../engine/apply/created-by.js';
import type { InventoryEntry } from '../engine/inventory/entry.js';
import { OtherOwners, type StackNames } from '../engine/inventory/owner-names.js';
import type { StackIdentity } from '../engine/inventory/store.js';
import type { LiveObjects } from '../engine/live/live-objects.js';
import { dryRelease } from '../engine/release/empty-intent.js';
import { membersByField } from '../engine/release/planned-fields.js';
import { rejectedFields, releasedFields } from '../engine/release/planned-releases.js';
import type { IsReceived } from '../engine/release/receivers.js';
import { endingReason } from '../engine/removal/ending-reason.js';
import { foreignContent } from '../engine/removal/foreign.js';
import { unprovedReason } from '../engine/removal/ownership-proof.js';
import { adoptedRejected, keptRejected, type Leaver, releaseRejected, replacedReason } from '../engine/removal/release.js';
import { adoptedReason, neverApplied, type RetireOptions, retainedReason } from '../engine/removal/retire.js';
import { endingOf } from '../engine/removal/vanishing-release.js';
import { explain } from '../engine/run/explain.js';
import type { PlannedObject, PlanSource } from '../engine/run/plan-types.js';
import { placeOf } from '../engine/target/place.js';
import { addressInAnyVersion, type RemovedVersions } from '../engine/target/removed-versions.js';
import { inheritedText } from '../engine/transfer/succession.js';
import { ApiError, type Cluster, type ObjectAddress } from '../kubernetes/index.js';
import { applyEntryOf } from '../ownership/index.js';
import type { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import type { Verdict } from './judge.js';
import { mayNotApply } from './may-not-apply.js';
import { withReleasePolicy } from './policies.js';
import { rewritten } from './rewritten.js';
import type { SimulatedState } from './simulation.js';

export interface RetirementContext {
  readonly cluster: Cluster;
  readonly live: Pick<LiveObjects, 'find'>;
  readonly state: SimulatedState;
  readonly names: StackNames;
  readonly readOnly: boolean;
  /** The cluster is a snapshot, which does not say what others keep in a Namespace or under a CustomResourceDefinition. */
  readonly partial: boolean;
  readonly isReceived: IsReceived;
  readonly removed: RemovedVersions;
}

type Answer = Verdict & { readonly source?: PlanSource };

/** `rejection`: the server does not accept the object without the fields of the stack. */
type ReleaseAnswer = Answer & { readonly rejection?: FieldwiseError };

/** What would become of an object that a stack no longer declares. */
export async function planRetirement(
  context: RetirementContext,
  stack: StackIdentity,
  entry: InventoryEntry,
  options: RetireOptions,
): Promise<PlannedObject> {
  const found = { event: 'plan' as const, ...placeOf(stack.stack, stack.manager, entry), source: 'inventory' as const, declaredBy: [] };
  try {
    return { ...found, ...(await judge(context, stack.stack, [stack.manager, ...options.formerManagers], entry, options)) };
  } catch (error) {
    return { ...found, action: 'blocked', fields: [], error: explain(error) };
  }
}

async function judge(
  context: RetirementContext,
  stack: string,
  managers: readonly [string, ...string[]],
  entry: InventoryEntry,
  options: RetireOptions,
): Promise<Answer> {
  if (entry.lifecycle === 'own' && entry.retain) return { action: 'retain', reason: retainedReason(managers[0]), fields: [] };
  const address = await addressInAnyVersion(context.cluster, entry);
  if (address === undefined) return { action: 'gone', reason: 'the server no longer serves its kind', fields: [] };
  const found = await context.live.find(address);
  const repaired = found && (await rewritten(context.removed, address, found));
  const live = repaired?.live ?? found;
  const uid = (live?.metadata as JsonObject | undefined)?.uid;
  if (!found || !live) return { action: 'gone', fields: [] };
  if (entry.uid !== undefined && uid !== entry.uid) return { action: 'gone', fields: [], reason: replacedReason };
  const manager = managers.find((candidate) => applyEntryOf(live, candidate)) ?? managers[0];
  if (entry.uid === undefined && !applyEntryOf(live, manager)) return { action: 'gone', reason: neverApplied, fields: [] };
  const place = { uid: String(uid) };
  const { succession, deleteShared } = options;
  const trial = repaired ? { ...context, readOnly: true } : context; // the server refuses to try it
  const inherited = succession && inheritedText(succession, entry);
  const ending = endingOf(entry, managers, succession, options);
  const deletable = entry.deletable || (entry.uid === undefined && createdBy(live, managers));
  if (entry.lifecycle === 'own' && deletable && inherited === undefined) {
    const candidate = { entry, stack, managers, succession, deleteShared };
    const alone = !endingReason(live, candidate).kept;
    const looks = alone && !options.deleteForeign;
    const foreign = looks ? await foreignContent(context.cluster, live, options.ours, options.gone.seconds) : [];
    const { kept, reason = '' } = endingReason(live, candidate, foreign);
    if (!kept) {
      const why = reason === '' ? (context.partial ? unseenContent(live) : {}) : { reason };
      return { ...place, action: 'delete', fields: [], ...why };
    }
    if (reason === unprovedReason) return { ...place, action: 'release', fields: [], reason };
    const released = await planRelease(trial, address, live, { manager, stack });
    const verdict = withRejection(released, (error) => keptRejected(error, reason));
    const planned = { ...place, ...verdict, ...reasonOf(released.rejection ? undefined : reason, repaired?.reason) };
    return withReleasePolicy(ending, planned, { address, live: found }, context);
  }
  const adopted = entry.lifecycle === 'own' && inherited === undefined;
  const released = await planRelease(trial, address, live, { manager, stack });
  const verdict = withRejection(released, (error) => (adopted ? adoptedRejected(error, stack) : error));
  const reason = inherited ?? (adopted && !released.rejection ? adoptedReason : undefined);
  const planned = { ...place, ...verdict, ...reasonOf(reason, repaired?.reason) };
  return withReleasePolicy(ending, planned, { address, live: found }, context);
}

function reasonOf(...parts: readonly (string | undefined)[]): Pick<Verdict, 'reason'> {
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? {} : { reason: said.join('; ') };
}

/** The refusal of a release as the deploy will say it. */
function withRejection({ rejection, ...answer }: ReleaseAnswer, said: (error: unknown) => unknown): Answer {
  return rejection === undefined ? answer : { ...answer, error: explain(said(rejection)) };
}

/** Nothing is known of what others keep in it. */
function unseenContent(live: JsonObject): Pick<Verdict, 'reason'> {
  const holds = live.kind === 'Namespace' || live.kind === 'CustomResourceDefinition';
  return holds ? { reason: 'a snapshot does not say what others keep in it; a deploy keeps it if they do' } : {};
}

/** What an empty intent would do. */
export async function planRelease(
  context: Pick<RetirementContext, 'cluster' | 'state' | 'names' | 'readOnly'>,
  address: ObjectAddress,
  live: JsonObject,
  leaver: Leaver,
): Promise<ReleaseAnswer> {
  if (!context.readOnly) {
    try {
      return { ...(await tryRelease(context.cluster, context.names, address, live, leaver)), source: 'server' };
    } catch (error) {
      if (!mayNotApply(error)) throw error;
    }
  }
  const release = await context.state.ask(address, live, (cluster) => tryRelease(cluster, context.names, address, live, leaver));
  return { ...release, source: 'schema' };
}

async function tryRelease(
  cluster: Cluster,
  names: StackNames,
  address: ObjectAddress,
  live: JsonObject,
  { manager, stack }: Leaver,
): Promise<ReleaseAnswer> {
  const before = membersByField(live, manager);
  try {
    const after = await dryRelease(cluster, address, live, manager);
    const others = new OtherOwners(after, manager, names);
    const fields = releasedFields({ live, after, before, declared: new Map(), taken: [], others, manager, names });
    return { action: 'release', fields };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error;
    const rejection = releaseRejected(error, { manager, stack });
    return { action: 'blocked', fields: rejectedFields(live, [...before.values()], error.causes), error: explain(rejection), rejection };
  }
}
