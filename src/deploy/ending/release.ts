import { ApiError, type Cluster, contended, contentionRounds, type ObjectAddress } from '../../cluster/index.js';
import { appliedIntentOf, applyEntryOf, type FieldConflict } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { type Agreed, agreedVanishing } from './vanishing.js';

/**
 * Gives up every field that some managers applied to an object, one after the other; the first is asked of the server in any case, the
 * others only where they own anything.
 */
export async function releaseAll(
  cluster: Cluster,
  address: ObjectAddress,
  uid: string,
  managers: readonly [string, ...string[]],
  agreed?: Agreed,
  dynamic = false,
): Promise<Released> {
  const [first, ...others] = managers;
  const vanished: FieldConflict[] = [];
  const release = async (manager: string, merged: boolean) => {
    const end = agreed
      ? await releaseGuarded(cluster, address, uid, manager, agreed)
      : await releaseObject(cluster, address, uid, manager, merged ? { dynamic: true } : {});
    vanished.push(...(end.vanished ?? []));
    return end;
  };
  let released = await release(first, dynamic);
  for (const manager of others) {
    const entry = released.object && applyEntryOf(released.object, manager);
    if (entry) released = await release(manager, entry.applied !== undefined);
  }
  return vanished.length > 0 ? { ...released, vanished } : released;
}

/** What became of a release. */
export interface Released {
  readonly result: 'released' | 'gone';
  /** Metadata of the object after it. */
  readonly object?: JsonObject;
  /** What others kept in list items and map entries that went along. */
  readonly vanished?: readonly FieldConflict[];
}

/** A release that takes along nothing but what was agreed to: pinned to the object as it was when that was so. */
async function releaseGuarded(cluster: Cluster, address: ObjectAddress, uid: string, manager: string, agreed: Agreed): Promise<Released> {
  for (let round = 0; round < contentionRounds; round++) {
    const live = await cluster.find(address);
    const metadata = live?.metadata as JsonObject | undefined;
    if (!live || metadata?.uid !== uid) return { result: 'gone' };
    const { apiVersion, kind } = address.resource;
    const vanished = agreedVanishing(live, { apiVersion, kind, metadata: { name: address.name } }, [manager], agreed);
    try {
      const dynamic = appliedIntentOf(live, manager) !== undefined;
      const released = await releaseObject(cluster, address, uid, manager, {
        resourceVersion: metadata.resourceVersion as string,
        dynamic,
      });
      return released.result === 'gone' ? released : { ...released, vanished };
    } catch (error) {
      if (!(error instanceof ApiError) || !error.stale) throw error; // written since it was read: look again
    }
  }
  throw contended('release-contended', { manager }, 'It was not released. Run again.');
}

/**
 * Gives up every field that a manager applied to an object: an empty intent with the uid in its body, so that an object that is gone
 * is not created anew. Source: Kubernetes documentation "Server-Side Apply", "Clearing managedFields" and "Transferring ownership".
 *
 * @param options.dynamic it was applied, or may have been, under the strategy `dynamic`.
 * @returns `gone` when the object is not there any more or another one has its name.
 * @throws FieldwiseError `release-rejected` where the object would be invalid without these fields.
 */
export async function releaseObject(
  cluster: Cluster,
  address: ObjectAddress,
  uid: string,
  manager: string,
  { resourceVersion, dynamic = false }: { readonly resourceVersion?: string; readonly dynamic?: boolean } = {},
): Promise<Released> {
  const { resource, namespace, name } = address;
  const empty = {
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
  try {
    const options = { manager, force: false, metadataOnly: true };
    const answer = await cluster.apply(address, empty, dynamic ? { ...options, dynamic: {} } : options);
    // What nobody told us: the object remembers an intent that was merged on this side.
    if (!dynamic && appliedIntentOf(answer.object, manager)) return releaseObject(cluster, address, uid, manager, { dynamic: true });
    if (applyEntryOf(answer.object, manager)) {
      throw new FieldwiseError(
        'release-incomplete',
        'resource',
        'The server accepted the empty intent, yet this manager still owns fields',
        {
          place: { manager },
          next: 'Look at metadata.managedFields of the object.',
        },
      );
    }
    return { result: 'released', object: answer.object };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 404 || error.uidMismatch !== undefined) return { result: 'gone' };
    if (error.code !== 422) throw error;
    const required = error.causes.map((cause) => `.${cause.field}: ${cause.message}`).join('; ') || error.message;
    throw new FieldwiseError('release-rejected', 'resource', `The object would be invalid without the fields of this stack: ${required}`, {
      place: { manager },
      next: 'It stays in mind. Let another stack declare these fields first (`fieldwise handoff` moves them), or delete the object; then run again.',
      cause: error,
    });
  }
}
