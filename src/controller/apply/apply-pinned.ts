import { type ClusterClient, contendedError, type ObjectAddress } from '../../kubernetes/index.js';
import { metadataOf, uidOf } from '../../kubernetes/object.js';
import { addressText } from '../../kubernetes/object-address.js';
import { additionalLostFields, describeConflicts, type FieldConflict } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { type ApplyPassResult, applyOnce, isStale, pauseBetween, pinnedTo, withoutSecretValues } from './apply-once.js';

const rounds = 30;

/** The apply of an intent that is made of the very object that it is applied to. */
export interface PinnedApply {
  readonly manager: string;
  readonly subresource: string;
  /** Of the object: another one of its name is left alone. */
  readonly uid: string;
  /** Returns the intent for the object as it is now; called again where others write in between. */
  readonly intentFor: (live: JsonObject) => JsonObject;
}

/**
 * Reads the object, compares its uid, and applies what is made of it, pinned to the version that was read: of custom resources the server
 * drops the metadata of a status before it compares uids, so that only the version pins. In a second, forced pass where others own
 * declared fields with other values; the same version is the same list of conflicts.
 *
 * @returns `absent` where the object is gone, or another one has its name.
 * @throws ApiError where the server refuses for another reason; FieldwiseError `apply-contended` where others keep writing.
 */
export async function applyPinned(
  cluster: ClusterClient,
  address: ObjectAddress,
  applying: PinnedApply,
): Promise<ApplyPassResult | 'absent'> {
  const { manager, subresource, uid, intentFor } = applying;
  let unreportedConflicts: readonly FieldConflict[] | undefined; // taken by an apply whose answer was lost
  for (let round = 0; round < rounds; round++) {
    const live = await cluster.tryGet(address);
    if (!live || uidOf(live) !== uid) return 'absent';
    const intent = intentFor(live);
    const named = metadataOf(intent);
    if (named.uid !== undefined && named.uid !== uid) return 'absent'; // it speaks of another object
    const pass = { object: pinnedTo(intent, live), manager, subresource };
    let listed: readonly FieldConflict[] = [];
    try {
      let response = await applyOnce(cluster, address, pass, false);
      if ('conflicts' in response) {
        listed = describeConflicts(response.conflicts, live, pass);
        response = await applyOnce(cluster, address, pass, true);
      }
      if ('conflicts' in response) continue;
      const forcedConflicts =
        listed.length > 0
          ? [...listed, ...additionalLostFields(listed, live, response.object, [manager], subresource)]
          : (unreportedConflicts ?? []);
      const moved = versionOf(response.object) !== versionOf(live);
      const provenOutcome = moved || forcedConflicts.length > 0 ? 'updated' : unreportedConflicts ? undefined : 'unchanged';
      return { object: response.object, provenOutcome: provenOutcome, forcedConflicts: withoutSecretValues(forcedConflicts, pass.object) };
    } catch (error) {
      if (!isStale(error) || named.resourceVersion !== undefined) throw error;
      if (error.responseLost) unreportedConflicts = listed;
    }
    await pauseBetween(round);
  }
  const next = 'Nothing of it was changed. Reconcile again, or find out which controller writes it so often.';
  throw contendedError('apply-contended', { object: addressText(address), manager }, next, rounds);
}

function versionOf(object: JsonObject): unknown {
  return metadataOf(object).resourceVersion;
}
