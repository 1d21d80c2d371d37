import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Json } from '../util/json.js';
import type { Connection } from './connection.js';
import { ApiError } from './status.js';

export interface StreamRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Seconds after which the stream is ended from here, however it goes on: connections may die without a word. */
  readonly seconds: number;
}

/**
 * A GET whose answer is one JSON value a line and goes on for as long as the server likes. It has a connection of its own, so that
 * it takes no place from requests.
 *
 * @throws ApiError where the server refuses, Error where the connection breaks; ends without error where the server ends it.
 */
export async function* openStream(connection: Connection, request: StreamRequest): AsyncGenerator<Json> {
  const url = new URL(connection.server + request.path);
  for (const [name, value] of Object.entries(request.query)) if (value !== undefined) url.searchParams.set(name, value);
  const secure = url.protocol === 'https:';
  const agent = connection.proxyAgent ?? (secure ? new HttpsAgent(connection.tls) : new HttpAgent());
  const headers = { ...(await connection.headers()), accept: 'application/json', 'user-agent': 'fieldwise' };
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(request.seconds * 1000)]);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = (secure ? httpsRequest : httpRequest)(url, { agent, headers, signal }, resolve);
    call.on('error', reject);
    call.end();
  });
  response.setEncoding('utf8');
  if (response.statusCode !== 200) throw new ApiError('GET', request.path, response.statusCode ?? 0, jsonOf(await textOf(response)));
  let rest = '';
  for await (const chunk of response) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as Json;
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
