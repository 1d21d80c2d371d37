import type { IntentPolicy, PartialObject } from '../assembly/types.js';
import { ApiError, type ApplyAnswer, type Cluster, type ObjectAddress, type StatusCause } from '../cluster/index.js';
import { type FieldPath, formatPath, membersOf, resolvePath, valueAt, withoutPath } from '../fields/index.js';
import { contestedFields, isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf } from '../ownership/index.js';
import { FieldwiseError } from '../util/error.js';
import type { Json, JsonObject } from '../util/json.js';
import { conflictPolicyFor, covers } from './conflict-policy.js';
import type { FieldConflict } from './events.js';
import { maskField } from './secrets.js';

export interface ApplyTask {
  readonly address: ObjectAddress;
  readonly object: PartialObject;
  readonly manager: string;
  readonly policy: IntentPolicy;
  /** Only this very object; the server refuses any other, and refuses to create one. */
  readonly uid?: string;
  readonly dryRun?: boolean;
}

export interface Applied {
  readonly outcome: 'applied';
  readonly answer: ApplyAnswer;
  /** resourceVersion that the last pass was pinned to: the answer shows another one exactly if that pass wrote. */
  readonly pinned: string | undefined;
  readonly taken: readonly FieldConflict[];
  readonly yielded: readonly FieldConflict[];
}

export interface Conflicted {
  readonly outcome: 'conflict';
  readonly conflicts: readonly FieldConflict[];
}

const rounds = 8;

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
export async function applyIntent(cluster: Cluster, task: ApplyTask): Promise<Applied | Conflicted> {
  const body = task.uid === undefined ? task.object : pinnedTo(task.object, task.uid);
  let lastRead: string | undefined;
  for (let round = 0; round < rounds; round++) {
    const first = await tryApply(cluster, task, body, false);
    if (!('conflicts' in first)) return { outcome: 'applied', answer: first, pinned: undefined, taken: [], yielded: [] };

    const live = await cluster.find(task.address);
    if (!live) continue; // deleted since: the first pass knows what that means
    const { uid, resourceVersion } = identityOf(live);
    const stable = resourceVersion === lastRead;
    lastRead = resourceVersion;
    if (task.uid !== undefined && uid !== task.uid) throw replaced(task); // the server looks for conflicts before it compares uids
    const conflicts = describeConflicts(first.conflicts, live, task);
    if (!stable && hasUnlistedConflict(conflicts, live, task)) continue;

    const byPolicy = (policy: string) => conflicts.filter((conflict) => policyOf(conflict, task) === policy);
    if (byPolicy('fail').length > 0) return { outcome: 'conflict', conflicts: mask(byPolicy('fail'), task) };
    const yielded = byPolicy('yield');
    const taken = byPolicy('force');
    const remaining = yielded.reduce<Json>((object, conflict) => withoutPath(object, pathIn(object, conflict, task)), task.object);
    const second = await secondPass(cluster, task, pinnedTo(remaining as PartialObject, uid, resourceVersion), taken.length > 0);
    if (!second) continue;
    const more = lostBeyond(taken, live, second.object, task.manager);
    return {
      outcome: 'applied',
      answer: second,
      pinned: resourceVersion,
      taken: mask([...taken, ...more], task),
      yielded: mask(yielded, task),
    };
  }
  throw new FieldwiseError(
    'apply-contended',
    'resource',
    `Other writers changed the object between our requests ${rounds} times in a row`,
    {
      place: { manager: task.manager },
      next: 'Nothing of this object was changed. Run again, or find out which controller writes it so often.',
    },
  );
}

function replaced(task: ApplyTask): FieldwiseError {
  return new FieldwiseError('object-replaced', 'resource', 'Another object has this name now', {
    place: { manager: task.manager },
    next: 'Deploy again.',
  });
}

interface Contested extends FieldConflict {
  readonly field: string;
}

/** One PATCH; a refusal because of field managers is an answer here. */
async function tryApply(
  cluster: Cluster,
  task: ApplyTask,
  body: Json,
  force: boolean,
): Promise<ApplyAnswer | { readonly conflicts: readonly StatusCause[] }> {
  try {
    const options = { manager: task.manager, force, metadataOnly: task.dryRun !== true, dryRun: task.dryRun === true };
    return await cluster.apply(task.address, body, options);
  } catch (error) {
    if (error instanceof ApiError && error.conflicts.length > 0) return { conflicts: error.conflicts };
    throw error;
  }
}

