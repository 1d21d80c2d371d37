import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { FieldwiseError } from '../../util/error.js';
import type { Json } from '../../util/json.js';
import { type Machine, thisMachine } from '../../util/machine.js';
import { admissionDenialOf } from '../admission-denial.js';
import type { Connection, Headers } from '../connection.js';
import { ApiError } from '../status.js';
import { AdaptiveConcurrencyLimiter } from './adaptive-concurrency-limiter.js';
import { type HttpRequest, type HttpResponse, ResponseTooLarge, TransportError } from './http-request.js';
import { admit, confirmOutcome, isReadOnly, outcomeUnknown, type RequestLock } from './request-lock.js';
import { backoffMs, type Retry, type RetryableFailure, retryableFailureOfError, retryableFailureOfResponse } from './retry.js';
import { ServerClock } from './server-clock.js';
import type { StreamRequest } from './stream.js';
import { responseTooLargeError, unexpectedContent, unexpectedResponse } from './unexpected-response.js';
import { fileOf, isOutOfDate, isUntrusted, outOfDateError, unreachableError } from './unreachable.js';
import { unverifiedDate } from './unverified-date.js';
import { httpWire, type Wire } from './wire.js';
import { withoutCredentials } from './without-credentials.js';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent exactly as given. */
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** The maximum size of the response in bytes. @default 16 MiB, more than any object has */
  readonly maxResponseBytes?: number;
  /** The response is text, such as a log, and is not parsed. @default false */
  readonly isText?: boolean;
}

export interface ApiResponse {
  readonly code: number;
  readonly body: Json;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
  /** Present if the response to an earlier attempt was lost: the server may have carried out the request then, before this attempt. */
  readonly responseLost?: true;
}

/** Settings and listeners for the requests of a run. */
export interface RequestContext {
  /** Stops the run between requests; a request in flight is awaited, so that its outcome is known. */
  readonly signal?: AbortSignal | undefined;
  /** Receives each retry before its pause. */
  readonly onRetry?: (retry: Retry) => void;
  /** Receives the refusal of a creation by name, before the object is created without; see `ClusterClient.createByName`. */
  readonly onUnnamedCreation?: (refusal: ApiError) => void;
  /** A lock that the sender must hold: asked before every attempt, before the first byte of a write, and when its response has arrived. */
  readonly lock?: RequestLock | undefined;
  /** Exempts the requests from the limit of requests in flight. @default false */
  readonly urgent?: boolean;
  /** The milliseconds that a request may take with all its attempts, if less than the transport's own limits. For reads only. */
  readonly retryTimeoutMs?: number;
}

export interface TransportOptions {
  /** The maximum number of requests in flight; fewer while the server is overloaded. @default 16 */
  readonly concurrency?: number;
  /** The milliseconds without data after which an attempt fails; a complete response may take twice as long. @default 60_000 */
  readonly timeoutMs?: number;
  /** The milliseconds after which a request is not retried. @default 60_000 */
  readonly retryTimeoutMs?: number;
  /** Aborts everything, including requests in flight. */
  readonly signal?: AbortSignal | undefined;
  /** The way to the server. @default HTTP */
  readonly wire?: Wire;
  /** The machine whose clocks, timer and random numbers the transport uses. @default `thisMachine` */
  readonly machine?: Machine;
}

/** A transport: to a server over HTTP, or to one in this process. */
export type RequestSender = Pick<Transport, 'server' | 'send' | 'close'> &
  Partial<Pick<Transport, 'stream' | 'retryTimeoutMs' | 'machine' | 'clockDifference'>>;

export const defaultRetryTimeoutMs = 60_000; // milliseconds

const maxObjectBytes = 16 * 2 ** 20; // bytes
const headersLifetimeMs = 10_000; // milliseconds; tokens may expire during a deploy
const urgentSockets = 2;

/**
 * An HTTP connection to one API server, with keep-alive and a limit of requests in flight. Bodies are sent exactly as given. Requests of
 * any method are retried after transient failures: callers pin uid or resourceVersion, and read the object if a lost response leaves the
 * outcome open.
 */
export class Transport {
  readonly server: string;
  /** The milliseconds after which a request is not retried. */
  readonly retryTimeoutMs: number;
  readonly machine: Machine;
  readonly #wire: Wire;
  readonly #connection: Connection;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #limiter: AdaptiveConcurrencyLimiter;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #serverClock = new ServerClock();
  #hasResponded = false;
  #baseUrl: ResolvedUrl | undefined;
  #headers: { readonly until: number; readonly value: Promise<Headers> } | undefined;

