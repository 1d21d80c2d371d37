import { ApiError, type Cluster, type Resource } from '../cluster/index.js';
import { isJsonObject } from '../util/json.js';
import { defaultInventoryNamespace } from './options.js';
import { appliesOnServer } from './strategy.js';

/** One thing that a deploy needs of a cluster. */
export interface Check {
  readonly event: 'check';
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

const reviews: Resource = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};

const needed = [
  { group: '', resource: 'configmaps', verbs: ['list', 'create', 'update', 'delete'] },
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get', 'create', 'update'] },
] as const;

/**
 * Whether a cluster has what a deploy needs: which server it is, and rights in the namespace of the inventories.
 *
 * @throws FieldwiseError `cluster-unreachable`, `authentication-failed`.
 */
export async function checkCluster(cluster: Cluster, inventoryNamespace?: string): Promise<readonly Check[]> {
  const namespace = inventoryNamespace ?? defaultInventoryNamespace;
  const version = await cluster.version();
  const checks: Check[] = [
    { event: 'check', check: 'server', ok: true, detail: cluster.server },
    {
      event: 'check',
      check: 'version',
      ok: true,
      detail: appliesOnServer(version) ? version : `${version}, older than 1.22: intents are merged on this side (strategy dynamic)`,
    },
  ];
  for (const { group, resource, verbs } of needed) {
    for (const verb of verbs) {
      const allowed = await may(cluster, { group, resource, verb, namespace });
      const detail = `${verb} ${resource} in namespace ${namespace}${allowed === undefined ? ': the server does not say' : ''}`;
      checks.push({ event: 'check', check: 'permission', ok: allowed !== false, detail });
    }
  }
  return checks;
}

/** Undefined where the server does not answer such questions. */
async function may(cluster: Cluster, resourceAttributes: Readonly<Record<string, string>>): Promise<boolean | undefined> {
  try {
    const body = { apiVersion: reviews.apiVersion, kind: reviews.kind, spec: { resourceAttributes } };
    const { status } = await cluster.create(reviews, undefined, body, 'fieldwise');
    return isJsonObject(status) && status.allowed === true;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
