import { type Cluster, publicCluster } from '../kubernetes/cluster.js';
import { connect as connection, createClusterClient, Transport } from '../kubernetes/index.js';
import { checkOptions } from './check-options.js';

/** Options of `connect`. */
export interface ConnectOptions {
  /**
   * The path of a kubeconfig file, or the text of one, such as `kubeconfig` of an embedded server.
   *
   * @default `KUBECONFIG`, `~/.kube/config`, then the service account of a pod
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
   * The maximum number of requests that are sent at the same time.
   *
   * @default 16
   */
  readonly concurrency?: number;
}

/**
 * Opens a cluster; sends no request yet. Close it after use, because open connections keep the process alive for a moment.
 *
 * @example
 * ```ts
 * const cluster = await connect({ context: 'staging' });
 * try {
 *   await deploy('dist', cluster);
 * } finally {
 *   cluster.close();
 * }
 * ```
 *
 * @throws FieldwiseError `option-invalid`, `kubeconfig-invalid`, `kubeconfig-missing`.
 */
export async function connect(options: ConnectOptions = {}): Promise<Cluster> {
  checkOptions(options);
  const found = await connection({ kubeconfig: options.kubeconfig, kubeContext: options.context });
  const transport = new Transport(found, options.concurrency === undefined ? {} : { concurrency: options.concurrency });
  return publicCluster(createClusterClient(transport, options.namespace ?? found.namespace ?? 'default'));
}
