import type { StackIdentity } from './stack-identity.js';

/** The runs that worked on stacks before this one, as its locks know them. */
export interface EarlierRuns {
  /** Returns when the last of them worked on a stack; undefined where it has left no Lease. */
  lastRunOf(stack: StackIdentity): LastRun | undefined;
  /**
   * Waits for runs whose Leases somebody has deleted: whoever finds an inventory finds a Lease, too. Such a run notices it at its next renewal,
   * and has written until then.
   *
   * @param stacks those of which an inventory was found, and not written by this run.
   * @returns true if it has waited: what was found may have changed.
   */
  outwait(stacks: readonly StackIdentity[]): Promise<boolean>;
}

/** When the run before this one can have worked on a stack. */
export interface LastRun extends Omit<PendingWindow, 'since'> {
  /** Until when the server may carry out what runs have sent that were cut off; absent where it carries out nothing any more. */
  readonly late?: {
    /** By the monotonic clock of this machine. */
    readonly until: number;
    /** By the clock of the server, in milliseconds since 1970. */
    readonly untilOnServer: number;
  };
  /**
   * When it can have written at the latest what it has not recorded: when it gave its lock back, else as `until`. By the clock of the server, in milliseconds
   * since 1970; absent where it has recorded everything.
   */
  readonly wroteUntil?: number;
}

/** The time in which the run that wrote a pending entry can have created its object, by the clock of the server. */
export interface PendingWindow {
  /** In milliseconds since 1970. */
  readonly since: number;
  /** Absent where nothing is known of the run's lock. */
  readonly until?: number | undefined;
}
