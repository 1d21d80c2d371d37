import { formerManagersOf, managersOf, objectText } from '../../assembly/identity.js';
import type { IntentPolicy } from '../../assembly/types.js';
import { pathCovers } from '../../fields/index.js';
import { ApiError, type Cluster } from '../../kubernetes/index.js';
import {
  conflictingFields,
  describeConflicts,
  type FieldConflict,
  managedFieldsOf,
  ownerText,
  recordedFieldsOf,
} from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { dynamicOf, silentlyOverwritten } from '../apply/apply-intent.js';
import { conflictPolicyFor, takeText } from '../apply/conflict-policy.js';
import { createdBy } from '../apply/created-by.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { StackState } from '../inventory/stack-state.js';
import type { LiveBefore } from '../live/live-before.js';
import { isOfOneObject } from '../run/error-scope.js';
import { inPool } from '../run/pool.js';
import type { Question } from '../run/question.js';
import { addressOf } from '../target/address.js';

/** What a run finds of objects that its stacks have not deployed before. */
export interface FirstContact {
  /** Objects that intents with `ifPresent: ask` would own, and that are there already. */
  readonly present: ReadonlyMap<Step, JsonObject>;
  /** Fields that would be taken by force, as texts; absent for objects of which none would. */
  readonly takes: ReadonlyMap<Step, ReadonlySet<string>>;
}

/**
 * Whether a stack has not deployed this very object before. A pending entry (its run was killed) is no proof that it has, unless the object
 * shows that its run created it.
 */
export function isFirstContact({ stack }: Step, known: InventoryEntry | undefined, live: JsonObject | undefined): boolean {
  if (known?.uid !== undefined) return live !== undefined && (live.metadata as JsonObject).uid !== known.uid;
  return live === undefined || known === undefined || !createdBy(live, managersOf(stack));
}

/**
 * Looks at objects that were read anyway. Where an owner of a declared field shows another value, the server is asked by a dry run without
 * force what it would call a conflict: what has the same value is owned by both and not taken.
 *
 * @param isInherited whether the object moves here from another stack of the app, which no longer declares it.
 * @throws FieldwiseError `object-present` where the policy `ifPresent` says `fail`.
 */
export async function findFirstContact(
  cluster: Cluster,
  live: LiveBefore,
  states: readonly StackState[],
  concurrency: number,
  isInherited: (step: Step) => boolean,
): Promise<FirstContact> {
  const met = states.flatMap(({ before, steps }) =>
    steps.flatMap((step) => {
      const object = live.get(step);
      const known = before.entries.get(step.key);
      return object && !isInherited(step) ? [{ step, object, known }] : [];
    }),
  );
  const strangers = met.filter(({ step, object, known }) => isStrange(step, known, object));
  const failing = strangers.filter(({ step }) => step.intent.policy.ifPresent === 'fail');
  if (failing.length > 0) throw present(failing.map(({ step, object }) => presentText(step, object)).join('; '));
  const asking = strangers.filter(({ step }) => step.intent.policy.ifPresent === 'ask');
  const takes = new Map<Step, ReadonlySet<string>>();
  const first = met.filter(({ step, object, known }) => isFirstContact(step, known, object));
  await inPool(first, concurrency, async ({ step, object }) => {
    const taken = await takenBy(cluster, step, object);
    if (taken.length > 0) takes.set(step, new Set(taken.map(takeText)));
  });
  return { present: new Map(asking.map(({ step, object }) => [step, object])), takes };
}

/** Whether an `own` meets an object that its stack did not create and does not own yet; whom it takes over from has been agreed to. */
export function isStrange(step: Step, known: InventoryEntry | undefined, live: JsonObject): boolean {
  const { lifecycle, policy } = step.intent;
  if (lifecycle !== 'own' || policy.transferFrom !== undefined) return false;
  return known?.lifecycle === 'share' || isFirstContact(step, known, live);
}

