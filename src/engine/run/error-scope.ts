import { ApiError } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
/** Errors before a request was sent: what it was for has not been attempted. */
export const unattempted: ReadonlySet<string> = new Set(['interrupted', 'lock-lost']);

/** Errors that every further request would meet, or that forbid it. */
export const ends: ReadonlySet<string> = new Set(['cluster-unreachable', 'lock-lost']);

/** Whether an error is about one object, so that all others may go on. */
export function isOfOneObject(error: unknown): boolean {
  return error instanceof ApiError || (error instanceof FieldwiseError && error.kind === 'resource' && !ends.has(error.code));
}
