import { type Cluster, connect as connection, createCluster, Transport } from '../kubernetes/index.js';

/** The cluster to connect to. */
export interface ConnectOptions {
  /**
   * The path of a kubeconfig file.
   *
   * @default `KUBECONFIG`, then `~/.kube/config`, then the service account of a pod
   */
  readonly kubeconfig?: string;
  /**
   * A context of the kubeconfig.
   *
   * @default its current context
   */
  readonly context?: string;
  /**
   * The namespace of objects that have none.
   *
   * @default the namespace of the context
   */
  readonly namespace?: string;
  /**
   * The maximum number of concurrent requests.
   *
   * @default 16
   */
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
