import { finalizersOf, isTerminating, metadataOf, nameOf } from '../../fields/object.js';
import { isJsonObject } from '../../util/json.js';
import type { Backend } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { timestamp } from '../storage/clock.js';
import { removeObject } from '../write/write.js';

/**
 * Deletes the contents of a terminating namespace, as far as finalizers allow, and then the namespace.
 * Source: Kubernetes documentation "Namespaces"; "Finalizers".
 */
export function syncNamespace(backend: Backend, name: string): void {
  const { store, catalog, clock } = backend;
  const key = { resource: '/namespaces', namespace: '', name };
  if (!isTerminating(store.get(key))) return;
  let remaining = 0;
  for (const resource of catalog.all().filter(({ namespaced }) => namespaced)) {
    for (const member of store.list(storeName(resource), name)) {
      const metadata = metadataOf(member);
      const memberKey = { resource: storeName(resource), namespace: name, name: nameOf(member) };
      if (finalizersOf(member).length === 0) removeObject(backend, memberKey, member);
      else {
        remaining += 1;
        if (isTerminating(member)) continue;
        const terminatingNamespace = { ...metadata, deletionTimestamp: timestamp(clock), deletionGracePeriodSeconds: 0 };
        store.put(memberKey, { ...member, metadata: terminatingNamespace });
      }
    }
  }
  const namespace = store.get(key);
  if (namespace === undefined || remaining > 0) return;
  const { finalizers = [], ...spec } = (isJsonObject(namespace.spec) ? namespace.spec : {}) as { finalizers?: readonly string[] };
  const others = finalizers.filter((finalizer) => finalizer !== 'kubernetes');
  if (others.length === 0 && finalizersOf(namespace).length === 0) removeObject(backend, key, namespace);
  else if (finalizers.includes('kubernetes') && others.length > 0) store.put(key, { ...namespace, spec: { ...spec, finalizers: others } });
}
