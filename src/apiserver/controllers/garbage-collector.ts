import { finalizersOf, isTerminating, metadataOf, uidOf } from '../../fields/object.js';
import { updateRequest } from '../../ownership/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { ConversionNeeded } from '../conversion/conversions.js';
import { decodeStored, requestScopeOf } from '../conversion/request-scope.js';
import { type Backend, type ObjectTarget, targetOf } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { timestamp } from '../storage/clock.js';
import type { StoreKey } from '../storage/store.js';
import { removeObject, updateObjectNow } from '../write/write.js';
import { type Dependents, type OwnerReference, ownersOf } from './dependents.js';

const manager = 'kube-controller-manager';

export interface StoredObject {
  readonly key: StoreKey;
  readonly object: JsonObject;
}

/** Returns the owner that a reference names; undefined if no object has that uid. An owner is in the namespace of its dependent. */
export function findOwner({ catalog, store }: Backend, reference: OwnerReference, namespace: string): StoredObject | undefined {
  const { apiVersion, kind, name, uid } = reference;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const resource = catalog.all().find((candidate) => candidate.group === group && candidate.kind === kind);
  if (resource === undefined) return undefined;
  const key = { resource: storeName(resource), namespace: resource.namespaced ? namespace : '', name };
  const object = store.get(key);
  return object === undefined || uidOf(object) !== uid ? undefined : { key, object };
}

/** Deletes the dependents of a deleted object that have no other owner. Source: Kubernetes documentation "Garbage Collection". */
export function collectDependents(backend: Backend, dependents: Dependents, uid: string): void {
  for (const { key, object } of dependents.of(uid)) {
    const others = ownersOf(object).filter((reference) => findOwner(backend, reference, key.namespace) !== undefined);
    if (others.length > 0) setOwnerReferences(backend, key, object, others);
    else remove(backend, key, object, undefined);
  }
}

/** Continues the deletion of an object: with `foregroundDeletion` its dependents are deleted first, with `orphan` they are kept. */
export function advanceDeletion(backend: Backend, dependents: Dependents, key: StoreKey): void {
  const object = backend.store.get(key);
  if (object === undefined) return;
  const finalizers = finalizersOf(object);
  const uid = uidOf(object);
  if (finalizers.includes('orphan')) {
    for (const found of dependents.of(uid)) {
      setOwnerReferences(
        backend,
        found.key,
        found.object,
        ownersOf(found.object).filter((reference) => reference.uid !== uid),
      );
    }
    dropFinalizer(backend, key, 'orphan');
  } else if (finalizers.includes('foregroundDeletion')) {
    for (const found of dependents.of(uid))
      if (!isTerminating(found.object)) remove(backend, found.key, found.object, 'foregroundDeletion');
    const blocking = dependents.of(uid).filter((found) => {
      return ownersOf(found.object).some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true);
    });
    if (blocking.length === 0) dropFinalizer(backend, key, 'foregroundDeletion');
  }
}

function remove(backend: Backend, key: StoreKey, object: JsonObject, finalizer: string | undefined): void {
  const finalizers = [...finalizersOf(object), ...(finalizer === undefined ? [] : [finalizer])];
  if (finalizers.length === 0) {
    removeObject(backend, key, object);
    return;
  }
  if (isTerminating(object)) return;
  const metadata = { ...metadataOf(object), finalizers, deletionTimestamp: timestamp(backend.clock), deletionGracePeriodSeconds: 0 };
  backend.store.put(key, { ...object, metadata });
}

function setOwnerReferences(backend: Backend, key: StoreKey, object: JsonObject, owners: readonly OwnerReference[]): void {
  change(backend, key, object, 'ownerReferences', owners as unknown as readonly Json[]);
}

/** Removes a finalizer as the controller manager; the object is deleted with the last one. */
export function dropFinalizer(backend: Backend, key: StoreKey, finalizer: string): void {
  const object = backend.store.get(key);
  if (object === undefined) return;
  const remaining = finalizersOf(object).filter((each) => each !== finalizer);
  change(backend, key, object, 'finalizers', remaining);
}

/**
 * Writes one list of the metadata as the controller manager. No webhook is called for that: the owners of an object that one would have to
 * convert stay as they are.
 */
function change(backend: Backend, key: StoreKey, stored: JsonObject, member: string, list: readonly Json[]): void {
  const target = targetOf(backend, key);
  if (target === undefined) return;
  const changed = (object: JsonObject): JsonObject => {
    const { [member]: _, ...rest } = metadataOf(object);
    return { ...object, metadata: { ...rest, ...(list.length > 0 ? { [member]: list } : {}) } };
  };
  try {
    update(backend, target, stored, changed);
  } catch (error) {
    if (!(error instanceof ConversionNeeded)) throw error;
    const object = changed(stored);
    if (isTerminating(object) && finalizersOf(object).length === 0) removeObject(backend, key, object);
    else backend.store.put(key, object);
  }
}

function update(backend: Backend, target: ObjectTarget, stored: JsonObject, changed: (object: JsonObject) => JsonObject): void {
  const live = decodeStored(target, stored);
  const object = changed(live);
  const owned = updateRequest({ ...requestScopeOf(backend, target, manager), live, object });
  updateObjectNow(
    backend,
    target,
    stored,
    live,
    { object: owned, explicitEmpty: [] },
    { dryRun: false, subresource: undefined, updateValidation: () => {} },
  );
}
