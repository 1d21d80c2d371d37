import { objectText } from '../../assembly/identity.js';
import { formatPath } from '../../fields/index.js';
import { ApiError, type Cluster, type ObjectAddress } from '../../kubernetes/index.js';
import { metadataOf, uidOf } from '../../kubernetes/object.js';
import {
  appliedIntentOf,
  applyEntryOf,
  type ClearedOwnership,
  clearedOwnershipOf,
  entriesWithout,
  fieldsBeforeFirstApply,
  isBeforeFirstApply,
  recordedFieldsOf,
  releasableByInitialEntry,
  unreleasableFields,
} from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { patchOwners } from '../apply/patch-owners.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { Question } from '../run/question.js';
import type { RunDiagnostic } from '../run/run-diagnostic.js';
import { ownershipPatch, ownershipTransfers } from '../transfer/ownership-transfers.js';
import type { Deployer } from './deployers.js';
import { freshFromApplied } from './fresh-object.js';
import { removalCommand } from './removal-command.js';

/** An object that a stack has applied to, and of which another client wiped managedFields since. */
export interface ClearedObject {
  readonly state: ClearedOwnership;
  readonly uid: string;
  /** The stack's field managers; of an object that moves here, those of the stack that had it. */
  readonly managers: readonly string[];
  /** What the stack owns, its intent no longer declares, and would stay because `before-first-apply` owns it too. */
  readonly unreleasable: readonly string[];
}

/**
 * Where `before-first-apply` only owns what the intent still declares, nothing is lost yet, and nothing is said. Under the strategy `dynamic`
 * the memory of the stack stands for its entry.
 */
export function clearedObjectOf(
  { managers, known }: Deployer,
  { object: intent, intent: { policy } }: Step,
  live: JsonObject,
): ClearedObject | undefined {
  const uid = uidOf(live);
  if (known.uid !== uid || isUnrecorded(known)) return undefined;
  const isRemembered = managers.some((manager) => appliedIntentOf(live, manager) !== undefined);
  if (isRemembered && known.strategy !== 'dynamic') return undefined;
  const unreleasable = unreleasableFields(live, managers, intent, known.initialEntryTime);
  if (unreleasable.length > 0) return { state: 'shared', uid, managers, unreleasable: unreleasable };
  const state = clearedOwnershipOf(live, managers, known.initialEntryTime);
  if (isRemembered && policy.strategy === 'dynamic') return undefined;
  return state === undefined || state === 'shared' || !hasOwned(known) ? undefined : { state, uid, managers, unreleasable: unreleasable };
}

/**
 * Whether the answer to an apply shows it: `before-first-apply` owns what the stack declares, and did not when the stack came; or it owns
 * anything, and did not when the object was read.
 */
export function isClearedSince(
  known: InventoryEntry | undefined,
  read: JsonObject | undefined,
  response: JsonObject,
  managers: readonly string[],
): boolean {
  if (known?.uid === undefined || isUnrecorded(known) || uidOf(response) !== known.uid) return false;
  const state = clearedOwnershipOf(response, managers, known.initialEntryTime);
  if (state === 'shared') return true;
  const readOwners = recordedFieldsOf(read);
  const isNew = readOwners.length > 0 && !readOwners.some(isBeforeFirstApply) && recordedFieldsOf(response).some(isBeforeFirstApply);
  return isNew && state !== 'lost';
}

/** Whether the server had no owners on record when the stack applied last, as of an object that was found so under the strategy `dynamic`. */
export function isUnrecorded({ strategy, appliedAt }: InventoryEntry): boolean {
  return strategy === 'dynamic' && appliedAt === undefined;
}

/** Not every intent has a field of its own: such a one leaves no entry. */
export function hasOwned({ appliedAt, items = [] }: InventoryEntry): boolean {
  return appliedAt !== undefined || items.length > 0;
}

/** A no leaves the owners as they are, and the run goes on. */
export function clearedQuestion(found: ReadonlyMap<Step, ClearedObject>): Question | undefined {
  if (found.size === 0) return undefined;
  return {
    text:
      'before-first-apply owns what stacks declare of these objects, too, as after another client wiped metadata.managedFields: a field that a ' +
      'stack drops would stay, and its part in what stacks own can be ended',
    objects: [...found].map(
      ([{ intent }, { unreleasable }]) =>
        `${objectText(intent)}${unreleasable.length > 0 ? `, of which ${unreleasable.join(', ')} would stay` : ''}`,
    ),
    answeredByPruneSetting: false,
    prompt: 'End it?',
  };
}

/**
 * Before a merge: has the server put on record, as of `before-first-apply`, what is in an object of which nobody owns anything. Otherwise what the
 * stack owned could not be told later from what others have set. An apply of nothing does it.
 */
