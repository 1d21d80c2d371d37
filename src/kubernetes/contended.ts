import { type ErrorLocation, FieldwiseError } from '../util/error.js';

/** How often an object is read and judged again when others write it between two of our requests. */
export const contentionRounds = 8;

/** What is said when that was not often enough. */
export function contendedError(
  code: `${'apply' | 'delete' | 'finalizer' | 'release'}-contended`,
  location: ErrorLocation,
  next: string,
  rounds = contentionRounds,
): FieldwiseError {
  const message = `Other writers changed the object between our requests ${rounds} times in a row`;
  return new FieldwiseError(code, 'resource', message, { location: location, next });
}
