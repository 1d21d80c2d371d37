import { type ClusterIdentity, compareIdentities, isUnknown } from '../../engine/inventory/cluster-identity.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import type { SavedPlan } from '../../engine/run/saved-plan.js';
import { FieldwiseError } from '../../util/error.js';

/** The cluster to which a plan is to be deployed. */
export interface DeployedCluster {
  readonly server: string;
  readonly identity: ClusterIdentity;
  /** The environments that are pinned to clusters, by the uid. */
  readonly environments?: ReadonlyMap<string, readonly string[]> | undefined;
}

/**
 * Compares each uid that the plan and this run could read.
 *
 * @returns the uids that were compared; none if the plan is bound to no cluster.
 * @throws FieldwiseError `plan-of-another` if one differs.
 */
export function checkCluster({ cluster: planned, settings }: SavedPlan, deployed: DeployedCluster): ClusterIdentity {
  const { same, differing } = compareIdentities(planned ?? {}, deployed.identity);
  if (planned === undefined || differing.length === 0) return same;
  const text = differing.includes('uid')
    ? `The plan was made for the cluster ${nameOf({ server: planned.server, identity: planned }, deployed)}, and this is ${nameOf(deployed, deployed)}`
    : `The plan was made when the Namespace ${settings.inventoryNamespace} of the inventories had the uid ${planned.inventoryUid}, and it has ${deployed.identity.inventoryUid}: it was made again since, or this is another cluster`;
  throw new FieldwiseError('plan-of-another', 'usage', text, {
    location: { server: deployed.server },
    next: 'Nothing was changed. Deploy the plan to its own cluster, or make one for this cluster with `fieldwise diff --output-file plan=FILE`.',
  });
}

/** Names a cluster by its uid, its server, and the environments that are pinned to it. */
function nameOf({ server, identity: { uid = '' } }: DeployedCluster, { environments }: DeployedCluster): string {
  const names = environments?.get(uid) ?? [];
  return `${names.length === 0 ? '' : `of ${names.join(', ')}, `}${uid} (${server})`;
}

/** Returns the warning of a plan that is saved without anything that tells its cluster from others. */
export function unboundWhenSaved(identity: ClusterIdentity, inventoryNamespace: string): RunDiagnostic | undefined {
  if (!isUnknown(identity)) return undefined;
  return {
    event: 'warning',
    code: 'bound-to-no-cluster',
    message: `The plan is bound to no cluster, because the uids of the Namespaces kube-system and ${inventoryNamespace} cannot be read: a deploy of it to another cluster is not noticed`,
    next: grantText,
  };
}

/** Returns the warning of a deploy of a plan of which no uid was compared. */
export function unboundWhenDeployed({ cluster: planned }: SavedPlan, compared: ClusterIdentity): RunDiagnostic | undefined {
  if (!isUnknown(compared)) return undefined;
  const why = isUnknown(planned ?? {})
    ? 'it has no uid of the cluster for which it was made'
    : 'the uids that it has of its cluster cannot be read here';
  return {
    event: 'warning',
    code: 'bound-to-no-cluster',
    message: `The plan is bound to no cluster, because ${why}: nothing shows whether this is the cluster for which it was made`,
    next: grantText,
  };
}

const grantText =
  'Grant the permissions to get these Namespaces, which `fieldwise rbac` prints, to those who plan and to those who deploy (docs/diff.md#saved-plans).';
