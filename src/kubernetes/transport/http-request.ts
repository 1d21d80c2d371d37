import { type Agent as HttpAgent, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type HttpResponse, ResponseTooLarge } from './http-response.js';
import { readHttpResponse } from './read-http-response.js';

export { type HttpResponse, ResponseTooLarge, slowResponse } from './http-response.js';

/** One HTTP request as it goes on the wire. */
export interface HttpRequest {
  /** Where it goes: options of Node's `http.request`, read from the server's URL once for all requests. */
  readonly target: HttpTarget;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** An agent of Node's `http` or `https`. */
  readonly agent: object;
  /** Milliseconds without any news after which it is given up; the whole answer may take twice as long. */
  readonly timeoutMs: number;
  /** Bytes of the answer, at most. */
  readonly maxResponseBytes: number;
  /** Breaks it off. */
  readonly signal: AbortSignal | undefined;
}

/** A server as Node's `http.request` takes it; written out, because a program may be compiled without the types of Node. */
export interface HttpTarget {
  readonly protocol: string | null | undefined;
  readonly hostname: string | null | undefined;
  readonly port: string | number | null | undefined;
  readonly auth: string | null | undefined;
}

/** An exchange without a whole answer. */
export class TransportError extends Error {
  /** Of Node, such as `ECONNRESET`; empty where it gives none. */
  readonly code: string;
  /** The server can have seen nothing of the request. */
  readonly unsent: boolean;
  /** A kept-alive connection was used again just as the server closed it, as it does now and then. */
  readonly isStaleConnection: boolean;

  constructor(cause: Error, facts: { readonly unsent: boolean; readonly stale: boolean }) {
    const { code } = cause as NodeJS.ErrnoException;
    super(cause.message || code || cause.name, { cause });
    this.code = code ?? '';
    this.unsent = facts.unsent;
    this.isStaleConnection = facts.stale;
  }
}

/** Sends one request and reads its whole answer. @throws NoAnswer, AnswerTooLarge. */
export function sendHttpRequest(request: HttpRequest): Promise<HttpResponse> {
  const secure = request.target.protocol === 'https:';
  const open = secure ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const { target, path, method, headers, timeoutMs, signal } = request;
    const agent = request.agent as HttpAgent;
    let connected = false;
    const call = open({ ...target, path, method, agent, timeout: timeoutMs, headers, ...(signal ? { signal } : {}) }, (response) => {
      readHttpResponse(response, timeoutMs, request.maxResponseBytes).then(resolve, fail);
    });
    const fail = (error: Error) => {
      if (error instanceof ResponseTooLarge) return reject(error);
      const { code } = error as NodeJS.ErrnoException;
      const stale = call.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
      reject(new TransportError(error, { unsent: !connected, stale }));
    };
    call.on('socket', (socket) => {
      const handshake = secure ? 'secureConnect' : 'connect';
      if (call.reusedSocket) connected = true;
      else
        socket.once(handshake, () => {
          connected = true;
        });
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    call.on('error', fail);
    call.end(request.body);
  });
}
