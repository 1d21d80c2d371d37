import type { IntentPolicy, PartialObject } from '../../assembly/types.js';
import { pathCovers, resolvePath, valueAt } from '../../fields/index.js';
import {
  ApiError,
  type ApplyResponse,
  type ClusterClient,
  contendedError,
  contentionRounds,
  type DynamicOptions,
  type ObjectAddress,
  type StatusCause,
} from '../../kubernetes/index.js';
import { preconditionsOf } from '../../kubernetes/object.js';
import { additionalLostFields, describeConflicts, type FieldConflict, hasUnlistedConflict } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';
import { mayOverwrite } from '../release/overwritten-fields.js';
import { mayRelease } from '../release/report-releases.js';
import { type ApprovedFields, requireApprovedCollateral } from '../removal/collateral.js';
import { maskField } from '../secrets/secret-masker.js';
import { type ContestedIntent, type DecidedIntent, decide } from './decide.js';
import { forceWasApplied } from './lost-response.js';
import { conflictsWithAtomic, mayChangeTopology, overwrittenAtomicFields } from './topology-change.js';

/** An intent that is to be applied to one object. */
export interface ApplyTask extends ContestedIntent {
  readonly address: ObjectAddress;
  /** Present where the intent drops items: the fields of others that may be removed with them; compared before each pass. */
  readonly approvedCollateral?: ApprovedFields | undefined;
  /**
   * The object as the run read it, where there was one: the first pass is pinned to it where something is released or items are dropped, or
   * where others own a list or map as one value of which the intent declares a part; see `mayChangeTopology`.
   */
  readonly live?: JsonObject | undefined;
  /** Present under the strategy `dynamic`. */
  readonly dynamic?: DynamicOptions | undefined;
  /** Only this very object: the server refuses any other, and refuses to create one. */
  readonly uid?: string;
  /** With `uid`: only as the object was then; the server refuses the first pass as stale where the object was written since. */
  readonly resourceVersion?: string;
  /** Returns true if another owner's value may be removed because it is a member of a union and prevents the intent; absent: none may. */
  readonly mayRemove?: ((conflict: FieldConflict) => boolean) | undefined;
  /** Throws where an apply of `object` would release fields that no policy has been asked about. */
  readonly checkReleases?: ((live: JsonObject, object: JsonObject) => void) | undefined;
  /** Only where there is no object: the server refuses the apply as stale where there is one. */
  readonly failIfExists?: boolean;
  readonly dryRun?: boolean;
}

/** Returns what the policy of an intent asks of the strategy `dynamic`; nothing where the server merges. */
export function dynamicOf({ strategy, listKeys }: IntentPolicy): Pick<ApplyTask, 'dynamic'> {
  return strategy === 'dynamic' ? { dynamic: listKeys === undefined ? {} : { listKeys } } : {};
}

/** An intent that the server has accepted. */
export interface Applied {
  readonly outcome: 'applied';
  readonly response: ApplyResponse;
  /** The intent as the server accepted it: without the yielded fields. */
  readonly sent: PartialObject;
  /**
   * The resourceVersion that the last pass was pinned to: the response shows another one exactly if that pass wrote. Absent where an earlier
   * pass may have written and its response was lost.
   */
  readonly pinned: string | undefined;
  /**
   * The object as it was before the apply, present where the apply may have released a field or changed a value that nobody owned: it was
   * pinned to this very state, and the response holds the whole object.
   */
  readonly before?: JsonObject | undefined;
  readonly forcedConflicts: readonly FieldConflict[];
  readonly yielded: readonly FieldConflict[];
  readonly collateral: readonly FieldConflict[];
  /** True where the apply met conflicts that a later schema may hide; see `conflictsWithAtomic`. */
  readonly metAtomicConflict: boolean;
}

/** An intent that the policy `fail` has stopped. */
export interface ApplyConflict extends Pick<Applied, 'metAtomicConflict'> {
  readonly outcome: 'conflict';
  readonly conflicts: readonly FieldConflict[];
  /** Present where the conflict came up while an object was moved to the server: the intent as it had been merged client-side. */
  readonly merged?: Applied;
}

/** No object has this version, and an apply that creates is accepted with any: the server refuses it exactly where there is an object. */
const resourceVersionOfNoObject = '9223372036854775807';

