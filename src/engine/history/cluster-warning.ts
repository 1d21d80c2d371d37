import { type ClusterIdentity, compareIdentities } from '../inventory/cluster-identity.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { Revision } from './revision.js';

/**
 * Returns the warning about a revision that another cluster than this one recorded, such as the one from whose copy this cluster was
 * restored. A rollback goes on: the revision is in this cluster's own history.
 */
export function clusterWarning(
  { revision, cluster = {} }: Pick<Revision, 'revision' | 'cluster'>,
  here: ClusterIdentity,
): RunDiagnostic | undefined {
  const [key] = compareIdentities(cluster, here).differing;
  if (key === undefined) return undefined;
  const whose = key === 'uid' ? 'the Namespace kube-system' : 'the Namespace of the inventories';
  return {
    event: 'warning',
    code: 'revision-of-another-cluster',
    message: `Revision ${revision} was recorded in another cluster, or before this one was restored: ${whose} had the uid ${cluster[key]}, and has ${here[key]}`,
    next: 'Look at the plan: the objects of this cluster may differ from those that the revision left.',
  };
}
