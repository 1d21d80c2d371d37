import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { storeName } from '../resources/resource.js';
import { timestamp } from '../store/clock.js';
import type { Backend } from './backend.js';

/**
 * What a cluster does on its own when something was written or removed: definitions take effect, namespaces take their objects along.
 */
export function afterWrite(backend: Backend, resource: string, object: JsonObject): void {
  if (resource === 'apiextensions.k8s.io/customresourcedefinitions') define(backend, object);
}

export function afterRemoval(backend: Backend, resource: string, object: JsonObject): void {
  if (resource === 'apiextensions.k8s.io/customresourcedefinitions') undefine(backend, object);
  const { namespace } = object.metadata as { namespace?: string };
  if (namespace !== undefined) finishNamespace(backend, namespace);
}

function define(backend: Backend, crd: JsonObject): void {
  const metadata = crd.metadata as JsonObject;
  const names = isJsonObject(crd.spec) && isJsonObject(crd.spec.names) ? crd.spec.names : {};
  if (metadata.deletionTimestamp !== undefined) return;
  try {
    const resource = backend.catalog.define(crd);
    const now = timestamp(backend.clock);
    const condition = (type: string, reason: string, message: string) => ({
      type,
      status: 'True',
      lastTransitionTime: now,
      reason,
      message,
    });
    const versions = (crd.spec as JsonObject).versions as readonly JsonObject[];
    const stored = versions.find((version) => version.storage === true)?.name;
    const accepted: JsonObject = { ...names, listKind: resource.listKind, singular: resource.singular };
    const before = isJsonObject(crd.status) && Array.isArray(crd.status.conditions) ? crd.status : undefined;
    const storedBefore = (Array.isArray(before?.storedVersions) ? before.storedVersions : []) as Json[];
    const status = {
      conditions: before?.conditions ?? [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      acceptedNames: accepted,
      storedVersions: storedBefore.includes(stored as Json) ? storedBefore : [...storedBefore, stored as Json],
    };
    if (JSON.stringify(status) === JSON.stringify(crd.status)) return;
    const key = { resource: 'apiextensions.k8s.io/customresourcedefinitions', namespace: '', name: String(metadata.name) };
    backend.store.put(key, { ...crd, spec: { ...(crd.spec as JsonObject), names: accepted }, status });
  } catch (error) {
    if (!(error instanceof FieldwiseError)) throw error;
  }
}

function undefine(backend: Backend, crd: JsonObject): void {
  const spec = crd.spec as JsonObject;
  const name = `${String(spec.group)}/${String((spec.names as JsonObject).plural)}`;
  for (const object of backend.store.list(name)) {
    const { namespace = '', name: own } = object.metadata as { namespace?: string; name: string };
    backend.store.remove({ resource: name, namespace, name: own });
  }
  backend.catalog.undefine(name);
}

/** Removes what is in a terminating namespace, as far as finalizers allow, and then the namespace. */
export function finishNamespace(backend: Backend, namespace: string): void {
  const key = { resource: '/namespaces', namespace: '', name: namespace };
  const object = backend.store.get(key);
  if (object === undefined || (object.metadata as JsonObject).deletionTimestamp === undefined) return;
  let left = 0;
  for (const resource of backend.catalog.all().filter(({ namespaced }) => namespaced)) {
    for (const member of backend.store.list(storeName(resource), namespace)) {
      const metadata = member.metadata as JsonObject;
      const memberKey = { resource: storeName(resource), namespace, name: String(metadata.name) };
      const finalizers = Array.isArray(metadata.finalizers) ? metadata.finalizers : [];
      if (finalizers.length === 0) backend.store.remove(memberKey);
      else {
        left += 1;
        if (metadata.deletionTimestamp !== undefined) continue;
        const going = { ...metadata, deletionTimestamp: timestamp(backend.clock), deletionGracePeriodSeconds: 0 };
        backend.store.put(memberKey, { ...member, metadata: going });
      }
    }
  }
  const finalizers = (object.metadata as JsonObject).finalizers;
  if (left === 0 && !(Array.isArray(finalizers) && finalizers.length > 0)) backend.store.remove(key);
}
