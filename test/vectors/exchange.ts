import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { encodeObject } from '../../src/apiserver/http/protobuf/envelope.js';
import type { EmbeddedApiServer } from '../../src/apiserver/index.js';
import { stringifyExactJson } from '../../src/util/exact-json.js';
import type { Json } from '../../src/util/json.js';
import type { Connection } from '../harness/kubeconfig.js';
import { decodedResponse, encodedBody, protobufType } from './protobuf-exchange.js';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The body as JSON, also where `contentType` is protobuf. */
  readonly body?: string;
  readonly contentType?: string;
  /** Value of the Accept header. @default 'application/json' */
  readonly accept?: string;
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
  return ({ method, path, query, body: given, contentType = 'application/json', accept = 'application/json' }) =>
    new Promise((resolve, reject) => {
      const url = new URL(server.replace(/\/$/, '') + path);
      for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
      const headers: Record<string, string> = { accept, 'user-agent': userAgent };
      const body = given === undefined ? undefined : encodedBody(given, contentType);
      if (token) headers.authorization = `Bearer ${token}`;
      if (body !== undefined) {
        headers['content-type'] = contentType;
        // A DELETE has no body otherwise.
        headers['content-length'] = String(Buffer.byteLength(body));
      }
      const request = send(url, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve(receivedFrom(response, Buffer.concat(chunks)));
        });
      });
      request.on('error', reject);
      request.end(body);
    });
}

/** Reads a response of a server. */
export function receivedFrom({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): Received {
  const warnings = readWarnings([headers.warning ?? []].flat().join(', '));
  if (headers['content-type'] === protobufType) return { code: statusCode, body: decodedResponse(bytes), text: '', warnings };
  const text = bytes.toString('utf8');
  return { code: statusCode, body: parsed(text), text, warnings };
}

function isLoopback(server: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(server).hostname);
}

/** Without a socket. */
export function inProcess(cluster: EmbeddedApiServer): ScenarioTransport {
  return async ({ method, path, query, body, contentType = 'application/json', accept = 'application/json' }) => {
    const answer = await cluster.handle({
      method,
      path,
      query: new URLSearchParams(query),
      headers: { accept, 'user-agent': userAgent, 'content-type': contentType },
      ...(body === undefined ? {} : { body: encodedBody(body, contentType) }),
    });
    const received =
      answer.mediaType === protobufType
        ? decodedResponse(encodeObject(answer.body))
        : (JSON.parse(stringifyExactJson(answer.body)) as Json);
    return { code: answer.code, body: received, text: '', warnings: sharedWarnings(answer.warnings) };
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
  const warnings = [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map((match) => JSON.parse(match[1] as string) as string);
  return sharedWarnings(warnings);
}

/** Leaves out the warnings of what only the embedded server does not enforce. */
function sharedWarnings(warnings: readonly string[]): string[] {
  return warnings.filter((warning) => !warning.includes('is not enforced by the embedded API server'));
}
