import { ApiError, admissionDenialOf, type ClusterClient, type RequestLock } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { Machine } from '../../util/machine.js';
import { type StackIdentity, shardName } from '../inventory/inventory-store.js';
import { lastWriteOf } from '../inventory/pending-proof.js';
import type { EarlierRuns, LastRun } from '../inventory/pending-window.js';
import { missingRecordRights, missingRightsText } from '../inventory/record-rights.js';
import type { WaitingForLock } from '../report/events.js';
import { lacksRight } from '../report/forbidden.js';
import { type AcquiredLease, acquireLease, type SeenLease } from './acquire-lease.js';
import { HeldLease } from './held-lease.js';
import { defaultLeaseDurationSeconds, LeaseObject, lateLeases, leases } from './lease.js';

const renewalSlackMs = 1_000; // milliseconds

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
export class StackLock implements RequestLock, EarlierRuns {
  readonly #held: ReadonlyMap<StackIdentity, HeldLease>;
  readonly #retryTimeoutMs: number;
  /** The identity of the run, the same for all its stacks: it is part of the name of the holder. */
  readonly run: string;
  /** By the names of the stacks' Leases. */
  readonly #lastRuns = new Map<string, LastRun>();
  /** By the names of the Leases that this run has created: waits once, for all who ask, until a run whose Lease was deleted has stopped. */
  readonly #waits = new Map<string, () => Promise<void>>();

  private constructor(held: ReadonlyMap<StackIdentity, HeldLease>, retryTimeoutMs: number, run: string) {
    this.run = run;
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
    const runId = Buffer.from(cluster.machine.randomBytes(4)).toString('hex');
    const lock = new StackLock(held, cluster.retryTimeoutMs, runId);
    const { namespace, leaseDurationSeconds: durationSeconds } = options;
    const { machine } = cluster;
    const run = { cluster, namespace, holder: holderNameOf(machine, runId), durationSeconds, since: new Date(machine.wall()) };
    const byName = new Map(stacks.map((stack) => [shardName(stack, 0), stack]));
    try {
      // A run that has lost one of its locks takes no further one.
      const leaseNamed = (name: string) =>
        new LeaseObject({ ...run, name, cluster: cluster.withContext({ lock }) }).withContext(options.signal);
      const names = [...byName.keys()].sort();
      const seen = await Promise.all(names.map(async (name) => ({ lease: await leaseNamed(name).read(), at: machine.monotonic() })));
      for (const [index, name] of names.entries()) {
        const stack = byName.get(name) as StackIdentity;
        const how = { ...options, machine, stack: stack.stack, seen: seen[index] as SeenLease };
        const acquired = await acquireLease(leaseNamed(name), how);
        const lastRun = lastRunOf(acquired);
        if (lastRun !== undefined) lock.#lastRuns.set(name, lastRun);
        else if (acquired.previous === undefined) lock.#waits.set(name, lock.#waitAfter(acquired, { ...how, name }));
        held.set(stack, new HeldLease(new LeaseObject({ ...run, name }), acquired, { stack: stack.stack, durationSeconds, machine }));
      }
      return lock;
    } catch (error) {
      await lock.release();
      throw (await lockForbiddenError(error, cluster, namespace, [...byName.keys()][0])) ?? error;
    }
  }

  lastRunOf(stack: StackIdentity): LastRun | undefined {
    return this.#lastRuns.get(shardName(stack, 0));
  }

