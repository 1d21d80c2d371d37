import type { ObjectIdentity } from '../assembly/identity.js';
import type { Cluster, ObjectAddress } from '../cluster/index.js';

/**
 * Where the server keeps an object.
 *
 * @throws FieldwiseError `kind-unknown` where it serves no such kind.
 */
export async function addressOf(cluster: Cluster, object: ObjectIdentity): Promise<ObjectAddress> {
  const resource = await cluster.resourceOf(object.apiVersion, object.kind);
  const scope = resource.namespaced ? { namespace: object.namespace ?? cluster.defaultNamespace } : {};
  return { resource, ...scope, name: object.name };
}
