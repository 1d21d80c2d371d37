import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { FieldwiseError } from '../util/error.js';
import type { Json } from '../util/json.js';
import { pause } from '../util/pause.js';
import type { Connection } from './connection.js';
import { ApiError } from './status.js';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent exactly as given. */
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
}

export interface ApiResponse {
  readonly code: number;
  readonly body: Json;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

export interface TransportOptions {
  /** Requests in flight at once. Default 16. */
  readonly concurrency?: number;
  /** Milliseconds without any answer after which a request is given up. Default 60,000. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

const attemptsWhenBusy = 10;
const headersLifetime = 10_000; // milliseconds; tokens may expire while a deploy runs

/** HTTP to one API server: keep-alive, a bounded number of requests in flight, bodies sent exactly as given. */
export class Transport {
  readonly server: string;
  readonly #connection: Connection;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #timeout: number;
  readonly #signal: AbortSignal | undefined;
  #headers: { readonly until: number; readonly value: Promise<Readonly<Record<string, string>>> } | undefined;

  constructor(connection: Connection, options: TransportOptions = {}) {
    const settings = { keepAlive: true, maxSockets: options.concurrency ?? 16, ...connection.tls };
    this.server = connection.server;
    this.#connection = connection;
    this.#timeout = options.timeout ?? 60_000;
    this.#signal = options.signal;
    if (connection.proxyAgent) this.#agent = connection.proxyAgent as HttpsAgent;
    else this.#agent = connection.server.startsWith('https:') ? new HttpsAgent(settings) : new HttpAgent(settings);
  }

  /**
   * Sends one request and reads its whole answer.
   *
   * @throws ApiError for a refusal; FieldwiseError `authentication-failed` for 401, `cluster-unreachable` where no answer came.
   */
  async send(request: ApiRequest): Promise<ApiResponse> {
    const headers = await this.#authenticate();
    let answer: RawAnswer;
    for (let attempt = 1; ; attempt++) {
      try {
        answer = await this.#exchange(request, headers);
      } catch (cause) {
        throw this.#unreachable(cause);
      }
      if (answer.code !== 429 || attempt === attemptsWhenBusy) break;
      await pause(answer.retryAfter * 1000, this.#signal); // a busy server has not begun the request
    }
    const body = parseBody(answer.text);
    if (answer.code === 401) {
      throw new FieldwiseError(
        'authentication-failed',
        'authentication',
        'The API server does not accept these credentials (401 Unauthorized)',
        {
          place: { server: this.server },
          next: 'Check the token or client certificate of the current context of the kubeconfig.',
        },
      );
    }
    if (answer.code >= 400) throw new ApiError(request.method, request.path, answer.code, body);
    return { code: answer.code, body: body ?? null, warnings: answer.warnings };
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #authenticate(): Promise<Readonly<Record<string, string>>> {
    const now = Date.now();
    if (!this.#headers || this.#headers.until < now) {
      this.#headers = { until: now + headersLifetime, value: this.#connection.headers() };
    }
    return this.#headers.value;
  }

  async #exchange(request: ApiRequest, headers: Readonly<Record<string, string>>): Promise<RawAnswer> {
    try {
      return await this.#attempt(request, headers);
    } catch (cause) {
      if (cause instanceof StaleConnection) return this.#attempt(request, headers);
      throw cause;
    }
  }

  #attempt(request: ApiRequest, headers: Readonly<Record<string, string>>): Promise<RawAnswer> {
    const url = new URL(this.server + request.path);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const call = open(
        url,
        {
          method: request.method,
          agent: this.#agent,
          timeout: this.#timeout,
          ...(this.#signal ? { signal: this.#signal } : {}),
          headers: {
            ...headers,
            accept: request.accept ?? 'application/json',
            'user-agent': 'fieldwise',
            ...(request.body === undefined
              ? {}
              : { 'content-type': request.contentType ?? 'application/json', 'content-length': Buffer.byteLength(request.body) }),
          },
        },
        (response) => {
          readAnswer(response).then(resolve, reject);
        },
      );
      call.on('timeout', () => call.destroy(new Error(`no answer within ${this.#timeout / 1000} s`)));
      call.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection at the moment it was used again: it has not seen the request.
        reject(call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE') ? new StaleConnection() : error);
      });
      call.end(request.body);
    });
  }

  #unreachable(cause: unknown): Error {
    if (this.#signal?.aborted) return new FieldwiseError('interrupted', 'interrupted', 'Interrupted');
    const reason = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || cause.name : String(cause);
    return new FieldwiseError('cluster-unreachable', 'resource', `The API server does not answer: ${reason}`, {
      place: { server: this.server },
      next: 'Check the server address in the kubeconfig, the network, and that the server runs.',
      cause,
    });
  }
}

interface RawAnswer {
  readonly code: number;
  readonly text: string;
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number;
  readonly warnings: readonly string[];
}

class StaleConnection extends Error {}

async function readAnswer(response: IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    code: response.statusCode ?? 0,
    text: Buffer.concat(chunks).toString('utf8'),
    retryAfter: Number(response.headers['retry-after']) || 1,
    warnings: readWarnings(response.headers.warning),
  };
}

/** Warning headers are `299 - "text"`, several joined by commas. */
function readWarnings(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1'));
}

function parseBody(text: string): Json | undefined {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
