import { ApiError, type ClusterClient, contendedError, contentionRounds, type ObjectAddress } from '../../kubernetes/index.js';
import { metadataOf } from '../../kubernetes/object.js';
import type { ErrorLocation } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { requireKnownVersions, requireReadableOwners } from '../target/removed-versions.js';

/** The operations of a JSON patch (RFC 6902) and the field manager that makes it. */
export interface OptimisticPatch {
  readonly manager: string;
  readonly operations: readonly Json[];
}

/**
 * Patches an object as it was read: the server refuses the patch where the object has been written since (resourceVersion); then it is read
 * and judged again.
 *
 * @param change returns what to do to the object as it is; undefined where nothing is to be done. An error that it throws ends the change.
 * @returns the object after the change, or undefined where there was none to make.
 * @throws FieldwiseError `apply-contended` after 8 rounds (`contentionRounds`), `version-removed`, `managed-fields-unreadable`; ApiError.
 */
export async function patchOptimistically(
  cluster: ClusterClient,
  address: ObjectAddress,
  change: (live: JsonObject | undefined) => OptimisticPatch | undefined,
  location: ErrorLocation = {},
): Promise<JsonObject | undefined> {
  for (let round = 0; round < contentionRounds; round++) {
    const live = await cluster.tryGet(address);
    const patch = change(live);
    if (live === undefined || patch === undefined) return undefined;
    requireReadableOwners(address, live, location);
    await requireKnownVersions(cluster, address, withPatchedOwners(live, patch.operations), location);
    const { resourceVersion } = metadataOf(live);
    const pinned = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion as string };
    try {
      return await cluster.patch(address, [pinned, ...patch.operations], patch.manager);
    } catch (error) {
      if (!(error instanceof ApiError && error.stale)) throw error;
    }
  }
  throw contendedError('apply-contended', location, 'Run again.');
}

/** Returns the object with the owners that it has after a patch. */
function withPatchedOwners(live: JsonObject, operations: readonly Json[]): JsonObject {
  const owners = operations.filter(isJsonObject).find(({ path }) => path === '/metadata/managedFields');
  return owners === undefined ? live : { ...live, metadata: { ...metadataOf(live), managedFields: owners.value as Json } };
}
