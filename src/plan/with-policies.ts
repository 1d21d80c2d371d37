import { identityKey, managersOf } from '../assembly/identity.js';
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
import { strictestRelease } from '../engine/release/release-policy.js';
import type { Removal } from '../engine/removal/release-collateral.js';
import { isOfOneObject } from '../engine/report/error-scope.js';
import { explain } from '../engine/report/explain.js';
import { existingObjectText, isFirstDeploy, isUnownedExisting, objectAlreadyExistsError } from '../engine/transfer/first-deploys.js';
import type { ClusterClient, ObjectAddress } from '../kubernetes/index.js';
import type { JsonObject } from '../util/json.js';
import type { PlannedChange } from './dry-run.js';
import { mayNotApply } from './may-not-apply.js';
import type { SimulatedState } from './simulation.js';

/** Who is asked what an apply or a release would do. */
export interface PolicyContext {
  readonly cluster: ClusterClient;
  readonly state: SimulatedState;
  readonly names: OwnerNameResolver;
  /** Nothing is asked but what may be read. */
  readonly readOnly: boolean;
  readonly isTransferred: IsTransferred;
}

/** Whether policies of an intent have a say before the first write of a deploy; the deploy looks at new and changed intents only. */
export function isGuarded(step: Step, known: InventoryEntry | undefined): boolean {
  const { policy } = step.intent;
  const isAsking = strictestRelease(policy) !== 'report' || (policy.ifPresent ?? 'adopt') !== 'adopt';
  return isAsking && isNewOrChanged(step, known);
}

/**
 * A verdict as the policies `ifPresent` and `releases` leave it: blocked by the error with which the deploy would end, or with the question
 * that it would ask.
 *
 * @param live the object as the deploy will find it before its first write.
 */
export async function withPolicies(
  { step, known, isInherited }: { readonly step: Step; readonly known: InventoryEntry | undefined; readonly isInherited: boolean },
  plannedChange: PlannedChange,
  { address, live }: { readonly address: ObjectAddress; readonly live: JsonObject },
  trial: PolicyContext,
): Promise<PlannedChange> {
  const { ifPresent } = step.intent.policy;
  const isMet = !isInherited && isUnownedExisting(step, known, live);
  if (isMet && ifPresent === 'fail')
    return { ...plannedChange, action: 'blocked', error: explain(objectAlreadyExistsError(existingObjectText(step, live))) };
  const isFirstTake = !isInherited && hasForcedConflicts(plannedChange) && isFirstDeploy(step, known, live);
  const withExistingQuestion = isMet && ifPresent === 'ask' ? withReason(plannedChange, existingQuestion) : plannedChange;
  const withForceQuestion = isFirstTake ? withReason(withExistingQuestion, forceQuestion) : withExistingQuestion;
  const looks = isGuarded(step, known) && strictestRelease(step.intent.policy) !== 'report';
  const guarded = !looks ? [] : releasesUnderPolicy(live, step.object, step, known, trial.names);
  if (guarded.length === 0) return withForceQuestion;
  const found = await tryOrSimulate(
    trial,
    address,
    live,
    (cluster) => dryRunApplyReleases(cluster, step, live, guarded, trial.names),
    () => unverifiedApplyReleases(step, guarded),
  );
  return withReleases(withForceQuestion, withoutTransferred(found, managersOf(step.stack), step.key, live, trial.isTransferred));
}

/** The same of an object that the stack no longer declares. */
export async function withReleasePolicy<V extends PlannedChange>(
  removal: Removal,
  plannedChange: V,
  { address, live }: { readonly address: ObjectAddress; readonly live: JsonObject },
  trial: PolicyContext,
): Promise<V> {
  const { releases: policy } = removal.entry;
  if (policy === undefined || !hasReleasePolicy(removal)) return plannedChange;
  const { names } = trial;
  const found = await tryOrSimulate(
    trial,
    address,
    live,
    (cluster) => dryRunReleases(cluster, removal, live, { policy, names }),
    () => unverifiedReleases(removal, policy),
  );
  return withReleases(plannedChange, withoutTransferred(found, removal.managers, identityKey(removal.entry), live, trial.isTransferred));
}

/** Whether an apply takes fields of others by force: where one field stops the object nothing of it is taken. */
export function hasForcedConflicts({ action, fields }: PlannedChange): boolean {
  return action !== 'blocked' && fields.some(({ change }) => change === 'force') && !fields.some(({ change }) => change === 'conflict');
}

const forceQuestion =
  'a deploy asks whether to take fields of others by force, because the stack deploys it for the first time; without a terminal that needs --yes';
const existingQuestion = 'a deploy asks whether to own it, because it exists already (`ifPresent: ask`)';

function withReleases<V extends PlannedChange>(plannedChange: V, found: readonly ValueChangingRelease[]): V {
  const refused = found.filter(({ policy }) => policy === 'fail');
  if (refused.length > 0) return { ...plannedChange, action: 'blocked', error: explain(releaseRefused(refused)) };
  if (found.length === 0) return plannedChange;
  const fields = found.flatMap(({ field }) => field ?? []);
  const what = fields.length > 0 ? `the value of ${fields.join(', ')} changes` : 'the effect on its fields cannot be tried';
  return withReason(plannedChange, `a deploy asks first, because nobody else owns what it releases, and ${what} (\`releases: ask\`)`);
}

function withReason<V extends PlannedChange>(plannedChange: V, text: string): V {
  return { ...plannedChange, reason: [plannedChange.reason, text].filter((part) => part).join('; ') };
}

/** Tries on the server, or by the schema where the server may not be asked. */
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
