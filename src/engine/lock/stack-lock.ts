import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { admissionDenialOf, type ClusterClient, isForbidden } from '../../kubernetes/index.js';
import { asyncDispose } from '../../util/async-dispose.js';
import { FieldwiseError } from '../../util/error.js';
import { type StackIdentity, shardName } from '../inventory/inventory-store.js';
import type { WaitingForLock } from '../report/events.js';
import { type AcquireOptions, acquireLease } from './acquire-lease.js';
import { HeldLease } from './held-lease.js';
import { LeaseObject, leases } from './lease.js';

/** Options of locking stacks. */
export interface LockOptions {
  readonly namespace: string;
  /** Seconds to wait for another live run. */
  readonly timeoutSeconds: number;
  /** Seconds without a renewal after which this run counts as dead. */
  readonly leaseDurationSeconds: number;
  readonly signal: AbortSignal | undefined;
  readonly onWait: (wait: Omit<WaitingForLock, 'event'>) => void;
}

/** The locks of a run: one Lease per stack, in the namespace of the inventories. Only the holder writes for that stack. */
export class StackLock {
  readonly #held: readonly HeldLease[];
  readonly #retryTimeoutMs: number;

  private constructor(held: readonly HeldLease[], retryTimeoutMs: number) {
    this.#held = held;
    this.#retryTimeoutMs = retryTimeoutMs;
  }

  /**
   * Takes the leases of all stacks, in the order of their names, so that two runs never wait for each other.
   *
   * @throws FieldwiseError `stack-locked`, `lock-forbidden`, `interrupted`; then none is held.
   */
  static async acquire(cluster: ClusterClient, stacks: readonly StackIdentity[], options: LockOptions): Promise<StackLock> {
    const held: HeldLease[] = [];
    const holder = holderOfThisRun();
    const since = new Date();
    const byName = new Map(stacks.map((stack) => [shardName(stack, 0), stack.stack]));
    try {
      for (const name of [...byName.keys()].sort()) {
        const stack = byName.get(name) as string;
        const lease = new LeaseObject({
          cluster,
          namespace: options.namespace,
          name,
          holder,
          durationSeconds: options.leaseDurationSeconds,
          since,
        });
        held.push(await acquireOne(lease, { ...options, stack }));
      }
      return new StackLock(held, cluster.retryTimeoutMs);
    } catch (error) {
      await new StackLock(held, cluster.retryTimeoutMs).release();
      throw lockForbiddenError(error, options.namespace) ?? error;
    }
  }

  /**
   * Resolves while this run holds all leases; waits up to the cluster's `retryTimeoutMs` to find out.
   *
   * @throws FieldwiseError `lock-lost`.
   */
  async ensureHeld(): Promise<void> {
    for (const lease of this.#held) await lease.ensureHeld(this.#retryTimeoutMs);
  }

  /** Releases all leases. Never throws: a lease that cannot be released expires. */
  async release(): Promise<void> {
    await Promise.allSettled(this.#held.map((lease) => lease.release()));
  }

  [asyncDispose](): Promise<void> {
    return this.release();
  }
}

/**
 * Returns the stacks for which a run, alive or dead, has a Lease.
 *
 * @throws FieldwiseError `lock-forbidden`.
 */
export async function lockedAmong(
  cluster: ClusterClient,
  namespace: string,
  stacks: readonly StackIdentity[],
): Promise<readonly StackIdentity[]> {
  const find = (stack: StackIdentity) => cluster.tryGet({ resource: leases, namespace, name: shardName(stack, 0) });
  try {
    const found = await Promise.all(stacks.map(async (stack) => ((await find(stack)) ? [stack] : [])));
    return found.flat();
  } catch (error) {
    throw lockForbiddenError(error, namespace) ?? error;
  }
}

async function acquireOne(object: LeaseObject, options: LockOptions & AcquireOptions): Promise<HeldLease> {
  const sentAt = performance.now();
  const lease = await acquireLease(object.withContext(options.signal), options);
  const held = new HeldLease(options.stack, object, lease, options.leaseDurationSeconds, sentAt);
  return held;
}

/** Returns a holder name that is readable for people and differs from that of any other run. */
function holderOfThisRun(): string {
  return `${userName()}@${hostname()} (process ${process.pid}, ${randomBytes(4).toString('hex')})`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'somebody'; // the user of a container may have no name
  }
}

function lockForbiddenError(error: unknown, namespace: string): FieldwiseError | undefined {
  if (!isForbidden(error) || admissionDenialOf(error) !== undefined) return undefined;
  return new FieldwiseError('lock-forbidden', 'resource', `These credentials may not lock stacks: ${error.message}`, {
    location: { object: `Namespace ${namespace}` },
    next: `Grant get, create, update and delete of leases.coordination.k8s.io in namespace ${namespace}: without a lock, two runs of one stack could undo each other's work.`,
    cause: error,
  });
}
