import { contentionRounds } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { pause } from '../../util/pause.js';
import type { WaitingForLock } from '../report/events.js';
import type { Lease, LeaseObject } from './lease.js';

/** Options of taking a lease. */
export interface AcquireOptions {
  readonly stack: string;
  /** Seconds to wait for a live holder; 0 refuses as soon as the holder proves to be alive. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal | undefined;
  readonly onWait: (wait: Omit<WaitingForLock, 'event'>) => void;
}

/**
 * Takes the lease of a stack. Clocks are never compared: a holder is alive as long as its lease changes, and dead when this process has
 * seen no change for the duration that the lease names.
 *
 * @throws FieldwiseError `stack-locked` where a live run holds it, `lock-contended` where the server refuses it repeatedly although nobody
 * holds it; `interrupted`.
 */
export async function acquireLease(lease: LeaseObject, options: AcquireOptions): Promise<Lease> {
  const created = await lease.create();
  if (created) return created;
  const started = performance.now();
  let last: Lease | undefined;
  let unchangedSince = started;
  let refused = 0;
  for (;;) {
    const now = await lease.read();
    if (!now) {
      const again = await lease.create();
      if (again) return again;
      if (++refused >= contentionRounds) throw lockContendedError(lease, options, 'is refused as if it existed, and read as absent');
      await pause(100 * refused, options.signal);
      continue;
    }
    if (lease.isOurs(now)) return now; // our own write, whose response was lost
    const changed = last !== undefined && last.version !== now.version;
    if (last === undefined) options.onWait(lockWait(now, options));
    if (last === undefined || changed) unchangedSince = performance.now();
    const dead = performance.now() - unchangedSince > now.durationSeconds * 1_000;
    if (dead || now.holder === '') {
      const acquired = await lease.update(now);
      if (acquired) return acquired;
      // Another run that takes the lease changes it; a free lease that stays unchanged and is refused is not contended by runs.
      if (!changed && ++refused >= contentionRounds) throw lockContendedError(lease, options, 'is refused, although nobody holds it');
      if (changed && performance.now() - started >= Math.max(options.timeoutSeconds, now.durationSeconds) * 1_000)
        throw stackLockedError(now, options);
    } else if (changed && performance.now() - started >= options.timeoutSeconds * 1_000) {
      throw stackLockedError(now, options);
    }
    last = now;
    await pause(Math.min(1_000, now.durationSeconds * 100), options.signal);
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

function stackLockedError({ holder, since }: Lease, { stack, timeoutSeconds }: AcquireOptions): FieldwiseError {
  const waited = timeoutSeconds > 0 ? ` after ${timeoutSeconds} s` : '';
  return new FieldwiseError('stack-locked', 'resource', `Stack ${stack} is locked${waited}: ${holder} has worked on it since ${since}`, {
    next: 'Nothing was changed. Run again when that run has ended, or wait for it with --wait-lock (library: `lockTimeoutSeconds`).',
  });
}
