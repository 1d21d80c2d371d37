import { metadataOf } from '../fields/object.js';
import type { ClusterClient } from './cluster-client.js';
import { namespaces } from './discovery.js';
import { ApiError } from './status.js';

/** The namespace whose uid identifies a cluster: every API server creates it, and refuses to delete it. */
export const systemNamespace = 'kube-system';

/** The uid of a cluster, or of another namespace, or the reason why it is unknown. */
export type ClusterUid = { readonly uid: string } | { readonly uid?: undefined; readonly reason: string; readonly cause?: unknown };

/**
 * Reads the uid of the Namespace kube-system. It is unknown if the user may not read it, or if the server has no such object.
 *
 * @throws ApiError, FieldwiseError for other failures, such as a server that does not respond.
 */
export function readClusterUid(cluster: Pick<ClusterClient, 'get'>): Promise<ClusterUid> {
  return readNamespaceUid(cluster, systemNamespace);
}

/**
 * Reads the uid of a Namespace. It is unknown if the user may not read it, or if it does not exist.
 *
 * @throws ApiError, FieldwiseError for other failures, such as a server that does not respond.
 */
export async function readNamespaceUid(cluster: Pick<ClusterClient, 'get'>, name: string): Promise<ClusterUid> {
  try {
    const { uid } = metadataOf(await cluster.get({ resource: namespaces, name }));
    return uid ? { uid } : { reason: `the Namespace ${name} has no uid` };
  } catch (cause) {
    if (cause instanceof ApiError && (cause.code === 403 || cause.code === 404)) return { reason: cause.message, cause };
    throw cause;
  }
}
