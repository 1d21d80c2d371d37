import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { missingRecordRights, missingRightsText } from '../inventory/record-rights.js';

/**
 * Resolves if the credentials may later write and delete the records that a run is about to create, or if the server does not answer access
 * reviews. Without these rights, the run would stop in its midst, and its last record would be missing.
 *
 * @param name of the inventory and of the Lease.
 * @throws FieldwiseError `lock-forbidden`, `inventory-forbidden`, with all rights that are missing.
 */
export async function requireRecordRights(cluster: ClusterClient, namespace: string, name: string): Promise<void> {
  const [later] = await missingRecordRights(cluster, namespace, name, ({ resource, verb }) => laterVerbs[resource].has(verb));
  if (later === undefined) return;
  const missing = await missingRecordRights(cluster, namespace, name);
  const code = later.resource === 'leases' ? 'lock-forbidden' : 'inventory-forbidden';
  const what = `These credentials may not ${later.verb} ${later.resource} named ${name}`;
  throw new FieldwiseError(code, 'resource', `${what}${missingRightsText(missing, namespace)}`, {
    location: { object: `Namespace ${namespace}` },
    next: 'Nothing was changed. Print the permissions with `fieldwise rbac` and apply them.',
  });
}

/** The verbs that a run needs for the records of a stack after it has created them, and only then. */
const laterVerbs: Readonly<Record<'configmaps' | 'leases', ReadonlySet<string>>> = {
  configmaps: new Set(['get', 'update', 'delete']),
  leases: new Set(['update', 'delete']),
};
