import { finalizersOf, isTerminating, metadataOf, nameOf } from '../../../kubernetes/object.js';
import type { JsonObject } from '../../../util/json.js';
import { claimProtection } from '../../admission/claim-protection.js';
import { listOf, memberAt, structOf } from '../../built-in/convert/json-access.js';
import type { ControllerContext } from './controller-context.js';
import { phaseOf } from './pod-state.js';
import { resources } from './simulated-client.js';

/**
 * Removes the finalizer of a PersistentVolumeClaim that is being deleted once no pod uses it. Source: Kubernetes documentation "Persistent
 * Volumes", "Storage Object in Use Protection".
 */
export async function syncClaim(context: ControllerContext, claim: JsonObject): Promise<void> {
  const finalizers = finalizersOf(claim);
  if (!isTerminating(claim) || !finalizers.includes(claimProtection)) return;
  const pods = context.store.list(resources.Pod.store, metadataOf(claim).namespace ?? '');
  if (pods.some((pod) => uses(pod, nameOf(claim)))) return;
  const others = finalizers.filter((finalizer) => finalizer !== claimProtection);
  await context.patchMetadata('PersistentVolumeClaim', claim, { finalizers: others.length === 0 ? null : others });
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
