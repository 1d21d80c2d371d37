import type { ObjectReport } from '../report/events.js';
import type { Applied } from './applied.js';

/** The changes that an apply had made, or has perhaps made, when it failed, or the fields that a refusal does not release. */
export type PartialResult = Partial<
  Pick<
    ObjectReport,
    'uid' | 'forcedConflicts' | 'collateral' | 'released' | 'changed' | 'notRead' | 'sensitive' | 'overwritten' | 'replaced' | 'reason'
  >
>;

/** The changes of an apply before it failed. */
export interface ApplyProgress {
  /** The intent as it was merged client-side, before its object could be moved to the server; see `moveToServerSide`. */
  readonly merged?: Applied;
  /** The part of the report that holds although the apply failed: changes made before, or fields that a refusal names. */
  readonly partialResult?: PartialResult;
}

/** An apply that failed, with what is known of it beside the error: `cause` is the error itself, which decides what happens next. */
export class ApplyFailure extends Error implements ApplyProgress {
  override readonly name = 'ApplyFailure';
  override readonly cause: Error;
  readonly merged?: Applied;
  readonly partialResult?: PartialResult;

  constructor(cause: Error, { merged, partialResult }: ApplyProgress) {
    super(cause.message);
    this.cause = cause;
    if (merged !== undefined) this.merged = merged;
    if (partialResult !== undefined) this.partialResult = partialResult;
  }
}

/** Returns the error that an apply failed with. */
export function causeOf(error: unknown): unknown {
  return error instanceof ApplyFailure ? error.cause : error;
}

/** Returns what belongs to the report of an object although its apply failed. */
export function partialResultOf(error: unknown): PartialResult {
  return (error instanceof ApplyFailure ? error.partialResult : undefined) ?? {};
}

/** Returns true if an apply has, or has perhaps, changed something before it failed. */
export function hasPartialResult(error: unknown): boolean {
  return Object.keys(partialResultOf(error)).length > 0;
}
