import type { ObjectIdentity } from '../../assembly/identity.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';

/**
 * Returns the address of an object on the server.
 *
 * @throws FieldwiseError `kind-unknown` where the server does not serve the kind.
 */
export async function addressOf(cluster: ClusterClient, object: ObjectIdentity): Promise<ObjectAddress> {
  const resource = await cluster.resourceOf(object.apiVersion, object.kind);
  const scope = resource.namespaced ? { namespace: object.namespace ?? cluster.defaultNamespace } : {};
  return { resource, ...scope, name: object.name };
}

/** Returns the address of an object; undefined where the server does not serve the kind. */
export async function addressIfServed(cluster: ClusterClient, object: ObjectIdentity): Promise<ObjectAddress | undefined> {
  try {
    return await addressOf(cluster, object);
  } catch (error) {
    if (error instanceof FieldwiseError && error.code === 'kind-unknown') return undefined;
    throw error;
  }
}
