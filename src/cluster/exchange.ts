import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Json } from '../util/json.js';

/** One HTTP request as it goes on the wire. */
export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly agent: HttpAgent | HttpsAgent;
  /** Milliseconds without any answer after which it is given up. */
  readonly timeout: number;
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
  /** Seconds of the Retry-After header. */
  readonly retryAfter: number | undefined;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
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

/** Sends one request and reads its whole answer. @throws NoAnswer. */
export function exchange(one: Exchange): Promise<RawAnswer> {
  const open = one.url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const { method, agent, timeout, signal } = one;
    let connected = false;
    const call = open(one.url, { method, agent, timeout, headers: one.headers, ...(signal ? { signal } : {}) }, (response) => {
      readAnswer(response).then(resolve, fail);
    });
    const fail = (error: Error) => {
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
function readAnswer(response: IncomingMessage): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve(answerOf(response, Buffer.concat(chunks).toString('utf8'))));
    response.on('error', reject);
    response.on('close', () => {
      if (!response.readableEnded) reject(new Error('the connection was closed within the answer')); // no news after an error
    });
  });
}

function answerOf({ statusCode: code = 0, headers }: IncomingMessage, text: string): RawAnswer {
  const parsed = parseBody(text);
  const json = (headers['content-type'] ?? '').startsWith('application/json');
  return {
    code,
    text,
    body: parsed?.body,
    whole: parsed ? !json || parsed.isJson : code >= 400,
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