/**
 * Applies an intent in two passes. The first is not forced, so that the server names every conflict and changes nothing. Then the object is
 * read once, `decide` decides each contested field by its policy, and the second pass carries the uid and resourceVersion that were read: if
 * the object changed in between, the server rejects the request and the loop retries.
 *
 * Force covers a whole request, so the second pass is sent only when the server's list of conflicts is known to be complete for the
 * object as it was read: either the owners recorded there contest nothing beyond the list, or two reads around the list agree.
 *
 * @throws ApiError where the server refuses for another reason; FieldwiseError `apply-contended` when others keep writing,
 *   `object-replaced` when the object is not the one with `uid`, `plan-outdated`, `force-unconfirmed`.
 */
export async function applyIntent(cluster: ClusterClient, task: ApplyTask): Promise<Applied | ApplyConflict> {
  let known = task.live;
  let lastRead: string | undefined;
  let mayHaveWritten = false;
  for (let round = 0; round < contentionRounds; round++) {
    const tried = await firstPass(cluster, task, known);
    if ('stale' in tried) {
      known = tried.stale;
      mayHaveWritten ||= tried.responseLost;
      continue;
    }
    const { first, overwritten, ...pass } = tried;
    if (!('conflicts' in first)) {
      const pinned = mayHaveWritten ? undefined : (pass.pinned ?? task.resourceVersion);
      const none = { forcedConflicts: [], yielded: [], metAtomicConflict: false };
      return { outcome: 'applied', response: first, sent: task.object, ...pass, pinned, ...none };
    }

    if (task.failIfExists) throw objectReplaced(task.manager); // the server looks for conflicts before it compares versions
    const live = overwritten ? overwritten.live : await cluster.tryGet(task.address);
    if (!live) continue; // deleted since: the next first pass creates it, or is refused
    const { uid, resourceVersion } = preconditionsOf(live);
    if (known === undefined && meetsAtomics(live, task)) {
      known = live; // the next first pass looks for changes that the server accepts beside these conflicts
      continue;
    }
    known &&= live;
    const isStable = resourceVersion === lastRead;
    lastRead = resourceVersion;
    if (task.uid !== undefined && uid !== task.uid) throw objectReplaced(task.manager); // the server looks for conflicts before it compares uids
    const listed = [...describeConflicts(first.conflicts, live, task), ...(overwritten?.parts ?? [])];
    if (!overwritten && !isStable && hasUnlistedConflict(listed, live, task)) continue;
    const decision = decide(listed, live, task);
    if (decision.action === 'refuse') throw decision.error;
    if (decision.action === 'reread') continue;
    const metAtomicConflict = meetsAtomics(live, task, decision.conflicts);
    if (decision.action === 'conflict') return { outcome: 'conflict', conflicts: mask(decision.failing, task), metAtomicConflict };
    const applied = await applyDecision(cluster, task, decision, { live, listed });
    if (applied) return { ...applied, pinned: mayHaveWritten ? undefined : resourceVersion, metAtomicConflict };
    mayHaveWritten = true;
  }
  throw contendedError(
    'apply-contended',
    { manager: task.manager },
    `${mayHaveWritten ? 'No attempt is known to have changed this object.' : 'Nothing of this object was changed.'} Run again, or find the controller that writes it so often.`,
  );
}

/**
 * Sends the second pass, and says what it changed.
 *
 * @returns undefined if the server rejected the pass, because the object has been written, replaced or deleted since it was read, and
 *   nothing proves that an earlier sending of it, whose response was lost, was applied.
 */
async function applyDecision(
  cluster: ClusterClient,
  task: ApplyTask,
  { intent, forcedConflicts, formerManagerConflicts, yielded }: DecidedIntent,
  { live, listed }: { readonly live: JsonObject; readonly listed: readonly FieldConflict[] },
): Promise<Omit<Applied, 'pinned' | 'metAtomicConflict'> | undefined> {
  const managers = managersOf(task);
  const forced = [...forcedConflicts, ...formerManagerConflicts];
  const collateral = task.approvedCollateral ? requireApprovedCollateral(live, intent, managers, task.approvedCollateral) : [];
  const releases = mayRelease(live, intent, managers);
  if (releases) task.checkReleases?.(live, intent);
  const wantsFullObject = releases || overwrites(live, intent, task);
  const { uid, resourceVersion } = preconditionsOf(live);
  const second = await secondPass(cluster, task, pinnedTo(intent, uid, resourceVersion), { force: forced.length > 0, wantsFullObject });
  const fields = forced.map((conflict) => conflict.field);
  const now = second?.object ?? (await forceWasApplied(cluster, task.address, task.manager, live, fields));
  if (!now) return undefined;
  const isListed = ({ field }: FieldConflict) => listed.some((conflict) => pathCovers(conflict.field, field));
  return {
    outcome: 'applied',
    response: second ?? { created: false, responseLost: true, object: now, warnings: [] },
    sent: intent,
    before: wantsFullObject ? live : undefined,
    // The server records a list that is merged client-side as one value, so its owners after the write name no items. The conflicts do.
    forcedConflicts: mask(
      task.dynamic
        ? asMerged(forcedConflicts, now)
        : [
            ...forcedConflicts,
            ...additionalLostFields(forcedConflicts, live, now, managers),
            ...overwrittenAtomicFields(live, { ...intent, metadata: now.metadata as JsonObject }, managers).filter(
              (part) => !isListed(part),
            ),
          ],
      task,
    ),
    yielded: mask(yielded, task),
    collateral: task.dynamic ? removedCollateral(live, now, collateral) : collateral,
  };
}