  async outwait(stacks: readonly StackIdentity[]): Promise<boolean> {
    const waits = stacks.flatMap((stack) => this.#waits.get(shardName(stack, 0)) ?? []);
    await Promise.all(waits.map((wait) => wait()));
    return waits.length > 0;
  }

  /** Returns the wait that `outwait` describes, for a stack whose Lease this run has created just now. */
  #waitAfter(
    { lease, sentAt }: AcquiredLease,
    { name, stack, machine, onWait, signal, ...options }: LockOptions & { name: string; stack: string; machine: Machine },
  ): () => Promise<void> {
    const durationSeconds = Math.max(options.leaseDurationSeconds, defaultLeaseDurationSeconds);
    const end = machine.monotonic() + durationSeconds * 1_000;
    const wait = async () => {
      const left = end - machine.monotonic();
      if (left > 0) {
        onWait({ stack, timeoutSeconds: Math.ceil(left / 1_000), leaseDurationSeconds: durationSeconds });
        await machine.pause(left, signal);
      }
      this.#waits.delete(name);
      // It had its Lease up to now at the latest, as a run that was cut off.
      const lastRun = lastRunOf({ lease, sentAt, previous: { ...lease, durationSeconds } });
      if (lastRun !== undefined) this.#lastRuns.set(name, lastRun);
    };
    let waiting: Promise<void> | undefined;
    return () => (waiting ??= wait());
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
   * @param isBehind returns true if the inventory does not have all that the run has applied.
   * @returns the names of stacks whose locks another run holds, which this one did not know.
   */
  async release(
    hasInventory: (stack: StackIdentity) => boolean | undefined = () => undefined,
    isBehind: (stack: StackIdentity) => boolean = () => false,
  ): Promise<readonly string[]> {
    const held = [...this.#held];
    const released = await Promise.allSettled(
      held.map(([stack, lease]) => lease.release(hasInventory(stack), { isBehind: isBehind(stack), late: this.lastRunOf(stack)?.late })),
    );
    const isTaken = (_: unknown, index: number) => {
      const result = released[index];
      return result?.status === 'fulfilled' && result.value;
    };
    return held.filter(isTaken).map(([{ stack }]) => stack);
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
    throw (await lockForbiddenError(error, cluster, namespace, stacks[0] && shardName(stacks[0], 0))) ?? error;
  }
}

function lastRunOf({ lease, previous, sentAt }: AcquiredLease): LastRun | undefined {
  const lastWrite = previous && lastWriteOf(previous.object);
  if (previous === undefined || lastWrite === undefined) return undefined;
  const durationMs = previous.durationSeconds * 1000;
  // At the latest before its next renewal was due, with a second for whole seconds.
  const until = lastWrite + durationMs / 3 + renewalSlackMs;
  const isFree = previous.holder === '';
  // A run that was cut off before, and of which the run in between has left a note.
  const untilOnServer = Math.max(previous.lateUntil ?? 0, isFree ? 0 : until + lateLeases * durationMs);
  // Requests that it sent may have been carried out as late as that.
  const wroteUntil = untilOnServer > 0 ? untilOnServer : previous.isBehind ? lastWrite : undefined;
  const left = untilOnServer - (lastWriteOf(lease.object) ?? until);
  return {
    until,
    ...(wroteUntil === undefined ? {} : { wroteUntil }),
    ...(left > 0 ? { late: { until: sentAt.monotonic + left, untilOnServer } } : {}),
  };
}

/** Returns a holder name that is readable for people and differs from that of any other run. */
function holderNameOf(machine: Machine, run: string): string {
  const { user, host, pid } = machine.processName();
  return `${user}@${host} (process ${pid}, ${run})`;
}

async function lockForbiddenError(
  error: unknown,
  cluster: ClusterClient,
  namespace: string,
  name: string | undefined,
): Promise<FieldwiseError | undefined> {
  if (!(error instanceof ApiError) || !lacksRight(error) || admissionDenialOf(error) !== undefined) return undefined;
  const missing = missingRightsText(await missingRecordRights(cluster, namespace, name), namespace);
  return new FieldwiseError('lock-forbidden', 'resource', `These credentials may not lock stacks: ${error.message}${missing}`, {
    location: { object: `Namespace ${namespace}` },
    next: `\`fieldwise rbac\` prints the permissions: get, create, patch, update and delete of leases.coordination.k8s.io in namespace ${namespace} by name. Without a lock, two runs of one stack could undo each other's work.`,
    cause: error,
  });
}
