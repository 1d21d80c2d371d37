import type { RunSummary } from '../report/events.js';
import { Cleanup } from './cleanup.js';
import { refuse } from './refuse.js';
import type { Run } from './run.js';

/** The two parts of a run that changes the cluster. */
export interface RunParts<Prepared> {
  /** Locks, reads and asks; changes nothing but locks. `cleanup` receives what the run holds. */
  prepare(cleanup: Cleanup): Promise<Prepared>;
  /** Receives the error of `prepare` while the locks are still held; an error that it throws ends the run without a report. */
  beforeRefusal?(error: unknown): void;
  /** Changes the cluster. `cleanup` receives what the run holds. The summary contains the error that it throws. */
  change(prepared: Prepared, cleanup: Cleanup): Promise<void>;
}

/**
 * Carries a run out. An error before the first change refuses it, and a later one fails it; in any case, everything that it holds is given
 * up before its summary is reported.
 *
 * @throws the error of `prepare` if it is of kind `usage`, after the summary; the error of `beforeRefusal`, without one.
 */
export async function carryOut<Prepared>(run: Run, { prepare, beforeRefusal, change }: RunParts<Prepared>): Promise<RunSummary> {
  const cleanup = new Cleanup();
  const prepared = await settled(prepare(cleanup));
  if ('error' in prepared) {
    try {
      beforeRefusal?.(prepared.error);
    } finally {
      await cleanup.run();
    }
    return refuse(run, prepared.error);
  }
  try {
    await change(prepared.value, cleanup);
  } catch (error) {
    run.fail(error);
  } finally {
    await cleanup.run();
  }
  return run.finish();
}

function settled<T>(promise: Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}
