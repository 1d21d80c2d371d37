import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { admissionDenialOf, type ClusterClient, isForbidden, type RequestLock } from '../../kubernetes/index.js';
import type { Clocks } from '../../util/clocks.js';
import { FieldwiseError } from '../../util/error.js';
import { type StackIdentity, shardName } from '../inventory/inventory-store.js';
import type { WaitingForLock } from '../report/events.js';
import { acquireLease } from './acquire-lease.js';
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
  readonly clocks: Clocks;
  readonly onWait: (wait: Omit<WaitingForLock, 'event'>) => void;
}

/** The locks of a run: one Lease per stack, in the namespace of the inventories. Only the holder writes for that stack. */
export class StackLock implements RequestLock {
  readonly #held: ReadonlyMap<StackIdentity, HeldLease>;
  readonly #retryTimeoutMs: number;

  private constructor(held: ReadonlyMap<StackIdentity, HeldLease>, retryTimeoutMs: number) {
    this.#held = held;
    this.#retryTimeoutMs = retryTimeoutMs;
  }

  /**
   * Takes the leases of all stacks, in the order of their names, so that two runs never wait for each other.
   *
   * @throws FieldwiseError `stack-locked`, `lock-forbidden`, `lock-lost`, `interrupted`; then none is held.
   */
  static async acquire(cluster: ClusterClient, stacks: readonly StackIdentity[], options: LockOptions): Promise<StackLock> {
    const held = new Map<StackIdentity, HeldLease>();
    const lock = new StackLock(held, cluster.retryTimeoutMs);
    const { namespace, leaseDurationSeconds: durationSeconds, clocks } = options;
    const run = { cluster, namespace, holder: holderOfThisRun(), durationSeconds, since: new Date(clocks.wall()), clocks };
    const byName = new Map(stacks.map((stack) => [shardName(stack, 0), stack]));
    try {
      for (const name of [...byName.keys()].sort()) {
        const stack = byName.get(name) as StackIdentity;
        // A run that has lost one of its locks takes no further one.
        const next = new LeaseObject({ ...run, name, cluster: cluster.withContext({ lock }) });
        const acquired = await acquireLease(next.withContext(options.signal), { ...options, stack: stack.stack });
        held.set(stack, new HeldLease(new LeaseObject({ ...run, name }), acquired, { stack: stack.stack, durationSeconds, clocks }));
      }
      return lock;
    } catch (error) {
      await lock.release();
      throw lockForbiddenError(error, namespace) ?? error;
    }
  }

  /** Returns true while no other run can have taken any of the leases. */
  get isCertain(): boolean {
    return [...this.#held.values()].every((lease) => lease.isCertain);
  }

  /**
   * Resolves while this run holds all leases; waits up to the cluster's `retryTimeoutMs` to find out.
   *
   * @throws FieldwiseError `lock-lost`.
   */
  async ensureHeld(): Promise<void> {
    for (const lease of this.#held.values()) await lease.ensureHeld(this.#retryTimeoutMs);
  }

  /**
   * Releases all leases: empties those of stacks that have an inventory, and deletes those of all others. Never throws: a lease that cannot
   * be released expires.
   *
   * @param hasInventory returns undefined if the run does not know; then the Lease is kept unless the run created it.
   */
  async release(hasInventory: (stack: StackIdentity) => boolean | undefined = () => undefined): Promise<void> {
    await Promise.allSettled([...this.#held].map(([stack, lease]) => lease.release(hasInventory(stack))));
  }
}

/**
 * Returns the stacks that have a Lease: a run works on them, or has left it behind.
 *
 * @throws FieldwiseError `lock-forbidden`.
 */
export async function leasedAmong(
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
