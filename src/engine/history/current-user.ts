import { ApiError, type ClusterClient, type Resource } from '../../kubernetes/index.js';
import { isJsonObject } from '../../util/json.js';

const reviews: Resource = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
};
const maxLength = 256;

/** Asks the server for the name of the user; undefined if it does not tell. Source: Kubernetes API reference, SelfSubjectReview (1.28). */
export async function currentUser(cluster: ClusterClient): Promise<string | undefined> {
  try {
    const body = { apiVersion: reviews.apiVersion, kind: reviews.kind };
    const { status } = await cluster.create(reviews, undefined, body, 'fieldwise-inventory');
    const user = isJsonObject(status) && isJsonObject(status.userInfo) ? status.userInfo.username : undefined;
    return typeof user === 'string' && user !== '' ? user.slice(0, maxLength) : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
