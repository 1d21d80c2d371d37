import type { IntentPolicy, PartialObject } from '../../assembly/types.js';
import { type FieldPath, pathCovers, resolvePath, valueAt, withoutPath } from '../../fields/index.js';
import {
  ApiError,
  type ApplyResponse,
  type Cluster,
  contendedError,
  contentionRounds,
  type DynamicOptions,
  type ObjectAddress,
  type StatusCause,
} from '../../kubernetes/index.js';
import { additionalLostFields, describeConflicts, type FieldConflict, hasUnlistedConflict, isOwned } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';
import { mayOverwrite } from '../release/overwritten-fields.js';
import { mayRelease } from '../release/released-fields.js';
import { type ApprovedFields, approvedCollateral } from '../removal/collateral.js';
import { maskField } from '../secrets/secret-masker.js';
import { conflictPolicyFor, forceUnconfirmedError } from './conflict-policy.js';
import { planOutdatedError } from './expectation.js';
import { forceWasApplied } from './lost-response.js';
import { conflictsWithAtomic, mayChangeTopology, overwrittenAtomicFields } from './topology-change.js';

export interface ApplyTask {
  readonly address: ObjectAddress;
  readonly object: PartialObject;
  readonly manager: string;
  /** Field managers that the stack had before renames: what they own is ours already, so it is taken without a word. */
  readonly formerManagers?: readonly string[];
  /** Present where the intent drops items: which fields of others may go along; looked at before each pass. */
  readonly approvedCollateral?: ApprovedFields | undefined;
  readonly policy: IntentPolicy;
  /**
   * The object as the run read it, where there was one: the first pass is pinned to it where something is released or drops items, or where
   * others own a list or map as one value of which the intent declares a part; see `mayBeRetyped`.
   */
  readonly live?: JsonObject | undefined;
  /** Present under the strategy `dynamic`. */
  readonly dynamic?: DynamicOptions | undefined;
  /** Only this very object; the server refuses any other, and refuses to create one. */
  readonly uid?: string;
  /** With `uid`: only as the object was then; the server refuses the first pass as stale where it was written since. */
  readonly resourceVersion?: string;
  /** Whether a value of another may go because it is a member of a union that stands in the way of the intent; absent: none. */
  readonly mayRemove?: ((conflict: FieldConflict) => boolean) | undefined;
  /** Whether a field may be taken by force; absent: any. Else the apply ends with `force-unconfirmed`. */
  readonly mayForce?: ((conflict: FieldConflict, live: JsonObject) => boolean) | undefined;
  /** Throws where an apply of `object` would release what a policy has not looked at. */
  readonly checkReleases?: ((live: JsonObject, object: JsonObject) => void) | undefined;
  /** Only where there is no object: the server refuses it as stale where there is one. */
  readonly mustCreate?: boolean;
  readonly dryRun?: boolean;
  /** Whether a saved plan told of a conflict; another one ends it with `plan-outdated`. */
  readonly expects?: (conflict: FieldConflict) => boolean;
}

/** What an intent's policy says of the strategy `dynamic`; nothing where the server merges. */
export function dynamicOf({ strategy, listKeys }: IntentPolicy): Pick<ApplyTask, 'dynamic'> {
  return strategy === 'dynamic' ? { dynamic: listKeys === undefined ? {} : { listKeys } } : {};
}

export interface Applied {
  readonly outcome: 'applied';
  readonly response: ApplyResponse;
  /** The intent as the server accepted it: without what was yielded. */
  readonly sent: PartialObject;
  /**
   * resourceVersion that the last pass was pinned to: the answer shows another one exactly if that pass wrote. Absent where an earlier
   * pass may have written and its answer was lost.
   */
  readonly pinned: string | undefined;
  /**
   * The object as it was before the apply, present where the apply may have given up a field or changed a value that nobody owned: it was
   * pinned to this very state, and the answer holds the whole object.
   */
  readonly before?: JsonObject | undefined;
  readonly forcedConflicts: readonly FieldConflict[];
  readonly yielded: readonly FieldConflict[];
  readonly collateral: readonly FieldConflict[];
  /** Whether it met conflicts that a later schema may hide; see `meetsWholes`. */
  readonly metAtomicConflict: boolean;
}

