import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { patchOptimistically } from './optimistic-patch.js';

/** A change of who owns what: new managedFields for an object as it was read, and perhaps more. */
export interface OwnerPatch {
  /** The field manager of the request; it comes to own every value that `others` change. */
  readonly manager: string;
  readonly entries: readonly Json[];
  /** Further operations of the JSON patch. */
  readonly others?: readonly Json[];
}

/**
 * Changes the owners of an object, and no value: replaces its managedFields with `patchOptimistically`.
 *
 * @throws the errors of `patchOptimistically`.
 */
export function patchOwners(
  cluster: ClusterClient,
  address: ObjectAddress,
  change: (live: JsonObject | undefined) => OwnerPatch | undefined,
): Promise<JsonObject | undefined> {
  return patchOptimistically(cluster, address, (live) => {
    const patch = change(live);
    if (patch === undefined) return undefined;
    const owners = { op: 'replace', path: '/metadata/managedFields', value: patch.entries };
    return { manager: patch.manager, operations: [owners, ...(patch.others ?? [])] };
  });
}
