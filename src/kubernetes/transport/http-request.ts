import { type Agent as HttpAgent, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Machine } from '../../util/machine.js';
import type { Headers } from '../connection.js';
import { type HttpResponse, ResponseTooLarge } from './http-response.js';
import { readHttpResponse } from './read-http-response.js';

export { type HttpResponse, ResponseTooLarge, slowResponse } from './http-response.js';

/** One complete HTTP request. */
export interface HttpRequest {
  /** The server: options of Node's `http.request`, parsed from the server's URL once for all requests. */
  readonly target: HttpTarget;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** An agent of Node's `http` or `https`. */
  readonly agent: object;
  /** The milliseconds without data after which the request fails; the complete response may take twice as long. */
  readonly timeoutMs: number;
  /** The maximum size of the response in bytes. */
  readonly maxResponseBytes: number;
  /** Aborts the request. */
  readonly signal: AbortSignal | undefined;
  /** Asked when the connection is open, before the first byte is sent. @default sent without asking */
  readonly mayStart?: () => boolean;
  /** The machine on which the sender works. */
  readonly machine: Machine;
}

/** A server in the form of Node's `http.request`; written out, because a program may be compiled without the types of Node. */
export interface HttpTarget {
  readonly protocol: string | null | undefined;
  readonly hostname: string | null | undefined;
  readonly port: string | number | null | undefined;
  readonly auth: string | null | undefined;
}

/** The failure of a request without a complete response. */
export class TransportError extends Error {
  /** The error code of Node, such as `ECONNRESET`; empty if there is none. */
  readonly code: string;
  /** True if the server cannot have received any part of the request. */
  readonly unsent: boolean;
  /** True if a kept-alive connection was reused at the moment at which the server closed it. */
  readonly isStaleConnection: boolean;

  constructor(cause: Error, facts: { readonly unsent: boolean; readonly stale: boolean }) {
    const { code } = cause as NodeJS.ErrnoException;
    super(cause.message || code || cause.name, { cause });
    this.code = code ?? '';
    this.unsent = facts.unsent;
    this.isStaleConnection = facts.stale;
  }
}

/**
 * Sends one request and reads its complete response.
 *
 * @returns undefined if `mayStart` has refused it: nothing was sent.
 * @throws TransportError, ResponseTooLarge.
 */
export function sendHttpRequest(request: HttpRequest): Promise<HttpResponse | undefined> {
  const secure = request.target.protocol === 'https:';
  const open = secure ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const { target, path, method, headers, timeoutMs, signal, mayStart, machine } = request;
    const agent = request.agent as HttpAgent;
    let connected = false;
    const call = open({ ...target, path, method, agent, timeout: timeoutMs, headers, ...(signal ? { signal } : {}) }, (response) => {
      readHttpResponse(response, { timeoutMs, maxBytes: request.maxResponseBytes }, machine).then(resolve, fail);
    });
    const fail = (error: Error) => {
      if (error instanceof ResponseTooLarge) return reject(error);
      const { code } = error as NodeJS.ErrnoException;
      const stale = call.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
      reject(new TransportError(error, { unsent: !connected, stale }));
    };
    const start = () => {
      if (mayStart?.() !== false) return call.end(request.body);
      resolve(undefined);
      return call.destroy();
    };
    call.on('socket', (socket) => {
      const handshake = secure ? 'secureConnect' : 'connect';
      const { connecting, secureConnecting } = socket as TLSSocket & { readonly secureConnecting?: boolean };
      const isOpen = call.reusedSocket || !(connecting || secureConnecting === true);
      if (call.reusedSocket) connected = true;
      else
        socket.once(handshake, () => {
          connected = true;
        });
      if (mayStart === undefined) return;
      if (isOpen) start();
      else socket.once(handshake, start);
    });
    call.on('timeout', () => call.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
    call.on('error', fail);
    if (mayStart === undefined) start();
  });
}
