import { finalizersOf, metadataOf } from '../../kubernetes/object.js';
import type { JsonObject } from '../../util/json.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import type { AdmissionAttributes } from './webhook.js';

/** Finalizer of a PersistentVolumeClaim, so that it is not deleted while a Pod uses it. */
export const claimProtection = 'kubernetes.io/pvc-protection';

/**
 * Gives a new PersistentVolumeClaim its finalizer, if a controller runs that removes it. Source: Kubernetes documentation "Admission
 * Control", StorageObjectInUseProtection.
 */
export function protectClaim(backend: Backend, _target: ObjectTarget, claim: JsonObject, { operation }: AdmissionAttributes): JsonObject {
  const finalizers = finalizersOf(claim);
  if (backend.simulated !== true || operation !== 'CREATE' || finalizers.includes(claimProtection)) return claim;
  return { ...claim, metadata: { ...metadataOf(claim), finalizers: [...finalizers, claimProtection] } };
}
