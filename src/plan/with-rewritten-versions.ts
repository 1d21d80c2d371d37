import type { RemovedVersions } from '../engine/addresses/removed-versions.js';
import { entryText } from '../engine/object/rewrite-removed-versions.js';
import type { ObjectAddress } from '../kubernetes/index.js';
import { entriesOfVersions, withoutVersions } from '../ownership/index.js';
import type { Json, JsonObject } from '../util/json.js';

/**
 * Returns an object as it is after a deploy has rewritten its entries in API versions that are gone; until then, the server rejects every
 * dry run. Returns undefined if there are no such entries.
 */
export async function withRewrittenVersions(
  removed: RemovedVersions,
  address: ObjectAddress,
  live: JsonObject,
): Promise<{ readonly live: JsonObject; readonly reason: string } | undefined> {
  const versions = await removed.removedFrom(live, address);
  const entries = entriesOfVersions(live, versions).map(entryText);
  if (entries.length === 0) return undefined;
  const managedFields = withoutVersions(live, versions).entries as Json;
  return {
    live: { ...live, metadata: { ...(live.metadata as JsonObject), managedFields } },
    reason: `a deploy asks first whether to rewrite entries of managedFields whose version is gone: ${entries.join(', ')}`,
  };
}