/**
 * The end of the pass that is not forced. `stale` is the object as it is now, if the server rejected the pass because the object has been
 * written since it was read; with `responseLost`, an earlier sending of the pass may have changed it.
 */
type FirstPass =
  | ({
      readonly first: ApplyAttempt;
      readonly pinned?: string;
      /**
       * Parts of lists and maps that others own as one value, which the server would let the intent change without a conflict, beside the
       * conflicts that it names of the very same object; nothing was changed.
       */
      readonly overwritten?: { readonly live: JsonObject; readonly parts: readonly FieldConflict[] };
    } & Pick<Applied, 'collateral' | 'before'>)
  | { readonly stale: JsonObject | undefined; readonly responseLost: boolean };

/**
 * Sends the pass that is not forced. Where the intent drops fields that the stack applied before, or may change a list or map that others own
 * as one value, it is pinned to the object as it was read: no field of another owner is removed but those agreed to, and released fields are
 * known with their values.
 */
async function firstPass(cluster: ClusterClient, task: ApplyTask, known: JsonObject | undefined): Promise<FirstPass> {
  const managers = managersOf(task);
  const live = task.failIfExists
    ? undefined
    : (known ?? ((task.approvedCollateral || task.checkReleases) && (await cluster.tryGet(task.address))));
  const releases = live ? mayRelease(live, task.object, managers) : false;
  const wantsFullObject = releases || (live ? overwrites(live, task.object, task) : false);
  const retyped = !task.dynamic && mayChangeTopology(live || undefined, task.object, managers);
  if (!live || !(task.approvedCollateral || retyped || wantsFullObject))
    return { first: await tryApply(cluster, task, firstBody(task), { force: false }), collateral: [] };
  const { uid, resourceVersion } = preconditionsOf(live);
  if (task.uid !== undefined && uid !== task.uid) throw objectReplaced(task.manager);
  const collateral = task.approvedCollateral ? requireApprovedCollateral(live, task.object, managers, task.approvedCollateral) : [];
  if (releases) task.checkReleases?.(live, task.object);
  const body = pinnedTo(task.object, uid, resourceVersion);
  try {
    const attempt = retyped ? await topologyPass(cluster, task, live, body) : undefined;
    if (attempt) return { ...attempt, collateral: collateral };
    const first = await tryApply(cluster, task, body, { force: false, wantsFullObject });
    const removed = task.dynamic && !('conflicts' in first) ? removedCollateral(live, first.object, collateral) : collateral;
    return { first, collateral: removed, pinned: resourceVersion, before: wantsFullObject ? live : undefined };
  } catch (error) {
    if (!(error instanceof ApiError) || !(error.stale || error.uidMismatch !== undefined) || task.resourceVersion !== undefined)
      throw error;
    const now = await cluster.tryGet(task.address);
    if (!error.responseLost || !now || !releases || preconditionsOf(now).uid !== uid || mayRelease(now, task.object, managers))
      return { stale: now, responseLost: error.responseLost };
    // The server refused the repetition of a pass that it had applied: nobody else releases fields of this manager.
    return {
      first: { created: false, responseLost: true, object: now, warnings: [] },
      collateral: collateral,
      pinned: resourceVersion,
      before: live,
    };
  }
}

/**
 * Returns the parts of lists and maps that others own as one value which the server would let an intent change without a conflict. Asks by dry
 * runs: nothing is changed.
 */
export async function silentlyOverwrittenFields(
  cluster: ClusterClient,
  task: ApplyTask,
  live: JsonObject,
): Promise<readonly FieldConflict[]> {
  const pass = task.dynamic ? undefined : await topologyPass(cluster, task, live, pinnedTo(task.object, preconditionsOf(live).uid));
  return pass?.overwritten?.parts ?? [];
}

