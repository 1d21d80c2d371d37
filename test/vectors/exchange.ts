import type { EmbeddedCluster } from '../../src/embedded/index.js';
import type { Json } from '../../src/util/json.js';

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
export type Exchange = (request: Sent) => Promise<Received>;

const userAgent = 'vector-recorder/1.0';

/** Through HTTP. */
export function overHttp(server: string, token: string): Exchange {
  return async ({ method, path, query, body, contentType }) => {
    const url = new URL(server.replace(/\/$/, '') + path);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': userAgent };
    if (body !== undefined) headers['content-type'] = contentType ?? 'application/json';
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    return { code: response.status, body: parsed(text), text, warnings: readWarnings(response.headers.get('warning') ?? '') };
  };
}

/** Without a socket. */
export function inProcess(cluster: EmbeddedCluster): Exchange {
  return async ({ method, path, query, body, contentType = 'application/json' }) => {
    const headers = { accept: 'application/json', 'user-agent': userAgent, 'content-type': contentType };
    const answer = await cluster.handle({
      method,
      path,
      query: new URLSearchParams(query),
      headers,
      ...(body === undefined ? {} : { body }),
    });
    return { code: answer.code, body: JSON.parse(JSON.stringify(answer.body)) as Json, text: '', warnings: answer.warnings };
  };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function readWarnings(header: string): string[] {
  return [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map((match) => JSON.parse(match[1] as string) as string);
}
