import { formerManagersOf, managersOf, objectText } from '../../assembly/identity.js';
import type { IntentPolicy } from '../../assembly/types.js';
import { pathCovers } from '../../fields/index.js';
import { uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import {
  conflictingFields,
  describeConflicts,
  type FieldConflict,
  managedFieldsOf,
  ownerText,
  recordedFieldsOf,
} from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { addressOf } from '../addresses/address.js';
import { silentlyOverwrittenFields } from '../apply/apply-intent.js';
import { dynamicOf } from '../apply/apply-task.js';
import { decidingPolicy, forcedConflictText, type IsLeaving } from '../apply/conflict-policy.js';
import { createdBy } from '../apply/preconditions/created-by.js';
import { objectAlreadyExistsError } from '../apply/preconditions/object-already-exists.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { LiveBefore } from '../live/live-before.js';
import { mayChangeTopology } from '../object/topology-change.js';
import { isOfOneObject } from '../report/error-scope.js';
import type { Question } from '../report/question.js';
import { forEachConcurrent } from '../run/for-each-concurrent.js';
import type { StackState } from '../run/stack-state.js';
import { equalQuantitiesIn } from './equal-quantities.js';
import { previousManagersOf } from './field-transfers.js';

/** The existing objects that the stacks of a run have not deployed before, or have only shared. */
export interface FirstDeploys {
  /** Existing objects that intents with `ifPresent: ask` would own. */
  readonly existing: ReadonlyMap<Step, JsonObject>;
  /** Fields that would be taken by force, as texts; absent for objects without such fields. */
  readonly forcedConflicts: ReadonlyMap<Step, ReadonlySet<string>>;
  /** Those that the question names: not where only the way changes in which a quantity is written. */
  readonly asked: ReadonlyMap<Step, readonly string[]>;
}

/**
 * Returns true if a stack has not deployed this very object before, or has only shared it and owns it from now on. A pending entry (its run was
 * killed) does not prove that it has, unless the object shows that its run created it.
 */
export function isFirstDeploy({ stack, intent }: Step, known: InventoryEntry | undefined, live: JsonObject | undefined): boolean {
  if (known?.lifecycle === 'share' && intent.lifecycle === 'own') return live !== undefined;
  if (known?.uid !== undefined) return live !== undefined && uidOf(live) !== known.uid;
  return live === undefined || known === undefined || !createdBy(live, managersOf(stack));
}

/**
 * Checks objects that were read anyway. Where an owner of a declared field shows another value, a dry run without force asks the server for
 * its conflicts: a field with the same value is co-owned and not taken.
 *
 * @param isMoved returns true if the object moves here from another stack of the app, which no longer declares it: what that stack still owns
 *   goes over with the object, and only fields of managers outside of the run are taken from others.
 * @param managersOfRun the field managers of the stacks of the run.
 * @param isLeavingOf knows the fields of the object of a step that stacks give up in the run: they are taken without a question.
 * @throws FieldwiseError `object-already-exists` where the policy `ifPresent` is `fail`.
 */
export async function findFirstDeploys(
  cluster: ClusterClient,
  live: LiveBefore,
  states: readonly StackState[],
  concurrency: number,
  isMoved: (step: Step) => boolean,
  managersOfRun: ReadonlySet<string>,
  isLeavingOf: (step: Step) => IsLeaving,
): Promise<FirstDeploys> {
  const candidates = states.flatMap(({ before, steps }) =>
    steps.flatMap((step) => {
      const object = live.get(step);
      const known = before.entries.get(step.key);
      return object ? [{ step, object, known }] : [];
    }),
  );
  const existingObjects = candidates.filter(({ step, object, known }) => !isMoved(step) && isUnownedExisting(step, known, object));
  const failing = existingObjects.filter(({ step }) => step.intent.policy.ifPresent === 'fail');
  if (failing.length > 0) throw objectAlreadyExistsError(failing.map(({ step, object }) => existingObjectText(step, object)).join('; '));
  const asking = existingObjects.filter(({ step }) => step.intent.policy.ifPresent === 'ask');
  const forcedConflicts = new Map<Step, ReadonlySet<string>>();
  const asked = new Map<Step, readonly string[]>();
  const first = candidates.filter(({ step, object, known }) => isFirstDeploy(step, known, object));
  await forEachConcurrent(first, concurrency, async ({ step, object }) => {
    const isLeaving = isLeavingOf(step);
    const forced = await forcedConflictsOf(cluster, step, object, isLeaving);
    const conflicts = forced.filter(({ from, field }) => !(isMoved(step) && managersOfRun.has(from)) && !isLeaving(from, field));
    if (conflicts.length === 0) return;
    forcedConflicts.set(step, new Set(conflicts.map(forcedConflictText)));
    const isEqual = await equalQuantitiesIn(step.intent, object);
    const changing = conflicts.filter(({ field, oldValue, newValue }) => !isEqual(field, oldValue, newValue));
    if (changing.length > 0) asked.set(step, changing.map(forcedConflictText));
  });
  return { existing: new Map(asking.map(({ step, object }) => [step, object])), forcedConflicts, asked };
}

/**
 * Returns true if an `own` finds an object that its stack did not create and does not own yet; a previous owner named in the policy counts
 * as confirmed.
 */
export function isUnownedExisting(step: Step, known: InventoryEntry | undefined, live: JsonObject): boolean {
  const { lifecycle, policy } = step.intent;
  if (lifecycle !== 'own' || policy.transferFrom !== undefined) return false;
  return isFirstDeploy(step, known, live);
}

/**
 * Returns the conflicts that a first deploy would win by force.
 *
 * @throws FieldwiseError where every further request would fail as well.
 */
async function forcedConflictsOf(
  cluster: ClusterClient,
  step: Step,
  live: JsonObject,
  isLeaving: IsLeaving,
): Promise<readonly FieldConflict[]> {
  const { intent, object, stack } = step;
  const { manager } = stack;
  const conflicting = conflictingFields(live, object, manager);
  // Where nothing is recorded, the server considers everything owned before the first apply.
  if (conflicting.length === 0 && recordedFieldsOf(live).length > 0 && !mayChangeTopology(live, object, managersOf(stack))) return [];
  const forced = (conflict: FieldConflict) =>
    !formerManagersOf(stack).includes(conflict.from) &&
    !isTransferred(conflict, intent.policy) &&
    decidingPolicy(conflict, { policy: intent.policy, isLeaving }) === 'force';
  const address = await addressOf(cluster, intent);
  const how = dynamicOf(intent.policy);
  const known = { object, manager, formerManagers: formerManagersOf(stack) };
  const stops = (conflict: FieldConflict) => decidingPolicy(conflict, { policy: intent.policy, isLeaving }) === 'fail';
  // If one field stops the object, none of its fields is taken.
  const takenOf = (conflicts: readonly FieldConflict[]) => (conflicts.some(stops) ? [] : conflicts.filter(forced));
  let silent: readonly FieldConflict[] = [];
  try {
    silent = await silentlyOverwrittenFields(cluster, { ...known, ...how, address, policy: intent.policy }, live);
    const body = { ...object, metadata: { ...object.metadata, uid: uidOf(live) } };
    await cluster.apply(address, body, { manager, force: false, dryRun: true, metadataOnly: true, ...how });
    return takenOf(silent);
  } catch (error) {
    if (!isOfOneObject(error)) throw error;
    if (!(error instanceof ApiError)) return []; // the apply fails in the same way, and reports why
    if (error.conflicts.length > 0) return takenOf([...describeConflicts(error.conflicts, live, known), ...silent]);
    // It cannot be tried, so the owners recorded in the object decide.
    return conflicting
      .map(({ field, owner }): FieldConflict => {
        const { manager: from, operation, subresource } = owner;
        return { field, from, operation, ...(subresource ? { subresource } : {}) };
      })
      .filter(forced);
  }
}

/** Returns true if the policy `transferFrom` names the field: it changes owners with an equal value, or the object fails. */
function isTransferred({ field, from }: FieldConflict, { transferFrom }: IntentPolicy): boolean {
  if (transferFrom === undefined || !previousManagersOf(transferFrom).includes(from)) return false;
  return (transferFrom.fields ?? [field]).some((path) => pathCovers(path, field));
}

/** Returns the questions without whose confirmation no field is forced, and no object is adopted against the policy. */
export function firstDeployQuestions({ existing, asked }: FirstDeploys): readonly (Question | undefined)[] {
  return [
    questionOf(
      [...existing].map(([step, object]) => existingObjectText(step, object)),
      'these objects exist already, and a stack that did not create them would own them',
    ),
    questionOf(
      [...asked].flatMap(([{ intent }, texts]) => texts.map((text) => `${objectText(intent)} ${text}`)),
      'these stacks deploy or own these objects for the first time, and would force fields of others',
    ),
  ];
}

function questionOf(objects: readonly string[], text: string): Question | undefined {
  return objects.length === 0 ? undefined : { text, objects, answeredByPruneSetting: false };
}

/** Names an existing object and the owners of its fields. */
export function existingObjectText({ intent }: Step, live: JsonObject): string {
  const owners = [...new Set(managedFieldsOf(live).map(ownerText))];
  return `${objectText(intent)}${owners.length > 0 ? `, owned by ${owners.join(', ')}` : ''}`;
}
