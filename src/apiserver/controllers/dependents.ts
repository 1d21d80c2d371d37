import { metadataOf } from '../../fields/object.js';
import type { Json, JsonObject } from '../../util/json.js';
import type { Store, StoreEvent, StoreKey } from '../storage/store.js';

/** An entry of `metadata.ownerReferences`. Source: Kubernetes documentation "Owners and Dependents". */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
}

export function ownersOf(object: JsonObject): readonly OwnerReference[] {
  const { ownerReferences } = metadataOf(object);
  return Array.isArray(ownerReferences) ? (ownerReferences as readonly Json[] as unknown as readonly OwnerReference[]) : [];
}

/** An index of dependents by the uid of their owner, updated with every change of the store. */
export class Dependents {
  readonly #store: Store;
  readonly #keys = new Map<string, Map<string, StoreKey>>();

  constructor(store: Store) {
    this.#store = store;
    for (const resource of store.resources()) {
      for (const object of store.list(resource)) {
        const { namespace = '', name = '' } = metadataOf(object);
        this.#add({ resource, namespace, name }, object);
      }
    }
    store.subscribe((event) => this.#follow(event));
  }

  of(uid: string): readonly { readonly key: StoreKey; readonly object: JsonObject }[] {
    return [...(this.#keys.get(uid)?.values() ?? [])].flatMap((key) => {
      const object = this.#store.get(key);
      return object === undefined ? [] : [{ key, object }];
    });
  }

  #follow({ type, key, object, before }: StoreEvent): void {
    if (before !== undefined) {
      for (const { uid } of ownersOf(before)) {
        const keys = this.#keys.get(uid);
        keys?.delete(storeKeyText(key));
        if (keys?.size === 0) this.#keys.delete(uid);
      }
    }
    if (type !== 'DELETED') this.#add(key, object);
  }

  #add(key: StoreKey, object: JsonObject): void {
    for (const { uid } of ownersOf(object)) {
      const keys = this.#keys.get(uid) ?? new Map<string, StoreKey>();
      this.#keys.set(uid, keys.set(storeKeyText(key), key));
    }
  }
}

function storeKeyText({ resource, namespace, name }: StoreKey): string {
  return `${resource}/${namespace}/${name}`;
}
