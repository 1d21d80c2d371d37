import type { ObjectAddress } from './cluster-client.js';
import { groupVersionPath, type Resource } from './discovery.js';

/** Returns the path of all objects of a resource, or of those in a namespace. */
export function collectionPath(resource: Resource, namespace: string | undefined): string {
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${groupVersionPath(resource.apiVersion)}${scope}/${resource.plural}`;
}

/** Returns the path of one object. */
export function objectPath(address: ObjectAddress): string {
  return `${collectionPath(address.resource, address.namespace)}/${encodeURIComponent(address.name)}`;
}
