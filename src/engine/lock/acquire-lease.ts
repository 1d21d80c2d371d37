import { contentionRounds } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { type Machine, type Moment, momentOf } from '../../util/machine.js';
import type { WaitingForLock } from '../report/events.js';
import type { Lease, LeaseObject } from './lease.js';

/** Options of taking a lease. */
export interface AcquireOptions {
  readonly stack: string;
  /** Seconds to wait for a live holder; 0 refuses as soon as the holder proves to be alive. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal | undefined;
  readonly machine: Machine;
  /** The lease as this run has read it, together with others, so that their holders prove to be dead or alive at the same time. */
  readonly seen: SeenLease;
  readonly onWait: (wait: Omit<WaitingForLock, 'event'>) => void;
}

/** A lease as it was read at a time; undefined if there was none. */
export interface SeenLease {
  readonly lease: Lease | undefined;
  /** By the monotonic clock of this machine, in milliseconds. */
  readonly at: number;
}

/** A lease that was taken. */
export interface AcquiredLease {
  readonly lease: Lease;
  /** The time at which the request was sent that took it. */
  readonly sentAt: Moment;
  /** The lease as the run before this one left it, if there was one. */
  readonly previous?: Lease;
}

/**
 * Takes the lease of a stack. The machine of two machines are never compared: a holder is alive as long as its lease changes, and dead when
 * this process has seen no change for the duration that the lease names.
 *
 * @throws FieldwiseError `stack-locked` where a live run holds it, `lock-contended` where the server refuses it repeatedly although nobody
 * holds it; `interrupted`.
 */
export async function acquireLease(lease: LeaseObject, options: AcquireOptions): Promise<AcquiredLease> {
  const { machine, signal, seen } = options;
  const started = machine.monotonic();
  const waitedSeconds = () => (machine.monotonic() - started) / 1_000;
  let sentAt = momentOf(machine);
  let last: Lease | undefined;
  let attempted: Lease | undefined;
  let unchangedSince = seen.at;
  let refused = 0;
  for (let isFirst = true; ; isFirst = false) {
    const now = isFirst ? seen.lease : await lease.read();
    if (!now) {
      sentAt = momentOf(machine);
      attempted = undefined;
      const created = await lease.create();
      if (created) return { lease: created, sentAt };
      if (++refused >= contentionRounds) throw lockContendedError(lease, options, 'is refused as if it existed, and read as absent');
      await machine.pause(100 * refused, signal);
      continue;
    }
    // Our own write, whose response was lost.
    if (lease.isOurs(now)) return { lease: now, sentAt, ...(attempted ? { previous: attempted } : {}) };
    const changed = last !== undefined && last.sign !== now.sign;
    const isFree = now.holder === '';
    if (last === undefined && !isFree) options.onWait(lockWait(now, options));
    if (changed || (last === undefined && !isFirst)) unchangedSince = machine.monotonic();
    const isDead = machine.monotonic() - unchangedSince > now.durationSeconds * 1_000;
    if (isFree || isDead) {
      sentAt = momentOf(machine);
      attempted = now;
      const taken = await lease.take(now);
      if (taken) return { lease: taken, sentAt, previous: now };
      // Another run that takes the lease changes it; a free lease that stays unchanged and is refused is not contended by runs.
      if (!changed && ++refused >= contentionRounds) throw lockContendedError(lease, options, 'is refused, although nobody holds it');
      if (changed && waitedSeconds() >= Math.max(options.timeoutSeconds, now.durationSeconds)) throw stackLockedError(lease, now, options);
    } else if (changed && waitedSeconds() >= options.timeoutSeconds) {
      throw stackLockedError(lease, now, options);
    }
    last = now;
    await machine.pause(Math.min(1_000, now.durationSeconds * 100), signal);
  }
}

function lockWait(lease: Lease, { stack, timeoutSeconds }: AcquireOptions): Omit<WaitingForLock, 'event'> {
  return {
    stack,
    holder: lease.holder,
    since: lease.since,
    timeoutSeconds: Math.max(timeoutSeconds, lease.durationSeconds),
    leaseDurationSeconds: lease.durationSeconds,
  };
}

function lockContendedError(lease: LeaseObject, { stack }: AcquireOptions, what: string): FieldwiseError {
  return new FieldwiseError('lock-contended', 'resource', `The Lease of stack ${stack} ${what}, ${contentionRounds} times in a row`, {
    next: `Nothing was changed. Check ${lease.text}, and admission webhooks that may refuse it; then run again.`,
  });
}

function stackLockedError(object: LeaseObject, { holder, since }: Lease, { stack, timeoutSeconds }: AcquireOptions): FieldwiseError {
  const waited = timeoutSeconds > 0 ? ` after ${timeoutSeconds} s` : '';
  return new FieldwiseError('stack-locked', 'resource', `Stack ${stack} is locked${waited}: ${holder} has worked on it since ${since}`, {
    next: `Nothing was changed. Run again when that run has ended, or wait for it with --wait-lock (library: \`lockTimeoutSeconds\`). A run without its Lease stops: \`${object.deletionCommand}\` ends it, whoever renews it; the next run waits until it must have noticed.`,
  });
}
