import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiClient, ResponseBody } from './api-client.js';
import { writeKubeconfig } from './kubeconfig.js';

/** A request that passed the proxy. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Header that says in which shape the answer is asked for; a hook may ask for another one. */
  accept: string;
  readonly contentType: string;
  readonly body: ResponseBody;
  /** Of the answer; 0 while it is under way. */
  status: number;
}

/**
 * What a hook may answer instead of the server; `drop` ends the connection without an answer, `duplicate` has the server do the request
 * twice and passes on its second answer, `answer` writes whatever it likes.
 */
export type Interception =
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | { readonly respond: (response: ServerResponse) => void }
  | 'drop'
  | 'duplicate';

/**
 * What may become of the server's answer: it is lost, cut off in a well-formed message, the connection breaks within its body, or the body is
 * another one, with another status where it names one; a text is sent as HTML.
 */
export type ResponseFault = 'lose' | 'truncate' | 'reset' | { readonly body: unknown; readonly status?: number };

/**
 * A plain HTTP proxy on loopback in front of an API server, so that a test can look at every request, do something between
 * two of them, or answer in the server's place. It forwards as the client it was given.
 */
export class InterceptionProxy {
  readonly requests: ProxiedRequest[] = [];
  /** Milliseconds by which the Date headers of answers are ahead. */
  clockAheadMs = 0;
  /** Before a request is forwarded. */
  onRequest: (request: ProxiedRequest) => Promise<Interception | undefined> | Interception | undefined = () => undefined;
  /** After the server's answer and before the client gets it. */
  onResponse: (
    request: ProxiedRequest,
    answer: { status: number; body: ResponseBody },
  ) => Promise<ResponseFault | undefined> | ResponseFault | undefined = () => undefined;

  private constructor(
    /** Another one may take over, as after a restart on another port. */
    public upstream: ApiClient,
    private readonly listener: Server,
    readonly kubeconfig: string,
  ) {}

  static async start(upstream: ApiClient, kubeconfig: string): Promise<InterceptionProxy> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const proxy = new InterceptionProxy(upstream, listener, kubeconfig);
    listener.on('request', (request, response) => {
      proxy.#pass(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    writeKubeconfig(kubeconfig, { server: proxy.server, token: 'replaced-by-the-proxy' });
    return proxy;
  }

  get server(): string {
    return `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  /** Requests about one resource name or path part, in order, as `PATCH gateway`. */
  requestsFor(part: string): ProxiedRequest[] {
    return this.requests.filter(({ path }) => path.split('/').includes(part));
  }

  async stop(): Promise<void> {
    this.listener.closeAllConnections();
    await new Promise((resolve) => this.listener.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const url = new URL(this.upstream.connection.server.replace(/\/$/, '') + request.url);
    const passed: ProxiedRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      accept: request.headers.accept ?? '',
      contentType: request.headers['content-type'] ?? '',
      body: parse(body?.toString('utf8')),
      status: 0,
    };
    this.requests.push(passed);
    const interception = await this.onRequest(passed);
    if (interception === 'drop') {
      response.destroy();
      return;
    }
    if (typeof interception === 'object' && 'respond' in interception) {
      interception.respond(response);
      return;
    }
    if (interception !== undefined && interception !== 'duplicate') {
      passed.status = interception.status;
      response.writeHead(interception.status, { 'content-type': 'application/json', ...interception.headers });
      response.end(JSON.stringify(interception.body));
      return;
    }
    const forward = () => this.upstream.raw(passed.method, url, { ...forwarded(request), accept: passed.accept }, body);
    if (interception === 'duplicate') await forward();
    const { status, headers, text } = await forward();
    passed.status = status;
    const spoiling = await this.onResponse(passed, { status, body: parse(text) });
    const { 'transfer-encoding': _, 'content-length': __, connection: ___, date: ____, ...others } = headers;
    const kept = { ...others, date: new Date(Date.now() + this.clockAheadMs).toUTCString() };
    const half = text.slice(0, text.length / 2);
    if (spoiling === 'lose') {
      response.destroy();
    } else if (spoiling === 'reset') {
      response.writeHead(status, { ...kept, 'content-length': Buffer.byteLength(text) });
      response.write(half, () => response.destroy());
    } else if (typeof spoiling === 'object') {
      const isHtml = typeof spoiling.body === 'string';
      response.writeHead(spoiling.status ?? status, { ...kept, ...(isHtml ? { 'content-type': 'text/html' } : {}) });
      response.end(isHtml ? spoiling.body : JSON.stringify(spoiling.body));
    } else {
      response.writeHead(status, kept);
      response.end(spoiling === 'truncate' ? half : text);
    }
  }
}

/** Headers that belong to one connection or would have the answer compressed stay here. */
function forwarded(request: IncomingMessage): Record<string, string> {
  const own = new Set(['host', 'connection', 'authorization', 'accept-encoding', 'transfer-encoding']);
  return Object.fromEntries(Object.entries(request.headers).filter(([name]) => !own.has(name)) as [string, string][]);
}

function parse(text: string | undefined): ResponseBody {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
