import { identityKey, managersOf } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import { formatPath, valueAt } from '../../fields/index.js';
import type { Cluster } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/entry.js';
import { digestOfIntent } from '../inventory/intent-digest.js';
import { OtherOwners, type StackNames } from '../inventory/owner-names.js';
import type { StackState } from '../inventory/stack-state.js';
import type { LiveBefore } from '../live/live-before.js';
import { type Ending, isReleased, type LiveEndings } from '../removal/vanishing-release.js';
import { isOfOneObject } from '../run/error-scope.js';
import { inPool } from '../run/pool.js';
import type { Question } from '../run/question.js';
import { membersByField } from './planned-fields.js';
import type { IsReceived } from './receivers.js';
import { releasePolicyFor, strictestRelease } from './release-policy.js';
import { type FoundRelease, triedApply, triedRelease, untriedApply, untriedRelease } from './tried-releases.js';

/** What the policies say of releases that change values, found before the first question. */
export interface FoundReleases {
  /** By step the fields without another owner that a policy other than `report` has looked at. */
  readonly looked: ReadonlyMap<Step, ReadonlySet<string>>;
  readonly question: Question | undefined;
}

/** Fields that nobody else owns, that an apply drops, and of which the policy wants more than a report. */
export function guardedReleases(
  live: JsonObject,
  object: JsonObject,
  step: Step,
  known: InventoryEntry | undefined,
  names: StackNames,
): readonly string[] {
  const others = new OtherOwners(live, managersOf(step.stack), names);
  return droppedBy(live, object, step.stack).filter(
    (field) =>
      !isOnlyClaimed(field, step, known) && others.of(field).length === 0 && releasePolicyFor(field, step.intent.policy) !== 'report',
  );
}

/** What is to be remembered of a change before it is made, where a policy looks at what it releases. */
export function announcedReleases(live: JsonObject | undefined, { intent, object, stack }: Step): Pick<InventoryEntry, 'dropping'> {
  if (live === undefined || strictestRelease(intent.policy) === 'report') return {};
  return { dropping: droppedBy(live, object, stack) };
}

/** What a stack owns and an intent does not declare. */
function droppedBy(live: JsonObject, object: JsonObject, stack: StackManifest): readonly string[] {
  return managersOf(stack)
    .flatMap((manager) => [...membersByField(live, manager).values()])
    .filter(({ path }) => valueAt(object, path) === undefined)
    .map(({ path }) => formatPath(path));
}

/**
 * Whether a stack owns a field only because a run that was killed had claimed it for this very intent: since the intent was announced nothing
 * else can have come to the stack that the intent does not declare.
 */
function isOnlyClaimed(field: string, { object }: Step, known: InventoryEntry | undefined): boolean {
  const isAnnounced = known?.items === undefined && known?.intent === digestOfIntent(object);
  return isAnnounced && known?.dropping?.includes(field) === false;
}

/** Whether the policy `releases` has a say in how an object ends: it stays, and its fields go. */
export function mayRefuse(ending: Ending): boolean {
  return ending.entry.releases !== undefined && isReleased(ending);
}

/** Without what another stack of the run owns by then. */
export function given(
  found: readonly FoundRelease[],
  managers: readonly string[],
  key: string,
  live: JsonObject,
  isReceived: IsReceived,
): readonly FoundRelease[] {
  return found.filter(({ field }) => field === undefined || !isReceived(managers, key, field, live));
}

/** Answers the refusal of a dry run; the error is thrown on where every further request would fail as well. */
function untried<T>(otherwise: () => T): (error: unknown) => T {
  return (error) => {
    if (isOfOneObject(error)) return otherwise();
    throw error;
  };
}

/**
 * Finds the releases that change values and of which a policy says `ask` or `fail`, by a dry run of each apply and release concerned.
 *
 * @param ends.destroyed endings of stacks that are destroyed by name: there `fail` asks.
 * @throws FieldwiseError `release-refused` where a policy says `fail`.
 */
export async function findReleases(
  cluster: Cluster,
  { live, states, isReceived }: { readonly live: LiveBefore; readonly states: readonly StackState[]; readonly isReceived: IsReceived },
  ends: { readonly live: LiveEndings; readonly pruned: readonly Ending[]; readonly destroyed: readonly Ending[] },
  names: StackNames,
  concurrency: number,
): Promise<FoundReleases> {
  const found: FoundRelease[] = [];
  const looked = new Map<Step, ReadonlySet<string>>();
  await inPool(
    states.flatMap(({ before, steps }) => steps.map((step) => ({ before, step }))),
    concurrency,
    async ({ before, step }) => {
      if (strictestRelease(step.intent.policy) === 'report') return;
      const object = live.get(step);
      if (object === undefined) return;
      const guarded = guardedReleases(object, step.object, step, before.entries.get(step.key), names);
      looked.set(step, new Set(guarded));
      if (guarded.length === 0) return;
      const tried = await triedApply(cluster, step, object, guarded, names).catch(untried(() => untriedApply(step, guarded)));
      found.push(...given(tried, managersOf(step.stack), step.key, object, isReceived));
    },
  );
  await inPool([...ends.pruned, ...ends.destroyed], concurrency, async (ending) => {
    const object = ends.live.get(ending.entry);
    const policy = ends.destroyed.includes(ending) ? 'ask' : ending.entry.releases;
    if (policy === undefined || object === undefined || !mayRefuse(ending)) return;
    const tried = await triedRelease(cluster, ending, object, { policy, names }).catch(untried(() => untriedRelease(ending, policy)));
    found.push(...given(tried, ending.managers, identityKey(ending.entry), object, isReceived));
  });
  const refused = found.filter(({ policy }) => policy === 'fail');
  if (refused.length > 0) throw releaseRefused(refused);
  const asked = found.map(({ text }) => text);
  const question = {
    text: 'fields are released that nobody else owns, and their values change',
    objects: asked,
    answeredByPruneSetting: false,
  };
  return { looked, question: asked.length > 0 ? question : undefined };
}

/** The policy `releases: fail` forbids what releases would change. */
export function releaseRefused(refused: readonly FoundRelease[]): FieldwiseError {
  const texts = refused.map(({ text }) => text).join('; ');
  const declared = refused.some(({ isDeclared }) => isDeclared)
    ? ['Declare the fields again, hand them to another stack (`fieldwise handoff`), or set `releases: ask`.']
    : [];
  const ended = refused.some(({ isDeclared }) => !isDeclared)
    ? [
        'What the program no longer declares keeps the policy of its last deploy: declare the object again with `releases: ask`, deploy, then remove it again; or let another stack declare these fields first.',
      ]
    : [];
  return new FieldwiseError('release-refused', 'resource', `The policy \`releases: fail\` forbids what these releases change: ${texts}`, {
    next: ['Nothing was changed.', ...declared, ...ended].join(' '),
  });
}

/** Fields that came to have no other owner since the policy was looked at. */
export function releaseUnconfirmed(fields: readonly string[], manager: string): FieldwiseError {
  return new FieldwiseError(
    'release-unconfirmed',
    'resource',
    `Nobody else owns these fields any more, and their release may change them: ${fields.join(', ')}`,
    {
      location: { manager },
      next: 'No value of this object was changed. Run again, and it is looked at by the policy `releases`.',
    },
  );
}