export interface ApplyConflict extends Pick<Applied, 'metAtomicConflict'> {
  readonly outcome: 'conflict';
  readonly conflicts: readonly FieldConflict[];
  /** What had been applied by then, where the conflict came up in the middle of a hand-over to the server. */
  readonly merged?: Applied;
}

/** No object has it, and an apply that creates is accepted with any: so it is refused exactly where there is an object. */
const resourceVersionOfNoObject = '9223372036854775807';

/**
 * Applies an intent in two passes. The first is not forced, so that the server names every conflict and changes nothing. Then the
 * object is read once, each contested field is decided by its policy, and the second pass carries the uid and resourceVersion that
 * were read: whatever was written in between refuses it, and all starts again.
 *
 * Force covers a whole request, so the second pass is sent only when the server's list of conflicts is known to be complete for the
 * object as it was read: either the owners recorded there contest nothing beyond the list, or two reads around the list agree.
 *
 * @throws ApiError where the server refuses for another reason; FieldwiseError `apply-contended` when others keep writing,
 *   `object-replaced` when the object is not the one with `uid`.
 */
export async function applyIntent(cluster: Cluster, task: ApplyTask): Promise<Applied | ApplyConflict> {
  let known = task.live;
  let lastRead: string | undefined;
  let refused = false;
  for (let round = 0; round < contentionRounds; round++) {
    const guarded = await firstPass(cluster, task, known);
    if ('stale' in guarded) {
      known = guarded.stale;
      refused ||= guarded.responseLost;
      continue;
    }
    const { first, overwritten, ...pass } = guarded;
    if (!('conflicts' in first)) {
      const pinned = refused ? undefined : (pass.pinned ?? task.resourceVersion);
      return {
        outcome: 'applied',
        response: first,
        sent: task.object,
        ...pass,
        pinned,
        forcedConflicts: [],
        yielded: [],
        metAtomicConflict: false,
      };
    }

    if (task.mustCreate) throw objectReplaced(task.manager); // the server looks for conflicts before it compares versions
    const live = overwritten ? overwritten.live : await cluster.tryGet(task.address);
    if (!live) continue; // deleted since: the first pass knows what that means
    const { uid, resourceVersion } = identityOf(live);
    if (known === undefined && meetsAtomics(live, task)) {
      known = live; // what the server lets pass beside these conflicts is looked for first
      continue;
    }
    known &&= live;
    const stable = resourceVersion === lastRead;
    lastRead = resourceVersion;
    if (task.uid !== undefined && uid !== task.uid) throw objectReplaced(task.manager); // nor uids
    const listed = [...describeConflicts(first.conflicts, live, task), ...(overwritten?.parts ?? [])];
    if (!overwritten && !stable && hasUnlistedConflict(listed, live, task)) continue;
    const conflicts = listed.filter((conflict) => !isFormer(conflict, task));

    const unplanned = task.expects && conflicts.find((conflict) => !task.expects?.(conflict));
    if (unplanned)
      throw planOutdatedError(`${unplanned.from} now owns ${unplanned.field} with another value, which was not planned`, task.manager);

    const byPolicy = (policy: string) => conflicts.filter((conflict) => policyOf(conflict, task) === policy);
    const metAtomicConflict = meetsAtomics(live, task, conflicts);
    if (byPolicy('fail').length > 0)
      return { outcome: 'conflict', conflicts: mask(byPolicy('fail'), task), metAtomicConflict: metAtomicConflict };
    const yielding = byPolicy('yield');
    if (!yielding.every((conflict) => isOwned(conflict, live))) continue; // left by its owner: leaving it out would remove it
    // Who yields a field to one of its owners takes it from none.
    const isYielded = ({ field }: FieldConflict) => yielding.some((conflict) => pathCovers(conflict.field, field));
    const yielded = conflicts.filter(isYielded);
    const forcedConflicts = byPolicy('force').filter((conflict) => !isYielded(conflict));
    const unconfirmedConflicts = forcedConflicts.filter((conflict) => task.mayForce?.(conflict, live) === false);
    if (unconfirmedConflicts.length > 0) throw forceUnconfirmedError(unconfirmedConflicts, task.manager);
    const remaining = yielded.reduce<Json>(
      (object, conflict) => withoutPath(object, pathIn(object, conflict, task)),
      task.object,
    ) as PartialObject;
    const inherited = listed.filter((conflict) => isFormer(conflict, task));
    const forced = [...forcedConflicts, ...inherited];
    const collateral = task.approvedCollateral ? approvedCollateral(live, remaining, managersOf(task), task.approvedCollateral) : [];
    const releases = mayRelease(live, remaining, managersOf(task));
    if (releases) task.checkReleases?.(live, remaining);
    const whole = releases || overwrites(live, remaining, task);
    const second = await secondPass(cluster, task, pinnedTo(remaining, uid, resourceVersion), {
      force: forced.length > 0,
      whole,
    });
    const fields = forced.map((conflict) => conflict.field);
    const now = second?.object ?? (await forceWasApplied(cluster, task.address, task.manager, live, fields));
    if (!now) {
      refused = true;
      continue;
    }
    // The server records a list that is merged here as one value, so its owners after the write tell nothing of items. What is contested is.
    const lost = task.dynamic ? [] : additionalLostFields(forcedConflicts, live, now, managersOf(task));
    const overwrittenToo = task.dynamic
      ? []
      : overwrittenAtomicFields(live, { ...remaining, metadata: now.metadata as JsonObject }, managersOf(task));
    const more = [...lost, ...overwrittenToo.filter(({ field }) => !listed.some((conflict) => pathCovers(conflict.field, field)))];
    return {
      outcome: 'applied',
      response: second ?? { created: false, responseLost: true, object: now, warnings: [] },
      sent: remaining,
      pinned: refused ? undefined : resourceVersion,
      before: whole ? live : undefined,
      forcedConflicts: mask(task.dynamic ? asMerged(forcedConflicts, now) : [...forcedConflicts, ...more], task),
      yielded: mask(yielded, task),
      collateral: task.dynamic ? removedCollateral(live, now, collateral) : collateral,
      metAtomicConflict: metAtomicConflict,
    };
  }
  throw contendedError(
    'apply-contended',
    { manager: task.manager },
    'Nothing of this object was changed. Run again, or find out which controller writes it so often.',
  );
}

