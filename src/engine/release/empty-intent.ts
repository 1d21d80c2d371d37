import { emptyFieldSet, fieldSetOfPaths, membersOf, valueAt } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { appliedIntentOf, applyEntryOf, extractOwnedFields } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';

/** Returns the intent that releases all fields of its manager, pinned to the live object. */
export function emptyIntentOf(object: JsonObject): JsonObject {
  const { apiVersion, kind } = object;
  const { name, namespace, uid } = metadataOf(object);
  return { apiVersion, kind, metadata: { name, namespace, uid } };
}

/**
 * Requests the live object without the fields that a manager applied, as a dry run.
 *
 * @throws ApiError where the server refuses it.
 */
export function dryRelease(cluster: ClusterClient, address: ObjectAddress, live: JsonObject, manager: string): Promise<JsonObject> {
  return dryApply(cluster, address, live, { manager, intent: emptyIntentOf(live) });
}

/**
 * Requests the live object without the fields that a manager applied and an intent does not declare, as a dry run: fields that a manager
 * leaves to another one of its stack keep their values until they are transferred.
 *
 * @throws ApiError where the server refuses it.
 */
export function dryReleaseBeyond(
  cluster: ClusterClient,
  address: ObjectAddress,
  live: JsonObject,
  { manager, intent }: { readonly manager: string; readonly intent: JsonObject },
): Promise<JsonObject> {
  const { fields } = applyEntryOf(live, manager) ?? { fields: emptyFieldSet };
  const declared = membersOf(fields).filter(({ path, leaf }) => leaf && valueAt(intent, path) !== undefined);
  const kept = extractOwnedFields(live, fieldSetOfPaths(declared.map(({ path }) => path)));
  const empty = emptyIntentOf(live);
  const body = { ...kept, ...empty, metadata: { ...metadataOf(kept), ...metadataOf(empty) } };
  return dryApply(cluster, address, live, { manager, intent: body });
}

async function dryApply(
  cluster: ClusterClient,
  address: ObjectAddress,
  live: JsonObject,
  { manager, intent }: { readonly manager: string; readonly intent: JsonObject },
): Promise<JsonObject> {
  const dynamic = appliedIntentOf(live, manager) === undefined ? {} : { dynamic: {} };
  const { object } = await cluster.apply(address, intent, { manager, force: false, dryRun: true, ...dynamic });
  return object;
}
