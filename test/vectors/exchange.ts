import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { EmbeddedApiServer } from '../../src/embedded/index.js';
import { stringifyExactJson } from '../../src/util/exact-json.js';
import type { Json } from '../../src/util/json.js';
import type { Connection } from '../harness/kubeconfig.js';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly contentType?: string;
}

export interface Received {
  readonly code: number;
  readonly body: Json | undefined;
  readonly text: string;
  readonly warnings: readonly string[];
}

/** One exchange with the server under test. */
export type ScenarioTransport = (request: Sent) => Promise<Received>;

export const userAgent = 'vector-recorder/1.0';

/** Through HTTP or HTTPS, on connections that stay open. */
export function overHttp({ server, token, ca, certificate, key }: Connection): ScenarioTransport {
  const secure = server.startsWith('https:');
  const options = { keepAlive: true, maxSockets: 64 };
  // A test server on this machine has signed its own certificate; any other is to be known by its authority.
  const trusted = ca === undefined && isLoopback(server) ? { rejectUnauthorized: false } : { ca };
  const agent = secure ? new HttpsAgent({ ...options, ...trusted, cert: certificate, key }) : new HttpAgent(options);
  const send = secure ? httpsRequest : httpRequest;
  return ({ method, path, query, body, contentType }) =>
    new Promise((resolve, reject) => {
      const url = new URL(server.replace(/\/$/, '') + path);
      for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
      const headers: Record<string, string> = { accept: 'application/json', 'user-agent': userAgent };
      if (token) headers.authorization = `Bearer ${token}`;
      if (body !== undefined) {
        headers['content-type'] = contentType ?? 'application/json';
        // A DELETE has no body otherwise.
        headers['content-length'] = String(Buffer.byteLength(body));
      }
      const request = send(url, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const warnings = readWarnings([response.headers.warning ?? []].flat().join(', '));
          resolve({ code: response.statusCode ?? 0, body: parsed(text), text, warnings });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
}

function isLoopback(server: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(server).hostname);
}

/** Without a socket. */
export function inProcess(cluster: EmbeddedApiServer): ScenarioTransport {
  return async ({ method, path, query, body, contentType = 'application/json' }) => {
    const headers = { accept: 'application/json', 'user-agent': userAgent, 'content-type': contentType };
    const answer = await cluster.handle({
      method,
      path,
      query: new URLSearchParams(query),
      headers,
      ...(body === undefined ? {} : { body }),
    });
    return { code: answer.code, body: JSON.parse(stringifyExactJson(answer.body)) as Json, text: '', warnings: answer.warnings };
  };
}

export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export function readWarnings(header: string): string[] {
  return [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map((match) => JSON.parse(match[1] as string) as string);
}
