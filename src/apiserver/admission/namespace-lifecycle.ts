import { isTerminating, metadataOf } from '../../fields/object.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { forbidden, notFound } from '../api/status-error.js';
import type { Backend, ObjectTarget, RequestTarget } from '../registry/backend.js';

/**
 * Refuses a new object in a namespace that does not exist or is terminating, and labels a new Namespace with its name.
 * Source: Kubernetes documentation "Admission Control", NamespaceLifecycle; "Namespaces", label `kubernetes.io/metadata.name`.
 */
export function admitNamespaceLifecycle(backend: Backend, target: ObjectTarget, object: JsonObject): JsonObject {
  const { resource, name } = target;
  refuseEndedNamespace(backend, target, name);
  if (resource.group !== '' || resource.plural !== 'namespaces') return object;
  const metadata = metadataOf(object);
  const labels = isJsonObject(metadata.labels) ? metadata.labels : {};
  return { ...object, metadata: { ...metadata, labels: { ...labels, 'kubernetes.io/metadata.name': name } } };
}

/**
 * Refuses a POST in a namespace that does not exist or is terminating, also one to a Binding, an Eviction or a TokenRequest.
 *
 * @param name the name in the message. This admission comes before a name is generated.
 * @throws StatusError 403, 404
 */
export function refuseEndedNamespace({ store }: Backend, { resource, namespace }: RequestTarget, name: string): void {
  if (namespace === undefined) return;
  const found = store.get({ resource: '/namespaces', namespace: '', name: namespace });
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (!isTerminating(found)) return;
  // Clients tell by the cause that no right is missing. Source: Kubernetes API reference, StatusCause.
  const cause = { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' };
  throw forbidden(resource, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [cause]);
}
