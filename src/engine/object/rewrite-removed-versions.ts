import { uidOf } from '../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { type EntryOfVersion, entriesOfVersions, withoutVersions } from '../../ownership/index.js';
import type { RemovedVersions } from '../addresses/removed-versions.js';
import { patchOwners } from './patch-owners.js';

/** Returns a diagnostic of an object: `old of traps.example.com/v1alpha1`. */
export function entryText({ owner, apiVersion }: EntryOfVersion): string {
  return `${owner} at ${apiVersion}`;
}

/**
 * Rewrites the entries of removed versions; no value changes. See `withoutVersions`.
 *
 * @returns fields that their owners lose, because the object does not have them under that path.
 */
export async function rewriteRemovedVersions(
  cluster: ClusterClient,
  address: ObjectAddress,
  removed: RemovedVersions,
  { uid, manager }: { readonly uid: string; readonly manager: string },
): Promise<readonly string[]> {
  let dropped: readonly string[] = [];
  let versions: ReadonlySet<string> = new Set();
  const first = await cluster.tryGet(address);
  if (first !== undefined) versions = await removed.removedFrom(first, address);
  await patchOwners(cluster, address, (live) => {
    if (live === undefined || uidOf(live) !== uid || entriesOfVersions(live, versions).length === 0) return undefined;
    const rewritten = withoutVersions(live, versions);
    dropped = rewritten.dropped;
    return { manager, entries: rewritten.entries.length > 0 ? rewritten.entries : [{}] }; // the server ignores an empty list
  });
  return dropped;
}
