import { metadataOf, uidOf } from '../../fields/object.js';
import { type ClusterClient, contendedError, type ObjectAddress } from '../../kubernetes/index.js';
import { addressText } from '../../kubernetes/object-address.js';
import { additionalLostFields, describeConflicts, type FieldConflict } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { type ApplyPassResult, applyOnce, isStale, pauseBetween, pinnedTo, withoutSecretValues } from './apply-once.js';

const rounds = 30;

/** The apply of an intent that is derived from the object to which it is applied. */
export interface PinnedApply {
  readonly manager: string;
  readonly subresource: string;
  /** The uid of the object: another object of its name is not changed. */
  readonly uid: string;
  /** Returns the intent for the current object; called again if others write in between. */
  readonly intentFor: (live: JsonObject) => JsonObject;
}

/**
 * Reads the object, compares its uid, and applies the intent derived from it, pinned to the resourceVersion that was read: for the status
 * of custom resources, the server drops metadata before it compares uids, so only the version pins. If others own declared fields with
 * other values, applies again with force; the same version has the same conflicts.
 *
 * @returns `absent` if the object does not exist, or another one has its name.
 * @throws ApiError if the server rejects the apply for another reason; FieldwiseError `apply-contended` if others keep writing the object.
 */
export async function applyPinned(
  cluster: ClusterClient,
  address: ObjectAddress,
  applying: PinnedApply,
): Promise<ApplyPassResult | 'absent'> {
  const { manager, subresource, uid, intentFor } = applying;
  let unreportedConflicts: readonly FieldConflict[] | undefined; // Forced by an apply whose response was lost.
  for (let round = 0; round < rounds; round++) {
    const live = await cluster.tryGet(address);
    if (!live || uidOf(live) !== uid) return 'absent';
    const intent = intentFor(live);
    const named = metadataOf(intent);
    if (named.uid !== undefined && named.uid !== uid) return 'absent'; // The intent is for another object.
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
      const isChanged = versionOf(response.object) !== versionOf(live);
      const provenOutcome = isChanged || forcedConflicts.length > 0 ? 'updated' : unreportedConflicts ? undefined : 'unchanged';
      return { object: response.object, provenOutcome, forcedConflicts: withoutSecretValues(forcedConflicts, pass.object) };
    } catch (error) {
      if (!isStale(error) || named.resourceVersion !== undefined) throw error;
      if (error.responseLost) unreportedConflicts = listed;
    }
    await pauseBetween(round);
  }
  const next = 'The object was not changed. Reconcile again, or find the controller that writes it so often.';
  throw contendedError('apply-contended', { object: addressText(address), manager }, next, rounds);
}

function versionOf(object: JsonObject): unknown {
  return metadataOf(object).resourceVersion;
}
