import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { FieldwiseError } from '../../util/error.js';
import type { Json } from '../../util/json.js';
import { pause } from '../../util/pause.js';
import type { Connection } from '../connection.js';
import { ApiError } from '../status.js';
import { AdaptiveConcurrencyLimiter } from './adaptive-concurrency-limiter.js';
import { type HttpRequest, type HttpResponse, ResponseTooLarge, sendHttpRequest } from './http-request.js';
import { backoffMs, type Retry, type RetryableFailure, retryableFailureOfError, retryableFailureOfResponse } from './retry.js';
import { openStream, type StreamRequest } from './stream.js';
import { responseTooLargeError, unexpectedContent, unexpectedResponse } from './unexpected-response.js';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent exactly as given. */
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** Bytes that the answer may have. Default 16 MiB, more than any object has. */
  readonly maxResponseBytes?: number;
}

export interface ApiResponse {
  readonly code: number;
  readonly body: Json;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
  /** The answer to an earlier attempt was lost, so the server may have done it then, and this answer tells of the state after that. */
  readonly responseLost?: true;
}

/** Who watches over the requests of a run. */
export interface RequestContext {
  /** Stops between requests; one that is under way is waited for, so that its outcome is known. */
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: (retry: Retry) => void;
  /** Asked before every attempt; a rejection is the end of the request. */
  readonly gate?: () => Promise<void>;
  /** Waits for nobody: not bounded by the requests in flight. */
  readonly urgent?: boolean;
  /** Milliseconds that a request may take with all its attempts, where that is less than what the transport grants. For reads only. */
  readonly retryTimeoutMs?: number;
}

export interface TransportOptions {
  /** Requests in flight at once, at most; fewer while the server is overloaded. Default 16. */
  readonly concurrency?: number;
  /** Milliseconds without any answer after which an attempt is given up; a whole answer may take twice as long. Default 60,000. */
  readonly timeoutMs?: number;
  /** Milliseconds after which a request is not attempted again. Default 60,000. */
  readonly retryTimeoutMs?: number;
  /** Breaks off everything, requests under way included. */
  readonly signal?: AbortSignal | undefined;
}

/** What answers requests: a server over HTTP, or one in this process. */
export type RequestSender = Pick<Transport, 'server' | 'send' | 'close'> & Partial<Pick<Transport, 'stream' | 'retryTimeoutMs'>>;

export const defaultRetryTimeoutMs = 60_000; // milliseconds

/**
 * Resolves when a request may be sent.
 *
 * @param closing aborts when the whole transport ends.
 * @throws FieldwiseError `interrupted`; the rejection of the gate.
 */
export async function admit({ signal, gate }: RequestContext, closing?: AbortSignal): Promise<void> {
  if (signal?.aborted || closing?.aborted) throw new FieldwiseError('interrupted', 'interrupted', 'Interrupted');
  await gate?.();
}

const maxObjectBytes = 16 * 2 ** 20; // bytes
const headersLifetimeMs = 10_000; // milliseconds; tokens may expire while a deploy runs
const unboundedSockets = 2;

/**
 * HTTP to one API server: keep-alive, a bounded number of requests in flight, bodies sent exactly as given. What fails for a reason that
 * passes is sent again, whatever its method: callers pin uid or resourceVersion, and settle by reading what a second answer leaves open.
 */
export class Transport {
  readonly server: string;
  /** Milliseconds after which a request is not attempted again. */
  readonly retryTimeoutMs: number;
  readonly #connection: Connection;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #limiter: AdaptiveConcurrencyLimiter;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  #hasResponded = false;
  #baseUrl: ResolvedUrl | undefined;
  #headers: { readonly until: number; readonly value: Promise<Readonly<Record<string, string>>> } | undefined;

  constructor(connection: Connection, options: TransportOptions = {}) {
    const concurrency = options.concurrency ?? 16;
    const settings = { keepAlive: true, maxSockets: concurrency + unboundedSockets };
    this.server = connection.server;
    this.#connection = connection;
    this.#limiter = new AdaptiveConcurrencyLimiter(concurrency);
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    this.retryTimeoutMs = options.retryTimeoutMs ?? defaultRetryTimeoutMs;
    this.#signal = options.signal;
    if (connection.proxyAgent) this.#agent = connection.proxyAgent as HttpsAgent;
    else {
      const secure = connection.server.startsWith('https:');
      this.#agent = secure ? new HttpsAgent({ ...settings, ...sharedContext(connection.tls) }) : new HttpAgent(settings);
      // Each of its connections fits each request; to compare them, Node would spell out all settings of TLS for every request.
      this.#agent.getName = () => connection.server;
    }
  }

