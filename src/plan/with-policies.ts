import { identityKey, managersOf } from '../assembly/identity.js';
import type { IsLeaving } from '../engine/apply/conflict-policy.js';
import { objectAlreadyExistsError } from '../engine/apply/preconditions/object-already-exists.js';
import { strictestRelease } from '../engine/field-changes/release-policy.js';
import type { Step } from '../engine/graph/waves.js';
import type { InventoryEntry } from '../engine/inventory/inventory-entry.js';
import type { OwnerNameResolver } from '../engine/inventory/owner-name-resolver.js';
import { isNewOrChanged } from '../engine/live/live-before.js';
import {
  dryRunApplyReleases,
  dryRunReleases,
  unverifiedApplyReleases,
  unverifiedReleases,
  type ValueChangingRelease,
} from '../engine/release/dry-run-releases.js';
import { hasReleasePolicy, releaseRefused, releasesUnderPolicy, withoutTransferred } from '../engine/release/find-releases.js';
import type { IsTransferred } from '../engine/release/is-transferred.js';
import type { Removal } from '../engine/release/release-collateral.js';
import { isOfOneObject } from '../engine/report/error-scope.js';
import { explain } from '../engine/report/explain.js';
import { equalQuantitiesIn } from '../engine/transfer/equal-quantities.js';
import { existingObjectText, isFirstDeploy, isUnownedExisting } from '../engine/transfer/first-deploys.js';
import type { ClusterClient, ObjectAddress } from '../kubernetes/index.js';
import type { JsonObject } from '../util/json.js';
import type { PlannedChange } from './dry-run.js';
import { mayNotApply } from './may-not-apply.js';
import type { SimulatedState } from './simulation.js';

/** The clients that try an apply or a release. */
export interface PolicyContext {
  readonly cluster: ClusterClient;
  readonly state: SimulatedState;
  readonly names: OwnerNameResolver;
  /** Sends no dry runs to the server. */
  readonly readOnly: boolean;
  readonly isTransferred: IsTransferred;
}

/** An intent, and what the run knows of its object. */
export interface StepBefore {
  readonly step: Step;
  readonly known: InventoryEntry | undefined;
  /** The object moves here from another stack of the run. */
  readonly isMoved: boolean;
  /** The field managers of the stacks of the run, also their former ones. */
  readonly managersOfRun: ReadonlySet<string>;
  readonly isLeaving: IsLeaving;
}

/** Returns true if a deploy checks policies of an intent before its first write; it does so for new and changed intents only. */
export function isGuarded(step: Step, known: InventoryEntry | undefined): boolean {
  const { policy } = step.intent;
  const isAsking = strictestRelease(policy) !== 'report' || policy.ifPresent !== undefined;
  return isAsking && isNewOrChanged(step, known);
}

/**
 * Adds the effect of the policies `ifPresent` and `releases` to a planned change: the error that would stop the deploy, or the question
 * that the deploy would ask.
 *
 * @param live the object before the first write of the deploy.
 */
export async function withPolicies(
  { step, known, isMoved, managersOfRun, isLeaving }: StepBefore,
  plannedChange: PlannedChange,
  { address, live }: { readonly address: ObjectAddress; readonly live: JsonObject },
  context: PolicyContext,
): Promise<PlannedChange> {
  const { ifPresent } = step.intent.policy;
  const existsUnowned = !isMoved && isUnownedExisting(step, known, live);
  if (existsUnowned && ifPresent === 'fail')
    return { ...plannedChange, action: 'blocked', error: explain(objectAlreadyExistsError(existingObjectText(step, live))) };
  // A moved object takes along the fields that its previous stack still owns.
  const isAgreed: IsLeaving = (manager, field) => (isMoved && managersOfRun.has(manager)) || isLeaving(manager, field);
  const forcesOnFirstDeploy =
    hasForcedConflicts(plannedChange, isAgreed) &&
    isFirstDeploy(step, known, live) &&
    (await changesValues(step, plannedChange, isAgreed, live));
  const withExistingQuestion = existsUnowned && ifPresent === 'ask' ? withReason(plannedChange, existingQuestion) : plannedChange;
  const withForceQuestion = forcesOnFirstDeploy ? withReason(withExistingQuestion, forceQuestion) : withExistingQuestion;
  const checksReleases = isGuarded(step, known) && strictestRelease(step.intent.policy) !== 'report';
  const guarded = !checksReleases ? [] : releasesUnderPolicy(live, step.object, step, known, context.names);
  if (guarded.length === 0) return withForceQuestion;
  const found = await tryOrSimulate(
    context,
    address,
    live,
    (cluster) => dryRunApplyReleases(cluster, step, live, guarded, context.names),
    () => unverifiedApplyReleases(step, guarded),
  );
  return withReleases(withForceQuestion, withoutTransferred(found, managersOf(step.stack), step.key, live, context.isTransferred));
}

