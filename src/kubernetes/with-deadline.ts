import type { ClusterClient } from './index.js';

const minTimeoutMs = 1_000; // milliseconds; a request at the end of a wait still gets a response

/**
 * Returns a view of the cluster for reads of a wait that ends at `end` (milliseconds since 1970): an unreachable server does not prolong
 * it.
 */
export function withDeadline(cluster: ClusterClient, end: number): ClusterClient {
  return cluster.withContext({ retryTimeoutMs: Math.max(minTimeoutMs, end - cluster.machine.wall()) });
}
