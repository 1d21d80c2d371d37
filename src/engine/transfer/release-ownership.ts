import { identityKey, objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { emptyFieldSet, type FieldSet, formatPath, isEmpty, membersOf, quote } from '../../fields/index.js';
import { ApiError, type Cluster } from '../../kubernetes/index.js';
import { uidOf } from '../../kubernetes/object.js';
import { appliedIntentOf, applyEntryOf, entriesWithout, releasableFields } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { patchOwners } from '../apply/patch-owners.js';
import { portNameTaken } from '../apply/port-name-taken.js';
import { type Step, stepsOf } from '../graph/waves.js';
import { releaseObject } from '../removal/release.js';
import { isMarkedOnly } from '../removal/remove-object.js';
import { addressOf } from '../target/address.js';
import type { HandoffSelection } from './handoff-selection.js';
import { declaredFields } from './ownership-transfers.js';
import { fieldsNotTransferred } from './rename.js';

/**
 * The server itself says whether values are equal: a dry run without force.
 *
 * @param includesField which fields are handed over.
 * @throws FieldwiseError `handoff-value-differs`, `handoff-dynamic`.
 */
export async function requireEqualValues(
  cluster: Cluster,
  { intent, object, stack }: Step,
  previousOwner: string,
  includesField: (field: string) => boolean = () => true,
): Promise<void> {
  const address = await addressOf(cluster, intent);
  const live = await cluster.tryGet(address);
  if (live === undefined || !applyEntryOf(live, previousOwner)) return;
  if (intent.policy.strategy === 'dynamic' || appliedIntentOf(live, previousOwner) || appliedIntentOf(live, stack.manager)) {
    throw mergedClientSideError(intent, stack.manager);
  }
  try {
    const body = { ...object, metadata: { ...object.metadata, uid: uidOf(live) } };
    await cluster.apply(address, body, { manager: stack.manager, force: false, dryRun: true });
  } catch (error) {
    if (!(error instanceof ApiError) || error.conflicts.length === 0) throw portNameTaken(error, live, stack.manager) ?? error;
    const contested = error.conflicts
      .filter(({ message }) => message === `conflict with ${quote(previousOwner)}`)
      .map(({ field }) => field)
      .filter(includesField);
    if (contested.length === 0) return; // with others, whom the receiver's policies deal with
    throw valueDiffersError(intent, previousOwner, contested);
  }
}

/** @param contested the fields that differ, at least one. */
export function valueDiffersError(intent: Step['intent'], previousOwner: string, contested: readonly string[]): FieldwiseError {
  const [declared] = intent.declaredBy;
  return new FieldwiseError(
    'handoff-value-differs',
    'conflict',
    `The receiver declares other values than ${previousOwner} has: ${[...new Set(contested)].sort().join(', ')}`,
    {
      location: { object: objectText(intent), field: contested[0] as string, ...declared },
      next: 'Nothing was changed. Declare the present values, hand over, and change them afterwards.',
    },
  );
}

/** What the server does not record it cannot prove. */
function mergedClientSideError(intent: Step['intent'], manager: string): FieldwiseError {
  const what = 'It is merged under the strategy dynamic, where the server does not prove that the receiver has what the giver lets go';
  return new FieldwiseError('handoff-dynamic', 'usage', what, {
    location: { object: objectText(intent), manager },
    next: 'Nothing was changed. Deploy the receiver and then the giver without the fields: what both declare stays.',
  });
}

/** What a giver has given up. */
export interface ReleasedOwnership {
  readonly fields: FieldSet;
  /** As it is now; undefined where there is none. */
  readonly object: JsonObject | undefined;
}

/**
 * Ends a giver's part in the selected fields that the receiver has just applied, in one request that the server refuses where somebody
 * has written in between.
 *
 * @throws FieldwiseError `handoff-unproved`; what `changeOwners` throws.
 */
export async function releaseOwnership(
  cluster: Cluster,
  step: Step,
  previousOwner: string,
  selection: Pick<HandoffSelection, 'select'>,
): Promise<ReleasedOwnership> {
  let fields: FieldSet = emptyFieldSet;
  let last: JsonObject | undefined;
  const changed = await patchOwners(cluster, await addressOf(cluster, step.intent), (live) => {
    last = live;
    fields = live === undefined ? emptyFieldSet : provedFields(live, step, previousOwner, selection);
    if (live === undefined || isEmpty(fields)) return undefined;
    const from = applyEntryOf(live, previousOwner) as NonNullable<ReturnType<typeof applyEntryOf>>;
    return { manager: step.stack.manager, entries: entriesWithout(live, [{ from, fields: fields }]) };
  });
  return { fields: fields, object: changed ?? last };
}

/**
 * Ends the part of a giver that has nothing left of an object but the mark of a stack that owns it. What the receiver declares is the
 * receiver's mark, so no handoff of fields reaches this one.
 *
 * @returns the object as it is now.
 */
export async function releaseTrackingAnnotation(
  cluster: Cluster,
  step: Step,
  previousOwner: string,
  live: JsonObject | undefined,
): Promise<JsonObject | undefined> {
  const entry = live && applyEntryOf(live, previousOwner);
  if (live === undefined || entry === undefined || !isMarkedOnly(entry)) return live;
  const uid = uidOf(live);
  return (await releaseObject(cluster, await addressOf(cluster, step.intent), uid, previousOwner)).object;
}

/** What the giver can end its part in, as the server's own record proves. */
export function provedFields(
  live: JsonObject,
  { object, stack }: Step,
  previousOwner: string,
  { select }: Pick<HandoffSelection, 'select'>,
): FieldSet {
  const theirs = applyEntryOf(live, previousOwner);
  if (theirs === undefined) return emptyFieldSet;
  const meant = new Set(membersOf(select(theirs.fields)).map(({ path }) => formatPath(path)));
  const unproved = fieldsNotTransferred(live, object, previousOwner, stack.manager).filter((field) => meant.has(field));
  if (unproved.length > 0) {
    throw new FieldwiseError(
      'handoff-unproved',
      'resource',
      `The server's managedFields do not show that ${stack.manager} owns ${unproved.join(', ')}, which ${previousOwner} owns`,
      {
        location: { manager: previousOwner },
        next: 'Nothing of the object was handed over: every field still has its owner. Where a policy `yield` leaves a field to the giver, declare its present value, and run again.',
      },
    );
  }
  return releasableFields(theirs.fields, select(declaredFields(live, stack.manager, object)));
}

/** What the program still declares of the object in the stack that has this manager. */
export function declaredByPreviousOwner(assembly: Assembly, manager: string, step: Step): Step | undefined {
  const stacks = assembly.manifest.stacks.filter((stack) => stack.manager === manager);
  const key = identityKey({ ...step.intent, namespace: undefined });
  return stepsOf(assembly, stacks).find(
    ({ intent }) =>
      identityKey({ ...intent, namespace: undefined }) === key && (intent.namespace ?? step.intent.namespace) === step.intent.namespace,
  );
}
