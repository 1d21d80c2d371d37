import { formerManagersOf, managersOf, objectText } from '../../assembly/identity.js';
import type { ReleasePolicy } from '../../assembly/policy-vocabulary.js';
import { pathCovers } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import { addressOf } from '../addresses/address.js';
import { addressInAnyVersion } from '../addresses/removed-versions.js';
import { applyIntent } from '../apply/apply-intent.js';
import { dynamicOf } from '../apply/apply-task.js';
import { membersByField } from '../field-changes/planned-fields.js';
import { releasePolicyFor } from '../field-changes/release-policy.js';
import { changesValue, mayRelease, releasedIn } from '../field-changes/report-releases.js';
import type { Step } from '../graph/waves.js';
import type { OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import type { ProvedRelease, ReleasedField } from '../report/released-field.js';
import { dryRelease, dryReleaseBeyond, emptyIntentOf } from './empty-intent.js';
import type { Removal } from './release-collateral.js';

/** A release that changes a value, and the policy for it. */
export interface ValueChangingRelease {
  /** Absent where the changed fields are unknown. */
  readonly field?: string;
  /** The object, the field and its outcome. */
  readonly text: string;
  readonly policy: ReleasePolicy;
  /** True if the program still declares the object. */
  readonly isDeclared: boolean;
}

/**
 * Sends an apply as a dry run, and finds the releases that change values and for which the policy is not `report`.
 *
 * @param guarded see `releasesUnderPolicy`.
 */
export async function dryRunApplyReleases(
  cluster: ClusterClient,
  step: Step,
  live: JsonObject,
  guarded: readonly string[],
  names: OwnerNameResolver,
): Promise<readonly ValueChangingRelease[]> {
  const { intent, object, stack } = step;
  const managers = managersOf(stack);
  const [first = stack.manager, ...further] = managers.filter((candidate) => applyEntryOf(live, candidate));
  const task = { object, manager: first, formerManagers: formerManagersOf(stack), policy: intent.policy, dryRun: true };
  const address = await addressOf(cluster, intent);
  const applied = await applyIntent(cluster, { ...task, address, ...dynamicOf(intent.policy) });
  if (applied.outcome === 'conflict') return [];
  const contested = [...applied.forcedConflicts, ...applied.yielded].map(({ field }) => field);
  const ofFormer = await releasedByFormer(cluster, live, { address, object, managers, further, names });
  const found = [...releasedIn({ live, after: applied.response.object, intent: applied.sent, managers, contested, names }), ...ofFormer]
    .filter((field) => changesValue(field) && guarded.some((path) => pathCovers(field.field, path) || path === field.field))
    .map((released) => {
      const { field } = released;
      const policy = releasePolicyFor(field, intent.policy);
      return { field, text: releaseText(objectText(intent), released), policy, isDeclared: true };
    });
  // Where two managers of the stack own a field, it stays when one of them releases it.
  const ownedTwice = guarded.filter(
    (path) => further.length > 0 && managers.filter((one) => membersByField(live, one).has(path)).length > 1,
  );
  return [...found, ...unverifiedApplyReleases(step, ownedTwice)];
}

/** Returns what else a rename releases: where several of a stack's managers own fields of an object, each release is tried separately. */
export async function releasedByFormer(
  cluster: ClusterClient,
  live: JsonObject,
  of: {
    readonly address: ObjectAddress;
    readonly object: JsonObject;
    readonly managers: readonly string[];
    readonly further: readonly string[];
    readonly names: OwnerNameResolver;
  },
): Promise<readonly ProvedRelease[]> {
  const { address, object: intent, managers, further, names } = of;
  const found: ProvedRelease[] = [];
  for (const manager of further) {
    const after = await dryReleaseBeyond(cluster, address, live, { manager, intent });
    const released = releasedIn({ live, after, intent, managers, contested: [], names });
    found.push(...released.filter((field) => field.change === 'kept' || changesValue(field)));
  }
  return found;
}

/** Returns placeholders for an apply that cannot be tried. */
export function unverifiedApplyReleases({ intent }: Step, guarded: readonly string[]): readonly ValueChangingRelease[] {
  return guarded.map((field) => {
    const text = `${objectText(intent)} ${field}: the effect on it cannot be tried`;
    return { field, text, policy: releasePolicyFor(field, intent.policy), isDeclared: true };
  });
}

/** Sends the release of an object that is no longer declared as a dry run; see `dryRunApplyReleases`. */
export async function dryRunReleases(
  cluster: ClusterClient,
  { entry, managers }: Removal,
  live: JsonObject,
  { policy, names }: { readonly policy: ReleasePolicy; readonly names: OwnerNameResolver },
): Promise<readonly ValueChangingRelease[]> {
  const address = await addressInAnyVersion(cluster, entry);
  const manager = managers.find((candidate) => applyEntryOf(live, candidate));
  const { uid } = metadataOf(live);
  if (!address || manager === undefined || uid !== entry.uid || !mayRelease(live, emptyIntentOf(live), managers)) return [];
  const after = await dryRelease(cluster, address, live, manager);
  return releasedIn({ live, after, managers, contested: [], names })
    .filter(changesValue)
    .map((released) => ({ field: released.field, text: releaseText(objectText(entry), released), policy, isDeclared: false }));
}

/** Returns a placeholder for a release that cannot be tried. */
export function unverifiedReleases({ entry }: Removal, policy: ReleasePolicy): readonly ValueChangingRelease[] {
  return [{ text: `${objectText(entry)}: the effect on its fields cannot be tried`, policy, isDeclared: false }];
}

function releaseText(object: string, { field, change, oldValue, newValue }: ReleasedField): string {
  const text = stringifyExactJson;
  const outcome =
    change === 'defaulted' ? `defaulted to ${text(newValue)}` : change === 'removed' ? 'removed' : 'the whole item is removed';
  return `${object} ${field}: ${text(oldValue).slice(0, 120)}, ${outcome}`;
}
