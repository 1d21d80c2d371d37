import { metadataOf, preconditionsOf } from '../../fields/object.js';
import { type ClusterClient, contendedError, contentionRounds, type ObjectAddress } from '../../kubernetes/index.js';
import { type Applying, additionalLostFields, describeConflicts, type FieldConflict, hasUnlistedConflict } from '../../ownership/index.js';
import { type ApplyPassResult, applyOnce, isStale, pinnedTo, withoutSecretValues } from './apply-once.js';
import { objectDeleted } from './object-deleted.js';

/**
 * Applies in the two passes of docs/decisions/01, for a manager that forces every conflict: first without force, so that the server names
 * all conflicts and changes nothing; then with force, pinned to the state in which the conflicts were found.
 *
 * @throws ApiError if the server rejects the apply for another reason; FieldwiseError `apply-contended` if others keep writing the object,
 *   `object-deleted` if the intent has the uid of another object.
 */
export async function applyInTwoPasses(cluster: ClusterClient, address: ObjectAddress, applying: Applying): Promise<ApplyPassResult> {
  const { object, manager, subresource } = applying;
  let lastRead: unknown;
  let unreportedConflicts: readonly FieldConflict[] = []; // Forced by a pass whose response was lost.
  for (let round = 0; round < contentionRounds; round++) {
    const first = await applyOnce(cluster, address, applying, false);
    if (!('conflicts' in first)) {
      const provenOutcome = first.created ? 'created' : unreportedConflicts.length > 0 ? 'updated' : undefined;
      return { object: first.object, provenOutcome, forcedConflicts: withoutSecretValues(unreportedConflicts, object) };
    }
    const live = await cluster.tryGet(address);
    if (!live) continue; // Deleted in between: the next first pass creates it, or fails.
    const { uid, resourceVersion } = preconditionsOf(live);
    const named = metadataOf(object);
    // The server checks conflicts before it compares uids.
    if (named.uid !== undefined && named.uid !== uid) throw objectDeleted(address, manager);
    const stable = resourceVersion === lastRead;
    lastRead = resourceVersion;
    const listed = describeConflicts(first.conflicts, live, applying);
    if (!stable && hasUnlistedConflict(listed, live, applying)) continue;

    try {
      const second = await applyOnce(cluster, address, { ...applying, object: pinnedTo(object, live) }, true);
      if ('conflicts' in second) continue;
      const forcedConflicts = [...listed, ...additionalLostFields(listed, live, second.object, [manager], subresource)];
      const isChanged = metadataOf(second.object).resourceVersion !== resourceVersion;
      return {
        object: second.object,
        provenOutcome: isChanged ? 'updated' : 'unchanged',
        forcedConflicts: withoutSecretValues(forcedConflicts, object),
      };
    } catch (error) {
      if (!isStale(error) || named.resourceVersion !== undefined) throw error;
      unreportedConflicts = error.responseLost ? listed : [];
    }
  }
  throw contendedError(
    'apply-contended',
    { manager },
    'The object was not changed. Reconcile again, or find the controller that writes it so often.',
  );
}
