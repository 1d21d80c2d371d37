import { ApiError, type ClusterClient, type Resource } from '../../kubernetes/index.js';
import { isJsonObject, type Json } from '../../util/json.js';

const reviews: Resource = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
};
const maxLength = 256;

/** A user as the server knows it. */
export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Asks the server for the name of the user; undefined if it does not tell. */
export async function currentUser(cluster: ClusterClient): Promise<string | undefined> {
  return (await readUserInfo(cluster))?.name.slice(0, maxLength);
}

/** Asks the server who the user is; undefined if it does not tell. Source: Kubernetes API reference, SelfSubjectReview (1.28). */
export async function readUserInfo(cluster: ClusterClient): Promise<UserInfo | undefined> {
  try {
    const body = { apiVersion: reviews.apiVersion, kind: reviews.kind };
    const { status } = await cluster.create(reviews, undefined, body, 'fieldwise-inventory');
    const { username, groups } = isJsonObject(status) && isJsonObject(status.userInfo) ? status.userInfo : {};
    if (typeof username !== 'string' || username === '') return undefined;
    return { name: username, groups: Array.isArray(groups) ? (groups as readonly Json[]).map(String) : [] };
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
