import { FieldwiseError } from '../../util/error.js';
import { elapsedSince, type Machine, type Moment, momentOf, timeLimit } from '../../util/machine.js';
import { isNamespaceMissing } from '../inventory/namespace.js';
import type { LastRun } from '../inventory/pending-window.js';
import type { AcquiredLease } from './acquire-lease.js';
import type { Lease, LeaseObject } from './lease.js';

const releaseTimeoutMs = 5_000; // milliseconds
const renewalPauseMs = 1_000; // milliseconds

/** Options of holding a lease. */
export interface HeldLeaseOptions {
  readonly stack: string;
  readonly durationSeconds: number;
  readonly machine: Machine;
}

/** The notes that a run leaves in its Lease for the next one. */
export interface ReleaseNote {
  /** The inventory does not have all that the run has applied. @default false */
  readonly isBehind?: boolean;
  readonly late?: LastRun['late'];
}

/** A lease that this run holds: it is renewed until it is released or lost. */
export class HeldLease {
  readonly #object: LeaseObject;
  readonly #options: HeldLeaseOptions;
  readonly #stop = new AbortController();
  readonly #renewals: Promise<void>;
  #lease: Lease;
  /** The time at which the last confirmed renewal was sent: others cannot have seen a change later than that. */
  #renewedAt: Moment;
  #renewal: Promise<void> | undefined;
  #lost: FieldwiseError | undefined;
  #mayReadNamespace = true;

  constructor(object: LeaseObject, { lease, sentAt }: AcquiredLease, options: HeldLeaseOptions) {
    this.#object = object;
    this.#options = options;
    this.#lease = lease;
    this.#renewedAt = sentAt;
    this.#renewals = this.#renewUntilStopped();
  }

  /** Returns true while no other run can have taken the lease. The rest of its duration is left for the request that is about to be sent. */
  get isCertain(): boolean {
    const { machine, durationSeconds } = this.#options;
    return this.#lost === undefined && elapsedSince(machine, this.#renewedAt) < durationSeconds * 700;
  }

  /**
   * Resolves while this run certainly holds the lease; renews it first where that is not certain.
   *
   * @throws FieldwiseError `lock-lost`; also where the renewal takes longer than `retryTimeoutMs`.
   */
  async ensureHeld(retryTimeoutMs: number): Promise<void> {
    const { machine } = this.#options;
    const started = machine.monotonic();
    while (!this.isCertain) {
      if (this.#lost) throw this.#lost;
      const left = retryTimeoutMs - (machine.monotonic() - started);
      if (left <= 0) {
        this.#lost = this.#lockLostError('it could not be renewed in time', 'Find out why the API server does not respond, then run again');
        continue;
      }
      await within(machine, left, async (signal) => {
        await this.#renewNow();
        if (!this.isCertain && !this.#lost) await machine.pause(renewalPauseMs, signal);
      });
    }
  }

  /**
   * Releases the lease, so that the next run need not wait. Errors may be ignored: the lease expires.
   *
   * @param keep false deletes it: safe, because a run whose Lease is absent has lost it. Absent, it is kept unless this run created it.
   * @param note what the next run is to know.
   * @returns true if another run holds it, and this one did not know that.
   */
  async release(keep = this.#lease.transitions > 0, note: ReleaseNote = {}): Promise<boolean> {
    this.#stop.abort();
    await Promise.all([this.#renewals, this.#renewal]);
    if (this.#lost) return false;
    const limit = timeLimit(this.#options.machine, releaseTimeoutMs);
    return this.#giveBack(this.#object.withContext(limit.signal), keep, note).finally(limit.cancel);
  }

  async #giveBack(object: LeaseObject, keep: boolean, { isBehind = false, late }: ReleaseNote): Promise<boolean> {
    const isLate = late !== undefined && late.until > this.#options.machine.monotonic();
    const note = { isBehind, lateUntil: isLate ? late.untilOnServer : undefined };
    for (let round = 0; round < 3; round++) {
      if (await (keep ? object.free(this.#lease, note) : object.remove(this.#lease))) return false;
      const now = await object.read();
      if (!now || !object.isSame(now, this.#lease)) return now !== undefined && now.holder !== '' && !object.isOurs(now);
      this.#lease = now; // a renewal whose response was lost
    }
    return false;
  }

  async #renewUntilStopped(): Promise<void> {
    const { signal } = this.#stop;
    const { machine, durationSeconds } = this.#options;
    while (!signal.aborted && !this.#lost) {
      await machine.pause((durationSeconds * 1_000) / 3, signal).catch(() => undefined);
      if (!signal.aborted) await this.#renewNow();
    }
  }

  /** Resolves after an attempt to renew; whoever needs a renewal meanwhile waits for the same one. */
  #renewNow(): Promise<void> {
    this.#renewal ??= this.#renewOnce()
      .catch((error: unknown) => {
        if (isNamespaceMissing(error)) this.#lose(this.#namespaceText('deleted'));
        // Any other error may pass: `ensureHeld` renews again.
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  async #renewOnce(): Promise<void> {
    const object = this.#object.withContext(this.#stop.signal);
    const sentAt = momentOf(this.#options.machine);
    const renewed = await object.renew(this.#lease);
    if (renewed) {
      this.#lease = renewed;
      this.#renewedAt = sentAt;
    }
    const [now, namespace] = await Promise.all([renewed ?? object.read(), this.#mayReadNamespace ? object.namespaceState() : 'forbidden']);
    this.#mayReadNamespace = namespace !== 'forbidden';
    if (namespace === 'terminating' || namespace === 'deleted') return this.#lose(this.#namespaceText(namespace));
    if (now === undefined) return this.#lose('its Lease is gone, so that another run may have taken it and ended');
    if (!object.isSame(now, this.#lease)) return this.#lose(...lossOf(now, object.isOurs(now)));
    this.#lease = now; // where the response to a renewal was lost, or others have written to the Lease
  }

  #namespaceText(state: 'terminating' | 'deleted'): string {
    return `the namespace of its Lease, ${this.#object.namespace}, ${state === 'deleted' ? 'was deleted' : 'is being deleted'}`;
  }

  #lose(how: string, next = 'Run again'): void {
    this.#lost ??= this.#lockLostError(how, next);
  }

  #lockLostError(how: string, next: string): FieldwiseError {
    return new FieldwiseError('lock-lost', 'resource', `This run no longer holds the lock of stack ${this.#options.stack}: ${how}`, {
      next: `It has stopped between two requests. ${next}: completed work is detected and skipped.`,
    });
  }
}

function lossOf({ holder }: Lease, isOurs: boolean): readonly [how: string, next?: string] {
  if (isOurs) return ['its Lease was written by somebody else, so that another run may have taken it and ended'];
  if (holder === '') return ['another run took it over, and has ended'];
  return [`${holder} took it over`, 'Run again when that run has ended'];
}

/** Awaits some work for as long as a time, and no longer. */
async function within(machine: Machine, milliseconds: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const end = new AbortController();
  const { signal } = end;
  const stopped = (error: unknown) => {
    if (!signal.aborted) throw error;
  };
  try {
    await Promise.race([work(signal).catch(stopped), machine.pause(milliseconds, signal).catch(stopped)]);
  } finally {
    end.abort();
  }
}
