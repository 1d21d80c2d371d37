import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { withDeadline } from '../../kubernetes/with-deadline.js';
import type { PassOutcome } from '../../ownership/index.js';
import { type ErrorLocation, FieldwiseError, sentence } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { unattempted } from '../report/error-scope.js';
import { explain } from '../report/explain.js';
import { ApplyFailure, causeOf, type PartialResult, partialResultOf } from './apply-failure.js';

/** The effect of a write that was answered with an error, with the object as it is now if that was read. */
export interface Settled {
  readonly outcome: PassOutcome;
  readonly now?: JsonObject | undefined;
  /** The error of the read, if it failed. */
  readonly unread?: unknown;
}

/**
 * Finds out by one read what a write did that was answered with an error: a server, or whoever answers in its place, may have carried it out
 * nevertheless. Only a conflict with its causes, and a refusal as stale, prove that it did not, unless they are those of a repetition; callers do not ask about these.
 *
 * @param outcomeOf returns the effect that the object shows as it is now; undefined if it does not exist.
 */
export async function settle(
  cluster: ClusterClient,
  address: ObjectAddress,
  error: unknown,
  outcomeOf: (now: JsonObject | undefined) => PassOutcome,
): Promise<Settled> {
  if (isUnsent(error)) return { outcome: 'refused' };
  let now: JsonObject | undefined;
  try {
    now = await withDeadline(cluster, cluster.machine.wall() + readMilliseconds).tryGet(address);
  } catch (unread) {
    return { outcome: 'unknown', unread };
  }
  return { outcome: outcomeOf(now), now };
}

const readMilliseconds = 5_000;

/**
 * Reads an object after a request was refused: what was refused may be its repetition, by something on the way.
 *
 * @throws ApplyFailure with what the request has perhaps changed, if the object cannot be read.
 */
export async function readAfterRefusal(
  cluster: ClusterClient,
  address: ObjectAddress,
  perhaps: PartialResult,
): Promise<JsonObject | undefined> {
  try {
    return await cluster.tryGet(address);
  } catch (error) {
    throw perhapsFailure(error, perhaps);
  }
}

/** Returns true for an error that has kept a request from being sent. */
export function isUnsent(error: unknown): boolean {
  return error instanceof FieldwiseError && unattempted.has(error.code);
}

/** Returns the warning about a request that was answered with an error and carried out. */
export function carriedOutText(error: unknown): string {
  return `The request was answered with an error, and the object shows that it was carried out: ${sentence(explain(error).message)}`;
}

/** Returns the reason that a report gives if nothing shows what a request did. */
export function perhapsText(what: string): string {
  return `perhaps ${what}: the request was answered with an error, and the object does not show what became of it`;
}

/** Returns a failure with what it may have changed nevertheless. */
export function perhapsFailure(error: unknown, perhaps: PartialResult): unknown {
  const cause = causeOf(error);
  return cause instanceof Error ? new ApplyFailure(cause, { partialResult: { ...perhaps, ...partialResultOf(error) } }) : error;
}

/**
 * Returns the error of a request that was answered with an error, if nothing shows whether it was carried out.
 *
 * @param what what has perhaps become of the object, such as `released`.
 */
export function outcomeUnknown(error: unknown, what: string, location: ErrorLocation): FieldwiseError {
  const { message, next } = explain(error);
  return new FieldwiseError(
    'outcome-unknown',
    'resource',
    `The object is perhaps ${what}, and it does not show that. ${sentence(message)}`,
    {
      location,
      next: next ?? 'Run again: completed work is detected and skipped.',
      cause: error,
    },
  );
}

/** Returns true if nothing shows whether a request was carried out. */
export function isOutcomeUnknown(error: unknown): error is FieldwiseError {
  return error instanceof FieldwiseError && error.code === 'outcome-unknown';
}
