import { formerManagersOf, managersOf } from '../assembly/identity.js';
import { addressOf } from '../engine/addresses/address.js';
import { applyIntent } from '../engine/apply/apply-intent.js';
import { dynamicOf } from '../engine/apply/apply-task.js';
import { carryOutClaim } from '../engine/apply/apply-with-union-claims.js';
import { decidingPolicy, type IsLeaving } from '../engine/apply/conflict-policy.js';
import { portNameTaken } from '../engine/apply/port-name-taken.js';
import { creationDenial, replaceRefusal } from '../engine/apply/replace.js';
import { type UnionClaim, unionClaimOf } from '../engine/apply/union-claim.js';
import { plannedConflicts, plannedFields, values } from '../engine/field-changes/planned-fields.js';
import { rejectedFields } from '../engine/field-changes/release-diff.js';
import { undeclaredMembers } from '../engine/field-changes/report-releases.js';
import type { Step } from '../engine/graph/waves.js';
import { unlistedMark } from '../engine/inventory/edited-inventory.js';
import type { InventoryEntry } from '../engine/inventory/inventory-entry.js';
import { OtherOwners, type OwnerNameResolver } from '../engine/inventory/owner-name-resolver.js';
import { formerOwnersOf } from '../engine/object/former-owners.js';
import { mayChangeTopology } from '../engine/object/topology-change.js';
import { otherPrunersOf } from '../engine/pruners/other-pruners.js';
import { releasedByFormer } from '../engine/release/dry-run-releases.js';
import { explain } from '../engine/report/explain.js';
import { causeText, immutableFields } from '../engine/report/immutable.js';
import type { PlannedField, PlannedObject } from '../engine/report/plan-types.js';
import { formatPath, pathCovers, resolvePath, valueAt } from '../fields/index.js';
import { metadataOf } from '../fields/object.js';
import { ApiError, type ClusterClient, type ObjectAddress, type StatusCause } from '../kubernetes/index.js';
import { appliedIntentOf, applyEntryOf, isAppliedAnnotation, withReadableEntries } from '../ownership/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../util/json.js';

/** The planned change of one object, without the object's reference and the source of the plan, which the caller adds. */
export type PlannedChange = Pick<PlannedObject, 'action' | 'fields'> &
  Partial<
    Pick<
      PlannedObject,
      | 'uid'
      | 'reason'
      | 'error'
      | 'notJudged'
      | 'adopts'
      | 'renamedFrom'
      | 'transferred'
      | 'movedFrom'
      | 'rejoined'
      | 'notRead'
      | 'judgments'
      | 'warnings'
    >
  >;

export interface DryRunResult {
  readonly plannedChange: PlannedChange;
  /** The object after the deploy; absent if the deploy would not succeed. */
  readonly after?: JsonObject;
  /** The refusal because of which the object is blocked, where it was not thrown. */
  readonly refusal?: ApiError;
  /** The warnings of whatever answered the dry run. */
  readonly warnings?: readonly string[];
}

export interface DryRunOptions {
  /** The real server or a simulation, which receives the dry run. */
  readonly cluster: ClusterClient;
  /** The live object; undefined if it does not exist. */
  readonly live: JsonObject | undefined;
  readonly known: InventoryEntry | undefined;
  readonly names: OwnerNameResolver;
  /** See `DecidingPolicies`. */
  readonly isLeaving?: IsLeaving | undefined;
  /** The fields that the stack has claimed before. */
  readonly claimed?: readonly string[] | undefined;
}

/**
 * Plans an intent that is already applied, without a dry run; the result is the one that `dryRun` would return. Returns undefined if
 * `isNoop` does not prove that the intent is applied, or if the deploy would do more than apply it.
 */
