import type { ErrorLocation } from '../../util/error.js';
import { FieldwiseError } from '../../util/error.js';
import { isPlainAnswer } from '../plain-answer.js';
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

/** The failure of one attempt of a request, after which another attempt may succeed. */
export interface RetryableFailure {
  readonly reason: string;
  /** True if the server may have carried out the request; only a read can show it. */
  readonly outcomeUnknown: boolean;
  /** The number of failures of this sort after which the request fails. */
  readonly maxAttempts: number;
  /** The seconds after which the server asks for the next attempt. */
  readonly retryAfterSeconds?: number;
  /** True if the server is overloaded. */
  readonly overloaded: boolean;
  /** True if the next attempt needs no pause. */
  readonly immediate: boolean;
}

/** An unavailable or busy server is retried until the retry timeout; other failures are retried less often. */
const maxAttemptsUnavailable = 60;
const maxAttemptsFailing = 6;
const maxAttemptsNeverReached = 3;

/**
 * The errors of etcd, in responses of the API server, while its leader changes or it is overloaded. Source: etcd, error texts of its
 * server.
 */
const transientEtcdError =
  /etcdserver: (leader changed|request timed out|no leader|not leader|too many requests|server stopped|leader transfer)|context deadline exceeded|code = (Unavailable|DeadlineExceeded)|transport is closing/;

/**
 * A failed conversion webhook, which is transient while the webhook starts or is replaced. Source: Kubernetes, apiextensions-apiserver,
 * `conversion`.
 */
const failedConversion = /conversion webhook for ([^ ,]+), Kind=(\S+) failed/;

/** Returns the transient failure that a response reports; undefined for any other response, including a rejection. */
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
      reason: `no response through the gateway (${code})`,
      outcomeUnknown: true,
      maxAttempts: maxAttemptsFailing,
      overloaded: code === 504,
      ...delay,
    };
  if (code === 500 && transientEtcdError.test(text)) {
    const reason = `the server's store failed (500: ${transientEtcdError.exec(text)?.[0]})`;
    return { reason, outcomeUnknown: true, maxAttempts: maxAttemptsFailing, overloaded: false, ...delay };
  }
  const conversion = code === 500 ? failedConversion.exec(text) : null;
  if (conversion) {
    const reason = `the conversion webhook for ${conversion[1]}, Kind=${conversion[2]} failed`;
    return { reason, outcomeUnknown: true, maxAttempts: maxAttemptsFailing, overloaded: false, ...delay };
  }
  const encoded = response.encoding !== '' && response.encoding !== 'identity'; // Such a response cannot be read, so another attempt does not help.
  return response.isComplete || encoded
    ? undefined
    : { reason: 'the response was cut off', outcomeUnknown: true, maxAttempts: maxAttemptsFailing, overloaded: false, ...delay };
}

/**
 * Returns the transient failure of a request without a response; undefined if another attempt would fail in the same way.
 *
 * @param hasResponded true if this server has responded before.
 */
export function retryableFailureOfError(error: unknown, hasResponded: boolean): RetryableFailure | undefined {
  if (
    !(error instanceof TransportError) ||
    isPlainAnswer(error) ||
    permanentErrorCodes.has(error.code) ||
    /certificate|self.signed/i.test(error.message)
  )
    return undefined;
  const maxAttemptsUnsent = hasResponded ? maxAttemptsUnavailable : maxAttemptsNeverReached;
  const maxAttempts = error.unsent ? maxAttemptsUnsent : maxAttemptsFailing;
  return {
    reason: error.message,
    outcomeUnknown: !error.unsent,
    maxAttempts,
    overloaded: false,
    immediate: error.isStaleConnection,
  };
}

/** The error codes whose cause is the request or the client, not the network. */
const permanentErrorCodes = new Set([
  ...['ABORT_ERR', 'ENOTFOUND', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_INVALID_CHAR', 'EPROTO', 'PROXY_REFUSED'],
  slowResponse,
]);

const initialBackoffMs = 200; // milliseconds
const maxBackoffMs = 8_000;

/**
 * Returns the milliseconds before the next attempt: at least as many as the server asks for, otherwise a delay that doubles each time, of
 * which a random part of up to one half is subtracted.
 */
export function backoffMs(failure: RetryableFailure, failures: number, random: () => number): number {
  if (failure.retryAfterSeconds !== undefined) return failure.retryAfterSeconds * 1_000 + random() * initialBackoffMs;
  if (failure.immediate && failures === 1) return 0;
  return Math.min(initialBackoffMs * 2 ** (failures - 1), maxBackoffMs) * (0.5 + random() / 2);
}

/** The number of times an object is read and processed again when others write it between two requests. */
export const contentionRounds = 8;

/** Returns the error for an object that others wrote in every round. */
export function contendedError(
  code: `${'apply' | 'delete' | 'finalizer' | 'release'}-contended`,
  location: ErrorLocation,
  next: string,
  rounds = contentionRounds,
): FieldwiseError {
  const message = `Other writers changed the object between two requests ${rounds} times in a row`;
  return new FieldwiseError(code, 'resource', message, { location, next });
}