  constructor(connection: Connection, options: TransportOptions = {}) {
    const concurrency = options.concurrency ?? 16;
    const settings = { keepAlive: true, maxSockets: concurrency + urgentSockets };
    this.server = connection.server;
    this.#connection = connection;
    this.#limiter = new AdaptiveConcurrencyLimiter(concurrency);
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    this.retryTimeoutMs = options.retryTimeoutMs ?? defaultRetryTimeoutMs;
    this.#signal = options.signal;
    this.#wire = options.wire ?? httpWire;
    this.machine = options.machine ?? thisMachine;
    if (connection.agent !== undefined) this.#agent = connection.agent(settings) as HttpsAgent;
    else {
      const secure = connection.server.startsWith('https:');
      this.#agent = secure ? new HttpsAgent({ ...settings, ...sharedContext(connection.tls) }) : new HttpAgent(settings);
      // All connections are to the same server; the default name would serialize all TLS settings for every request.
      this.#agent.getName = () => connection.server;
    }
  }

  /**
   * Sends one request and reads its complete response; retries with growing pauses after transient failures.
   *
   * @throws ApiError for a rejection; FieldwiseError `authentication-failed` for 401, `cluster-unreachable` if no response arrived,
   *   `response-unexpected` for a response that no API server sends, `response-too-large`, `interrupted` before a request, `response-lost`
   *   if an interrupt leaves the outcome of an attempt open.
   */
  async send(request: ApiRequest, context: RequestContext = {}): Promise<ApiResponse> {
    const { machine } = this;
    const started = machine.monotonic();
    const failures = new Map<number, number>();
    let uncertain = false;
    let hasRenewed = false;
    let hasTrusted = false;
    for (let attempt = 1; ; attempt++) {
      const { response, cause, failure } = await this.#attempt(request, context).catch((error: unknown) => {
        if (!uncertain) throw error;
        if (context.signal?.aborted) throw this.#responseLost();
        throw error instanceof FieldwiseError && error.code === 'lock-lost' ? outcomeUnknown(error) : error;
      });
      // Nobody has carried out a request whose sender or server was not accepted.
      if (response?.code === 401 && !isDenied(request, response) && !hasRenewed) {
        hasRenewed = true;
        if (await this.#renew()) continue;
      }
      if (isUntrusted(cause) && !hasTrusted) {
        hasTrusted = true;
        if (this.#connection.trustMore?.()) continue;
      }
      if (failure) {
        uncertain ||= failure.outcomeUnknown && !isReadOnly(request);
        const sameFailures = (failures.get(failure.maxAttempts) ?? 0) + 1;
        failures.set(failure.maxAttempts, sameFailures);
        const wait = backoffMs(failure, attempt, machine.random);
        const { retryTimeoutMs = Number.POSITIVE_INFINITY } = context;
        const elapsed = machine.monotonic() - started + wait;
        const isTooLate = elapsed > retryTimeoutMs || (attempt > 1 && elapsed > this.retryTimeoutMs);
        if (sameFailures < failure.maxAttempts && !isTooLate) {
          const { method, path } = request;
          context.onRetry?.({ method, path, attempt, reason: failure.reason, delaySeconds: Math.round(wait / 100) / 10 });
          await machine.pause(wait, context.signal ?? this.#signal).catch(() => undefined); // The next attempt reports an interrupt.
          continue;
        }
      }
      if (!isReadOnly(request) && (uncertain || mayHaveWritten(response, cause))) await confirmOutcome(context);
      if (!response)
        throw cause instanceof ResponseTooLarge ? responseTooLargeError(this.server, request, cause) : await this.#unreachable(cause);
      return this.#read(request, response, uncertain);
    }
  }

  /** Milliseconds by which the clock of this machine is ahead of the server's; undefined before a response. */
  get clockDifference(): number | undefined {
    return this.#serverClock.difference;
  }

  /** See `openStream`. */
  stream(request: StreamRequest): AsyncIterable<Json> {
    return this.#wire.stream(this.#connection, request, { timeoutMs: this.#timeoutMs, maxLineBytes: maxObjectBytes }, this.machine);
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #attempt(
    request: ApiRequest,
    context: RequestContext,
  ): Promise<{ readonly response?: HttpResponse; readonly cause?: unknown; readonly failure: RetryableFailure | undefined }> {
    const { urgent, retryTimeoutMs } = context;
    const headers = await this.#authenticate();
    const release = urgent ? () => {} : await this.#limiter.acquire();
    let started = this.machine.monotonic();
    let sent = this.machine.wall();
    let failure: RetryableFailure | undefined;
    try {
      const { lock } = context;
      let response: HttpResponse | undefined;
      while (response === undefined) {
        await admit(context, this.#signal);
        started = this.machine.monotonic();
        sent = this.machine.wall();
        response = await this.#wire.send({
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
          machine: this.machine,
          ...(lock === undefined || isReadOnly(request) ? {} : { mayStart: () => lock.isCertain }),
        });
      }
      this.#hasResponded = true;
      this.#serverClock.note(response.date, sent, this.machine.wall());
      if (request.isText !== true || response.code !== 200) response = withoutCredentials(response, headers);
      failure = retryableFailureOfResponse(response);
      return { response, failure };
    } catch (cause) {
      if (cause instanceof FieldwiseError) throw cause;
      failure = retryableFailureOfError(cause, this.#hasResponded);
      return { cause, failure };
    } finally {
      release({ overloaded: failure?.overloaded === true, milliseconds: this.machine.monotonic() - started });
    }
  }

  #urlOf({ path, query = {} }: ApiRequest): ResolvedUrl {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
    const text = parameters.toString();
    const whole = path + (text === '' ? '' : `?${text}`);
    if (!needsNoEncoding.test(path)) return resolveUrl(new URL(this.server + whole));
    this.#baseUrl ??= resolveUrl(new URL(this.server));
    const { target, path: prefix } = this.#baseUrl;
    return { target, path: prefix === '/' ? whole : prefix + whole };
  }

