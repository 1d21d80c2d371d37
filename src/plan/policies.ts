import { identityKey, managersOf } from '../assembly/identity.js';
import type { Step } from '../engine/graph/waves.js';
import type { InventoryEntry } from '../engine/inventory/entry.js';
import type { StackNames } from '../engine/inventory/owner-names.js';
import { isNewOrChanged } from '../engine/live/live-before.js';
import { given, guardedReleases, mayRefuse, releaseRefused } from '../engine/release/found-releases.js';
import type { IsReceived } from '../engine/release/receivers.js';
import { strictestRelease } from '../engine/release/release-policy.js';
import { type FoundRelease, triedApply, triedRelease, untriedApply, untriedRelease } from '../engine/release/tried-releases.js';
import type { Ending } from '../engine/removal/vanishing-release.js';
import { isOfOneObject } from '../engine/run/error-scope.js';
import { explain } from '../engine/run/explain.js';
import { isFirstContact, isStrange, present, presentText } from '../engine/transfer/first-contact.js';
import type { Cluster, ObjectAddress } from '../kubernetes/index.js';
import type { JsonObject } from '../util/json.js';
import type { Verdict } from './judge.js';
import { mayNotApply } from './may-not-apply.js';
import type { SimulatedState } from './simulation.js';

/** Who is asked what an apply or a release would do. */
export interface Trial {
  readonly cluster: Cluster;
  readonly state: SimulatedState;
  readonly names: StackNames;
  /** Nothing is asked but what may be read. */
  readonly readOnly: boolean;
  readonly isReceived: IsReceived;
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
  verdict: Verdict,
  { address, live }: { readonly address: ObjectAddress; readonly live: JsonObject },
  trial: Trial,
): Promise<Verdict> {
  const { ifPresent } = step.intent.policy;
  const isMet = !isInherited && isStrange(step, known, live);
  if (isMet && ifPresent === 'fail') return { ...verdict, action: 'blocked', error: explain(present(presentText(step, live))) };
  const isFirstTake = !isInherited && takesByForce(verdict) && isFirstContact(step, known, live);
  const met = isMet && ifPresent === 'ask' ? withReason(verdict, presentQuestion) : verdict;
  const asked = isFirstTake ? withReason(met, takeQuestion) : met;
  const looks = isGuarded(step, known) && strictestRelease(step.intent.policy) !== 'report';
  const guarded = !looks ? [] : guardedReleases(live, step.object, step, known, trial.names);
  if (guarded.length === 0) return asked;
  const found = await tried(
    trial,
    address,
    live,
    (cluster) => triedApply(cluster, step, live, guarded, trial.names),
    () => untriedApply(step, guarded),
  );
  return withReleases(asked, given(found, managersOf(step.stack), step.key, live, trial.isReceived));
}

/** The same of an object that the stack no longer declares. */
export async function withReleasePolicy<V extends Verdict>(
  ending: Ending,
  verdict: V,
  { address, live }: { readonly address: ObjectAddress; readonly live: JsonObject },
  trial: Trial,
): Promise<V> {
  const { releases: policy } = ending.entry;
  if (policy === undefined || !mayRefuse(ending)) return verdict;
  const { names } = trial;
  const found = await tried(
    trial,
    address,
    live,
    (cluster) => triedRelease(cluster, ending, live, { policy, names }),
    () => untriedRelease(ending, policy),
  );
  return withReleases(verdict, given(found, ending.managers, identityKey(ending.entry), live, trial.isReceived));
}

/** Whether an apply takes fields of others by force: where one field stops the object nothing of it is taken. */
export function takesByForce({ action, fields }: Verdict): boolean {
  return action !== 'blocked' && fields.some(({ change }) => change === 'take') && !fields.some(({ change }) => change === 'conflict');
}

const takeQuestion =
  'a deploy asks whether to take fields of others by force, because the stack deploys it for the first time; without a terminal that needs --yes';
const presentQuestion = 'a deploy asks whether to own it, because it exists already (`ifPresent: ask`)';

function withReleases<V extends Verdict>(verdict: V, found: readonly FoundRelease[]): V {
  const refused = found.filter(({ policy }) => policy === 'fail');
  if (refused.length > 0) return { ...verdict, action: 'blocked', error: explain(releaseRefused(refused)) };
  if (found.length === 0) return verdict;
  const fields = found.flatMap(({ field }) => field ?? []);
  const what = fields.length > 0 ? `the value of ${fields.join(', ')} changes` : 'the effect on its fields cannot be tried';
  return withReason(verdict, `a deploy asks first, because nobody else owns what it releases, and ${what} (\`releases: ask\`)`);
}

function withReason<V extends Verdict>(verdict: V, text: string): V {
  return { ...verdict, reason: [verdict.reason, text].filter((part) => part).join('; ') };
}

/** Tries on the server, or by the schema where the server may not be asked. */
async function tried(
  { cluster, state, readOnly }: Trial,
  address: ObjectAddress,
  live: JsonObject,
  attempt: (cluster: Cluster) => Promise<readonly FoundRelease[]>,
  otherwise: () => readonly FoundRelease[],
): Promise<readonly FoundRelease[]> {
  try {
    if (readOnly) return await state.ask(address, live, attempt);
    return await attempt(cluster).catch((error: unknown) => {
      if (!mayNotApply(error)) throw error;
      return state.ask(address, live, attempt);
    });
  } catch (error) {
    if (isOfOneObject(error)) return otherwise();
    throw error;
  }
}
