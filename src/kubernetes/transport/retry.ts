import type { ErrorLocation } from '../../util/error.js';
import { FieldwiseError } from '../../util/error.js';
import { type HttpResponse, slowResponse, TransportError } from './http-request.js';

/** A request that is about to be sent again; for a person to see. */
export interface Retry {
  /** The HTTP method. */
  readonly method: string;
  /** The path of the request. */
  readonly path: string;
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** The reason of the failure. */
  readonly reason: string;
  /** The seconds until the next attempt. */
  readonly delaySeconds: number;
}

/** Why one attempt of a request did not end it. */
export interface RetryableFailure {
  readonly reason: string;
  /** The server may have done what it was asked: only reading can tell. */
  readonly outcomeUnknown: boolean;
  /** How many attempts may end in this way before the request is given up. */
  readonly maxAttempts: number;
  /** Seconds that the server asks to wait. */
  readonly retryAfterSeconds?: number;
  /** The server has too much to do. */
  readonly overloaded: boolean;
  /** Another attempt needs no pause. */
  readonly immediate: boolean;
}

/** A server that is away or busy is waited for as long as patience lasts; what fails again and again is given up sooner. */
const maxAttemptsUnavailable = 60;
const maxAttemptsFailing = 6;
const maxAttemptsNeverReached = 3;

/** What etcd says through the API server while its leader changes or it cannot keep up. Source: etcd, error texts of its server. */
const transientEtcdError =
  /etcdserver: (leader changed|request timed out|no leader|not leader|too many requests|server stopped|leader transfer)|context deadline exceeded|code = (Unavailable|DeadlineExceeded)|transport is closing/;

/** A conversion webhook that is being replaced or is starting passes. Source: Kubernetes, apiextensions-apiserver, `conversion`. */
const failedConversion = /conversion webhook for ([^ ,]+), Kind=(\S+) failed/;

/** What can be wrong with an answer so that it is worth asking again; undefined for all others, refusals among them. */
export function retryableFailureOfResponse(response: HttpResponse): RetryableFailure | undefined {
  const { code, text, retryAfterSeconds } = response;
  const delay = { ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }), immediate: false };
  if (code === 429)
    return { reason: 'the server is busy (429)', outcomeUnknown: false, maxAttempts: maxAttemptsUnavailable, overloaded: true, ...delay };
  if (code === 503)
    return {
      reason: 'the server is unavailable (503)',
      outcomeUnknown: true,
      maxAttempts: maxAttemptsUnavailable,
      overloaded: true,
      ...delay,
    };
  if (code === 502 || code === 504)
    return {
      reason: `no answer through the gateway (${code})`,
      outcomeUnknown: true,
      maxAttempts: maxAttemptsFailing,
      overloaded: code === 504,
      ...delay,
    };
  if (code === 500 && transientEtcdError.test(text)) {
    const reason = `the server's store has trouble (500: ${transientEtcdError.exec(text)?.[0]})`;
    return { reason, outcomeUnknown: true, maxAttempts: maxAttemptsFailing, overloaded: false, ...delay };
  }
  const conversion = code === 500 ? failedConversion.exec(text) : null;
  if (conversion) {
    const reason = `the conversion webhook for ${conversion[1]}, Kind=${conversion[2]} failed`;
    return { reason, outcomeUnknown: true, maxAttempts: maxAttemptsFailing, overloaded: false, ...delay };
  }
  const encoded = response.encoding !== '' && response.encoding !== 'identity'; // it cannot be read, however often it is sent
  return response.isComplete || encoded
    ? undefined
    : { reason: 'the answer was cut off', outcomeUnknown: true, maxAttempts: maxAttemptsFailing, overloaded: false, ...delay };
}

/**
 * What can be wrong with an exchange without an answer; undefined where another attempt would end the same way.
 *
 * @param hasResponded whether this server has ever answered.
 */
export function retryableFailureOfError(error: unknown, hasResponded: boolean): RetryableFailure | undefined {
  if (!(error instanceof TransportError) || permanentErrorCodes.has(error.code) || /certificate|self.signed/i.test(error.message))
    return undefined;
  const away = hasResponded ? maxAttemptsUnavailable : maxAttemptsNeverReached;
  const attempts = error.unsent ? away : maxAttemptsFailing;
  return {
    reason: error.message,
    outcomeUnknown: !error.unsent,
    maxAttempts: attempts,
    overloaded: false,
    immediate: error.isStaleConnection,
  };
}

/** Not of the network but of what was asked or of who asks. */
const permanentErrorCodes = new Set(['ABORT_ERR', 'ENOTFOUND', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_INVALID_CHAR', 'EPROTO', slowResponse]);

const initialBackoffMs = 200; // milliseconds
const maxBackoffMs = 8_000;

/** Milliseconds before the next attempt: never sooner than the server asks; else twice as long each time, at random from half of it on. */
export function backoffMs(failure: RetryableFailure, failures: number, random: () => number): number {
  if (failure.retryAfterSeconds !== undefined) return failure.retryAfterSeconds * 1_000 + random() * initialBackoffMs;
  if (failure.immediate && failures === 1) return 0;
  return Math.min(initialBackoffMs * 2 ** (failures - 1), maxBackoffMs) * (0.5 + random() / 2);
}

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
