import { emptyFieldSet, type FieldPath, type FieldSet, formatPath, has, membersOf, serializeElement, valueAt } from '../../fields/index.js';
import { metadataOf, uidOf } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { appliedIntentOf, applyEntryOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';
import type { ApplyTask } from '../apply/apply-task.js';
import type { Applied } from '../object/applied.js';
import { releaseObject } from '../object/release.js';
import type { ObjectReport } from '../report/events.js';

/** The result of releasing former managers. */
export interface RenameResult {
  /** The result, with the object as it is after the release. */
  readonly applied: Applied;
  readonly report: Pick<ObjectReport, 'result' | 'renamedFrom'>;
}

/**
 * Removes former managers from an object that the new one has just applied: only after the server's own record shows that the new manager
 * owns everything of theirs that it declares, so that no field is without an owner at any moment.
 *
 * @param outcome that of the apply.
 * @param onReleased receives the apply with the object as it is after each release, also if the next one fails.
 * @returns undefined where none of them owns anything.
 * @throws FieldwiseError `rename-unproved` where that record does not show it, `release-rejected`.
 */
export async function releaseFormer(
  cluster: ClusterClient,
  task: ApplyTask,
  applied: Applied,
  outcome: Outcome,
  onReleased: (applied: Applied) => void,
): Promise<RenameResult | undefined> {
  const from: string[] = [];
  let isChanged = outcome === 'updated';
  let now = applied;
  for (const former of task.formerManagers ?? []) {
    const { object } = now.response;
    if (!applyEntryOf(object, former)) continue;
    const unowned = fieldsNotTransferred(object, applied.sent, former, task.manager);
    if (unowned.length > 0) throw renameUnprovedError(unowned, former, task.manager);
    const uid = uidOf(object);
    const dynamic = appliedIntentOf(object, former) !== undefined;
    const { object: released } = await releaseObject(cluster, task.address, uid, former, { dynamic, whole: applied.before !== undefined });
    if (released) now = { ...applied, response: { ...applied.response, object: released } };
    isChanged ||= jsonEqual(entriesBeside(former, object), entriesBeside(former, released));
    onReleased(now);
    from.push(former);
  }
  if (from.length === 0) return undefined;
  const result = applied.response.created ? 'created' : isChanged ? 'updated' : 'applied';
  return { applied: now, report: { result, renamedFrom: from } };
}

/** Returns the entries of all others: where they are as before, it was the release that ended the ownership of a former manager. */
function entriesBeside(former: string, object: JsonObject | undefined): Json {
  const entries = metadataOf(object).managedFields ?? [];
  return entries.filter(({ manager, operation }) => manager !== former || operation !== 'Apply') as unknown as Json;
}

/**
 * Returns fields of a former manager that the intent declares and that the new manager does not own, according to the object's
 * managedFields.
 */
export function fieldsNotTransferred(object: Json, intent: Json, former: string, manager: string): readonly string[] {
  return fieldsNotOwned(object, intent, applyEntryOf(object, former)?.fields ?? emptyFieldSet, manager);
}

/** Returns fields that the intent declares and that the manager does not own, according to the object's managedFields. */
export function fieldsNotOwned(object: Json, intent: Json, fields: FieldSet, manager: string): readonly string[] {
  const ours = applyEntryOf(object, manager)?.fields ?? emptyFieldSet;
  return membersOf(fields)
    .filter(({ path }) => valueAt(intent, path) !== undefined && !isOwned(ours, path))
    .map(({ path }) => formatPath(path));
}

/** Returns true if a set has the path, or as a whole a value that contains it. */
function isOwned(set: FieldSet, path: FieldPath): boolean {
  if (has(set, path)) return true;
  let node: FieldSet | undefined = set;
  for (const element of path) {
    const key = serializeElement(element);
    const below: FieldSet | undefined = node.children.get(key);
    if (below === undefined) return node.members.has(key);
    node = below;
  }
  return true; // something inside is owned, and keeps the container
}

function renameUnprovedError(fields: readonly string[], former: string, manager: string): FieldwiseError {
  return new FieldwiseError(
    'rename-unproved',
    'resource',
    `The server accepted the intent, yet its managedFields do not show that ${manager} owns ${fields.join(', ')}, which ${former} owns`,
    { location: { manager }, next: 'Nothing was released: every field still has its owner. Check metadata.managedFields of the object.' },
  );
}
