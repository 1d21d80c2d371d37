import type { Cluster } from '../cluster/index.js';
import type { FieldConflict } from '../ownership/index.js';
import type { JsonObject } from '../util/json.js';
import type { Intent } from './controller.js';
import type { LastApplies } from './last-applies.js';
import { targetOf, textOf } from './target.js';
import { applyInTwoPasses } from './two-passes.js';

/** How an apply ended. */
export interface AppliedObject {
  /**
   * `created`: the server answered 201. `noop`, `patched`: proved by the resourceVersion or the time of our managedFields entry, against
   * our last apply to the object or the read between two passes. `applied`: accepted, and nothing is known from before that would prove
   * either, as at the first apply of a process to an object that is there. No request is spent on finding out.
   */
  readonly outcome: 'created' | 'patched' | 'noop' | 'applied';
  /** The object as it is now, with all that others own. */
  readonly object: JsonObject;
  /** Fields taken from other owners by force, with their values; those of Secrets come without. */
  readonly taken: readonly FieldConflict[];
}

/** Applies a whole intent; in a second, forced pass where others own declared fields with other values. */
export async function applyObject(cluster: Cluster, manager: string, intent: Intent, last: LastApplies): Promise<AppliedObject> {
  const { address, object } = await targetOf(cluster, intent);
  const passed = await applyInTwoPasses(cluster, address, { object, manager });
  const judged = last.judge(textOf(address), passed.object, manager);
  return { outcome: passed.proved ?? judged, object: passed.object, taken: passed.taken };
}
