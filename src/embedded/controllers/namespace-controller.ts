import type { JsonObject } from '../../util/json.js';
import type { Backend } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { finalizersOf, metadataOf, removeObject } from '../registry/write.js';
import { timestamp } from '../storage/clock.js';

/**
 * Deletes the contents of a terminating namespace, as far as finalizers allow, and then the namespace.
 * Source: Kubernetes documentation "Namespaces"; "Finalizers".
 */
export function syncNamespace(backend: Backend, name: string): void {
  const { store, catalog, clock } = backend;
  const key = { resource: '/namespaces', namespace: '', name };
  const isTerminating = (object: JsonObject | undefined) => object !== undefined && metadataOf(object).deletionTimestamp !== undefined;
  if (!isTerminating(store.get(key))) return;
  let remaining = 0;
  for (const resource of catalog.all().filter(({ namespaced }) => namespaced)) {
    for (const member of store.list(storeName(resource), name)) {
      const metadata = metadataOf(member);
      const memberKey = { resource: storeName(resource), namespace: name, name: String(metadata.name) };
      if (finalizersOf(member).length === 0) removeObject(backend, memberKey, member);
      else {
        remaining += 1;
        if (metadata.deletionTimestamp !== undefined) continue;
        const terminatingNamespace = { ...metadata, deletionTimestamp: timestamp(clock), deletionGracePeriodSeconds: 0 };
        store.put(memberKey, { ...member, metadata: terminatingNamespace });
      }
    }
  }
  const namespace = store.get(key);
  if (namespace !== undefined && remaining === 0 && finalizersOf(namespace).length === 0) removeObject(backend, key, namespace);
}
