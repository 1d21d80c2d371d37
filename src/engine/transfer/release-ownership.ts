import { identityKey, objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { emptyFieldSet, leafTexts } from '../../fields/index.js';
import { uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import { appliedIntentOf, applyEntryOf, conflictOwnerIn } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { addressOf } from '../addresses/address.js';
import { portNameTaken } from '../apply/port-name-taken.js';
import { intentStepsOf, type Step } from '../graph/waves.js';
import { patchOwners } from '../object/patch-owners.js';
import { releaseObject } from '../object/release.js';
import { isMarkedOnly } from '../object/remove-object.js';
import { isOutcomeUnknown, outcomeUnknown } from '../object/settle.js';
import { declaredIn } from './declared-in.js';
import type { HandoffSelection } from './handoff-selection.js';
import { isTransfer, type OwnershipTransfers, ownershipPatch, ownershipTransfers } from './ownership-transfers.js';
import { isPreviousEntry, previousEntriesOf, updatedFields } from './previous-entries.js';
import { fieldsNotOwned } from './rename.js';

/**
 * Requires equal values for a handoff. The server itself compares them: in a dry run without force.
 *
 * @param includesField returns true for a field that is handed over.
 * @throws FieldwiseError `handoff-value-differs`, `handoff-dynamic`.
 */
export async function requireEqualValues(
  cluster: ClusterClient,
  { intent, object, stack }: Step,
  previousOwner: string,
  includesField: (field: string) => boolean = () => true,
): Promise<void> {
  const address = await addressOf(cluster, intent);
  const live = await cluster.tryGet(address);
  if (live === undefined || previousEntriesOf(live, previousOwner).length === 0) return;
  const unproved = clientSideMerge(live, { intent, stack }, previousOwner);
  if (unproved) throw unproved;
  try {
    const body = { ...object, metadata: { ...object.metadata, uid: uidOf(live) } };
    await cluster.apply(address, body, { manager: stack.manager, force: false, dryRun: true });
  } catch (error) {
    if (!(error instanceof ApiError) || error.conflicts.length === 0) throw portNameTaken(error, live, stack.manager) ?? error;
    const contested = error.conflicts
      .filter(({ message }) => isPreviousEntry(conflictOwnerIn(message), previousOwner))
      .map(({ field }) => field)
      .filter(includesField);
    if (contested.length === 0) return; // with others, to which the new owner's policies apply
    throw valueDiffersError(intent, previousOwner, contested);
  }
}

/**
 * Returns the error for fields whose values differ.
 *
 * @param contested the fields that differ, at least one.
 */
export function valueDiffersError(intent: Step['intent'], previousOwner: string, contested: readonly string[]): FieldwiseError {
  const [declared] = intent.declaredBy;
  return new FieldwiseError(
    'handoff-value-differs',
    'conflict',
    `The new owner declares other values than ${previousOwner} has: ${[...new Set(contested)].sort().join(', ')}`,
    {
      location: { object: objectText(intent), field: contested[0] as string, ...declared },
      next: 'Nothing was changed. Declare the present values, transfer the fields, and change the values afterwards.',
    },
  );
}

/** Returns the error for an object that is merged client-side and of which the previous owner has fields: the server cannot prove what it does not record. */
export function clientSideMerge(
  live: JsonObject,
  { intent, stack: { manager } }: Pick<Step, 'intent' | 'stack'>,
  previousOwner: string,
): FieldwiseError | undefined {
  const isMerged = intent.policy.strategy === 'dynamic' || appliedIntentOf(live, previousOwner) || appliedIntentOf(live, manager);
  if (!isMerged || previousEntriesOf(live, previousOwner).length === 0) return undefined;
  const what =
    'It is merged under the strategy dynamic, where the server does not prove that the new owner has the fields that the previous one releases';
  return new FieldwiseError('handoff-dynamic', 'usage', what, {
    location: { object: objectText(intent), manager },
    next: 'Nothing was changed. Deploy the new owner and then the previous owner without the fields: fields that both declare stay.',
  });
}

/** The fields that a previous owner has released. */
export interface ReleasedOwnership {
  /** Paths such as `.spec.replicas` that the previous owner no longer owns, of those that the intent declares. */
  readonly fields: readonly string[];
  /** The object as it is now; undefined where it does not exist. */
  readonly object: JsonObject | undefined;
}

/**
 * Removes the previous owner from the selected fields that the new owner has just applied, in one request that the server refuses if
 * somebody has written in between.
 *
 * @throws FieldwiseError `handoff-unproved`; the errors of `patchOwners`.
 */
export async function releaseOwnership(
  cluster: ClusterClient,
  step: Step,
  previousOwner: string,
  selection: Pick<HandoffSelection, 'select'>,
): Promise<ReleasedOwnership> {
  let fields: readonly string[] = [];
  let attempted: readonly string[] = [];
  let last: JsonObject | undefined;
  const changed = await patchOwners(cluster, await addressOf(cluster, step.intent), (live) => {
    last = live;
    const transfers = live === undefined ? { transfers: [] } : provedTransfers(live, step, previousOwner, selection);
    fields = transferredPaths(transfers, step);
    if (fields.length > 0) attempted = fields;
    return live === undefined || !isTransfer(transfers) ? undefined : ownershipPatch(live, step.stack.manager, transfers);
  }).catch((error: unknown) => {
    if (!isOutcomeUnknown(error)) throw error;
    throw outcomeUnknown(error.cause, `without ${previousOwner} as an owner of ${attempted.join(', ')}`, { manager: previousOwner });
  });
  return { fields, object: changed ?? last };
}

/**
 * Removes the part of a previous owner that has nothing left of an object but its tracking annotation. The new owner declares its own
 * annotation, so no handoff of fields reaches this one.
 *
 * @returns the object as it is now.
 */
export async function releaseTrackingAnnotation(
  cluster: ClusterClient,
  step: Step,
  previousOwner: string,
  live: JsonObject | undefined,
): Promise<JsonObject | undefined> {
  const entry = live && applyEntryOf(live, previousOwner);
  if (live === undefined || entry === undefined || !isMarkedOnly(entry)) return live;
  const uid = uidOf(live);
  return (await releaseObject(cluster, await addressOf(cluster, step.intent), uid, previousOwner)).object;
}

/**
 * Returns the fields that the previous owner can release, as the server's own record proves, and the change of its last-applied annotation: it
 * loses the fields, too, because client-side apply deletes what its annotation has and its file lacks.
 */
export function provedTransfers(
  live: JsonObject,
  { object, stack }: Step,
  previousOwner: string,
  { select }: Pick<HandoffSelection, 'select'>,
  manager = stack.manager,
): OwnershipTransfers {
  const previous = previousEntriesOf(live, previousOwner).map((entry) =>
    select(entry.operation === 'Apply' ? entry.fields : updatedFields(live, entry)),
  );
  const unproved = previous.flatMap((fields) => fieldsNotOwned(live, object, fields, manager));
  if (unproved.length > 0) {
    throw new FieldwiseError(
      'handoff-unproved',
      'resource',
      `The server's managedFields do not show that ${manager} owns ${unproved.join(', ')}, which ${previousOwner} owns`,
      {
        location: { manager: previousOwner },
        next: 'No field of the object was transferred: every field still has its owner. If a policy `yield` leaves a field to the previous owner, declare its present value, and run again.',
      },
    );
  }
  return ownershipTransfers(live, { manager, intent: object, select }, (entry) => isPreviousEntry(entry, previousOwner));
}

/** Returns the declared fields of transfers, such as `.spec.replicas`, with those that only the last-applied annotation loses. */
export function transferredPaths({ transfers, annotation }: OwnershipTransfers, { object }: Step): readonly string[] {
  const declared = transfers.flatMap(({ fields }) => leafTexts(declaredIn(fields, { object })));
  return [...new Set([...declared, ...leafTexts(annotation?.fields ?? emptyFieldSet)])];
}

/** Returns the intent that the program still declares for the object in the stack that has this manager. */
export function declaredByPreviousOwner(assembly: Assembly, manager: string, step: Step): Step | undefined {
  const stacks = assembly.manifest.stacks.filter((stack) => stack.manager === manager);
  const key = identityKey({ ...step.intent, namespace: undefined });
  return intentStepsOf(assembly, stacks).find(
    ({ intent }) =>
      identityKey({ ...intent, namespace: undefined }) === key && (intent.namespace ?? step.intent.namespace) === step.intent.namespace,
  );
}