/** What the pass that is not forced ended with; `stale`: nothing, because the object has been written since it was read, and how it is now. */
type FirstPass =
  | ({
      readonly first: ApplyAttempt;
      readonly pinned?: string;
      /**
       * Parts of what others own as one value, which the server would let the intent change without a conflict, beside the conflicts that it
       * names of the very same object; nothing was changed.
       */
      readonly overwritten?: { readonly live: JsonObject; readonly parts: readonly FieldConflict[] };
    } & Pick<Applied, 'collateral' | 'before'>)
  | { readonly stale: JsonObject | undefined; readonly responseLost: boolean };

/**
 * The pass that is not forced. Where the intent drops what the stack applied before, or may change what others own as one value, it is pinned
 * to the object as it was read: nothing but what was agreed to goes along, and what is given up is known with its values.
 */
async function firstPass(cluster: Cluster, task: ApplyTask, known: JsonObject | undefined): Promise<FirstPass> {
  const managers = managersOf(task);
  const live = task.mustCreate
    ? undefined
    : (known ?? ((task.approvedCollateral || task.checkReleases) && (await cluster.tryGet(task.address))));
  const releases = live ? mayRelease(live, task.object, managers) : false;
  const whole = releases || (live ? overwrites(live, task.object, task) : false);
  const retyped = !task.dynamic && mayChangeTopology(live || undefined, task.object, managers);
  if (!live || !(task.approvedCollateral || retyped || whole))
    return { first: await tryApply(cluster, task, firstBody(task), { force: false }), collateral: [] };
  const { uid, resourceVersion } = identityOf(live);
  if (task.uid !== undefined && uid !== task.uid) throw objectReplaced(task.manager);
  const collateral = task.approvedCollateral ? approvedCollateral(live, task.object, managers, task.approvedCollateral) : [];
  if (releases) task.checkReleases?.(live, task.object);
  const body = pinnedTo(task.object, uid, resourceVersion);
  try {
    const attempt = retyped ? await topologyPass(cluster, task, live, body) : undefined;
    if (attempt) return { ...attempt, collateral: collateral };
    const first = await tryApply(cluster, task, body, { force: false, whole });
    const removed = task.dynamic && !('conflicts' in first) ? removedCollateral(live, first.object, collateral) : collateral;
    return { first, collateral: removed, pinned: resourceVersion, before: whole ? live : undefined };
  } catch (error) {
    if (!(error instanceof ApiError) || !(error.stale || error.uidMismatch !== undefined) || task.resourceVersion !== undefined)
      throw error;
    const now = await cluster.tryGet(task.address);
    if (!error.responseLost || !now || !releases || identityOf(now).uid !== uid || mayRelease(now, task.object, managers))
      return { stale: now, responseLost: error.responseLost };
    // The refusal is to the repetition of a pass that did its work: nobody else gives up fields under our name.
    return {
      first: { created: false, responseLost: true, object: now, warnings: [] },
      collateral: collateral,
      pinned: resourceVersion,
      before: live,
    };
  }
}

