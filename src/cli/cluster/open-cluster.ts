import path from 'node:path';
import type { Command } from 'commander';
import type { ClusterClient, Connection } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { nearestWith } from '../../util/nearest-with.js';
import type { ClusterPin } from '../config/cluster-pin.js';
import { helpGroups, inHelpGroup } from '../config/help-groups.js';
import { linkBelow, linkIn } from '../files/link-in.js';
import { growHeapSlowly } from '../process/v8-flags.js';

/** The flags of every command that connects to a cluster. */
export interface ClusterFlags {
  readonly cluster?: string;
  readonly kubeconfig?: string;
  readonly kubeContext?: string;
  readonly namespace?: string;
  readonly inventoryNamespace?: string;
}

/** Adds the flags that select a cluster and its namespaces. */
export function addClusterFlags(command: Command): Command {
  return inHelpGroup(helpGroups.cluster, command, (to) =>
    addKubeconfigFlags(
      to.option(
        '--cluster <name>',
        '`embedded` selects the embedded API server, with its data in .fieldwise/cluster (default: the cluster of the kubeconfig)',
      ),
    )
      .option(
        '-n, --namespace <name>',
        'namespace for objects without one (default: `namespace` in fieldwise.yaml, else that of the kubeconfig context)',
      )
      .option(
        '--inventory-namespace <name>',
        'namespace of the inventories, in which Fieldwise records the objects of each stack (default: `inventory.namespace` in fieldwise.yaml, else fieldwise-system)',
      ),
  );
}

/** Adds the flags that select a kubeconfig and its context. */
export function addKubeconfigFlags(command: Command): Command {
  return inHelpGroup(helpGroups.cluster, command, (to) =>
    to
      .option('--kubeconfig <file>', 'kubeconfig file (default: KUBECONFIG, else ~/.kube/config, else the service account of the pod)')
      .option('--kube-context <name>', 'context of the kubeconfig (default: its current context)'),
  );
}

export interface ClusterSettings {
  readonly cluster?: 'embedded' | undefined;
  /** The directory of the project, which contains the data of the embedded API server. */
  readonly directory?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly kubeContext?: string | undefined;
  readonly namespace?: string | undefined;
  readonly concurrency?: number | undefined;
  /** The number of objects that the command works on, if it is known. */
  readonly objects?: number;
  /** Pins of environments to clusters; the cluster is compared with them first. */
  readonly pin?: ClusterPin | undefined;
}

/** An open cluster, and the context of the kubeconfig that names it. */
export interface OpenCluster extends ClusterClient {
  readonly kubeContext: string;
  /** True for an embedded API server without simulated controllers: nothing makes workloads ready there. */
  readonly hasNoWorkloads?: boolean;
  /** The uid of kube-system, if the pins of environments needed it. */
  readonly uid?: string;
  /** The name of the user in the kubeconfig. */
  readonly kubeconfigUser?: string;
}

/**
 * Opens the cluster that flags and configuration name; the caller closes it.
 *
 * @throws FieldwiseError `cluster-pin-differs`, `cluster-pin-unverified`.
 */
export async function openCluster(settings: ClusterSettings): Promise<OpenCluster> {
  const cluster = await connectTo(settings);
  if (settings.pin === undefined) return cluster;
  try {
    const { checkClusterPin } = await import('./check-cluster-pin.js');
    const uid = await checkClusterPin(cluster, settings.pin);
    return uid === undefined ? cluster : { ...cluster, uid };
  } catch (error) {
    cluster.close();
    throw error;
  }
}

async function connectTo(settings: ClusterSettings): Promise<OpenCluster> {
  const { createClusterClient, connect, Transport } = await import('../../kubernetes/index.js');
  const embedded = settings.cluster === 'embedded' ? await openEmbedded(settings.directory ?? process.cwd()) : undefined;
  if (embedded === undefined) growHeapSlowly(settings.objects); // The program of the stacks has ended by now.
  const connection = embedded?.connection ?? (await connect({ kubeconfig: settings.kubeconfig, kubeContext: settings.kubeContext }));
  const transport = new Transport(connection, settings.concurrency === undefined ? {} : { concurrency: settings.concurrency });
  const client = createClusterClient(transport, settings.namespace ?? connection.namespace ?? 'default');
  const cluster = {
    ...client,
    kubeContext: connection.context,
    ...(connection.user === undefined ? {} : { kubeconfigUser: connection.user }),
  };
  if (embedded === undefined) return cluster;
  return {
    ...cluster,
    hasNoWorkloads: !embedded.simulated,
    close() {
      cluster.close();
      embedded.close();
    },
  };
}

/**
 * Returns the data directory of the embedded API server: the nearest one at or above the project, else one in the project.
 *
 * @throws FieldwiseError `cluster-data-unwritable` if it is a link, or contains one.
 */
export function embeddedDirectory(project: string): string {
  const below = path.join('.fieldwise', 'cluster');
  const owner = nearestWith(project, below) ?? project;
  const link = linkIn(owner, below) ?? linkBelow(path.join(owner, below));
  if (link === undefined) return path.join(owner, below);
  throw new FieldwiseError('cluster-data-unwritable', 'usage', 'The data of the embedded API server is not written through a link', {
    location: { file: link },
    next: 'A clone may have brought it. Nothing was written. Remove the link, or move what it leads to here.',
  });
}

/** Connects to the server that already runs on the project's data, or starts one that stops when this command closes it. */
async function openEmbedded(project: string): Promise<{ readonly connection: Connection; readonly simulated: boolean; close(): void }> {
  const { EmbeddedApiServer, runningServer } = await import('../../entry/embedded-server.js');
  const data = embeddedDirectory(project);
  const running = runningServer(data);
  const started = running === undefined ? await EmbeddedApiServer.start({ data }) : undefined;
  const { url, token, ca } = started ?? (running as NonNullable<typeof running>);
  const headers = async () => ({ Authorization: `Bearer ${token}` });
  return {
    connection: { server: url, tls: ca === undefined ? {} : { ca }, headers, namespace: 'default', context: 'embedded' },
    simulated: running?.simulated === true,
    close: () => void started?.stop(),
  };
}
