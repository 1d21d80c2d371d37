import { type ClusterClient, contendedError, contentionRounds, type ObjectAddress } from '../../kubernetes/index.js';
import { metadataOf, preconditionsOf } from '../../kubernetes/object.js';
import { type Applying, additionalLostFields, describeConflicts, type FieldConflict, hasUnlistedConflict } from '../../ownership/index.js';
import { type ApplyPassResult, applyOnce, isStale, pinnedTo, withoutSecretValues } from './apply-once.js';
import { objectDeleted } from './object-deleted.js';

/**
 * The two passes of docs/decisions/01 for a manager that takes whatever it declares: first without force, so that the server names every
 * conflict and changes nothing; then with force, pinned to the very state that the conflicts were seen in.
 *
 * @throws ApiError where the server refuses for another reason; FieldwiseError `apply-contended` where others keep writing, `object-deleted`
 *   where the intent names the uid of another object.
 */
export async function applyInTwoPasses(cluster: ClusterClient, address: ObjectAddress, applying: Applying): Promise<ApplyPassResult> {
  const { object, manager, subresource } = applying;
  let lastRead: unknown;
  let unreportedConflicts: readonly FieldConflict[] = []; // taken by a forced pass whose answer was lost
  for (let round = 0; round < contentionRounds; round++) {
    const first = await applyOnce(cluster, address, applying, false);
    if (!('conflicts' in first)) {
      const provenOutcome = first.created ? 'created' : unreportedConflicts.length > 0 ? 'updated' : undefined;
      return { object: first.object, provenOutcome: provenOutcome, forcedConflicts: withoutSecretValues(unreportedConflicts, object) };
    }
    const live = await cluster.tryGet(address);
    if (!live) continue; // deleted since: the next first pass knows what that means
    const { uid, resourceVersion } = preconditionsOf(live);
    const named = metadataOf(object);
    // The server looks for conflicts before it compares uids.
    if (named.uid !== undefined && named.uid !== uid) throw objectDeleted(address, manager);
    const stable = resourceVersion === lastRead;
    lastRead = resourceVersion;
    const listed = describeConflicts(first.conflicts, live, applying);
    if (!stable && hasUnlistedConflict(listed, live, applying)) continue;

    try {
      const second = await applyOnce(cluster, address, { ...applying, object: pinnedTo(object, live) }, true);
      if ('conflicts' in second) continue;
      const forcedConflicts = [...listed, ...additionalLostFields(listed, live, second.object, [manager], subresource)];
      const moved = metadataOf(second.object).resourceVersion !== resourceVersion;
      return {
        object: second.object,
        provenOutcome: moved ? 'updated' : 'unchanged',
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
    'Nothing of this object was changed. Reconcile again, or find out which controller writes it so often.',
  );
}
