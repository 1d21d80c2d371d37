import { ApiError, type Cluster, contended, contentionRounds, type ObjectAddress, type StatusCause } from '../cluster/index.js';
import { type Applying, describeConflicts, type FieldConflict, hasUnlistedConflict, lostBeyond } from '../ownership/index.js';
import type { JsonObject } from '../util/json.js';

export interface Passed {
  readonly object: JsonObject;
  /** Absent where this apply by itself proves nothing. */
  readonly proved: 'created' | 'patched' | 'noop' | undefined;
  readonly taken: readonly FieldConflict[];
}

/**
 * The two passes of docs/decisions/01 for a manager that takes whatever it declares: first without force, so that the server names every
 * conflict and changes nothing; then with force, pinned to the very state that the conflicts were seen in.
 *
 * @throws ApiError where the server refuses for another reason; FieldwiseError `apply-contended` where others keep writing.
 */
export async function applyInTwoPasses(cluster: Cluster, address: ObjectAddress, applying: Applying): Promise<Passed> {
  const { object, manager, subresource } = applying;
  let lastRead: unknown;
  let unheard: readonly FieldConflict[] = []; // taken by a forced pass whose answer was lost
  for (let round = 0; round < contentionRounds; round++) {
    const first = await send(cluster, address, applying, object, false);
    if (!('conflicts' in first)) {
      const proved = first.created ? 'created' : unheard.length > 0 ? 'patched' : undefined;
      return { object: first.object, proved, taken: shown(unheard, object) };
    }
    const live = await cluster.find(address);
    if (!live) continue; // deleted since: the next first pass knows what that means
    const { uid, resourceVersion } = live.metadata as JsonObject;
    const stable = resourceVersion === lastRead;
    lastRead = resourceVersion;
    const listed = describeConflicts(first.conflicts, live, applying);
    if (!stable && hasUnlistedConflict(listed, live, applying)) continue;

    const pinned = { ...object, metadata: { ...(object.metadata as JsonObject), uid, resourceVersion } };
    try {
      const second = await send(cluster, address, applying, pinned, true);
      if ('conflicts' in second) continue;
      const taken = [...listed, ...lostBeyond(listed, live, second.object, [manager], subresource)];
      const moved = (second.object.metadata as JsonObject).resourceVersion !== resourceVersion;
      return { object: second.object, proved: moved ? 'patched' : 'noop', taken: shown(taken, object) };
    } catch (error) {
      if (!(error instanceof ApiError) || !(error.stale || error.uidMismatch !== undefined)) throw error;
      unheard = error.answerLost ? listed : [];
    }
  }
  throw contended(
    'apply-contended',
    { manager },
    'Nothing of this object was changed. Reconcile again, or find out which controller writes it so often.',
  );
}

/** One PATCH; a refusal because of field managers is an answer here. */
async function send(
  cluster: Cluster,
  address: ObjectAddress,
  { manager, subresource }: Applying,
  body: JsonObject,
  force: boolean,
): Promise<{ readonly object: JsonObject; readonly created: boolean } | { readonly conflicts: readonly StatusCause[] }> {
  try {
    return await cluster.apply(address, body, { manager, force, subresource });
  } catch (error) {
    if (error instanceof ApiError && error.conflicts.length > 0) return { conflicts: error.conflicts };
    throw error;
  }
}

/** Reports go to logs, and what stands in a Secret must not. */
function shown(taken: readonly FieldConflict[], object: JsonObject): readonly FieldConflict[] {
  if (object.kind !== 'Secret') return taken;
  return taken.map(({ oldValue: _, newValue: __, ...conflict }) => conflict);
}
