import { type Cluster, publicCluster } from '../kubernetes/cluster.js';
import { connect as connection, createClusterClient, Transport } from '../kubernetes/index.js';
import { checkOptions } from './check-options.js';

/**
 * A `KubeConfig` of @kubernetes/client-node, or another object with the lists of one. Its members are those of the client, such as `caData` and
 * `exec`.
 */
export interface KubeConfigObject {
  readonly clusters: readonly object[];
  readonly users: readonly object[];
  readonly contexts: readonly object[];
  /** The name of the context that is used unless `context` names another. */
  readonly currentContext: string;
}

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
export async function connect(options?: ConnectOptions): Promise<Cluster>;
/**
 * Opens the cluster of a `KubeConfig` of @kubernetes/client-node, which a program with that client has anyway. Its context is used as one
 * from a file, and so are authenticators that the program has added to it.
 *
 * @example
 * ```ts
 * const config = new KubeConfig();
 * config.loadFromDefault();
 * await using cluster = await connect(config);
 * ```
 *
 * @throws FieldwiseError `option-invalid`, `kubeconfig-invalid`.
 */
export async function connect(kubeConfig: KubeConfigObject, options?: Omit<ConnectOptions, 'kubeconfig'>): Promise<Cluster>;
export async function connect(first: ConnectOptions | KubeConfigObject = {}, second: ConnectOptions = {}): Promise<Cluster> {
  const kubeConfig = isKubeConfig(first) ? first : undefined;
  const options = isKubeConfig(first) ? second : first;
  checkOptions(options);
  const found = await connection({ kubeconfig: kubeConfig ?? options.kubeconfig, kubeContext: options.context });
  const transport = new Transport(found, options.concurrency === undefined ? {} : { concurrency: options.concurrency });
  return publicCluster(createClusterClient(transport, options.namespace ?? found.namespace ?? 'default'));
}

function isKubeConfig(value: object): value is KubeConfigObject {
  const { clusters, users, contexts } = value as Partial<KubeConfigObject>;
  return [clusters, users, contexts].every(Array.isArray);
}
