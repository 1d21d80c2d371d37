import { identityKey, managersOf } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import { formatPath, valueAt } from '../../fields/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { membersByField } from '../field-changes/planned-fields.js';
import { releasePolicyFor, strictestRelease } from '../field-changes/release-policy.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import { OtherOwners, type OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import type { LiveBefore } from '../live/live-before.js';
import { isOfOneObject } from '../report/error-scope.js';
import type { Question } from '../report/question.js';
import { forEachConcurrent } from '../run/for-each-concurrent.js';
import type { StackState } from '../run/stack-state.js';
import {
  dryRunApplyReleases,
  dryRunReleases,
  unverifiedApplyReleases,
  unverifiedReleases,
  type ValueChangingRelease,
} from './dry-run-releases.js';
import type { IsTransferred } from './is-transferred.js';
import { isReleased, type LiveRemovals, type Removal } from './release-collateral.js';

/** The result of the policies for releases that change values, found before the first question. */
export interface CheckedReleases {
  /** By step, the fields without another owner that a policy other than `report` has checked. */
  readonly checked: ReadonlyMap<Step, ReadonlySet<string>>;
  readonly question: Question | undefined;
}

/** Returns fields that nobody else owns, that an apply drops, and for which the policy is not `report`. */
export function releasesUnderPolicy(
  live: JsonObject,
  object: JsonObject,
  step: Step,
  known: InventoryEntry | undefined,
  names: OwnerNameResolver,
): readonly string[] {
  const others = new OtherOwners(live, managersOf(step.stack), names);
  return droppedBy(live, object, step.stack).filter(
    (field) =>
      !isOnlyClaimed(field, step, known) && others.of(field).length === 0 && releasePolicyFor(field, step.intent.policy) !== 'report',
  );
}

/** Returns the record of a change before it is made, where a policy checks what it releases. */
export function pendingReleases(live: JsonObject | undefined, { intent, object, stack }: Step): Pick<InventoryEntry, 'pendingReleases'> {
  if (live === undefined || strictestRelease(intent.policy) === 'report') return {};
  return { pendingReleases: droppedBy(live, object, stack) };
}

/** Returns the fields that a stack owns and an intent does not declare. */
function droppedBy(live: JsonObject, object: JsonObject, stack: StackManifest): readonly string[] {
  return managersOf(stack)
    .flatMap((manager) => [...membersByField(live, manager).values()])
    .filter(({ path }) => valueAt(object, path) === undefined)
    .map(({ path }) => formatPath(path));
}

/**
 * Returns true if a stack owns a field only because a killed run had claimed it for this very intent: since the intent was recorded as
 * pending, the stack cannot have gained any other undeclared field.
 */
function isOnlyClaimed(field: string, { digest }: Step, known: InventoryEntry | undefined): boolean {
  const isPending = known?.items === undefined && known?.intent === digest;
  return isPending && known?.pendingReleases?.includes(field) === false;
}

/** Returns true if the policy `releases` applies to a removal: the object stays, and the stack's fields are released. */
export function hasReleasePolicy(removal: Removal): boolean {
  return removal.entry.releases !== undefined && isReleased(removal);
}

/** Leaves out the fields that another stack of the run owns by then. */
export function withoutTransferred(
  found: readonly ValueChangingRelease[],
  managers: readonly string[],
  key: string,
  live: JsonObject,
  isTransferred: IsTransferred,
): readonly ValueChangingRelease[] {
  return found.filter(({ field }) => field === undefined || !isTransferred(managers, key, field, live));
}

/** Replaces the refusal of a dry run by a result; rethrows an error that every further request would meet as well. */
function recoverFromRefusal<T>(otherwise: () => T): (error: unknown) => T {
  return (error) => {
    if (isOfOneObject(error)) return otherwise();
    throw error;
  };
}