/** The pinned pass; undefined when the object has been written, replaced or deleted since it was read. */
async function secondPass(cluster: Cluster, task: ApplyTask, body: Json, force: boolean): Promise<ApplyAnswer | undefined> {
  try {
    const answer = await tryApply(cluster, task, body, force);
    return 'conflicts' in answer ? undefined : answer;
  } catch (error) {
    if (error instanceof ApiError && (error.stale || error.uidMismatch !== undefined)) return undefined;
    throw error;
  }
}

/** The server's causes, with the owner and both values filled in. */
function describeConflicts(causes: readonly StatusCause[], live: JsonObject, task: ApplyTask): readonly Contested[] {
  return causes.map((cause) => {
    const { manager, operation, subresource } = ownerIn(cause.message);
    const path = resolvePath(cause.field, task.object);
    const oldValue = path && valueAt(live, path);
    const newValue = path && valueAt(task.object, path);
    return {
      field: cause.field,
      from: manager,
      operation,
      ...(subresource ? { subresource } : {}),
      ...(oldValue === undefined ? {} : { oldValue }),
      ...(newValue === undefined ? {} : { newValue }),
    };
  });
}

/** Reads `conflict with "m" with subresource "status" using apps/v1`; only Update entries carry `using`. */
function ownerIn(message: string): { manager: string; operation: 'Apply' | 'Update'; subresource: string } {
  const found = /^conflict with "((?:[^"\\]|\\.)*)"(?: with subresource "([^"]*)")?( using \S+)?/.exec(message);
  return { manager: found?.[1] ?? message, subresource: found?.[2] ?? '', operation: found?.[3] ? 'Update' : 'Apply' };
}

function hasUnlistedConflict(listed: readonly Contested[], live: JsonObject, task: ApplyTask): boolean {
  return contestedFields(live, task.object, task.manager).some(
    (found) => !listed.some((conflict) => covers(conflict.field, found.field) || covers(found.field, conflict.field)),
  );
}

function policyOf(conflict: Contested, task: ApplyTask): string {
  const policy = conflictPolicyFor(conflict.field, task.policy);
  // A field that cannot be found in the intent cannot be left out of it.
  return policy === 'yield' && !resolvePath(conflict.field, task.object) ? 'fail' : policy;
}

function pathIn(object: Json, conflict: Contested, task: ApplyTask): FieldPath {
  return resolvePath(conflict.field, object) ?? resolvePath(conflict.field, task.object) ?? [];
}

/** Fields that other owners held before the forced pass and do not hold after it, beyond those already listed. */
function lostBeyond(listed: readonly Contested[], before: JsonObject, after: JsonObject, manager: string): Contested[] {
  const afterwards = managedFieldsOf(after);
  return managedFieldsOf(before)
    .filter((owner) => !isApplyEntryOf(owner, manager))
    .flatMap((owner) => {
      const kept = new Set(pathTexts(afterwards.filter((entry) => sameOwner(entry, owner))));
      return [...membersOf(owner.fields)]
        .filter((member) => member.leaf && !kept.has(formatPath(member.path)))
        .filter((member) => !listed.some((conflict) => conflict.from === owner.manager && covers(conflict.field, formatPath(member.path))))
        .map(({ path }) => lostField(path, owner, before));
    });
}

function lostField(path: FieldPath, owner: ManagedFieldsEntry, before: JsonObject): Contested {
  const oldValue = valueAt(before, path);
  return {
    field: formatPath(path),
    from: owner.manager,
    operation: owner.operation,
    ...(owner.subresource ? { subresource: owner.subresource } : {}),
    ...(oldValue === undefined ? {} : { oldValue }),
  };
}

function sameOwner(left: ManagedFieldsEntry, right: ManagedFieldsEntry): boolean {
  return left.manager === right.manager && left.operation === right.operation && left.subresource === right.subresource;
}

function pathTexts(entries: readonly ManagedFieldsEntry[]): string[] {
  return entries.flatMap((entry) => [...membersOf(entry.fields)].map((member) => formatPath(member.path)));
}

function mask(conflicts: readonly Contested[], task: ApplyTask): FieldConflict[] {
  return conflicts.map((conflict) => maskField(conflict, task.object));
}

function pinnedTo(object: PartialObject, uid: string, resourceVersion?: string): PartialObject {
  return { ...object, metadata: { ...object.metadata, uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}

function identityOf(object: JsonObject): { uid: string; resourceVersion: string } {
  const metadata = object.metadata as JsonObject;
  return { uid: metadata.uid as string, resourceVersion: metadata.resourceVersion as string };
}
