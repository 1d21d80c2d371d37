import { FieldwiseError } from '../../util/error.js';
import { pause } from '../../util/pause.js';
import type { Lease, LeaseObject } from './lease.js';

const releaseTimeoutMs = 5_000; // milliseconds

/** A lease that this run holds: it is renewed until it is released or lost. */
export class HeldLease {
  readonly stack: string;
  readonly #object: LeaseObject;
  readonly #durationSeconds: number;
  readonly #stop = new AbortController();
  readonly #renewals: Promise<void>;
  #lease: Lease;
  /** The time at which the last successful renewal was sent: others cannot have seen a change later than that. */
  #renewedAt: number;
  #lost: FieldwiseError | undefined;
  #onRenewal: () => void = () => {};
  #nextRenewal = Promise.resolve();

  /** @param sentAt the time at which the request was sent that took the lease. */
  constructor(stack: string, object: LeaseObject, lease: Lease, seconds: number, sentAt: number) {
    this.stack = stack;
    this.#object = object;
    this.#lease = lease;
    this.#durationSeconds = seconds;
    this.#renewedAt = sentAt;
    this.#renewals = this.#renew();
  }

  /**
   * Resolves while this run certainly holds the lease. If it could not be renewed in time, waits until its holder is known.
   *
   * @throws FieldwiseError `lock-lost`; also where that takes longer than `retryTimeoutMs`.
   */
  async ensureHeld(retryTimeoutMs: number): Promise<void> {
    const started = performance.now();
    for (;;) {
      if (this.#lost) throw this.#lost;
      // The rest of the duration is left for the request that is about to be sent.
      if (performance.now() - this.#renewedAt < this.#durationSeconds * 700) return;
      if (performance.now() - started > retryTimeoutMs)
        this.#lost = this.#lockLostError('it could not be renewed in time', 'Find out why the API server does not respond, then run again');
      await Promise.race([this.#nextRenewal, pause(1_000)]);
    }
  }

  /** Releases the lease, so that the next run need not wait. Errors may be ignored: the lease expires. */
  async release(): Promise<void> {
    this.#stop.abort();
    await this.#renewals;
    if (this.#lost) return;
    const object = this.#object.withContext(AbortSignal.timeout(releaseTimeoutMs));
    for (let round = 0; round < 3; round++) {
      if (await object.remove(this.#lease)) return;
      const now = await object.read();
      if (!now || !object.isOurs(now)) return;
      this.#lease = now; // a renewal whose response was lost
    }
  }

  async #renew(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted && !this.#lost) {
      this.#nextRenewal = new Promise((resolve) => {
        this.#onRenewal = resolve;
      });
      await pause((this.#durationSeconds * 1_000) / 3, signal).catch(() => undefined);
      if (signal.aborted) break;
      await this.#renewOnce().catch(() => undefined); // tried again in time; `ensureHeld` waits
      this.#onRenewal();
    }
    this.#onRenewal();
  }

  async #renewOnce(): Promise<void> {
    const sentAt = performance.now();
    const object = this.#object.withContext(this.#stop.signal);
    let renewed = await object.update(this.#lease);
    if (!renewed) {
      const now = await object.read();
      if (now && !object.isOurs(now)) {
        this.#lost = this.#lockLostError(`${now.holder} took it over`, 'Run again when that run has ended');
        return;
      }
      // Either ours after a lost response, or deleted by hand and not taken since.
      renewed = now ? await object.update(now) : await object.create();
      if (!renewed) return;
    }
    this.#lease = renewed;
    this.#renewedAt = sentAt;
  }

  #lockLostError(how: string, next: string): FieldwiseError {
    return new FieldwiseError('lock-lost', 'resource', `This run no longer holds the lock of stack ${this.stack}: ${how}`, {
      next: `It has stopped between two requests. ${next}: completed work is detected and skipped.`,
    });
  }
}
