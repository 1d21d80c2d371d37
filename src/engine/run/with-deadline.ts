import type { Cluster } from '../../kubernetes/index.js';

const minTimeoutMs = 1_000; // milliseconds; a request that is asked for at the end of a wait is still answered

/** The cluster for reads of a wait that ends at `end` (milliseconds since 1970): no server that is away makes it longer. */
export function withDeadline(cluster: Cluster, end: number): Cluster {
  return cluster.withContext({ retryTimeoutMs: Math.max(minTimeoutMs, end - Date.now()) });
}