/** Parts of what others own as one value that the server would let an intent change without a conflict; nothing is changed. */
export async function silentlyOverwrittenFields(cluster: Cluster, task: ApplyTask, live: JsonObject): Promise<readonly FieldConflict[]> {
  const pass = task.dynamic ? undefined : await topologyPass(cluster, task, live, pinnedTo(task.object, identityOf(live).uid));
  return pass?.overwritten?.parts ?? [];
}

/** What the server would let the intent change without a conflict, if so: tried, so that nothing is changed yet. */
async function topologyPass(cluster: Cluster, task: ApplyTask, live: JsonObject, body: Json) {
  const managers = managersOf(task);
  if (!mayChangeTopology(live, task.object, managers)) return undefined;
  const tried = await tryApply(cluster, { ...task, dryRun: true }, body, { force: false });
  const conflicts = 'conflicts' in tried ? tried.conflicts : [];
  const after = 'conflicts' in tried ? await tryApply(cluster, { ...task, dryRun: true }, body, { force: true }) : tried;
  const parts = 'conflicts' in after ? [] : overwrittenAtomicFields(live, after.object, managers);
  const silent = parts.filter(({ field }) => !conflicts.some((conflict) => pathCovers(conflict.field, field)));
  return conflicts.length + silent.length > 0 ? { first: { conflicts }, overwritten: { live, parts: silent } } : undefined;
}

/** Whether an apply meets conflicts, or may meet some, that the server does not name once a schema has changed. */
function meetsAtomics(live: JsonObject, task: ApplyTask, conflicts?: readonly FieldConflict[]): boolean {
  return !task.dynamic && conflictsWithAtomic(live, task.object, managersOf(task), conflicts);
}

/** What was taken, as a merge has written it: a list or map that was taken as a whole has in it what others declare, too. */
function asMerged(forcedConflicts: readonly FieldConflict[], now: JsonObject): readonly FieldConflict[] {
  const isPartOf = (part: FieldConflict, whole: FieldConflict) =>
    part !== whole && part.from === whole.from && part.operation === whole.operation && pathCovers(whole.field, part.field);
  return forcedConflicts
    .filter((part) => !forcedConflicts.some((whole) => isPartOf(part, whole)))
    .map(({ newValue: _, ...conflict }) => {
      const path = resolvePath(conflict.field, now);
      const newValue = path && valueAt(now, path);
      return newValue === undefined ? conflict : { ...conflict, newValue };
    });
}

