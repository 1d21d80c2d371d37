import { ApiError } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
/** Errors that prevent a request: its object has not been attempted. */
export const unattempted: ReadonlySet<string> = new Set(['interrupted', 'lock-lost']);

/** Errors that affect every further request, or forbid it. */
export const ends: ReadonlySet<string> = new Set(['cluster-unreachable', 'lock-lost']);

/** Returns true if an error is about one object, so that all others may continue. */
export function isOfOneObject(error: unknown): boolean {
  return error instanceof ApiError || (error instanceof FieldwiseError && error.kind === 'resource' && !ends.has(error.code));
}
