import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Json } from '../util/json.js';
import { isTooDeep } from './unexpected-answer.js';

/** One HTTP request as it goes on the wire. */
export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** An agent of Node's `http` or `https`. */
  readonly agent: object;
  /** Milliseconds without any news after which it is given up; the whole answer may take twice as long. */
  readonly timeout: number;
  /** Bytes of the answer, at most. */
  readonly largest: number;
  /** Breaks it off. */
  readonly signal: AbortSignal | undefined;
}

/** A whole answer, as it came. */
export interface RawAnswer {
  readonly code: number;
  readonly text: string;
  /** `text` as JSON, or as it is where it is none; undefined where there is none. */
  readonly body: Json | undefined;
  /** False where the server says that `text` is JSON, and it is not, or where what must not be empty is. */
  readonly whole: boolean;
  /** It is JSON that is nested too deeply to be read; `body` is its text. */
  readonly deep: boolean;
  /** The headers of these names; empty where there is none. */
  readonly contentType: string;
  readonly encoding: string;
  readonly location: string;
  /** Seconds of the Retry-After header. */
  readonly retryAfter: number | undefined;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

/** An answer that was broken off, because it is larger than what was asked for can be. */
export class AnswerTooLarge extends Error {
  /** Bytes that an answer may have. */
  readonly largest: number;

  constructor(largest: number) {
    super(`the answer is larger than ${largest / 2 ** 20} MiB`);
    this.largest = largest;
  }
}

/** An exchange without a whole answer. */
export class NoAnswer extends Error {
  /** Of Node, such as `ECONNRESET`; empty where it gives none. */
  readonly code: string;
  /** The server can have seen nothing of the request. */
  readonly unsent: boolean;
  /** A kept-alive connection was used again just as the server closed it, as it does now and then. */
  readonly stale: boolean;

  constructor(cause: Error, facts: { readonly unsent: boolean; readonly stale: boolean }) {
    const { code } = cause as NodeJS.ErrnoException;
    super(cause.message || code || cause.name, { cause });
    this.code = code ?? '';
    this.unsent = facts.unsent;
    this.stale = facts.stale;
  }
}

/** Sends one request and reads its whole answer. @throws NoAnswer, AnswerTooLarge. */
export function exchange(one: Exchange): Promise<RawAnswer> {
  const open = one.url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const { method, timeout, signal } = one;
    const agent = one.agent as HttpAgent;
    let connected = false;
    const call = open(one.url, { method, agent, timeout, headers: one.headers, ...(signal ? { signal } : {}) }, (response) => {
      readAnswer(response, timeout, one.largest).then(resolve, fail);
    });
    const fail = (error: Error) => {
      if (error instanceof AnswerTooLarge) return reject(error);
      const { code } = error as NodeJS.ErrnoException;
      const stale = call.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
      reject(new NoAnswer(error, { unsent: !connected, stale }));
    };
    call.on('socket', (socket) => {
      const handshake = one.url.protocol === 'https:' ? 'secureConnect' : 'connect';
      if (call.reusedSocket) connected = true;
      else
        socket.once(handshake, () => {
          connected = true;
        });
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${timeout / 1000} s`)));
    call.on('error', fail);
    call.end(one.body);
  });
}

/** By events: an iterator over the chunks of a small answer costs more than the answer. */
export function readAnswer(response: IncomingMessage, timeout: number, largest: number): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const slow = `the answer was not complete within ${(2 * timeout) / 1000} s`;
    // An answer that trickles never ends by the time-out for silence. Most answers are whole with their first chunk.
    const deadline = setTimeout(() => response.destroy(Object.assign(new Error(slow), { code: slowAnswer })), 2 * timeout);
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > largest) response.destroy(new AnswerTooLarge(largest));
      else chunks.push(chunk);
    });
    response.on('end', () => {
      clearTimeout(deadline);
      resolve(answerOf(response, Buffer.concat(chunks).toString('utf8')));
    });
    response.on('error', reject);
    response.on('close', () => {
      clearTimeout(deadline);
      if (!response.readableEnded) reject(new Error('the connection was closed within the answer')); // no news after an error
    });
  });
}

/** The code of NoAnswer where an answer came, but too slowly. */
export const slowAnswer = 'SLOW_ANSWER';

function answerOf({ statusCode: code = 0, headers }: IncomingMessage, text: string): RawAnswer {
  const contentType = headers['content-type'] ?? '';
  const json = contentType.startsWith('application/json');
  const deep = isTooDeep(text);
  const parsed = deep ? { body: text, isJson: true } : parseBody(text);
  return {
    code,
    text,
    body: parsed?.body,
    // 204 and 205 say themselves that they are empty. Source: RFC 9110, 15.3.5 and 15.3.6.
    whole: parsed ? !json || parsed.isJson : code >= 300 || code === 204 || code === 205,
    deep,
    contentType: contentType.split(';')[0]?.trim() ?? '',
    encoding: headers['content-encoding'] ?? '',
    location: headers.location ?? '',
    retryAfter: secondsOf(headers['retry-after']),
    warnings: readWarnings(headers.warning),
  };
}

function parseBody(text: string): { readonly body: Json; readonly isJson: boolean } | undefined {
  if (text === '') return undefined;
  try {
    return { body: JSON.parse(text) as Json, isJson: true };
  } catch {
    return { body: text, isJson: false };
  }
}

/** Retry-After is a number of seconds or a date. Source: RFC 9110, 10.2.3. */
function secondsOf(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** Warning headers are `299 - "text"`, several joined by commas. */
function readWarnings(header: string | undefined): string[] {
  if (header === undefined) return [];
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1'));
}