export async function recordOwners(
  cluster: Cluster,
  address: ObjectAddress,
  { uid, managers: [manager = ''] }: ClearedObject,
): Promise<void> {
  const live = await cluster.tryGet(address);
  if (live === undefined || recordedFieldsOf(live).length > 0 || appliedIntentOf(live, manager) !== undefined) return;
  const { apiVersion, kind } = address.resource;
  const { name, namespace, resourceVersion } = metadataOf(live);
  const body = { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion } };
  try {
    await cluster.apply(address, body, { manager, force: false, metadataOnly: true });
  } catch (error) {
    if (!(error instanceof ApiError) || !(error.stale || error.uidMismatch !== undefined)) throw error; // written since: by whom is on record
  }
}

/** Before the apply: what the stack drops is not held by `before-first-apply` any more. */
export async function releaseInitialEntryBeforeApply(
  cluster: Cluster,
  address: ObjectAddress,
  { uid, managers }: ClearedObject,
): Promise<void> {
  const found = await cluster.tryGet(address);
  const manager = managers.find((candidate) => applyEntryOf(found, candidate) !== undefined);
  if (found === undefined || manager === undefined) return;
  const fresh = await freshFromApplied(cluster, address, found, manager);
  await patchOwners(cluster, address, (live) => {
    const ours = applyEntryOf(live, manager);
    const initialEntry = recordedFieldsOf(live).find(isBeforeFirstApply);
    if (!live || uidOf(live) !== uid || !ours || !initialEntry) return undefined;
    return {
      manager,
      entries: entriesWithout(live, [
        { from: initialEntry, fields: releasableByInitialEntry(initialEntry.fields, ours.fields, live, fresh) },
      ]),
    };
  });
}

/**
 * After the apply: `before-first-apply` gives up what the intent declares.
 *
 * @param fresh the object as the server would create it from the intent.
 */
export async function releaseInitialEntryAfterApply(
  cluster: Cluster,
  address: ObjectAddress,
  { stack: { manager }, object: intent }: Step,
  { uid, fresh }: { readonly uid: string; readonly fresh: JsonObject | undefined },
): Promise<JsonObject | undefined> {
  return patchOwners(cluster, address, (live) => {
    if (!live || uidOf(live) !== uid) return undefined;
    const transfers = ownershipTransfers(live, { manager, intent, fresh }, isBeforeFirstApply);
    return transfers.transfers.length === 0 ? undefined : ownershipPatch(live, manager, transfers);
  });
}

/**
 * Said at each deploy until the part of `before-first-apply` has ended.
 *
 * @param unreleasable what the stack has just dropped, and stays.
 */
export function clearedDiagnostic({ intent }: Step, unreleasable: readonly string[], ended: boolean): RunDiagnostic {
  const what = `before-first-apply owns what the stack declares of ${objectText(intent)}, too, as after another client wiped metadata.managedFields`;
  const open = `nobody has agreed to end its part, so ${unreleasable.length > 0 ? `${unreleasable.join(', ')} stays` : 'a field that the stack drops would stay'}`;
  const find = 'find the client that sends `managedFields: [{}]`';
  return {
    event: 'warning',
    code: 'managed-fields-cleared',
    message: ended ? `${what}: its part in it has been ended` : `${what}: ${open}`,
    next: ended
      ? `Nothing is left to do but to ${find}.`
      : `Run \`fieldwise adopt\`, or deploy with --yes, before a field is dropped; and ${find}.`,
  };
}

const maxListed = 20;

/**
 * What only `before-first-apply` owns and a new object would not have: fields that the stack may have dropped since managedFields were wiped.
 * Nobody knows whose they were, so nothing is removed; the warning has the command that does.
 *
 * @param fresh the object as the server would create it from the intent.
 */
export async function droppedDiagnostic(
  cluster: Cluster,
  address: ObjectAddress,
  step: Step,
  fresh: JsonObject | undefined,
): Promise<RunDiagnostic | undefined> {
  const live = await cluster.tryGet(address);
  if (live === undefined) return undefined;
  const fields = fieldsBeforeFirstApply(live, fresh).filter(([first]) => first?.kind !== 'field' || first.name !== 'status');
  if (fields.length === 0) return undefined;
  const more = fields.length > maxListed ? ` and ${fields.length - maxListed} more` : '';
  const listed = fields.slice(0, maxListed);
  return {
    event: 'warning',
    code: 'dropped-after-clear',
    message: `Only before-first-apply owns ${listed.map(formatPath).join(', ')}${more} of ${objectText(step.intent)}: dropped since managedFields were wiped, or somebody's`,
    next: `Only a deploy that finds managedFields wiped says so. If nobody needs them: ${removalCommand(address, live, listed)}`,
  };
}
