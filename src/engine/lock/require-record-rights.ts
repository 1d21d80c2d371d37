import { type ClusterClient, isAllowed } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';

/** The rights that a run needs for the records of a stack after it has created them, and only then. */
const laterRights = [
  { group: '', resource: 'configmaps', verbs: ['get', 'update', 'delete'] },
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['update', 'delete'] },
] as const;

/**
 * Resolves if the credentials may later write and delete the records that a run is about to create, or if the server does not answer access
 * reviews. Without these rights, the run would stop in its midst, and its last record would be missing.
 *
 * @param name of the inventory and of the Lease.
 * @throws FieldwiseError `lock-forbidden`, `inventory-forbidden`.
 */
export async function requireRecordRights(cluster: ClusterClient, namespace: string, name: string): Promise<void> {
  const rights = laterRights.flatMap(({ group, resource, verbs }) => verbs.map((verb) => ({ group, resource, verb })));
  const allowed = await Promise.all(rights.map((right) => isAllowed(cluster, { ...right, namespace, name })));
  const missing = rights.find((_, index) => allowed[index] === false);
  if (missing === undefined) return;
  const { verb, resource } = missing;
  const code = resource === 'leases' ? 'lock-forbidden' : 'inventory-forbidden';
  throw new FieldwiseError(code, 'resource', `These credentials may not ${verb} ${resource} named ${name} in namespace ${namespace}`, {
    location: { object: `Namespace ${namespace}` },
    next: 'Nothing was changed. Print the permissions with `fieldwise rbac` and apply them.',
  });
}
