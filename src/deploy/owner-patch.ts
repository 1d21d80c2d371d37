import { ApiError, type Cluster, type ObjectAddress } from '../cluster/index.js';
import { FieldwiseError } from '../util/error.js';
import type { Json, JsonObject } from '../util/json.js';

/** A change of who owns what: new managedFields for an object as it was read, and perhaps more. */
export interface OwnerPatch {
  /** In whose name the request is made; it comes to own whatever value `others` change. */
  readonly manager: string;
  readonly entries: readonly Json[];
  /** Further operations of the JSON patch. */
  readonly others?: readonly Json[];
}

const rounds = 8;

/**
 * Changes owners of an object, and no value: a JSON patch of managedFields that the server refuses where the object has been written since
 * it was read. Then it is read and judged again.
 *
 * @param judge what to do to the object as it is; undefined where nothing is to be done. What it throws ends the change.
 * @returns the object after the change, or undefined where there was none to make.
 * @throws FieldwiseError `apply-contended`; ApiError.
 */
export async function changeOwners(
  cluster: Cluster,
  address: ObjectAddress,
  judge: (live: JsonObject | undefined) => OwnerPatch | undefined,
): Promise<JsonObject | undefined> {
  for (let round = 0; round < rounds; round++) {
    const live = await cluster.find(address);
    const patch = judge(live);
    if (live === undefined || patch === undefined) return undefined;
    const { resourceVersion } = live.metadata as JsonObject;
    const operations = [
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion as string },
      { op: 'replace', path: '/metadata/managedFields', value: patch.entries },
      ...(patch.others ?? []),
    ];
    try {
      return await cluster.patch(address, operations, patch.manager);
    } catch (error) {
      if (!(error instanceof ApiError && error.stale)) throw error;
    }
  }
  throw new FieldwiseError(
    'apply-contended',
    'resource',
    `Other writers changed the object between our requests ${rounds} times in a row`,
    {
      next: 'Run again.',
    },
  );
}
