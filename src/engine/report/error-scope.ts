import { ApiError } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';

/** Errors that prevent a request: its object has not been attempted. */
export const unattempted: ReadonlySet<string> = new Set(['interrupted', 'lock-lost']);

/** The codes of errors that affect every further request, or forbid it. */
export const fatalCodes: ReadonlySet<string> = new Set(['cluster-unreachable', 'lock-lost']);

/** Returns true if an error is about one object, so that all others may continue. */
export function isOfOneObject(error: unknown): boolean {
  return error instanceof ApiError || (error instanceof FieldwiseError && error.kind === 'resource' && !fatalCodes.has(error.code));
}
