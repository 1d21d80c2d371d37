import { metadataOf } from '../../fields/object.js';
import { updateRequest } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { bootstrapPolicy } from '../authorization/bootstrap-policy.js';
import { requestScopeOf } from '../conversion/request-scope.js';
import type { Backend } from '../registry/backend.js';
import type { Resource, ServedVersion } from '../registry/resource.js';
import { timestamp } from '../storage/clock.js';

/** Initial namespaces of every cluster. */
const systemNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'] as const;

const priorityClasses = 'scheduling.k8s.io/priorityclasses';

/** The priorities of Pods that a cluster cannot do without. Source: Kubernetes documentation "Pod Priority and Preemption". */
const systemPriorities = { 'system-cluster-critical': 2_000_000_000, 'system-node-critical': 2_000_001_000 };

/** Tells since when the use of tokens in Secrets is recorded; their cleaner in a controller manager asks for it. Source: observed. */
const tokenTracking = 'kube-apiserver-legacy-service-account-token-tracking';

/** Adds the bootstrap objects that a store does not have: system namespaces, system priorities, bootstrap policy and the date of recorded tokens. */
export function addBootstrapObjects(backend: Backend): void {
  const { store, clock, newUid } = backend;
  const objects = [
    ...systemNamespaces.map((name) => ({ resource: '/namespaces', object: namespaceNamed(name), added: addedToNamespaces })),
    ...Object.entries(systemPriorities).map(([name, value]) => ({
      resource: priorityClasses,
      object: priorityClassNamed(name, value),
      added: {},
    })),
    ...bootstrapPolicy().map((each) => ({ ...each, added: {} })),
    { resource: '/configmaps', object: trackingSince(timestamp(clock).slice(0, 'YYYY-MM-DD'.length)), added: {} },
  ];
  const owners = new Map<string, Json>();
  for (const { resource, object, added } of objects) {
    const metadata = metadataOf(object);
    const key = { resource, namespace: metadata.namespace ?? '', name: String(metadata.name) };
    if (store.get(key) !== undefined) continue;
    const fields = `${resource} ${fieldNames(object)}`;
    const managedFields = owners.get(fields) ?? ownersOf(backend, resource, object);
    owners.set(fields, managedFields);
    store.put(key, { ...object, metadata: { ...metadata, uid: newUid(), creationTimestamp: timestamp(clock), managedFields }, ...added });
  }
}

/** The name under which a server writes objects of its own: the one of its program. */
export const serverManager = 'kube-apiserver';

/** Returns a text that is equal for objects with the same fields: their lists are atomic. To compute the owners of each takes 40 ms. */
function fieldNames(object: JsonObject): string {
  return JSON.stringify(object, (_, value) => (isJsonObject(value) ? value : 0));
}

/** Source: observed. */
function ownersOf(backend: Backend, name: string, object: JsonObject): Json {
  const resource = backend.catalog.byName(name) as Resource;
  const version = [...resource.versions.values()].find(({ apiVersion }) => apiVersion === object.apiVersion) as ServedVersion;
  const target = { resource, version, namespace: undefined, name: undefined, subresource: undefined, warnings: [] };
  return metadataOf(updateRequest({ ...requestScopeOf(backend, target, serverManager), live: undefined, object })).managedFields as Json;
}

function namespaceNamed(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { 'kubernetes.io/metadata.name': name } } };
}

/** Members that nobody owns: the server adds them to each Namespace. */
const addedToNamespaces = { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };

function trackingSince(since: string): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: tokenTracking, namespace: 'kube-system' }, data: { since } };
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