  #read(request: ApiRequest, response: HttpResponse, uncertain: boolean): ApiResponse {
    if (response.code === 401 && !isDenied(request, response)) {
      throw new FieldwiseError(
        'authentication-failed',
        'authentication',
        'The API server does not accept these credentials (401 Unauthorized)',
        {
          location: { ...fileOf(this.#connection.facts), server: this.server },
          next: 'Check the token or client certificate of the current context of the kubeconfig.',
        },
      );
    }
    const isText = request.isText === true && response.code === 200 && ['', 'identity'].includes(response.encoding);
    if (isText) return { code: response.code, body: response.text, warnings: response.warnings };
    const unexpected = unexpectedContent(response);
    if (unexpected !== undefined) throw unexpectedResponse(this.server, request, unexpected);
    const { body } = response;
    if (response.code >= 400) throw new ApiError(request.method, request.path, response.code, body, uncertain);
    return { code: response.code, body: body ?? null, warnings: response.warnings, ...(uncertain ? { responseLost: true } : {}) };
  }

  async #authenticate(): Promise<Headers> {
    const now = this.machine.wall();
    if (!this.#headers || this.#headers.until < now) {
      this.#headers = { until: now + headersLifetimeMs, value: this.#connection.headers() };
    }
    return this.#headers.value;
  }

  /** Gets other credentials after the server has refused these. */
  async #renew(): Promise<boolean> {
    const refused = this.#headers;
    if (refused === undefined || !(await this.#connection.renew?.(await refused.value))) return false;
    if (this.#headers === refused) this.#headers = undefined;
    return true;
  }

  #responseLost(): FieldwiseError {
    return new FieldwiseError(
      'response-lost',
      'interrupted',
      'Interrupted after a response was lost: the server may have carried out the request',
      {
        location: { server: this.server },
        next: 'Run again: completed work is detected and skipped.',
      },
    );
  }

  async #unreachable(cause: unknown): Promise<Error> {
    if (this.#signal?.aborted) return new FieldwiseError('interrupted', 'interrupted', 'Interrupted');
    if (isOutOfDate(cause)) {
      const now = this.machine.wall();
      return outOfDateError(this.server, cause, this.#connection.facts, { now, serverDate: await unverifiedDate(this.#connection) });
    }
    return unreachableError(this.server, cause, this.#connection.facts);
  }
}

/** Returns false if the server has certainly not carried out a write: it was not sent, or refused for a conflict. */
function mayHaveWritten(response: HttpResponse | undefined, cause: unknown): boolean {
  return response ? response.code !== 409 : !(cause instanceof TransportError && cause.unsent);
}

/** Returns true if a policy or webhook denies a request with the status of wrong credentials. */
function isDenied({ method, path }: ApiRequest, { code, body }: HttpResponse): boolean {
  return method !== 'GET' && admissionDenialOf(new ApiError(method, path, code, body)) !== undefined;
}

/** A server and a path on it, parsed from a URL. */
type ResolvedUrl = Pick<HttpRequest, 'target' | 'path'>;

/** Matches a path that needs no percent-encoding. */
const needsNoEncoding = /^[!"$-~]*$/;

function resolveUrl(url: URL): ResolvedUrl {
  const { protocol, hostname, port, auth, path } = urlToHttpOptions(url);
  return { target: { protocol, hostname, port, auth }, path: path ?? '/' };
}

/** Adds a TLS context that is shared by all connections. If the certificates or keys are invalid, the first connection reports it. */
function sharedContext(tls: Connection['tls']): Connection['tls'] & { readonly secureContext?: SecureContext } {
  try {
    return { ...tls, secureContext: createSecureContext(tls) };
  } catch {
    return tls;
  }
}
