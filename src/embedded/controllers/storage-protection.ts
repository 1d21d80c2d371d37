import { finalizersOf, isTerminating, metadataOf } from '../../kubernetes/object.js';
import type { JsonObject } from '../../util/json.js';
import { claimProtection, volumeProtection } from '../admission/storage-protection.js';
import { listOf, memberAt, structOf } from '../built-in/convert/json-access.js';
import type { Backend } from '../registry/backend.js';
import type { StoreKey } from '../storage/store.js';
import { dropFinalizer } from './garbage-collector.js';

export const claims = '/persistentvolumeclaims';
export const volumes = '/persistentvolumes';
export const pods = '/pods';

/**
 * Removes the finalizer of a PersistentVolumeClaim that is being deleted, unless a Pod that is on a node names it: one that has ended, too.
 * Source: Kubernetes documentation "Persistent Volumes", "Storage Object in Use Protection"; observed on kube-controller-manager 1.36.
 */
export function releaseClaim(backend: Backend, key: StoreKey): void {
  const claim = backend.store.get(key);
  if (claim === undefined || !isHeld(claim, claimProtection)) return;
  const isUsed = backend.store
    .list(pods, key.namespace)
    .some((pod) => structOf(pod.spec).nodeName !== undefined && claimsOf(pod).includes(key.name));
  if (!isUsed) dropFinalizer(backend, key, claimProtection);
}

/** Looks again at the claims of a deleted Pod. */
export function releaseClaimsOf(backend: Backend, pod: JsonObject): void {
  const { namespace = '' } = metadataOf(pod);
  for (const name of claimsOf(pod)) releaseClaim(backend, { resource: claims, namespace, name });
}

/** Removes the finalizer of a PersistentVolume that is being deleted, unless a claim is bound to it. */
export function releaseVolume(backend: Backend, key: StoreKey): void {
  const volume = backend.store.get(key);
  if (volume === undefined || !isHeld(volume, volumeProtection) || structOf(volume.status).phase === 'Bound') return;
  dropFinalizer(backend, key, volumeProtection);
}

function isHeld(object: JsonObject, finalizer: string): boolean {
  return isTerminating(object) && finalizersOf(object).includes(finalizer);
}

/** Returns the names of the PersistentVolumeClaims of a Pod; those of ephemeral volumes are named after the Pod and the volume. */
function claimsOf(pod: JsonObject): readonly string[] {
  return listOf(structOf(pod.spec).volumes).flatMap((volume) => {
    const name = memberAt(volume, 'persistentVolumeClaim.claimName');
    if (typeof name === 'string') return [name];
    return structOf(volume).ephemeral === undefined ? [] : [`${metadataOf(pod).name}-${structOf(volume).name}`];
  });
}
