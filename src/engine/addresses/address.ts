import type { ObjectIdentity } from '../../assembly/identity.js';
import type { ClusterClient, ObjectAddress, Resource } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';

/**
 * Returns the address of an object on the server.
 *
 * @throws FieldwiseError `kind-unknown` where the server does not serve the kind.
 */
export async function addressOf(cluster: ClusterClient, object: ObjectIdentity): Promise<ObjectAddress> {
  return addressAmong(cluster, await cluster.resourceOf(object.apiVersion, object.kind), object);
}

/** Returns the address of an object; undefined where the server does not serve the kind. */
export async function addressIfServed(cluster: ClusterClient, object: ObjectIdentity): Promise<ObjectAddress | undefined> {
  const resource = await resourceIfServed(cluster, object.apiVersion, object.kind);
  return resource && addressAmong(cluster, resource, object);
}

/** Returns the resource of a kind; undefined where the server does not serve it. */
export async function resourceIfServed(cluster: ClusterClient, apiVersion: string, kind: string): Promise<Resource | undefined> {
  try {
    return await cluster.resourceOf(apiVersion, kind);
  } catch (error) {
    if (error instanceof FieldwiseError && error.code === 'kind-unknown') return undefined;
    throw error;
  }
}

function addressAmong({ defaultNamespace }: ClusterClient, resource: Resource, { namespace, name }: ObjectIdentity): ObjectAddress {
  return { resource, ...(resource.namespaced ? { namespace: namespace ?? defaultNamespace } : {}), name };
}
