import { finalizersOf, isTerminating, metadataOf, uidOf } from '../fields/object.js';
import { ApiError, type ClusterClient, contendedError, isNotFound, type ObjectAddress } from '../kubernetes/index.js';
import { addressOf, addressText } from '../kubernetes/object-address.js';
import type { JsonObject } from '../util/json.js';
import type { Outcome } from '../util/outcome.js';
import { pauseBetween } from './apply/apply-once.js';

/**
 * The result of a change of finalizers. `unchanged`: the finalizers were already as requested, and nothing was sent. `absent`: the object
 * does not exist, or another object has its name. `skipped`: the object is being deleted, so no finalizer can be added.
 */
export type FinalizerResult =
  | { readonly outcome: Extract<Outcome, 'updated' | 'unchanged' | 'skipped'>; readonly object: JsonObject }
  | { readonly outcome: 'absent' };

const rounds = 30;

/** Adds a finalizer after the existing ones. */
export function addFinalizer(cluster: ClusterClient, manager: string, live: JsonObject, finalizer: string): Promise<FinalizerResult> {
  return change(cluster, manager, live, (object) => {
    const present = finalizersOf(object);
    if (present.includes(finalizer)) return 'unchanged';
    if (isTerminating(object)) return 'skipped';
    return [...present, finalizer];
  });
}

/** Removes a finalizer; an object that is being deleted is deleted with its last one. */
export function removeFinalizer(cluster: ClusterClient, manager: string, live: JsonObject, finalizer: string): Promise<FinalizerResult> {
  return change(cluster, manager, live, (object) => {
    const present = finalizersOf(object);
    return present.includes(finalizer) ? present.filter((name) => name !== finalizer) : 'unchanged';
  });
}

/**
 * Changes the finalizers by a JSON merge patch. It replaces the whole list, so it carries the resourceVersion at which the list was read:
 * if the object changed in between, the server rejects the patch and the loop retries. A forced apply would take the list from its owners.
 * Source: Kubernetes documentation "Finalizers" and "API Concepts", optimistic locking; RFC 7396.
 */
async function change(
  cluster: ClusterClient,
  manager: string,
  live: JsonObject,
  next: (object: JsonObject) => readonly string[] | 'unchanged' | 'skipped',
): Promise<FinalizerResult> {
  const address = await addressOf(cluster, live);
  let object: JsonObject | undefined = live;
  // Without a resourceVersion, the server would accept a list that overwrites newer finalizers.
  if (metadataOf(live).resourceVersion === undefined) object = await readAgain(cluster, address, live);
  for (let round = 0; round < rounds; round++) {
    if (!object) return { outcome: 'absent' };
    const finalizers = next(object);
    if (typeof finalizers === 'string') return { outcome: finalizers, object };
    const { resourceVersion } = metadataOf(object);
    const body = { metadata: { resourceVersion, finalizers: finalizers.length > 0 ? finalizers : null } };
    try {
      return { outcome: 'updated', object: await cluster.mergePatch(address, body, manager) };
    } catch (error) {
      if (isNotFound(error)) return { outcome: 'absent' };
      if (!(error instanceof ApiError) || error.code !== 409) throw error;
    }
    await pauseBetween(round);
    object = await readAgain(cluster, address, live);
  }
  const advice = 'Its finalizers were not changed. Reconcile again, or find the controller that writes the object so often.';
  throw contendedError('finalizer-contended', { object: addressText(address), manager }, advice, rounds);
}

/** Reads the object again; returns undefined if it does not exist, or another one has its name. */
async function readAgain(cluster: ClusterClient, address: ObjectAddress, live: JsonObject): Promise<JsonObject | undefined> {
  const current = await cluster.tryGet(address);
  const { uid } = metadataOf(live);
  return current && (uid === undefined || uidOf(current) === uid) ? current : undefined;
}