/** Tries, as a dry run, whether the server would let the intent change such parts; undefined where it would not, and names no conflict. */
async function topologyPass(cluster: ClusterClient, task: ApplyTask, live: JsonObject, body: Json) {
  const managers = managersOf(task);
  if (!mayChangeTopology(live, task.object, managers)) return undefined;
  const tried = await tryApply(cluster, { ...task, dryRun: true }, body, { force: false });
  const conflicts = 'conflicts' in tried ? tried.conflicts : [];
  const after = 'conflicts' in tried ? await tryApply(cluster, { ...task, dryRun: true }, body, { force: true }) : tried;
  const parts = 'conflicts' in after ? [] : overwrittenAtomicFields(live, after.object, managers);
  const silent = parts.filter(({ field }) => !conflicts.some((conflict) => pathCovers(conflict.field, field)));
  return conflicts.length + silent.length > 0 ? { first: { conflicts }, overwritten: { live, parts: silent } } : undefined;
}

/** Returns true if an apply meets conflicts, or may meet some, that the server does not name once a schema has changed. */
function meetsAtomics(live: JsonObject, task: ApplyTask, conflicts?: readonly FieldConflict[]): boolean {
  return !task.dynamic && conflictsWithAtomic(live, task.object, managersOf(task), conflicts);
}

/** Returns forced conflicts as a merge has written them: a list or map that was taken as a whole also holds what others declare in it. */
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

/** Returns the collateral that was removed: where the intent is merged client-side, an item that was there before the stack stays. */
function removedCollateral(before: JsonObject, after: JsonObject, collateral: readonly FieldConflict[]): readonly FieldConflict[] {
  return collateral.filter(({ field }) => {
    const path = resolvePath(field, before);
    return path === undefined || valueAt(after, path) === undefined;
  });
}

function managersOf({ manager, formerManagers = [] }: ApplyTask): readonly string[] {
  return [manager, ...formerManagers];
}

/** Not where the intent is merged client-side: its fields have owners that the server does not know. */
function overwrites(live: JsonObject, object: PartialObject, { dynamic, dryRun }: ApplyTask): boolean {
  return !dynamic && !dryRun && mayOverwrite(live, object);
}

/** Another client has deleted the object and created another one with its name. */
export function objectReplaced(manager: string): FieldwiseError {
  return new FieldwiseError('object-replaced', 'resource', 'Another object has this name now', {
    location: { manager },
    next: 'Deploy again.',
  });
}

type ApplyAttempt = ApplyResponse | { readonly conflicts: readonly StatusCause[] };

/** Sends one PATCH. A refusal because of field managers is a result here. */
async function tryApply(
  cluster: ClusterClient,
  task: ApplyTask,
  body: Json,
  { force, wantsFullObject = false }: { readonly force: boolean; readonly wantsFullObject?: boolean },
): Promise<ApplyAttempt> {
  try {
    const { manager, dynamic, dryRun = false } = task;
    const isCrd = task.address.resource.kind === 'CustomResourceDefinition'; // its status shows that its kind is served already, so that nothing is waited for
    const options = { manager, force, metadataOnly: !dryRun && !wantsFullObject && !isCrd, dryRun, dynamic };
    return await cluster.apply(task.address, body, options);
  } catch (error) {
    if (error instanceof ApiError && error.conflicts.length > 0) return { conflicts: error.conflicts };
    throw error;
  }
}

/** Sends the pinned pass; undefined if the server rejected it, because the object has been written, replaced or deleted since it was read. */
async function secondPass(
  cluster: ClusterClient,
  task: ApplyTask,
  body: Json,
  how: { readonly force: boolean; readonly wantsFullObject: boolean },
): Promise<ApplyResponse | undefined> {
  try {
    const response = await tryApply(cluster, task, body, how);
    return 'conflicts' in response ? undefined : response;
  } catch (error) {
    if (error instanceof ApiError && (error.stale || error.uidMismatch !== undefined)) return undefined;
    throw error;
  }
}

function mask(conflicts: readonly FieldConflict[], task: ApplyTask): FieldConflict[] {
  return conflicts.map((conflict) => maskField(conflict, task.object));
}

function firstBody({ object, uid, resourceVersion, failIfExists }: ApplyTask): PartialObject {
  if (failIfExists) return { ...object, metadata: { ...object.metadata, resourceVersion: resourceVersionOfNoObject } };
  return uid === undefined ? object : pinnedTo(object, uid, resourceVersion);
}

function pinnedTo(object: PartialObject, uid: string, resourceVersion?: string): PartialObject {
  return { ...object, metadata: { ...object.metadata, uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}
