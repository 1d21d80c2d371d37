import { isTerminating, metadataOf } from '../../kubernetes/object.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { forbidden, notFound } from '../api/status-error.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';

/**
 * Refuses a new object in a namespace that does not exist or is terminating, and labels a new Namespace with its name.
 * Source: Kubernetes documentation "Admission Control", NamespaceLifecycle; "Namespaces", label `kubernetes.io/metadata.name`.
 */
export function admitNamespaceLifecycle(backend: Backend, target: ObjectTarget, object: JsonObject): JsonObject {
  const { resource, namespace, name } = target;
  if (namespace !== undefined) {
    const found = backend.store.get({ resource: '/namespaces', namespace: '', name: namespace });
    if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
    if (isTerminating(found)) {
      throw forbidden(resource, name, `unable to create new content in namespace ${namespace} because it is being terminated`);
    }
  }
  if (resource.group !== '' || resource.plural !== 'namespaces') return object;
  const metadata = metadataOf(object);
  const labels = isJsonObject(metadata.labels) ? metadata.labels : {};
  return { ...object, metadata: { ...metadata, labels: { ...labels, 'kubernetes.io/metadata.name': name } } };
}