export async function planUnchanged(
  step: Step,
  { live, known, names, ...owners }: Omit<DryRunOptions, 'cluster'> & { readonly live: JsonObject },
  isNoop: (manager: string) => Promise<boolean>,
): Promise<DryRunResult | undefined> {
  const { manager } = step.stack;
  const { policy } = step.intent;
  if (policy.strategy === 'dynamic' || appliedIntentOf(live, manager) !== undefined || formerOwnersOf(live, step.stack).length > 0) {
    return undefined;
  }
  if (applyEntryOf(live, manager) === undefined || !(await isNoop(manager))) return undefined;
  const contested = { forcedConflicts: [], yielded: [] };
  const fields = plannedFields({ live, after: live, manager, intent: step.object, contested, names, ...owners });
  const uid = metadataOf(live).uid;
  const plannedChange = {
    action: unchangedUnlessGained(fields),
    ...(uid === undefined ? {} : { uid }),
    fields,
    ...adoption(step, { live, known, names }),
  };
  return { plannedChange, after: live };
}

/** An object whose fields the stack has claimed in this run has got an owner, although its apply changes nothing. */
function unchangedUnlessGained(fields: readonly PlannedField[]): 'unchanged' | 'update' {
  return fields.some(({ gained }) => gained) ? 'update' : 'unchanged';
}

/** The object was written between the read and the dry run, so the old values of the plan would be wrong. */
export class StaleReadError extends Error {}

/** The deploy has to claim fields that are incompatible with the intent before it applies; one dry run cannot try both requests. */
export class ClaimNeededError extends Error {
  constructor(
    readonly claim: UnionClaim,
    readonly refusal: ApiError,
  ) {
    super();
  }
}

/**
 * Plans the apply of an intent by a dry run.
 *
 * @throws ApiError if the server rejects the dry run for a reason outside the intent; StaleReadError; ClaimNeededError.
 */
export async function dryRun(step: Step, { cluster, live, known, names, isLeaving, claimed }: DryRunOptions): Promise<DryRunResult> {
  const renamedFrom = live === undefined ? [] : formerOwnersOf(live, step.stack);
  // Until the rename has happened, a dry run under the former manager's name has the result that the rename will have.
  const formerManagers = formerManagersOf(step.stack);
  const manager = (applyEntryOf(live, step.stack.manager) ? undefined : renamedFrom[0]) ?? step.stack.manager;
  const address = await addressOf(cluster, step.intent);
  // The first request of the move to `server-side` decides the values; the requests after it change owners only.
  const changesStrategy = step.intent.policy.strategy !== 'dynamic' && appliedIntentOf(live, manager) !== undefined;
  const task = {
    address,
    object: step.object,
    manager,
    formerManagers,
    ...(mayChangeTopology(live, step.object, managersOf(step.stack)) ? { live } : {}),
    policy: step.intent.policy,
    isLeaving,
    ...(changesStrategy ? { dynamic: {} } : dynamicOf(step.intent.policy)),
    dryRun: true,
  };
  const uid = metadataOf(live).uid;
  const identity = { ...(uid === undefined ? {} : { uid }), ...(renamedFrom.length > 0 ? { renamedFrom } : {}) };
  try {
    const applied = await applyIntent(cluster, task);
    if (applied.outcome === 'conflict') {
      const fields = plannedConflicts(applied.conflicts, 'conflict', { live, intent: step.object, names });
      return { plannedChange: { action: 'blocked', ...identity, fields } };
    }
    const { object, warnings } = applied.response;
    const after = live !== undefined && jsonEqual(live, object) ? live : object; // of equal states, one is read
    if (applied.response.created !== (live === undefined) || (live && !isSameState(live, after))) throw new StaleReadError();
    const further = renamedFrom.filter((former) => former !== manager);
    const ofFormer = live
      ? await releasedByFormer(cluster, live, { address, object: step.object, managers: managersOf(step.stack), further, names })
      : [];
    const fields: PlannedField[] = [
      ...plannedFields({ live, after, manager, intent: step.object, contested: applied, names, formerManagers, isLeaving, claimed }),
      ...ofFormer,
    ];
    if (live === undefined) return { plannedChange: { action: 'create', fields }, after, warnings };
    const adopts = adoption(step, { live, known, names });
    if (isSame(live, after) && renamedFrom.length === 0 && !changesStrategy)
      return { plannedChange: { action: unchangedUnlessGained(fields), ...identity, fields, ...adopts }, after, warnings };
    const quiet = fields.every(({ change, gained }) => gained === undefined && ['same', 'co-own', 'yield'].includes(change));
    const reason = quiet && renamedFrom.length === 0 ? { reason: 'only the recorded owners change' } : {};
    return { plannedChange: { action: 'update', ...identity, fields, ...adopts, ...reason }, after, warnings };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422 || live === undefined) throw error;
    const claim = task.dynamic ? undefined : await unionClaimOf(cluster, task, error, live);
    if (claim !== undefined) throw new ClaimNeededError(claim, error);
    const immutable = immutableFields(error);
    if (immutable.length > 0)
      return withCreationDenial(cluster, address, step, withIdentity(planImmutable(step, live, known, error, immutable), identity));
    const portError = portNameTaken(error, live, manager);
    const blocked = { action: 'blocked', ...identity } as const;
    if (portError !== undefined) return { plannedChange: { ...blocked, fields: [], error: explain(portError) }, refusal: error };
    const fields = rejectedFields(live, undeclaredMembers(live, step.object, managersOf(step.stack)), error.causes);
    if (fields.length === 0) throw error;
    return { plannedChange: { ...blocked, fields, error: explain(error) }, refusal: error };
  }
}

