import type { ClusterClient } from '../../kubernetes/index.js';
import { asyncDispose } from '../../util/async-dispose.js';
import { InventoryStore, type StackIdentity, shardName } from '../inventory/inventory-store.js';
import { defaultInventoryNamespace } from '../inventory/namespace.js';
import { defaultLeaseDurationSeconds } from '../lock/lease.js';
import { StackLock } from '../lock/stack-lock.js';
import type { EventHost } from '../report/events.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { RunOptions } from './options.js';

/** The cluster for a run that holds the locks of its stacks. */
export interface Session {
  /** For requests about objects: stops between requests when the run is interrupted. */
  readonly cluster: ClusterClient;
  /** The identity of the run, which the revisions of all its stacks share. */
  readonly run: string;
  /** For records that must also be written after an interrupt. */
  readonly records: ClusterClient;
  /** The inventories, read and written by `records`. */
  readonly inventories: InventoryStore;
  /** Returns true if the session has locked a stack. */
  holds(stack: StackIdentity): boolean;
  /** Releases the locks; never throws. */
  end(): Promise<void>;
  /** Gives up the locks at the end of an `await using` block; never throws. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Locks stacks for a run. Every request of the session is sent only while the locks are certainly held, and the outcome of a write counts
 * only if they still are when its response has arrived.
 *
 * @param onWarning receives the warnings of the inventories.
 * @throws FieldwiseError `stack-locked`, `lock-forbidden`, `interrupted`.
 */
export async function beginSession(
  cluster: ClusterClient,
  stacks: readonly StackIdentity[],
  options: Pick<RunOptions, 'inventoryNamespace' | 'lockTimeoutSeconds' | 'leaseDurationSeconds' | 'signal'>,
  host: EventHost,
  onWarning?: (warning: RunDiagnostic) => void,
): Promise<Session> {
  const { signal } = options;
  let isOutdated = false;
  const onUnnamedCreation = ({ message }: Error) => {
    if (!isOutdated) host({ event: 'warning', ...rightsOutdated, message: `${rightsOutdated.message}: ${message}` });
    isOutdated = true;
  };
  const watched = withRetryEvents(cluster, host).withContext({ onUnnamedCreation });
  const lock = await StackLock.acquire(watched, stacks, {
    namespace: options.inventoryNamespace ?? defaultInventoryNamespace,
    timeoutSeconds: options.lockTimeoutSeconds ?? 0,
    leaseDurationSeconds: options.leaseDurationSeconds ?? defaultLeaseDurationSeconds,
    signal,
    onWait: (wait) => host({ event: 'waiting-for-lock', ...wait }),
  });
  const records = watched.withContext({ lock });
  const inventories = new InventoryStore(records, options.inventoryNamespace, onWarning, lock);
  const locked = new Set(stacks.map((stack) => shardName(stack, 0)));
  const holds = (stack: StackIdentity) => locked.has(shardName(stack, 0));
  const end = async () => {
    const taken = await lock.release(
      (stack) => inventories.hasInventory(stack),
      (stack) => inventories.isBehind(stack),
    );
    for (const stack of taken) host(takenWarning(stack));
  };
  return { run: lock.run, cluster: records.withContext({ signal }), records, inventories, holds, end, [asyncDispose]: end };
}

function takenWarning(stack: string): RunDiagnostic {
  return {
    event: 'warning',
    code: 'lock-taken',
    message: `Another run took the lock of stack ${stack} before this one gave it back: where somebody has deleted the Lease, both may have written at once`,
    next: 'Deploy again once that run has ended: what the two have done is compared then.',
  };
}

const rightsOutdated = {
  code: 'rights-outdated',
  message:
    'A record of Fieldwise was created with a right that has no name, as earlier versions needed it, because the one by name is missing',
  next: 'Print the permissions with `fieldwise rbac` and apply them: with the right to create any record, others can make those of this stack.',
} as const;

/** Returns a view of the cluster that requests its version once a run, and again after a failure. */
export function withVersionCache(cluster: ClusterClient, known: { version?: Promise<string> | undefined } = {}): ClusterClient {
  return {
    ...cluster,
    version() {
      known.version ??= cluster.version().catch((error: unknown) => {
        known.version = undefined;
        throw error;
      });
      return known.version;
    },
    withContext: (context) => withVersionCache(cluster.withContext(context), known),
  };
}

/** Returns a view of the cluster that reports its retries. */
export function withRetryEvents(cluster: ClusterClient, host: EventHost): ClusterClient {
  return cluster.withContext({ onRetry: (retry) => host({ event: 'retrying', ...retry }) });
}
