import { FieldwiseError } from '../util/error.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import type { ClusterClient, ObjectAddress } from './cluster-client.js';

/**
 * Returns the address of an object, read or declared. An object without a namespace is in the default namespace of the client.
 *
 * @throws FieldwiseError `intent-without-kind`, `intent-without-name`, `kind-unknown`.
 */
export async function addressOf(client: ClusterClient, { apiVersion, kind, metadata }: JsonObject): Promise<ObjectAddress> {
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw incompleteObjectError('intent-without-kind', 'apiVersion and kind');
  if (typeof name !== 'string' || name === '') throw incompleteObjectError('intent-without-name', 'metadata.name');
  const resource = await client.resourceOf(apiVersion, kind);
  if (!resource.namespaced) return { resource, name };
  return { resource, name, namespace: typeof namespace === 'string' ? namespace : client.defaultNamespace };
}

/** Returns an address as text, such as `apps/v1 Deployment shop/web`. */
export function addressText({ resource, namespace, name }: ObjectAddress): string {
  return `${resource.apiVersion} ${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function incompleteObjectError(code: 'intent-without-kind' | 'intent-without-name', members: string): FieldwiseError {
  return new FieldwiseError(code, 'usage', `An object needs ${members} to be addressed`, { next: 'Use a builder of a whole object.' });
}
