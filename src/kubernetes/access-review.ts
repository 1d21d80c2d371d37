import { isJsonObject } from '../util/json.js';
import type { ClusterClient } from './cluster-client.js';
import type { Resource } from './discovery.js';
import { ApiError } from './status.js';

/** A request that credentials may be allowed to send. Source: Kubernetes API reference, SelfSubjectAccessReview v1 authorization.k8s.io. */
export type AccessReview = {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace: string;
  /** Absent for any object of the resource. */
  readonly name?: string;
};

const reviews: Resource = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};

/** Asks the server whether the credentials of a cluster allow a request; undefined if it does not answer access reviews. */
export async function isAllowed(cluster: ClusterClient, resourceAttributes: AccessReview): Promise<boolean | undefined> {
  try {
    const body = { apiVersion: reviews.apiVersion, kind: reviews.kind, spec: { resourceAttributes } };
    // A review changes nothing, whoever holds a lock.
    const { status } = await cluster.withContext({ lock: undefined }).create(reviews, undefined, body, 'fieldwise');
    return isJsonObject(status) && status.allowed === true;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