/** What went along: an item that was there before this stack stays when the stack drops it, where the intent is merged client-side. */
function removedCollateral(before: JsonObject, after: JsonObject, collateral: readonly FieldConflict[]): readonly FieldConflict[] {
  return collateral.filter(({ field }) => {
    const path = resolvePath(field, before);
    return path === undefined || valueAt(after, path) === undefined;
  });
}

function managersOf({ manager, formerManagers = [] }: ApplyTask): readonly string[] {
  return [manager, ...formerManagers];
}

/** What is merged client-side has owners that the server does not know. */
function overwrites(live: JsonObject, object: PartialObject, { dynamic, dryRun }: ApplyTask): boolean {
  return !dynamic && !dryRun && mayOverwrite(live, object);
}

/** Somebody has deleted the object and made another of its name. */
export function objectReplaced(manager: string): FieldwiseError {
  return new FieldwiseError('object-replaced', 'resource', 'Another object has this name now', {
    location: { manager },
    next: 'Deploy again.',
  });
}

type ApplyAttempt = ApplyResponse | { readonly conflicts: readonly StatusCause[] };

/** One PATCH; a refusal because of field managers is an answer here. */
async function tryApply(
  cluster: Cluster,
  task: ApplyTask,
  body: Json,
  { force, whole = false }: { readonly force: boolean; readonly whole?: boolean },
): Promise<ApplyAttempt> {
  try {
    const { manager, dynamic, dryRun = false } = task;
    const isCrd = task.address.resource.kind === 'CustomResourceDefinition'; // its status saves waiting for what is there
    const options = { manager, force, metadataOnly: !dryRun && !whole && !isCrd, dryRun, dynamic };
    return await cluster.apply(task.address, body, options);
  } catch (error) {
    if (error instanceof ApiError && error.conflicts.length > 0) return { conflicts: error.conflicts };
    throw error;
  }
}

/** The pinned pass; undefined when the object has been written, replaced or deleted since it was read. */
async function secondPass(
  cluster: Cluster,
  task: ApplyTask,
  body: Json,
  how: { readonly force: boolean; readonly whole: boolean },
): Promise<ApplyResponse | undefined> {
  try {
    const response = await tryApply(cluster, task, body, how);
    return 'conflicts' in response ? undefined : response;
  } catch (error) {
    if (error instanceof ApiError && (error.stale || error.uidMismatch !== undefined)) return undefined;
    throw error;
  }
}

function isFormer({ from, operation, subresource }: FieldConflict, task: ApplyTask): boolean {
  return operation === 'Apply' && subresource === undefined && task.formerManagers?.includes(from) === true;
}

function policyOf(conflict: FieldConflict, task: ApplyTask): string {
  const policy = conflictPolicyFor(conflict.field, conflict.from, task.policy);
  // A field that cannot be found in the intent cannot be left out of it.
  return policy === 'yield' && !resolvePath(conflict.field, task.object) ? 'fail' : policy;
}

function pathIn(object: Json, conflict: FieldConflict, task: ApplyTask): FieldPath {
  return resolvePath(conflict.field, object) ?? resolvePath(conflict.field, task.object) ?? [];
}

function mask(conflicts: readonly FieldConflict[], task: ApplyTask): FieldConflict[] {
  return conflicts.map((conflict) => maskField(conflict, task.object));
}

function firstBody({ object, uid, resourceVersion, mustCreate }: ApplyTask): PartialObject {
  if (mustCreate) return { ...object, metadata: { ...object.metadata, resourceVersion: resourceVersionOfNoObject } };
  return uid === undefined ? object : pinnedTo(object, uid, resourceVersion);
}

function pinnedTo(object: PartialObject, uid: string, resourceVersion?: string): PartialObject {
  return { ...object, metadata: { ...object.metadata, uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}

function identityOf(object: JsonObject): { uid: string; resourceVersion: string } {
  const metadata = object.metadata as JsonObject;
  return { uid: metadata.uid as string, resourceVersion: metadata.resourceVersion as string };
}
