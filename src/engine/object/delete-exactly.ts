import { isTerminating, uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, type DeleteOptions, isNotFound, type ObjectAddress } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import { carriedOutText, perhapsFailure, perhapsText, settle } from './settle.js';

/** A deletion that the server has carried out. */
export interface Deletion {
  /** The object, if finalizers still hold it. */
  readonly left: JsonObject | undefined;
  /** That it was carried out although the server answered with an error. */
  readonly warnings?: readonly string[];
}

/**
 * Deletes exactly one object, by its uid. Where the server answers with an error, a read shows whether it has deleted it.
 *
 * @throws ApiError if the object does not exist, was written since (409), or is not deleted; ApplyFailure if nothing shows whether it is.
 */
export async function deleteExactly(cluster: ClusterClient, address: ObjectAddress, options: DeleteOptions): Promise<Deletion> {
  try {
    return { left: await cluster.delete(address, options) };
  } catch (error) {
    if (isNotFound(error) || (error instanceof ApiError && error.code === 409)) throw error;
    const isSame = (now: JsonObject | undefined) => now !== undefined && uidOf(now) === options.uid;
    const settled = await settle(cluster, address, error, (now) => (!isSame(now) || isTerminating(now) ? 'applied' : 'refused'));
    if (settled.outcome === 'refused') throw error;
    if (settled.outcome !== 'applied') throw perhapsFailure(error, { uid: options.uid, reason: perhapsText('deleted') });
    return { left: isSame(settled.now) ? settled.now : undefined, warnings: [carriedOutText(error)] };
  }
}
