import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { Cluster, Connection } from '../kubernetes/index.js';

/** Flags of every command that talks to a cluster. */
export interface ClusterFlags {
  readonly cluster?: string;
  readonly kubeconfig?: string;
  readonly kubeContext?: string;
  readonly namespace?: string;
  readonly inventoryNamespace?: string;
}

export function addClusterFlags(command: Command): Command {
  return command
    .option('--cluster <name>', 'embedded: the API server of Fieldwise itself, with its state under .fieldwise/cluster')
    .option('--kubeconfig <file>', 'kubeconfig to use (default: KUBECONFIG, ~/.kube/config, the service account of a pod)')
    .option('--kube-context <name>', 'context of the kubeconfig')
    .option('-n, --namespace <name>', 'namespace of objects that name none (default: that of the context)')
    .option('--inventory-namespace <name>', 'namespace of the inventories (default: fieldwise-system)');
}

export interface ClusterSettings {
  readonly cluster?: 'embedded' | undefined;
  /** The project, which holds the state of the embedded cluster. */
  readonly directory?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly kubeContext?: string | undefined;
  readonly namespace?: string | undefined;
  readonly concurrency?: number | undefined;
}

/** Opens the cluster that flags and configuration name; the caller closes it. */
export async function openCluster(settings: ClusterSettings): Promise<Cluster> {
  const { createClusterClient, connect, Transport } = await import('../kubernetes/index.js');
  const embedded = settings.cluster === 'embedded' ? await openEmbedded(settings.directory ?? process.cwd()) : undefined;
  const connection = embedded?.connection ?? (await connect({ kubeconfig: settings.kubeconfig, kubeContext: settings.kubeContext }));
  const transport = new Transport(connection, settings.concurrency === undefined ? {} : { concurrency: settings.concurrency });
  const cluster = createClusterClient(transport, settings.namespace ?? connection.namespace ?? 'default');
  if (embedded === undefined) return cluster;
  return {
    ...cluster,
    close() {
      cluster.close();
      embedded.close();
    },
  };
}

/** Where a project keeps its embedded cluster: the nearest directory above that has one, else in the project. */
export function embeddedDirectory(project: string): string {
  for (let directory = project; ; directory = path.dirname(directory)) {
    const candidate = path.join(directory, '.fieldwise', 'cluster');
    if (existsSync(candidate)) return candidate;
    if (directory === path.dirname(directory)) return path.join(project, '.fieldwise', 'cluster');
  }
}

/** The server that runs on the project's state already, or one that lives as long as this command. */
async function openEmbedded(project: string): Promise<{ readonly connection: Connection; close(): void }> {
  const { EmbeddedApiServer, runningServer } = await import('../embedded/index.js');
  const data = embeddedDirectory(project);
  const running = runningServer(data);
  const started = running === undefined ? await EmbeddedApiServer.start({ data }) : undefined;
  const { url, token, ca } = started ?? (running as NonNullable<typeof running>);
  const headers = async () => ({ Authorization: `Bearer ${token}` });
  return {
    connection: { server: url, tls: ca === undefined ? {} : { ca }, headers, namespace: 'default', context: 'embedded' },
    close: () => void started?.stop(),
  };
}
