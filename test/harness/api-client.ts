import { Agent as PlainAgent, request as requestPlain } from 'node:http';
import { Agent, request } from 'node:https';
import { type Connection, readKubeconfig } from './kubeconfig.js';

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is looked at by tests that know its shape
export type ResponseBody = any;

export class ApiCallError extends Error {
  constructor(
    readonly status: number,
    readonly body: ResponseBody,
    call: string,
  ) {
    super(`${call}: ${status} ${body?.message ?? JSON.stringify(body)}`);
  }
}

export interface CallOptions {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/**
 * The tests' own way to the API server. Nothing of the engine's transport is used: what tests see of the server must not
 * pass through what they test.
 */
export class ApiClient {
  readonly connection: Connection;
  readonly #agent: Agent | PlainAgent;

  constructor(kubeconfig: string) {
    this.connection = readKubeconfig(kubeconfig);
    const { server, ca, certificate, key } = this.connection;
    const settings = { keepAlive: true, maxSockets: 8 };
    this.#agent = server.startsWith('http:') // a proxy
      ? new PlainAgent(settings)
      : new Agent({ ...settings, ...(ca ? { ca } : {}), ...(certificate ? { cert: certificate, key } : {}) });
  }

  /** @throws ApiFailure for every answer of 400 and above. */
  async call(
    method: string,
    path: string,
    { body, contentType = 'application/json', query = {} }: CallOptions = {},
  ): Promise<ResponseBody> {
    const url = new URL(this.connection.server.replace(/\/$/, '') + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const headers: Record<string, string> = { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': contentType }) };
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    // Node sends the body of a DELETE without its length, which the server would read as the next request.
    if (bytes !== undefined) headers['content-length'] = String(bytes.length);
    let { status, text } = await this.raw(method, url, headers, bytes);
    // Asked for by the server in the moment in which another test's CustomResourceDefinition comes or goes.
    for (let tries = 0; status === 429 && tries < 20; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      ({ status, text } = await this.raw(method, url, headers, bytes));
    }
    const answer = text.startsWith('{') ? JSON.parse(text) : text;
    if (status >= 400) throw new ApiCallError(status, answer, `${method} ${url.pathname}`);
    return answer;
  }

  /** One exchange as this client's user; the interception proxy forwards through it. */
  raw(
    method: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: Buffer | undefined,
  ): Promise<{ status: number; headers: Record<string, string | string[] | undefined>; bytes: Buffer; text: string }> {
    const { token } = this.connection;
    const all = { ...headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const open = url.protocol === 'http:' ? requestPlain : request;
    return new Promise((resolve, reject) => {
      const exchange = open(url, { method, headers: all, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString('utf8') });
        });
      });
      exchange.on('error', reject);
      exchange.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
