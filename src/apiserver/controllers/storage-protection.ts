import { finalizersOf, isTerminating, metadataOf, nameOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { claimProtection, volumeProtection } from '../admission/storage-protection.js';
import { listOf, memberAt, structOf } from '../api/json-access.js';
import type { Backend } from '../registry/backend.js';
import type { Store, StoreEvent, StoreKey } from '../storage/store.js';
import { dropFinalizer } from './garbage-collector.js';

const claims = '/persistentvolumeclaims';
const volumes = '/persistentvolumes';
const pods = '/pods';

/**
 * Removes the finalizers of PersistentVolumeClaims and PersistentVolumes that are being deleted: of a claim unless a Pod that is on a node names it,
 * one that has ended, too; of a volume unless a claim is bound to it. Source: Kubernetes documentation "Persistent Volumes", "Storage Object in Use
 * Protection"; observed on kube-controller-manager 1.36.
 */
export class StorageProtection {
  readonly #backend: Backend;
  readonly #users: ClaimUsers;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#users = new ClaimUsers(backend.store);
  }

  /** Looks at an object that is being or was deleted, and at the claims of a Pod. */
  react({ key, object }: StoreEvent): void {
    if (key.resource === claims) this.#releaseClaim(key);
    else if (key.resource === volumes) this.#releaseVolume(key);
    else if (key.resource === pods)
      for (const name of claimsOf(object)) this.#releaseClaim({ resource: claims, namespace: key.namespace, name });
  }

  #releaseClaim(key: StoreKey): void {
    const claim = this.#backend.store.get(key);
    if (claim === undefined || !isHeld(claim, claimProtection) || this.#users.hasUser(key)) return;
    dropFinalizer(this.#backend, key, claimProtection);
  }

  #releaseVolume(key: StoreKey): void {
    const volume = this.#backend.store.get(key);
    if (volume === undefined || !isHeld(volume, volumeProtection) || structOf(volume.status).phase === 'Bound') return;
    dropFinalizer(this.#backend, key, volumeProtection);
  }
}

/** An index of the Pods on nodes by the claims that they name, updated with every change of the store. */
class ClaimUsers {
  readonly #pods = new Map<string, Set<string>>();

  constructor(store: Store) {
    for (const pod of store.list(pods)) this.#add(metadataOf(pod).namespace ?? '', pod);
    store.subscribe(({ type, key, object, before }) => {
      if (key.resource !== pods) return;
      if (before !== undefined) this.#remove(key, before);
      if (type !== 'DELETED') this.#add(key.namespace, object);
    });
  }

  hasUser({ namespace, name }: StoreKey): boolean {
    return this.#pods.has(`${namespace}/${name}`);
  }

  #remove({ namespace, name }: StoreKey, pod: JsonObject): void {
    for (const claim of claimsOf(pod)) {
      const users = this.#pods.get(`${namespace}/${claim}`);
      users?.delete(name);
      if (users?.size === 0) this.#pods.delete(`${namespace}/${claim}`);
    }
  }

  #add(namespace: string, pod: JsonObject): void {
    if (structOf(pod.spec).nodeName === undefined) return;
    for (const name of claimsOf(pod)) {
      const users = this.#pods.get(`${namespace}/${name}`) ?? new Set();
      this.#pods.set(`${namespace}/${name}`, users.add(nameOf(pod)));
    }
  }
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
