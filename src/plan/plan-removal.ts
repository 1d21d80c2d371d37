import { objectReference } from '../engine/addresses/object-reference.js';
import { addressInAnyVersion, type RemovedVersions } from '../engine/addresses/removed-versions.js';
import { createdByRunOf } from '../engine/apply/preconditions/created-by.js';
import { membersByField } from '../engine/field-changes/planned-fields.js';
import { rejectedFields, releasedFields } from '../engine/field-changes/release-diff.js';
import type { InventoryEntry } from '../engine/inventory/inventory-entry.js';
import type { StackIdentity } from '../engine/inventory/inventory-store.js';
import { OtherOwners, type OwnerNameResolver } from '../engine/inventory/owner-name-resolver.js';
import type { LiveObjects } from '../engine/live/live-objects.js';
import { unprovedReason } from '../engine/object/ownership-proof.js';
import { adoptedRejected, keptRejected, type ReleasingOwner, releaseRejected, replacedReason } from '../engine/object/release.js';
import { unmanagedContents } from '../engine/object/unmanaged-contents.js';
import { dryRelease } from '../engine/release/empty-intent.js';
import type { IsTransferred } from '../engine/release/is-transferred.js';
import { removalOf } from '../engine/release/release-collateral.js';
import { deletionDecision } from '../engine/removal/deletion-decision.js';
import { adoptedReason, neverApplied, type RemoveEntryOptions, retainedReason } from '../engine/removal/remove-entry.js';
import { explain } from '../engine/report/explain.js';
import type { PlannedObject, PlanSource } from '../engine/report/plan-types.js';
import { newOwnerText } from '../engine/transfer/other-stacks.js';
import { ApiError, type ClusterClient, type ObjectAddress } from '../kubernetes/index.js';
import { applyEntryOf } from '../ownership/index.js';
import type { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import type { PlannedChange } from './dry-run.js';
import { mayNotApply } from './may-not-apply.js';
import type { SimulatedState } from './simulation.js';
import { withReleasePolicy } from './with-policies.js';
import { withRewrittenVersions } from './with-rewritten-versions.js';

export interface PlanRemovalContext {
  readonly cluster: ClusterClient;
  readonly live: Pick<LiveObjects, 'find'>;
  readonly state: SimulatedState;
  readonly names: OwnerNameResolver;
  readonly readOnly: boolean;
  /** The cluster is a snapshot, which does not list objects of others in a Namespace or of a CustomResourceDefinition. */
  readonly isSnapshot: boolean;
  readonly isTransferred: IsTransferred;
  readonly removedVersions: RemovedVersions;
}

/** The options of a removal on which its plan depends. */
export type PlanRemovalOptions = Pick<
  RemoveEntryOptions,
  'deleteShared' | 'deleteForeign' | 'deletionWait' | 'keysToDelete' | 'formerManagers' | 'otherStacks'
>;

type RemovalChange = PlannedChange & { readonly source?: PlanSource };

/** `rejection` is present if the server does not accept the object without the fields of the stack. */
type ReleaseChange = RemovalChange & { readonly rejection?: FieldwiseError };

/** Plans the removal of an object that a stack no longer declares. */
export async function planRemoval(
  context: PlanRemovalContext,
  stack: StackIdentity,
  entry: InventoryEntry,
  options: PlanRemovalOptions,
): Promise<PlannedObject> {
  const found = {
    event: 'plan' as const,
    ...objectReference(stack.stack, stack.manager, entry),
    source: 'inventory' as const,
    declaredBy: [],
  };
  try {
    return { ...found, ...(await dryRunRemoval(context, stack.stack, [stack.manager, ...options.formerManagers], entry, options)) };
  } catch (error) {
    return { ...found, action: 'blocked', fields: [], error: explain(error) };
  }
}

async function dryRunRemoval(
  context: PlanRemovalContext,
  stack: string,
  managers: readonly [string, ...string[]],
  entry: InventoryEntry,
  options: PlanRemovalOptions,
): Promise<RemovalChange> {
  if (entry.lifecycle === 'own' && entry.retain) return { action: 'retain', reason: retainedReason(managers[0]), fields: [] };
  const address = await addressInAnyVersion(context.cluster, entry);
  if (address === undefined) return { action: 'absent', reason: 'the server no longer serves its kind', fields: [] };
  const found = await context.live.find(address);
  const repaired = found && (await withRewrittenVersions(context.removedVersions, address, found));
  const live = repaired?.live ?? found;
  const uid = (live?.metadata as JsonObject | undefined)?.uid;
  if (!found || !live) return { action: 'absent', fields: [] };
  if (entry.uid !== undefined && uid !== entry.uid) return { action: 'absent', fields: [], reason: replacedReason };
  const manager = managers.find((candidate) => applyEntryOf(live, candidate)) ?? managers[0];
  if (entry.uid === undefined && !applyEntryOf(live, manager)) return { action: 'absent', reason: neverApplied, fields: [] };
  const identity = { uid: String(uid) };
  const { otherStacks, deleteShared } = options;
  const releaseContext = repaired ? { ...context, readOnly: true } : context; // The server rejects dry runs until the entries are rewritten.
  const newOwnerReason = otherStacks && newOwnerText(otherStacks, entry);
  const removal = removalOf(entry, managers, otherStacks, options);
  const deletable = entry.deletable || (entry.uid === undefined && createdByRunOf(entry, live, managers));
  if (entry.lifecycle === 'own' && deletable && newOwnerReason === undefined) {
    const candidate = { entry, stack, managers, otherStacks, deleteShared };
    const mayDelete = !deletionDecision(live, candidate).kept;
    const needsContents = mayDelete && !options.deleteForeign;
    const foreign = needsContents
      ? await unmanagedContents(context.cluster, live, options.keysToDelete, options.deletionWait.timeoutSeconds)
      : [];
    const { kept, reason = '' } = deletionDecision(live, candidate, foreign);
    if (!kept) {
      const unknown = context.isSnapshot ? unknownContents(live).reason : undefined;
      return { ...identity, action: 'delete', fields: [], ...reasonOf(reason || undefined, unknown) };
    }
    if (reason === unprovedReason) return { ...identity, action: 'release', fields: [], reason };
    const released = await planRelease(releaseContext, address, live, { manager, stack });
    const plannedChange = withRejection(released, (error) => keptRejected(error, reason));
    const planned = { ...identity, ...plannedChange, ...reasonOf(released.rejection ? undefined : reason, repaired?.reason) };
    return withReleasePolicy(removal, planned, { address, live: found }, context);
  }
  const adopted = entry.lifecycle === 'own' && newOwnerReason === undefined;
  const released = await planRelease(releaseContext, address, live, { manager, stack });
  const plannedChange = withRejection(released, (error) => (adopted ? adoptedRejected(error, stack) : error));
  const reason = newOwnerReason ?? (adopted && !released.rejection ? adoptedReason : undefined);
  const planned = { ...identity, ...plannedChange, ...reasonOf(reason, repaired?.reason) };
  return withReleasePolicy(removal, planned, { address, live: found }, context);
}

function reasonOf(...parts: readonly (string | undefined)[]): Pick<PlannedChange, 'reason'> {
  const texts = parts.filter((part) => part !== undefined);
  return texts.length === 0 ? {} : { reason: texts.join('; ') };
}

/** Adds the error that the deploy will report for a rejected release. */
function withRejection({ rejection, ...change }: ReleaseChange, errorOf: (error: unknown) => unknown): RemovalChange {
  return rejection === undefined ? change : { ...change, error: explain(errorOf(rejection)) };
}

/** Returns the reason to add for a container object of a snapshot, whose contents are unknown. */
function unknownContents(live: JsonObject): Pick<PlannedChange, 'reason'> {
  const holds = live.kind === 'Namespace' || live.kind === 'CustomResourceDefinition';
  return holds ? { reason: 'a snapshot does not show whether others have objects in it; if they do, a deploy keeps it' } : {};
}

/** Plans the apply of an empty intent. */
export async function planRelease(
  context: Pick<PlanRemovalContext, 'cluster' | 'state' | 'names' | 'readOnly'>,
  address: ObjectAddress,
  live: JsonObject,
  releasingOwner: ReleasingOwner,
): Promise<ReleaseChange> {
  if (!context.readOnly) {
    try {
      return { ...(await dryRunReleaseChange(context.cluster, context.names, address, live, releasingOwner)), source: 'server' };
    } catch (error) {
      if (!mayNotApply(error)) throw error;
    }
  }
  const release = await context.state.withObject(address, live, (cluster) =>
    dryRunReleaseChange(cluster, context.names, address, live, releasingOwner),
  );
  return { ...release, source: 'schema' };
}

async function dryRunReleaseChange(
  cluster: ClusterClient,
  names: OwnerNameResolver,
  address: ObjectAddress,
  live: JsonObject,
  { manager, stack }: ReleasingOwner,
): Promise<ReleaseChange> {
  const before = membersByField(live, manager);
  try {
    const after = await dryRelease(cluster, address, live, manager);
    const others = new OtherOwners(after, manager, names);
    const fields = releasedFields({ live, after, before, declared: new Map(), forcedPaths: [], others, manager, names });
    return { action: 'release', fields };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error;
    const rejection = releaseRejected(error, { manager, stack });
    return { action: 'blocked', fields: rejectedFields(live, [...before.values()], error.causes), error: explain(rejection), rejection };
  }
}
