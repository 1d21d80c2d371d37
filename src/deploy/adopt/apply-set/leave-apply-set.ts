import { patchOptimistically } from '../../../engine/object/optimistic-patch.js';
import { applySetAnnotations, applySetOf, ownTooling, parentIdLabel, partOfLabel } from '../../../engine/pruners/apply-set.js';
import { pointerTo } from '../../../fields/index.js';
import { metadataOf, uidOf } from '../../../fields/object.js';
import type { ClusterClient } from '../../../kubernetes/index.js';
import { FieldwiseError } from '../../../util/error.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { recordOf } from './apply-set-scope.js';
import type { ApplySet } from './find-apply-set.js';
import type { ApplySetMember } from './list-members.js';
import { metadataPath } from './metadata-name.js';

/** The field manager of the changes to labels and to the parent: they belong to no stack. */
export const applySetManager = 'fieldwise';

const { tooling, groupKinds, groupResources, namespaces } = applySetAnnotations;

/**
 * Records Fieldwise as the tool of a set, so that kubectl refuses to apply or prune it from now on. The record still names all members, so
 * an interrupted takeover can be continued.
 *
 * @throws FieldwiseError `applyset-changed` if somebody has changed the parent since it was read.
 */
export async function closeApplySet(cluster: ClusterClient, set: ApplySet): Promise<void> {
  await patchParent(cluster, set, (live, record) => {
    if (!sameRecord(record, set.annotations)) throw changedError(set.object, 'The record of the ApplySet has changed since the preview');
    return record[tooling] === ownTooling ? [] : [replaceAnnotation(live, tooling, ownTooling)];
  });
}

/** Reduces the record of a closed set to the members that stay in it. @throws as `closeApplySet`. */
export async function reduceRecord(cluster: ClusterClient, set: ApplySet, remaining: readonly ApplySetMember[]): Promise<void> {
  const wanted = recordOf(remaining, set.address.namespace);
  await patchParent(cluster, set, (live, record) => {
    if (record[tooling] !== ownTooling) throw reopenedError(set.object);
    return [
      ...(record[groupKinds] === wanted.groupKinds ? [] : [replaceAnnotation(live, groupKinds, wanted.groupKinds)]),
      ...((record[namespaces] ?? '') === wanted.namespaces ? [] : [replaceAnnotation(live, namespaces, wanted.namespaces)]),
      ...(record[groupResources] === undefined ? [] : [{ op: 'remove', path: annotationPointer(live, groupResources) }]),
    ];
  });
}

/**
 * Removes the label of a set from a member, exactly from the object that was listed: its uid is compared with what is read, and the patch
 * is pinned to the resourceVersion of that read, which no other object has.
 *
 * @throws as `closeApplySet`.
 */
export async function removeFromSet(cluster: ClusterClient, { id }: ApplySet, { address, uid }: ApplySetMember): Promise<void> {
  await patchOptimistically(cluster, address, (live) => {
    const label = applySetOf(live);
    if (live === undefined || label === undefined) return undefined; // It left the set by itself.
    if (uidOf(live) !== uid) throw changedError(undefined, 'Another object has had the name since the preview');
    if (label !== id) throw changedError(undefined, `The object has become a member of another ApplySet, ${label}`);
    return { manager: applySetManager, operations: [{ op: 'remove', path: pointerTo(metadataPath('labels', partOfLabel), live) }] };
  });
}

/** Patches the parent as it was read, if it still is the parent of the set. */
async function patchParent(
  cluster: ClusterClient,
  { object, address, uid, id }: ApplySet,
  change: (live: JsonObject, record: Readonly<Record<string, string>>) => readonly Json[],
): Promise<void> {
  await patchOptimistically(cluster, address, (live) => {
    const { labels, annotations = {} } = metadataOf(live);
    if (live === undefined || uidOf(live) !== uid || labels?.[parentIdLabel] !== id)
      throw changedError(object, 'The parent of the ApplySet was deleted or changed during the takeover');
    const operations = change(live, annotations);
    if (operations.length === 0) return undefined;
    return { manager: applySetManager, operations };
  });
}

function sameRecord(left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean {
  return Object.values(applySetAnnotations).every((name) => left[name] === right[name]);
}

/** The operation `add` replaces an existing member. Source: RFC 6902, section 4.1. */
function replaceAnnotation(live: JsonObject, name: string, value: string): Json {
  return { op: 'add', path: annotationPointer(live, name), value };
}

function annotationPointer(live: JsonObject, name: string): string {
  return pointerTo(metadataPath('annotations', name), live);
}

/** Returns the error of a set that somebody changed during its takeover. */
export function changedError(object: string | undefined, what: string): FieldwiseError {
  return new FieldwiseError('applyset-changed', 'resource', what, {
    ...(object === undefined ? {} : { location: { object } }),
    next: 'End every kubectl apply with this set, then run the command again: it continues. Members without the label keep all their fields.',
  });
}

/** Returns the error of a set that somebody opened again. Only its record still knows which objects were members. */
function reopenedError(object: string): FieldwiseError {
  return new FieldwiseError('applyset-changed', 'resource', 'Another client has opened the ApplySet again during the takeover', {
    location: { object },
    next: 'Nothing was adopted. End every kubectl apply with this set, return the members with `fieldwise adopt --undo` and the record of this run, then run again.',
  });
}
