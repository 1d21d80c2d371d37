import { type Cluster, connect as connection, createCluster, Transport } from '../kubernetes/index.js';

/** Which cluster to talk to. */
export interface ConnectOptions {
  /** A kubeconfig file; default: `KUBECONFIG`, `~/.kube/config`, then the service account of a pod. */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig; default: its current one. */
  readonly context?: string;
  /** Namespace of objects that name none; default: that of the context. */
  readonly namespace?: string;
  /** Requests in flight at once. Default 16. */
  readonly concurrency?: number;
}

/**
 * Opens a cluster. Nothing is sent yet. Close it when done, or the process stays alive for a moment.
 *
 * @throws FieldwiseError `kubeconfig-invalid`, `kubeconfig-missing`.
 */
export async function connect(options: ConnectOptions = {}): Promise<Cluster> {
  const found = await connection({ kubeconfig: options.kubeconfig, kubeContext: options.context });
  const transport = new Transport(found, options.concurrency === undefined ? {} : { concurrency: options.concurrency });
  return createCluster(transport, options.namespace ?? found.namespace ?? 'default');
}