  /**
   * Sends one request and reads its whole answer; again, with growing pauses, after trouble that passes.
   *
   * @throws ApiError for a refusal; FieldwiseError `authentication-failed` for 401, `cluster-unreachable` where no answer came,
   *   `response-unexpected` for one that no API server gives, `response-too-large`, `interrupted` before a request, `response-lost` where an interrupt leaves open what an attempt did.
   */
  async send(request: ApiRequest, context: RequestContext = {}): Promise<ApiResponse> {
    const started = performance.now();
    const failures = new Map<number, number>();
    let uncertain = false;
    for (let attempt = 1; ; attempt++) {
      const {
        answer: response,
        cause,
        trouble: failure,
      } = await this.#attempt(request, context).catch((error: unknown) => {
        throw uncertain && context.signal?.aborted ? this.#responseLost() : error;
      });
      if (failure) {
        uncertain ||= failure.outcomeUnknown && request.method !== 'GET';
        const same = (failures.get(failure.maxAttempts) ?? 0) + 1;
        failures.set(failure.maxAttempts, same);
        const wait = backoffMs(failure, attempt, Math.random);
        const { retryTimeoutMs = Number.POSITIVE_INFINITY } = context;
        const elapsed = performance.now() - started + wait;
        const late = elapsed > retryTimeoutMs || (attempt > 1 && elapsed > this.retryTimeoutMs);
        if (same < failure.maxAttempts && !late) {
          const { method, path } = request;
          context.onRetry?.({ method, path, attempt, reason: failure.reason, delaySeconds: Math.round(wait / 100) / 10 });
          await pause(wait, context.signal ?? this.#signal).catch(() => undefined); // the next attempt tells of an interrupt
          continue;
        }
      }
      if (!response)
        throw cause instanceof ResponseTooLarge ? responseTooLargeError(this.server, request, cause) : this.#unreachable(cause);
      return this.#read(request, response, uncertain);
    }
  }

  /** See `openStream`. */
  stream(request: StreamRequest): AsyncIterable<Json> {
    return openStream(this.#connection, request, { timeoutMs: this.#timeoutMs, maxLineBytes: maxObjectBytes });
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #attempt(
    request: ApiRequest,
    context: RequestContext,
  ): Promise<{ readonly answer?: HttpResponse; readonly cause?: unknown; readonly trouble: RetryableFailure | undefined }> {
    const { urgent, retryTimeoutMs } = context;
    const headers = await this.#authenticate();
    const leave = urgent ? () => {} : await this.#limiter.acquire();
    let started = performance.now();
    let failure: RetryableFailure | undefined;
    try {
      await admit(context, this.#signal);
      started = performance.now();
      const response = await sendHttpRequest({
        ...this.#urlOf(request),
        method: request.method,
        headers: {
          ...headers,
          accept: request.accept ?? 'application/json',
          'user-agent': 'fieldwise',
          ...(request.body === undefined
            ? {}
            : { 'content-type': request.contentType ?? 'application/json', 'content-length': String(Buffer.byteLength(request.body)) }),
        },
        body: request.body,
        agent: this.#agent,
        timeoutMs: Math.min(this.#timeoutMs, retryTimeoutMs ?? this.#timeoutMs),
        maxResponseBytes: request.maxResponseBytes ?? maxObjectBytes,
        signal: this.#signal,
      });
      this.#hasResponded = true;
      failure = retryableFailureOfResponse(response);
      return { answer: response, trouble: failure };
    } catch (cause) {
      if (cause instanceof FieldwiseError) throw cause;
      failure = retryableFailureOfError(cause, this.#hasResponded);
      return { cause, trouble: failure };
    } finally {
      leave({ overloaded: failure?.overloaded === true, milliseconds: performance.now() - started });
    }
  }

  #urlOf({ path, query = {} }: ApiRequest): ResolvedUrl {
    const words = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) words.set(name, value);
    const text = words.toString();
    const whole = path + (text === '' ? '' : `?${text}`);
    if (!encoded.test(path)) return resolveUrl(new URL(this.server + whole));
    this.#baseUrl ??= resolveUrl(new URL(this.server));
    const { target, path: prefix } = this.#baseUrl;
    return { target, path: prefix === '/' ? whole : prefix + whole };
  }

  #read(request: ApiRequest, response: HttpResponse, uncertain: boolean): ApiResponse {
    if (response.code === 401) {
      throw new FieldwiseError(
        'authentication-failed',
        'authentication',
        'The API server does not accept these credentials (401 Unauthorized)',
        {
          location: { server: this.server },
          next: 'Check the token or client certificate of the current context of the kubeconfig.',
        },
      );
    }
    const strange = unexpectedContent(response);
    if (strange !== undefined) throw unexpectedResponse(this.server, request, strange);
    const { body } = response;
    if (response.code >= 400) throw new ApiError(request.method, request.path, response.code, body, uncertain);
    return { code: response.code, body: body ?? null, warnings: response.warnings, ...(uncertain ? { responseLost: true } : {}) };
  }

  async #authenticate(): Promise<Readonly<Record<string, string>>> {
    const now = Date.now();
    if (!this.#headers || this.#headers.until < now) {
      this.#headers = { until: now + headersLifetimeMs, value: this.#connection.headers() };
    }
    return this.#headers.value;
  }

  #responseLost(): FieldwiseError {
    return new FieldwiseError(
      'response-lost',
      'interrupted',
      'Interrupted after an answer was lost: the server may have done what was asked',
      {
        location: { server: this.server },
        next: 'Run again: completed work is detected and skipped.',
      },
    );
  }

  #unreachable(cause: unknown): Error {
    if (this.#signal?.aborted) return new FieldwiseError('interrupted', 'interrupted', 'Interrupted');
    const reason = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || cause.name : String(cause);
    return new FieldwiseError('cluster-unreachable', 'resource', `The API server does not answer: ${reason}`, {
      location: { server: this.server },
      next: 'Check the server address in the kubeconfig, the network, and that the server runs.',
      cause,
    });
  }
}

/** A server and a path on it. */
type ResolvedUrl = Pick<HttpRequest, 'target' | 'path'>;

/** A path as it may go on the wire. */
const encoded = /^[!"$-~]*$/;

function resolveUrl(url: URL): ResolvedUrl {
  const { protocol, hostname, port, auth, path } = urlToHttpOptions(url);
  return { target: { protocol, hostname, port, auth }, path: path ?? '/' };
}

/** Certificates and keys read once for all connections; those that cannot be read are told of by the first connection. */
function sharedContext(tls: Connection['tls']): Connection['tls'] & { readonly secureContext?: SecureContext } {
  try {
    return { ...tls, secureContext: createSecureContext(tls) };
  } catch {
    return tls;
  }
}
