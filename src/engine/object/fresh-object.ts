import { metadataOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, type ObjectAddress } from '../../kubernetes/index.js';
import { applyEntryOf, extractOwnedFields } from '../../ownership/index.js';
import type { Json, JsonObject } from '../../util/json.js';

/**
 * Returns the object as the server would create it from an intent, with all its defaults: a dry run under another name. Undefined where the
 * credentials may not create it, or the server refuses.
 */
export async function freshObject(cluster: ClusterClient, address: ObjectAddress, intent: JsonObject): Promise<JsonObject | undefined> {
  const { name: _, ...metadata } = metadataOf(intent);
  const namespace = address.namespace === undefined ? {} : { namespace: address.namespace };
  const body = { ...intent, metadata: { ...metadata, ...namespace, generateName: 'fieldwise-' } };
  try {
    return await cluster.create(address.resource, address.namespace, body as Json, 'fieldwise', true);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Returns the same from the fields that a manager has applied to a live object. */
export async function freshFromApplied(
  cluster: ClusterClient,
  address: ObjectAddress,
  live: JsonObject,
  manager: string,
): Promise<JsonObject | undefined> {
  const ours = applyEntryOf(live, manager);
  if (ours === undefined) return undefined;
  const { apiVersion, kind } = live;
  return freshObject(cluster, address, { ...extractOwnedFields(live, ours.fields), apiVersion, kind } as JsonObject);
}