/**
 * Finds the releases that change values and for which a policy is `ask` or `fail`, by a dry run of each apply and release concerned.
 *
 * @param removals.destroyed removals of stacks that are destroyed by name: for these, `fail` asks.
 * @throws FieldwiseError `release-refused` where a policy is `fail`.
 */
export async function findReleases(
  cluster: ClusterClient,
  {
    live,
    states,
    isTransferred,
  }: { readonly live: LiveBefore; readonly states: readonly StackState[]; readonly isTransferred: IsTransferred },
  removals: { readonly live: LiveRemovals; readonly pruned: readonly Removal[]; readonly destroyed: readonly Removal[] },
  names: OwnerNameResolver,
  concurrency: number,
): Promise<CheckedReleases> {
  const found: ValueChangingRelease[] = [];
  const checked = new Map<Step, ReadonlySet<string>>();
  await forEachConcurrent(
    states.flatMap(({ before, steps }) => steps.map((step) => ({ before, step }))),
    concurrency,
    async ({ before, step }) => {
      if (strictestRelease(step.intent.policy) === 'report') return;
      const object = live.get(step);
      if (object === undefined) return;
      const guarded = releasesUnderPolicy(object, step.object, step, before.entries.get(step.key), names);
      checked.set(step, new Set(guarded));
      if (guarded.length === 0) return;
      const tried = await dryRunApplyReleases(cluster, step, object, guarded, names).catch(
        recoverFromRefusal(() => unverifiedApplyReleases(step, guarded)),
      );
      found.push(...withoutTransferred(tried, managersOf(step.stack), step.key, object, isTransferred));
    },
  );
  await forEachConcurrent([...removals.pruned, ...removals.destroyed], concurrency, async (removal) => {
    const object = removals.live.get(removal.entry);
    const policy = removals.destroyed.includes(removal) ? 'ask' : removal.entry.releases;
    if (policy === undefined || object === undefined || !hasReleasePolicy(removal)) return;
    const tried = await dryRunReleases(cluster, removal, object, { policy, names }).catch(
      recoverFromRefusal(() => unverifiedReleases(removal, policy)),
    );
    found.push(...withoutTransferred(tried, removal.managers, identityKey(removal.entry), object, isTransferred));
  });
  const refused = found.filter(({ policy }) => policy === 'fail');
  if (refused.length > 0) throw releaseRefused(refused);
  const unconfirmed = found.map(({ text }) => text);
  const question = {
    text: 'fields are released that have no other owner, and their values change',
    objects: unconfirmed,
    answeredByPruneSetting: false,
  };
  return { checked, question: unconfirmed.length > 0 ? question : undefined };
}

/** Returns the error for releases that the policy `releases: fail` forbids. */
export function releaseRefused(refused: readonly ValueChangingRelease[]): FieldwiseError {
  const texts = refused.map(({ text }) => text).join('; ');
  const declared = refused.some(({ isDeclared }) => isDeclared)
    ? ['Declare the fields again, move them to another stack (`fieldwise adopt STACK --from stack:NAME`), or set `releases: ask`.']
    : [];
  const ended = refused.some(({ isDeclared }) => !isDeclared)
    ? [
        'An object that the program no longer declares keeps the policy of its last deploy: declare the object again with `releases: ask`, deploy, then remove it again; or let another stack declare these fields first.',
      ]
    : [];
  return new FieldwiseError('release-refused', 'resource', `The policy \`releases: fail\` forbids these releases: ${texts}`, {
    next: ['Nothing was changed.', ...declared, ...ended].join(' '),
  });
}

/** Returns the error for fields that have lost their other owners since the policy was checked. */
export function releaseUnconfirmed(fields: readonly string[], manager: string): FieldwiseError {
  return new FieldwiseError(
    'release-unconfirmed',
    'resource',
    `Nobody else owns these fields any more, and their release may change them: ${fields.join(', ')}`,
    {
      location: { manager },
      next: 'No value of this object was changed. Run again, and the policy `releases` checks these fields.',
    },
  );
}
