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
