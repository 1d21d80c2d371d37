import { NoAnswer, type RawAnswer, slowAnswer } from './exchange.js';

/** A request that is about to be sent again; for a person to see. */
export interface Retry {
  readonly method: string;
  readonly path: string;
  /** Of the attempt that failed, from 1. */
  readonly attempt: number;
  readonly reason: string;
  /** Seconds until the next attempt. */
  readonly seconds: number;
}

/** Why one attempt of a request did not end it. */
export interface Trouble {
  readonly reason: string;
  /** The server may have done what it was asked: only reading can tell. */
  readonly uncertain: boolean;
  /** How many attempts may end in this way before the request is given up. */
  readonly attempts: number;
  /** Seconds that the server asks to wait. */
  readonly retryAfter?: number;
  /** The server has too much to do. */
  readonly overloaded: boolean;
  /** Another attempt needs no pause. */
  readonly atOnce: boolean;
}

/** A server that is away or busy is waited for as long as patience lasts; what fails again and again is given up sooner. */
const whileAway = 60;
const whileFailing = 6;
const withoutEverAnAnswer = 3;

/** What etcd says through the API server while its leader changes or it cannot keep up. Source: etcd, error texts of its server. */
const etcdTroubles =
  /etcdserver: (leader changed|request timed out|no leader|not leader|too many requests|server stopped|leader transfer)|context deadline exceeded|code = (Unavailable|DeadlineExceeded)|transport is closing/;

/** A conversion webhook that is being replaced or is starting passes. Source: Kubernetes, apiextensions-apiserver, `conversion`. */
const failedConversion = /conversion webhook for ([^ ,]+), Kind=(\S+) failed/;

/** What can be wrong with an answer so that it is worth asking again; undefined for all others, refusals among them. */
export function troubleOfAnswer(answer: RawAnswer): Trouble | undefined {
  const { code, text, retryAfter } = answer;
  const asked = { ...(retryAfter === undefined ? {} : { retryAfter }), atOnce: false };
  if (code === 429) return { reason: 'the server is busy (429)', uncertain: false, attempts: whileAway, overloaded: true, ...asked };
  if (code === 503) return { reason: 'the server is unavailable (503)', uncertain: true, attempts: whileAway, overloaded: true, ...asked };
  if (code === 502 || code === 504)
    return {
      reason: `no answer through the gateway (${code})`,
      uncertain: true,
      attempts: whileFailing,
      overloaded: code === 504,
      ...asked,
    };
  if (code === 500 && etcdTroubles.test(text)) {
    const reason = `the server's store has trouble (500: ${etcdTroubles.exec(text)?.[0]})`;
    return { reason, uncertain: true, attempts: whileFailing, overloaded: false, ...asked };
  }
  const conversion = code === 500 ? failedConversion.exec(text) : null;
  if (conversion) {
    const reason = `the conversion webhook for ${conversion[1]}, Kind=${conversion[2]} failed`;
    return { reason, uncertain: true, attempts: whileFailing, overloaded: false, ...asked };
  }
  const encoded = answer.encoding !== '' && answer.encoding !== 'identity'; // it cannot be read, however often it is sent
  return answer.whole || encoded
    ? undefined
    : { reason: 'the answer was cut off', uncertain: true, attempts: whileFailing, overloaded: false, ...asked };
}

/**
 * What can be wrong with an exchange without an answer; undefined where another attempt would end the same way.
 *
 * @param answered whether this server has ever answered.
 */
export function troubleOfError(error: unknown, answered: boolean): Trouble | undefined {
  if (!(error instanceof NoAnswer) || lasting.has(error.code) || /certificate|self.signed/i.test(error.message)) return undefined;
  const away = answered ? whileAway : withoutEverAnAnswer;
  const attempts = error.unsent ? away : whileFailing;
  return { reason: error.message, uncertain: !error.unsent, attempts, overloaded: false, atOnce: error.stale };
}

/** Not of the network but of what was asked or of who asks. */
const lasting = new Set(['ABORT_ERR', 'ENOTFOUND', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_INVALID_CHAR', 'EPROTO', slowAnswer]);

const firstPause = 200; // milliseconds
const longestPause = 8_000;

/** Milliseconds before the next attempt: never sooner than the server asks; else twice as long each time, at random from half of it on. */
export function pauseAfter(trouble: Trouble, failures: number, random: () => number): number {
  if (trouble.retryAfter !== undefined) return trouble.retryAfter * 1_000 + random() * firstPause;
  if (trouble.atOnce && failures === 1) return 0;
  return Math.min(firstPause * 2 ** (failures - 1), longestPause) * (0.5 + random() / 2);
}