/** @throws FieldwiseError where every further request would fail as well. */
async function takenBy(cluster: Cluster, step: Step, live: JsonObject): Promise<readonly FieldConflict[]> {
  const { intent, object, stack } = step;
  const { manager } = stack;
  const seen = conflictingFields(live, object, manager);
  // Where nothing is recorded the server takes everything as owned before the first apply.
  if (seen.length === 0 && recordedFieldsOf(live).length > 0) return [];
  const forced = (conflict: FieldConflict) =>
    !formerManagersOf(stack).includes(conflict.from) &&
    !isGiven(conflict, intent.policy) &&
    conflictPolicyFor(conflict.field, conflict.from, intent.policy) === 'force';
  const address = await addressOf(cluster, intent);
  const how = dynamicOf(intent.policy);
  const known = { object, manager, formerManagers: formerManagersOf(stack) };
  const stops = ({ field, from }: FieldConflict) => conflictPolicyFor(field, from, intent.policy) === 'fail';
  // Where one field stops the object nothing of it is taken.
  const takenOf = (conflicts: readonly FieldConflict[]) => (conflicts.some(stops) ? [] : conflicts.filter(forced));
  let silent: readonly FieldConflict[] = [];
  try {
    silent = await silentlyOverwritten(cluster, { ...known, ...how, address, policy: intent.policy }, live);
    const body = { ...object, metadata: { ...object.metadata, uid: (live.metadata as JsonObject).uid as string } };
    await cluster.apply(address, body, { manager, force: false, dryRun: true, metadataOnly: true, ...how });
    return takenOf(silent);
  } catch (error) {
    if (!isOfOneObject(error)) throw error;
    if (!(error instanceof ApiError)) return []; // the apply fails in the same way, and says why
    if (error.conflicts.length > 0) return takenOf([...describeConflicts(error.conflicts, live, known), ...silent]);
    // It cannot be tried, so the owners recorded in the object decide.
    return seen
      .map(({ field, owner }): FieldConflict => {
        const { manager: from, operation, subresource } = owner;
        return { field, from, operation, ...(subresource ? { subresource } : {}) };
      })
      .filter(forced);
  }
}

/** Whether the policy `takesOver` names the field: it changes owners with an equal value, or the object fails. */
function isGiven({ field, from }: FieldConflict, { transferFrom }: IntentPolicy): boolean {
  return transferFrom?.from === from && (transferFrom.fields ?? [field]).some((path) => pathCovers(path, field));
}

/** Nothing is taken by force from others, and nobody's object is adopted against the policy, without a yes. */
export function firstContactQuestions({ present, takes }: FirstContact): readonly (Question | undefined)[] {
  return [
    questionOf(
      [...present].map(([step, object]) => presentText(step, object)),
      'these objects exist already, and a stack that did not create them would own them',
    ),
    questionOf(
      [...takes].flatMap(([{ intent }, texts]) => [...texts].map((text) => `${objectText(intent)} ${text}`)),
      'these stacks deploy these objects for the first time, and would take fields of others by force',
    ),
  ];
}

function questionOf(objects: readonly string[], text: string): Question | undefined {
  return objects.length === 0 ? undefined : { text, objects, answeredByPruneSetting: false };
}

/** An object that is there already, with whoever owns fields of it. */
export function presentText({ intent }: Step, live: JsonObject): string {
  const owners = [...new Set(managedFieldsOf(live).map(ownerText))];
  return `${objectText(intent)}${owners.length > 0 ? `, owned by ${owners.join(', ')}` : ''}`;
}

/** The policy forbids to own an object that is there already, or nobody has agreed to it. */
export function present(what: string): FieldwiseError {
  return new FieldwiseError(
    'object-present',
    'resource',
    `The policy \`ifPresent\` does not let a stack adopt an object that exists already: ${what}`,
    {
      next:
        'Nothing of it was changed. Declare it with `share`, set its policy to `ifPresent: adopt`, or remove the object. Where the policy is ' +
        '`ask`, run again to be asked.',
    },
  );
}
