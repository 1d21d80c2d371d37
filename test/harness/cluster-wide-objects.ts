import { TestCluster } from './cluster.js';

const clusterWide = [
  ['v1', 'Namespace'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'],
] as const;

/** Names of what tests could leave behind in a cluster; whatever is new at the end of a run was left. */
export async function clusterWideObjects(kubeconfig: string): Promise<string[]> {
  const cluster = new TestCluster(kubeconfig);
  const lists = await Promise.all(
    clusterWide.map(async ([apiVersion, kind]) => (await cluster.list(apiVersion, kind)).map(({ metadata }) => `${kind} ${metadata.name}`)),
  );
  cluster.client.close();
  return lists.flat();
}
