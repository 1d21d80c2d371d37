import { metadataOf } from '../../fields/object.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { addressText } from '../../kubernetes/object-address.js';
import type { FieldConflict } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';
import { applyInTwoPasses } from './apply-in-two-passes.js';
import type { LastApplies } from './last-applies.js';
import { isObjectDeleted, objectDeleted } from './object-deleted.js';
import type { ApplyInput } from './resolve-intent.js';
import { resolveIntent } from './resolve-intent.js';

/** The result of `Controller.apply`. */
export interface AppliedObject {
  /**
   * `created`: the server responded with 201. `unchanged`, `updated`: proved by the resourceVersion, or by the time of the manager's
   * managedFields entry, compared with its last apply to the object or with the read between two passes. `applied`: accepted, and neither
   * is proved, as at the first apply of a process to an existing object. No extra request is sent for a proof.
   */
  readonly outcome: Extract<Outcome, 'created' | 'updated' | 'unchanged' | 'applied'>;
  /** The object after the apply, with the fields of all owners. */
  readonly object: JsonObject;
  /** Fields taken from other owners by force, with their values; without values for Secrets. */
  readonly forcedConflicts: readonly FieldConflict[];
}

/** Options of `Controller.apply`. */
export interface ApplyOptions {
  /** The uid of the object that the intent is for: nothing is created, and a later object of the same name is not changed. */
  readonly uid: string;
}

/**
 * Applies a complete intent. If others own declared fields with other values, applies again with force.
 *
 * @throws FieldwiseError `object-deleted` if the object of `uid`, or of the uid in the intent, does not exist.
 */
export async function applyObject(
  cluster: ClusterClient,
  manager: string,
  intent: ApplyInput,
  last: LastApplies,
  uid?: string,
): Promise<AppliedObject> {
  const { address, object } = await resolveIntent(cluster, intent);
  const named = metadataOf(object);
  if (uid !== undefined && named.uid !== undefined && named.uid !== uid) throw objectDeleted(address, manager); // No object has both uids.
  const pinned = uid === undefined ? object : { ...object, metadata: { ...named, uid } };
  const passed = await applyInTwoPasses(cluster, address, { object: pinned, manager }).catch((error) => {
    throw isObjectDeleted(error) ? objectDeleted(address, manager) : error;
  });
  const inferredOutcome = last.recordAndCompare(addressText(address), passed.object, manager);
  return { outcome: passed.provenOutcome ?? inferredOutcome, object: passed.object, forcedConflicts: passed.forcedConflicts };
}