/** Adds what identifies the live object; one that is made again has no former manager. */
function withIdentity(planned: PlannedChange, { renamedFrom, ...uid }: Pick<PlannedChange, 'uid' | 'renamedFrom'>): PlannedChange {
  return { ...uid, ...(renamedFrom === undefined || planned.action === 'recreate' ? {} : { renamedFrom }), ...planned };
}

/**
 * Plans an intent that needs a claim first: carries out the claim, then tries the apply. The claim is a write, so `cluster` must be a
 * simulation.
 *
 * @throws as `dryRun` does.
 */
export async function dryRunWithClaim(
  step: Step,
  options: DryRunOptions & { readonly live: JsonObject },
  claim: UnionClaim,
): Promise<DryRunResult> {
  const { cluster, live, names } = options;
  const policies = { policy: step.intent.policy, isLeaving: options.isLeaving };
  const contested = claim.forcedConflicts.filter((conflict) => decidingPolicy(conflict, policies) !== 'force');
  if (contested.length > 0) {
    const fields = plannedConflicts(contested, 'conflict', { live, intent: step.object, names });
    return { plannedChange: { action: 'blocked', uid: metadataOf(live).uid as string, fields } };
  }
  const address = await addressOf(cluster, step.intent);
  const task = { address, object: step.object, manager: step.stack.manager, formerManagers: formerManagersOf(step.stack) };
  await carryOutClaim(cluster, task, live, claim);
  const { plannedChange, after } = await dryRun(step, { ...options, live: await cluster.get(address) }).catch((error: unknown) => {
    throw error instanceof ClaimNeededError ? error.refusal : error; // The claim did not help, so a second one would not either.
  });
  const forcedConflicts = plannedConflicts(claim.forcedConflicts, 'force', { live, intent: step.object, names });
  const claimed = claim.paths.map((path) => formatPath(path));
  const others = plannedChange.fields.flatMap((planned): PlannedField[] => {
    if (planned.change === 'server' && forcedConflicts.some(({ field }) => pathCovers(field, planned.field))) return [];
    if (planned.change !== 'removed' || !claimed.some((root) => pathCovers(root, planned.field))) return [planned];
    if (forcedConflicts.some(({ field }) => pathCovers(field, planned.field))) return [];
    return [{ ...planned, reason: 'a default of the server is incompatible with the intent; it is claimed, then released' }];
  });
  return { plannedChange: { ...plannedChange, fields: [...forcedConflicts, ...others] }, ...(after === undefined ? {} : { after }) };
}

/** Names the owners of an object that the stack is about to adopt: the intent owns it, and the stack has not owned it before. */
function adoption({ intent, stack }: Step, { live, known, names }: Omit<DryRunOptions, 'cluster'>): Pick<PlannedChange, 'adopts'> {
  const isOwned = known?.lifecycle === 'own' && (known.uid === metadataOf(live).uid || known.uid === undefined);
  if (intent.lifecycle !== 'own' || isOwned) return {};
  const prunedBy = otherPrunersOf(live).map(({ name }) => name);
  const owners = new OtherOwners(live, stack.manager, names).all;
  return { adopts: { owners, ...(prunedBy.length > 0 ? { prunedBy } : {}), ...unlistedMark(known, live, managersOf(stack)) } };
}

