import { objectText } from '../../assembly/identity.js';
import { formatPath } from '../../fields/index.js';
import { metadataOf, uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, type ObjectAddress } from '../../kubernetes/index.js';
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
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import { isUnrecorded } from '../object/cleared-since.js';
import { freshFromApplied } from '../object/fresh-object.js';
import { patchOwners } from '../object/patch-owners.js';
import type { Question } from '../report/question.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { Deployer } from '../transfer/deployers.js';
import { ownershipPatch, ownershipTransfers } from '../transfer/ownership-transfers.js';
import { removalCommand } from './removal-command.js';

/** An object that a stack has applied to, and whose managedFields another client has wiped since. */
export interface ClearedObject {
  readonly state: ClearedOwnership;
  readonly uid: string;
  /** The stack's field managers; for an object that moves here, those of its previous stack. */
  readonly managers: readonly string[];
  /** Fields that the stack owns, its intent no longer declares, and that would stay because `before-first-apply` owns them, too. */
  readonly unreleasable: readonly string[];
}

/**
 * Returns an object with wiped managedFields. While `before-first-apply` only owns what the intent still declares, nothing is lost yet, and
 * nothing is reported. Under the strategy `dynamic` the recorded intent of the stack stands for its entry.
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
  if (unreleasable.length > 0) return { state: 'shared', uid, managers, unreleasable };
  const state = clearedOwnershipOf(live, managers, known.initialEntryTime);
  if (isRemembered && policy.strategy === 'dynamic') return undefined;
  return state === undefined || state === 'shared' || !hasOwned(known) ? undefined : { state, uid, managers, unreleasable };
}

/** Returns true if a stack owned fields: an intent without any field of its own leaves no entry. */
export function hasOwned({ appliedAt, items = [] }: InventoryEntry): boolean {
  return appliedAt !== undefined || items.length > 0;
}

/** Returns the question about wiped objects. If it is refused, the owners stay as they are, and the run continues. */
export function clearedQuestion(found: ReadonlyMap<Step, ClearedObject>): Question | undefined {
  if (found.size === 0) return undefined;
  return {
    text:
      'before-first-apply owns declared fields of these objects, too, as after another client wiped metadata.managedFields: a field that a ' +
      'stack drops would stay, and before-first-apply can be removed from the fields that stacks own',
    objects: [...found].map(
      ([{ intent }, { unreleasable }]) =>
        `${objectText(intent)}${unreleasable.length > 0 ? `, of which ${unreleasable.join(', ')} would stay` : ''}`,
    ),
    answeredByPruneSetting: false,
    prompt: 'Remove it?',
  };
}

/**
 * Before a merge: makes the server record, under `before-first-apply`, the fields of an object without owners. Otherwise the stack's fields
 * could not be distinguished later from those that others have set. An empty apply does it.
 */
export async function recordOwners(
  cluster: ClusterClient,
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
    if (!(error instanceof ApiError) || !(error.stale || error.uidMismatch !== undefined)) throw error; // written since, so its writer is on record
  }
}

/** Before the apply: removes `before-first-apply` from the stack's fields, so that it does not keep those that the stack drops. */
export async function releaseInitialEntryBeforeApply(
  cluster: ClusterClient,
  address: ObjectAddress,
  { uid, managers }: ClearedObject,
): Promise<void> {
  const found = await cluster.tryGet(address);
  const manager = managers.find((candidate) => applyEntryOf(found, candidate) !== undefined);
  if (found === undefined || manager === undefined) return;
  const fresh = await freshFromApplied(cluster, address, found, manager);
  await patchOwners(cluster, address, (live) => {
    const entries = live && uidOf(live) === uid ? entriesWithoutInitial(live, manager, fresh) : undefined;
    return entries && { manager, entries };
  });
}

/** Returns an object as it is then, without a request that changes it; undefined where there is nothing to remove. */
export async function withoutInitialEntry(
  cluster: ClusterClient,
  address: ObjectAddress,
  { managers }: ClearedObject,
  live: JsonObject,
): Promise<JsonObject | undefined> {
  const manager = managers.find((candidate) => applyEntryOf(live, candidate) !== undefined);
  const managedFields = manager && entriesWithoutInitial(live, manager, await freshFromApplied(cluster, address, live, manager));
  return managedFields ? { ...live, metadata: { ...(live.metadata as JsonObject), managedFields } } : undefined;
}

/** Returns managedFields without what `before-first-apply` owns of the fields of a manager; undefined where one of them owns nothing. */
function entriesWithoutInitial(live: JsonObject, manager: string, fresh: JsonObject | undefined) {
  const ours = applyEntryOf(live, manager);
  const initialEntry = recordedFieldsOf(live).find(isBeforeFirstApply);
  if (!ours || !initialEntry) return undefined;
  return entriesWithout(live, [{ from: initialEntry, fields: releasableByInitialEntry(initialEntry.fields, ours.fields, live, fresh) }]);
}

/**
 * After the apply: removes `before-first-apply` from the fields that the intent declares.
 *
 * @param fresh the object as the server would create it from the intent.
 */
export async function releaseInitialEntryAfterApply(
  cluster: ClusterClient,
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
 * Returns the warning of each deploy until `before-first-apply` no longer owns the stack's fields.
 *
 * @param unreleasable the fields that the stack has just dropped, and that stay.
 */
export function clearedDiagnostic({ intent }: Step, unreleasable: readonly string[], ended: boolean): RunDiagnostic {
  const what = `before-first-apply owns fields of ${objectText(intent)} that the stack declares, too, as after another client wiped metadata.managedFields`;
  const open = `nobody has confirmed its removal, so ${unreleasable.length > 0 ? `${unreleasable.join(', ')} stays` : 'a field that the stack drops would stay'}`;
  const find = 'find the client that sends `managedFields: [{}]`';
  return {
    event: 'warning',
    code: 'managed-fields-cleared',
    message: ended ? `${what}: it was removed as an owner of them` : `${what}: ${open}`,
    next: ended ? `Now ${find}.` : `Run \`fieldwise adopt\`, or deploy with --yes, before a field is dropped; and ${find}.`,
  };
}

const maxListed = 20;

/**
 * Returns a warning about fields that only `before-first-apply` owns and a new object would not have: fields that the stack may have
 * dropped since managedFields were wiped. Their owner is unknown, so nothing is removed; the warning has the command that removes them.
 *
 * @param fresh the object as the server would create it from the intent.
 */
export async function droppedDiagnostic(
  cluster: ClusterClient,
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
    next: `Only a deploy that finds wiped managedFields reports this. If nobody needs these fields: ${removalCommand(address, live, listed)}`,
  };
}
