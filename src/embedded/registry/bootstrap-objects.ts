import { metadataOf } from '../../kubernetes/object.js';
import { updateRequest } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { bootstrapPolicy } from '../authorization/bootstrap-policy.js';
import { timestamp } from '../storage/clock.js';
import type { Backend } from './backend.js';
import { requestScopeOf } from './request-scope.js';
import type { Resource, ServedVersion } from './resource.js';

/** Initial namespaces of every cluster. */
const systemNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'] as const;

const priorityClasses = 'scheduling.k8s.io/priorityclasses';

/** The priorities of Pods that a cluster cannot do without. Source: Kubernetes documentation "Pod Priority and Preemption". */
const systemPriorities = { 'system-cluster-critical': 2_000_000_000, 'system-node-critical': 2_000_001_000 };

/** Adds the bootstrap objects that a store does not have: system namespaces, system priorities and bootstrap policy. */
export function addBootstrapObjects(backend: Backend): void {
  const { store, clock, newUid } = backend;
  const objects = [
    ...systemNamespaces.map((name) => ({ resource: '/namespaces', object: namespaceNamed(name) })),
    ...Object.entries(systemPriorities).map(([name, value]) => ({ resource: priorityClasses, object: priorityClassNamed(name, value) })),
    ...bootstrapPolicy(),
  ];
  for (const { resource, object } of objects) {
    const metadata = metadataOf(object);
    const key = { resource, namespace: '', name: String(metadata.name) };
    if (store.get(key) !== undefined) continue;
    store.put(key, owned(backend, resource, { ...object, metadata: { ...metadata, uid: newUid(), creationTimestamp: timestamp(clock) } }));
  }
}

/** Source: observed. */
function owned(backend: Backend, name: string, object: JsonObject): JsonObject {
  const resource = backend.catalog.byName(name) as Resource;
  const version = [...resource.versions.values()].find(({ apiVersion }) => apiVersion === object.apiVersion) as ServedVersion;
  const target = { resource, version, namespace: undefined, name: undefined, subresource: undefined, warnings: [] };
  return updateRequest({ ...requestScopeOf(backend, target, 'apiserver'), live: undefined, object });
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

function priorityClassNamed(name: string, value: number): JsonObject {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name, generation: 1 },
    value,
    preemptionPolicy: 'PreemptLowerPriority',
  };
}
