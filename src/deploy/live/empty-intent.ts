import type { Cluster, ObjectAddress } from '../../cluster/index.js';
import { appliedIntentOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';

/** The intent that gives up all fields of its manager, pinned to the live object. */
export function emptyIntentOf({ apiVersion, kind, metadata }: JsonObject): JsonObject {
  const { name, namespace, uid } = metadata as JsonObject;
  return { apiVersion, kind, metadata: { name, namespace, uid } };
}

/**
 * Asks the server, as a dry run, for the live object without the fields that a manager applied.
 *
 * @throws ApiError where the server refuses it.
 */
export async function dryRelease(cluster: Cluster, address: ObjectAddress, live: JsonObject, manager: string): Promise<JsonObject> {
  const dynamic = appliedIntentOf(live, manager) === undefined ? {} : { dynamic: {} };
  const { object } = await cluster.apply(address, emptyIntentOf(live), { manager, force: false, dryRun: true, ...dynamic });
  return object;
}