/** Adds the effect of the policy `releases` to the planned removal of an object that the stack no longer declares. */
export async function withReleasePolicy<V extends PlannedChange>(
  removal: Removal,
  plannedChange: V,
  { address, live }: { readonly address: ObjectAddress; readonly live: JsonObject },
  context: PolicyContext,
): Promise<V> {
  const { releases: policy } = removal.entry;
  if (policy === undefined || !hasReleasePolicy(removal)) return plannedChange;
  const { names } = context;
  const found = await tryOrSimulate(
    context,
    address,
    live,
    (cluster) => dryRunReleases(cluster, removal, live, { policy, names }),
    () => unverifiedReleases(removal, policy),
  );
  return withReleases(plannedChange, withoutTransferred(found, removal.managers, identityKey(removal.entry), live, context.isTransferred));
}

/**
 * Returns true if an apply forces fields of others; one conflict blocks the whole object, and then nothing is forced.
 *
 * @param isAgreed returns true for a field of a manager that is forced without a question.
 */
export function hasForcedConflicts({ action, fields }: PlannedChange, isAgreed: IsLeaving = () => false): boolean {
  if (action === 'blocked' || fields.some(({ change }) => change === 'conflict')) return false;
  return fields.some(
    ({ field, change, owners = [] }) =>
      change === 'force' && !(owners.length > 0 && owners.every(({ manager }) => isAgreed(manager, field))),
  );
}

/** Returns true if a force changes more than the way in which a quantity is written. */
async function changesValues({ intent }: Step, plannedChange: PlannedChange, isAgreed: IsLeaving, live: JsonObject): Promise<boolean> {
  const isEqual = await equalQuantitiesIn(intent, live);
  const fields = plannedChange.fields.filter(({ field, oldValue, newValue }) => !isEqual(field, oldValue, newValue));
  return hasForcedConflicts({ ...plannedChange, fields }, isAgreed);
}

const forceQuestion =
  'a deploy asks whether to force fields of others, because the stack deploys or owns it for the first time; without a terminal that needs --yes';
const existingQuestion = 'a deploy asks whether to own it, because it exists already (`ifPresent: ask`)';

function withReleases<V extends PlannedChange>(plannedChange: V, found: readonly ValueChangingRelease[]): V {
  const refused = found.filter(({ policy }) => policy === 'fail');
  if (refused.length > 0) return { ...plannedChange, action: 'blocked', error: explain(releaseRefused(refused)) };
  if (found.length === 0) return plannedChange;
  const fields = found.flatMap(({ field }) => field ?? []);
  const effect = fields.length > 0 ? `the value of ${fields.join(', ')} changes` : 'the effect on its fields cannot be tried';
  return withReason(
    plannedChange,
    `a deploy asks first, because no other manager owns the fields that it releases, and ${effect} (\`releases: ask\`)`,
  );
}

function withReason<V extends PlannedChange>(plannedChange: V, text: string): V {
  return { ...plannedChange, reason: [plannedChange.reason, text].filter((part) => part).join('; ') };
}

/** Tries releases on the server, or by the schema if the credentials do not permit dry runs. */
async function tryOrSimulate(
  { cluster, state, readOnly }: PolicyContext,
  address: ObjectAddress,
  live: JsonObject,
  attempt: (cluster: ClusterClient) => Promise<readonly ValueChangingRelease[]>,
  otherwise: () => readonly ValueChangingRelease[],
): Promise<readonly ValueChangingRelease[]> {
  try {
    if (readOnly) return await state.withObject(address, live, attempt);
    return await attempt(cluster).catch((error: unknown) => {
      if (!mayNotApply(error)) throw error;
      return state.withObject(address, live, attempt);
    });
  } catch (error) {
    if (isOfOneObject(error)) return otherwise();
    throw error;
  }
}
