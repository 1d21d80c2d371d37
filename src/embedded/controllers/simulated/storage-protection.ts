import { finalizersOf, isTerminating, metadataOf, nameOf } from '../../../kubernetes/object.js';
import type { JsonObject } from '../../../util/json.js';
import { claimProtection, volumeProtection } from '../../admission/storage-protection.js';
import { listOf, memberAt, structOf } from '../../built-in/convert/json-access.js';
import type { ControllerContext } from './controller-context.js';
import { phaseOf } from './pod-state.js';
import { resources } from './simulated-client.js';

/**
 * Removes the finalizer of a PersistentVolumeClaim that is being deleted once no pod uses it. Source: Kubernetes documentation "Persistent
 * Volumes", "Storage Object in Use Protection".
 */
export async function syncClaim(context: ControllerContext, claim: JsonObject): Promise<void> {
  const pods = context.store.list(resources.Pod.store, metadataOf(claim).namespace ?? '');
  if (!isTerminating(claim) || pods.some((pod) => uses(pod, nameOf(claim)))) return;
  await removeFinalizer(context, 'PersistentVolumeClaim', claim, claimProtection);
}

/** Removes the finalizer of a PersistentVolume that is being deleted, unless a claim is bound to it. */
export async function syncVolume(context: ControllerContext, volume: JsonObject): Promise<void> {
  if (!isTerminating(volume) || phaseOf(volume) === 'Bound') return;
  await removeFinalizer(context, 'PersistentVolume', volume, volumeProtection);
}

async function removeFinalizer(
  context: ControllerContext,
  kind: 'PersistentVolume' | 'PersistentVolumeClaim',
  object: JsonObject,
  finalizer: string,
): Promise<void> {
  const finalizers = finalizersOf(object);
  if (!finalizers.includes(finalizer)) return;
  const others = finalizers.filter((each) => each !== finalizer);
  await context.patchMetadata(kind, object, { finalizers: others.length === 0 ? null : others });
}

function uses(pod: JsonObject, claim: string): boolean {
  return phaseOf(pod) !== 'Succeeded' && phaseOf(pod) !== 'Failed' && claimsOf(pod).includes(claim);
}

/** Returns the names of the PersistentVolumeClaims of a pod. */
export function claimsOf(pod: JsonObject): readonly string[] {
  return listOf(structOf(pod.spec).volumes).flatMap((volume) => {
    const name = memberAt(volume, 'persistentVolumeClaim.claimName');
    return typeof name === 'string' ? [name] : [];
  });
}
