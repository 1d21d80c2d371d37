import type { Cluster } from '../../kubernetes/index.js';
import { defaultInventoryNamespace } from '../inventory/namespace.js';
import type { StackIdentity } from '../inventory/store.js';
import { defaultLeaseSeconds } from '../lock/lease.js';
import { StackLock } from '../lock/lock.js';
import type { EventHost } from './events.js';
import type { RunOptions } from './options.js';

/** The cluster as a run sees it that holds the locks of its stacks. */
export interface Session {
  /** For objects: stops between requests when the run is interrupted. */
  readonly cluster: Cluster;
  /** For what must be written down also after an interrupt. */
  readonly records: Cluster;
  /** Gives up the locks; never throws. */
  end(): Promise<void>;
}

/**
 * Locks stacks for a run. Every request of the session is sent only while the locks are certainly held.
 *
 * @throws FieldwiseError `stack-locked`, `lock-forbidden`, `interrupted`.
 */
export async function beginSession(
  cluster: Cluster,
  stacks: readonly StackIdentity[],
  options: RunOptions,
  host: EventHost,
): Promise<Session> {
  const { signal } = options;
  const watched = watchedBy(cluster, host);
  const lock = await StackLock.take(watched, stacks, {
    namespace: options.inventoryNamespace ?? defaultInventoryNamespace,
    waitSeconds: options.waitLock ?? 0,
    leaseSeconds: options.leaseSeconds ?? defaultLeaseSeconds,
    signal,
    onWait: (wait) => host({ event: 'waiting-for-lock', ...wait }),
  });
  const records = watched.attendedBy({ gate: () => lock.certain() });
  return { cluster: records.attendedBy({ signal }), records, end: () => lock.release() };
}

/** The cluster; it is asked for its version once a run, and again where it did not answer. */
export function knowingVersion(cluster: Cluster, known: { version?: Promise<string> | undefined } = {}): Cluster {
  return {
    ...cluster,
    version() {
      known.version ??= cluster.version().catch((error: unknown) => {
        known.version = undefined;
        throw error;
      });
      return known.version;
    },
    attendedBy: (attendance) => knowingVersion(cluster.attendedBy(attendance), known),
  };
}

/** The cluster with its retries shown. */
export function watchedBy(cluster: Cluster, host: EventHost): Cluster {
  return cluster.attendedBy({ onRetry: (retry) => host({ event: 'retrying', ...retry }) });
}
