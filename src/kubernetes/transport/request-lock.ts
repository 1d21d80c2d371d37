import { FieldwiseError } from '../../util/error.js';
/** A lock under which requests are sent. */
export interface RequestLock {
  /** True while nobody else can hold the lock. */
  readonly isCertain: boolean;
  /** Resolves once it is certain that the lock is held; rejects with the error for a request that is not sent, if it is lost. */
  ensureHeld(): Promise<void>;
}

/** The part of a request's context that is about its lock. */
interface Held {
  readonly lock?: RequestLock | undefined;
}

/**
 * Resolves when a request may be sent.
 *
 * @param closing aborts when the whole transport ends.
 * @throws FieldwiseError `interrupted`; the error of a lock that is lost.
 */
export async function admit({ signal, lock }: Held & { readonly signal?: AbortSignal | undefined }, closing?: AbortSignal): Promise<void> {
  const requireRunning = () => {
    if (signal?.aborted || closing?.aborted) throw new FieldwiseError('interrupted', 'interrupted', 'Interrupted');
  };
  requireRunning();
  if (lock === undefined || lock.isCertain) return;
  await lock.ensureHeld();
  requireRunning();
}

/**
 * Resolves if the outcome of a write that the server may have carried out is known, because its sender has held its lock all the time.
 *
 * @throws FieldwiseError `outcome-unknown` if the lock was lost meanwhile: another run may have written before or after it.
 */
export async function confirmOutcome({ lock }: Held): Promise<void> {
  if (lock === undefined || lock.isCertain) return;
  await lock.ensureHeld().catch((cause: unknown) => {
    throw outcomeUnknown(cause);
  });
}

/** Returns the error for a write that was in flight when its sender lost its lock. */
export function outcomeUnknown(cause: unknown): FieldwiseError {
  const next = cause instanceof FieldwiseError && cause.next !== undefined ? { next: cause.next } : {};
  return new FieldwiseError(
    'outcome-unknown',
    'resource',
    'The outcome is not known: the request was in flight when the run lost its lock, and the server may have carried it out before or after another run',
    { ...next, cause },
  );
}

/** Returns true if a request changes nothing on the server. */
export function isReadOnly({
  method,
  query,
}: {
  readonly method: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
}): boolean {
  return method === 'GET' || query?.dryRun === 'All';
}
