import type { Command } from 'commander';
import type { Cluster } from '../cluster/index.js';

/** Flags of every command that talks to a cluster. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly kubeContext?: string;
  readonly namespace?: string;
  readonly inventoryNamespace?: string;
}

export function addClusterFlags(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig to use (default: KUBECONFIG, ~/.kube/config, the service account of a pod)')
    .option('--kube-context <name>', 'context of the kubeconfig')
    .option('-n, --namespace <name>', 'namespace of objects that name none (default: that of the context)')
    .option('--inventory-namespace <name>', 'namespace of the inventories (default: fieldwise-system)');
}

export interface ClusterSettings {
  readonly kubeconfig?: string | undefined;
  readonly kubeContext?: string | undefined;
  readonly namespace?: string | undefined;
  readonly concurrency?: number | undefined;
}

/** Opens the cluster that flags and configuration name; the caller closes it. */
export async function openCluster(settings: ClusterSettings): Promise<Cluster> {
  const { clusterOver, connect, Transport } = await import('../cluster/index.js');
  const connection = await connect({ kubeconfig: settings.kubeconfig, kubeContext: settings.kubeContext });
  const transport = new Transport(connection, settings.concurrency === undefined ? {} : { concurrency: settings.concurrency });
  return clusterOver(transport, settings.namespace ?? connection.namespace ?? 'default');
}
