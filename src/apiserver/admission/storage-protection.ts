import { finalizersOf, metadataOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import type { AdmissionAttributes } from './webhook.js';

/** Finalizer of a PersistentVolumeClaim, so that it is not deleted while a Pod uses it. */
export const claimProtection = 'kubernetes.io/pvc-protection';

/** Finalizer of a PersistentVolume, so that it is not deleted while a claim is bound to it. */
export const volumeProtection = 'kubernetes.io/pv-protection';

/**
 * Gives a new PersistentVolumeClaim or PersistentVolume its finalizer. Source: Kubernetes documentation "Admission Control",
 * StorageObjectInUseProtection.
 */
export function protectStorage(_: Backend, target: ObjectTarget, object: JsonObject, { operation }: AdmissionAttributes): JsonObject {
  const finalizer = target.resource.plural === 'persistentvolumes' ? volumeProtection : claimProtection;
  const finalizers = finalizersOf(object);
  if (operation !== 'CREATE' || finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...metadataOf(object), finalizers: [...finalizers, finalizer] } };
}
