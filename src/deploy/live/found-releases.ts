import { objectText } from '../../assembly/identity.js';
import type { ReleasePolicy } from '../../assembly/types.js';
import type { Cluster } from '../../cluster/index.js';
import { covers, formatPath, valueAt } from '../../fields/index.js';
import { appliedIntentOf, applyEntryOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { addressIfServed, addressOf } from '../address.js';
import { applyIntent, dynamicOf } from '../apply/apply-intent.js';
import { type Ending, isReleased, type LiveEndings } from '../ending/vanishing-release.js';
import type { Question } from '../options.js';
import type { Step } from '../order/waves.js';
import { membersByField } from '../plan/fields.js';
import { OtherOwners, type StackNames } from '../plan/owners.js';
import { inPool } from '../pool.js';
import { formerManagersOf, managersOf } from '../rename.js';
import { isOfOneObject } from '../run.js';
import type { StackState } from '../stack-state.js';
import type { LiveBefore } from './live-before.js';
import { releasePolicyFor, strictestRelease } from './release-policy.js';
import { changesValue, mayRelease, releasedIn } from './released-fields.js';

/** What the policies say of releases that change values, found before the first question. */
export interface FoundReleases {
  /** By step the fields without another owner that a policy other than `report` has looked at. */
  readonly looked: ReadonlyMap<Step, ReadonlySet<string>>;
  readonly question: Question | undefined;
}

type Found = { readonly text: string; readonly policy: ReleasePolicy };

/** Fields that nobody else owns, that an apply drops, and of which the policy wants more than a report. */
export function guardedReleases(live: JsonObject, object: JsonObject, step: Step, names: StackNames): readonly string[] {
  const managers = managersOf(step.stack);
  const others = new OtherOwners(live, managers, names);
  return managers
    .flatMap((manager) => [...membersByField(live, manager).values()])
    .filter(({ path }) => valueAt(object, path) === undefined)
    .map(({ path }) => formatPath(path))
    .filter((field) => others.of(field).length === 0 && releasePolicyFor(field, step.intent.policy) !== 'report');
}

/**
 * Finds the releases that change values and of which a policy says `ask` or `fail`, by a dry run of each apply and release concerned.
 *
 * @param ends.destroyed endings of stacks that are destroyed by name: there `fail` asks.
 * @throws FieldwiseError `release-refused` where a policy says `fail`.
 */
export async function findReleases(
  cluster: Cluster,
  { live, states }: { readonly live: LiveBefore; readonly states: readonly StackState[] },
  ends: { readonly live: LiveEndings; readonly pruned: readonly Ending[]; readonly destroyed: readonly Ending[] },
  names: StackNames,
  concurrency: number,
): Promise<FoundReleases> {
  const found: Found[] = [];
  const looked = new Map<Step, ReadonlySet<string>>();
  await inPool(
    states.flatMap(({ steps }) => steps),
    concurrency,
    async (step) => {
      if (strictestRelease(step.intent.policy) === 'report') return;
      const object = live.get(step);
      if (object === undefined) return;
      const guarded = guardedReleases(object, step.object, step, names);
      looked.set(step, new Set(guarded));
      if (guarded.length > 0) found.push(...(await triedApply(cluster, step, object, guarded, names)));
    },
  );
  const remembered = [...ends.pruned, ...ends.destroyed].filter(({ entry }) => entry.releases !== undefined);
  await inPool(remembered, concurrency, async (ending) => {
    const { entry } = ending;
    const object = ends.live.get(entry);
    if (entry.releases === undefined || object === undefined || !isReleased(ending)) return;
    const policy = ends.destroyed.includes(ending) ? 'ask' : entry.releases;
    found.push(...(await triedRelease(cluster, ending, object, names)).map((text) => ({ text, policy })));
  });
  const refused = found.filter(({ policy }) => policy === 'fail');
  if (refused.length > 0) throw releaseRefused(refused.map(({ text }) => text));
  const asked = found.map(({ text }) => text);
  const question = {
    text: 'fields are released that nobody else owns, and their values change',
    objects: asked,
    answeredByPruneSetting: false,
  };
  return { looked, question: asked.length > 0 ? question : undefined };
}

async function triedApply(cluster: Cluster, step: Step, live: JsonObject, guarded: readonly string[], names: StackNames): Promise<Found[]> {
  const { intent, object, stack } = step;
  const managers = managersOf(step.stack);
  const manager = managers.find((candidate) => applyEntryOf(live, candidate)) ?? stack.manager;
  const policyOf = (field: string) => releasePolicyFor(field, intent.policy);
  try {
    const task = { object, manager, formerManagers: formerManagersOf(stack), policy: intent.policy, dryRun: true };
    const address = await addressOf(cluster, intent);
    const applied = await applyIntent(cluster, { ...task, address, ...dynamicOf(intent.policy) });
    if (applied.outcome === 'conflict') return [];
    const contested = [...applied.taken, ...applied.yielded].map(({ field }) => field);
    const released = releasedIn({ live, after: applied.answer.object, managers, contested, names });
    return released
      .filter((field) => changesValue(field) && guarded.some((path) => covers(field.field, path) || path === field.field))
      .map((field) => ({ text: releaseText(objectText(intent), field), policy: policyOf(field.field) }));
  } catch (error) {
    if (!isOfOneObject(error)) throw error;
    return guarded.map((field) => ({
      text: `${objectText(intent)} ${field}: what becomes of it cannot be tried`,
      policy: policyOf(field),
    }));
  }
}

async function triedRelease(
  cluster: Cluster,
  { entry, managers }: Ending,
  live: JsonObject,
  names: StackNames,
): Promise<readonly string[]> {
  const address = await addressIfServed(cluster, entry);
  const manager = managers.find((candidate) => applyEntryOf(live, candidate));
  const { name, namespace, uid } = live.metadata as JsonObject;
  const empty = { apiVersion: entry.apiVersion, kind: entry.kind, metadata: { name, namespace, uid } };
  if (!address || manager === undefined || uid !== entry.uid || !mayRelease(live, empty, managers)) return [];
  try {
    const dynamic = appliedIntentOf(live, manager) === undefined ? {} : { dynamic: {} };
    const { object: after } = await cluster.apply(address, empty, { manager, force: false, dryRun: true, ...dynamic });
    const released = releasedIn({ live, after, managers, contested: [], names });
    return released.filter(changesValue).map((field) => releaseText(objectText(entry), field));
  } catch (error) {
    if (!isOfOneObject(error)) throw error;
    return [`${objectText(entry)}: what becomes of its fields cannot be tried`];
  }
}

function releaseText(object: string, { field, change, oldValue, newValue }: ReturnType<typeof releasedIn>[number]): string {
  const outcome =
    change === 'defaulted' ? `defaulted to ${JSON.stringify(newValue)}` : change === 'removed' ? 'removed' : 'the whole item goes';
  return `${object} ${field}: ${JSON.stringify(oldValue)?.slice(0, 120)}, ${outcome}`;
}

function releaseRefused(texts: readonly string[]): FieldwiseError {
  return new FieldwiseError(
    'release-refused',
    'resource',
    `The policy \`releases: fail\` forbids what these releases change: ${texts.join('; ')}`,
    {
      next: 'Nothing was changed. Declare the fields again, hand them to another stack (`fieldwise handoff`), or set `releases: ask`.',
    },
  );
}

/** Fields that came to have no other owner since the policy was looked at. */
export function releaseUnconfirmed(fields: readonly string[], manager: string): FieldwiseError {
  return new FieldwiseError(
    'release-unconfirmed',
    'resource',
    `Nobody else owns these fields any more, and their release may change them: ${fields.join(', ')}`,
    {
      place: { manager },
      next: 'Nothing of this object was changed. Run again, and it is looked at by the policy `releases`.',
    },
  );
}
