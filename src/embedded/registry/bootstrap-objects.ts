import { metadataOf } from '../../kubernetes/object.js';
import type { JsonObject } from '../../util/json.js';
import { bootstrapPolicy } from '../authorization/bootstrap-policy.js';
import { type Clock, timestamp } from '../storage/clock.js';
import type { Store } from '../storage/store.js';

/** Initial namespaces of every cluster. */
const systemNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'] as const;

/** Adds the bootstrap objects that a store does not have: system namespaces and bootstrap policy. */
export function addBootstrapObjects(store: Store, clock: Clock, newUid: () => string): void {
  const objects = [...systemNamespaces.map((name) => ({ resource: '/namespaces', object: namespaceNamed(name) })), ...bootstrapPolicy()];
  for (const { resource, object } of objects) {
    const metadata = metadataOf(object);
    const key = { resource, namespace: '', name: String(metadata.name) };
    if (store.get(key) !== undefined) continue;
    store.put(key, { ...object, metadata: { ...metadata, uid: newUid(), creationTimestamp: timestamp(clock) } });
  }
}

function namespaceNamed(name: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}