/** Plans a change of immutable fields: the object is recreated if the policy allows it and no other manager would lose fields. */
function planImmutable(
  step: Step,
  live: JsonObject,
  known: InventoryEntry | undefined,
  error: ApiError,
  causes: readonly StatusCause[],
): PlannedChange {
  const managers = managersOf(step.stack);
  const refusal = replaceRefusal(live, { intent: step.intent, managers, deletableUid: known?.deletable ? known.uid : undefined });
  const fields = causes.map(({ field, message }): PlannedField => {
    const path = resolvePath(`.${field}`, step.object) ?? resolvePath(`.${field}`, live);
    const shown = path === undefined ? {} : values(valueAt(live, path), valueAt(step.object, path));
    return {
      field: `.${field}`,
      ...shown,
      change: refusal === undefined ? 'change' : 'rejected',
      reason: causeText({ field: '', message, reason: '' }),
    };
  });
  if (refusal === undefined) return { action: 'recreate', reason: 'a declared field is immutable', fields };
  return { action: 'blocked', reason: `not created again: ${refusal}`, fields, error: explain(error) };
}

/** Blocks a replacement whose creation a policy or webhook denies, as a deploy would before it deletes the object. */
async function withCreationDenial(
  cluster: ClusterClient,
  address: ObjectAddress,
  { object, stack }: Step,
  planned: PlannedChange,
): Promise<Pick<DryRunResult, 'plannedChange' | 'refusal'>> {
  const denial = planned.action === 'recreate' ? await creationDenial(cluster, address, object, stack.manager) : undefined;
  return denial === undefined
    ? { plannedChange: planned }
    : { plannedChange: { ...planned, action: 'blocked', error: explain(denial) }, refusal: denial };
}

/** Returns true if a dry run met the state that was read: it returns the uid and resourceVersion of the object that it met. */
function isSameState(live: JsonObject, after: JsonObject): boolean {
  return (['uid', 'resourceVersion'] as const).every((name) => metadataOf(live)[name] === metadataOf(after)[name]);
}

/** Returns true if a server would write nothing. */
function isSame(live: JsonObject, after: JsonObject): boolean {
  if (live === after) return true;
  if (!jsonEqual(contentOf(live), contentOf(after))) return false;
  const sameOwners = (one: JsonObject, other: JsonObject) => jsonEqual(ownersOf(one), ownersOf(other));
  return sameOwners(live, after) || sameOwners(withReadableEntries(live), withReadableEntries(after));
}

function contentOf(object: JsonObject): JsonObject {
  const { managedFields: _, resourceVersion: __, generation: ___, annotations, ...metadata } = metadataOf(object);
  const named = isJsonObject(annotations) ? Object.entries(annotations).filter(([name]) => !isAppliedAnnotation(name)) : [];
  return { ...object, metadata: { ...metadata, ...(named.length > 0 ? { annotations: Object.fromEntries(named) } : {}) } };
}

/**
 * Returns the owners without their times, which a server keeps if nothing else changes, and without the entry `before-first-apply`, which
 * a server adds to an object without owners: no client owns anything by it.
 */
function ownersOf(object: JsonObject): JsonObject {
  const entries = Array.isArray(metadataOf(object).managedFields)
    ? (metadataOf(object).managedFields as readonly Json[]).filter(isJsonObject)
    : [];
  const owners = entries.filter(({ manager }) => manager !== 'before-first-apply');
  return Object.fromEntries([
    ...appliedIntentAnnotations(object),
    ...owners.map(
      ({ manager, operation, apiVersion, subresource, fieldsV1 }) =>
        [JSON.stringify([manager, operation, apiVersion, subresource]), fieldsV1 as Json] as const,
    ),
  ]);
}

function appliedIntentAnnotations(object: JsonObject): (readonly [string, Json])[] {
  const { annotations } = metadataOf(object);
  const all = isJsonObject(annotations) ? Object.entries(annotations) : [];
  return all.filter(([name]) => isAppliedAnnotation(name)).map(([name, intent]) => [name, intent as Json] as const);
}
