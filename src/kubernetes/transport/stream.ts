import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { FieldwiseError } from '../../util/error.js';
import { parseExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';
import { type Machine, timeLimit } from '../../util/machine.js';
import { maxJsonDepth } from '../../util/max-json-depth.js';
import type { Connection, Headers } from '../connection.js';
import { credentialMasker, credentialsIn } from '../mask-credentials.js';
import { ApiError } from '../status.js';
import { ResponseTooLarge } from './http-response.js';
import { isTooDeep, readHttpResponse } from './read-http-response.js';
import { plainText, responseTooLargeError, unexpectedContent, unexpectedResponse } from './unexpected-response.js';
import { unreachableError } from './unreachable.js';
import { withoutCredentials } from './without-credentials.js';

export interface StreamRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** The seconds after which the client ends the stream, because a connection may break without a sign. */
  readonly timeoutSeconds: number;
}

export interface StreamLimits {
  /** The milliseconds without data after which the read of an error response fails. */
  readonly timeoutMs: number;
  /** The maximum size of a line, in UTF-16 code units. */
  readonly maxLineBytes: number;
}

/**
 * Sends a GET whose response is one JSON value per line until the server ends it. Uses a separate connection, so that it does not count
 * against the limit of concurrent requests.
 *
 * @throws ApiError if the server rejects the request, FieldwiseError `response-unexpected` and `response-too-large`, and `cluster-unreachable` if the
 *   connection breaks; ends without an error if the server ends the stream.
 */
export async function* openStream(
  connection: Connection,
  request: StreamRequest,
  limits: StreamLimits,
  machine: Machine,
): AsyncGenerator<Json> {
  const limit = timeLimit(machine, request.timeoutSeconds * 1000);
  try {
    yield* openEvents(connection, { ...request, signal: AbortSignal.any([request.signal, limit.signal]) }, limits, machine);
  } finally {
    limit.cancel();
  }
}

async function* openEvents(connection: Connection, request: StreamRequest, limits: StreamLimits, machine: Machine): AsyncGenerator<Json> {
  const { response, credentials } = await openResponse(connection, request).catch((error: unknown) => {
    throw brokenAs(error, connection, request.signal);
  });
  const requested = { method: 'GET', path: request.path };
  const { server } = connection;
  try {
    if (response.statusCode !== 200 || response.headers['content-encoding'] !== undefined) {
      response.setTimeout(limits.timeoutMs, () => response.destroy(new Error(`no response within ${limits.timeoutMs / 1000} s`)));
      const whole = await readHttpResponse(response, { timeoutMs: limits.timeoutMs, maxBytes: limits.maxLineBytes }, machine);
      const httpResponse = withoutCredentials(whole, credentials);
      const unexpected = unexpectedContent(httpResponse);
      if (unexpected !== undefined || httpResponse.code < 300)
        throw unexpectedResponse(server, requested, unexpected ?? String(httpResponse.code));
      throw new ApiError('GET', request.path, httpResponse.code, httpResponse.body);
    }
    for await (const line of linesOf(response, limits.maxLineBytes)) {
      if (isTooDeep(line)) throw unexpectedResponse(server, requested, `an event that is nested more than ${maxJsonDepth} levels deep`);
      yield eventOf(line, (problem) => unexpectedResponse(server, requested, credentialMasker(credentialsIn(credentials))(problem)));
    }
  } catch (error) {
    if (error instanceof ResponseTooLarge) throw responseTooLargeError(server, requested, error);
    throw brokenAs(error, connection, request.signal);
  } finally {
    response.destroy();
  }
}

/** Returns the error for a connection that broke; others, and those of a stream that was ended, stay as they are. */
function brokenAs(error: unknown, { server, facts }: Connection, signal: AbortSignal): unknown {
  const isKnown = error instanceof FieldwiseError || error instanceof ApiError || signal.aborted || !(error instanceof Error);
  return isKnown ? error : unreachableError(server, error, facts);
}

interface OpenedResponse {
  readonly response: IncomingMessage;
  /** The headers that authenticated the request. */
  readonly credentials: Headers;
}

/** Sends the request, and once more with other credentials if there are some after a 401. */
async function openResponse(connection: Connection, request: StreamRequest): Promise<OpenedResponse> {
  const url = new URL(connection.server + request.path);
  for (const [name, value] of Object.entries(request.query)) if (value !== undefined) url.searchParams.set(name, value);
  const secure = url.protocol === 'https:';
  const send = async (credentials: Headers) => {
    const headers = { ...credentials, accept: 'application/json', 'user-agent': 'fieldwise' };
    const agent = (connection.agent?.({}) as HttpAgent | undefined) ?? (secure ? new HttpsAgent(connection.tls) : new HttpAgent());
    return new Promise<IncomingMessage>((resolve, reject) => {
      const call = (secure ? httpsRequest : httpRequest)(url, { agent, headers, signal: request.signal }, resolve);
      call.on('error', reject);
      call.end();
    });
  };
  const credentials = await connection.headers();
  const response = await send(credentials);
  if (response.statusCode !== 401 || !(await connection.renew?.(credentials))) return { response, credentials };
  response.destroy();
  const renewed = await connection.headers();
  return { response: await send(renewed), credentials: renewed };
}

async function* linesOf(response: IncomingMessage, maxLength: number): AsyncGenerator<string> {
  response.setEncoding('utf8');
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<string>) {
    const [rest = '', ...following] = chunk.split('\n').reverse();
    for (const line of following.reverse()) {
      const whole = parts.join('') + line;
      parts = [];
      length = 0;
      if (whole.trim() !== '') yield whole;
    }
    parts.push(rest);
    length += rest.length;
    if (length > maxLength) throw new ResponseTooLarge(maxLength);
  }
}

function eventOf(line: string, unexpectedError: (problem: string) => Error): Json {
  try {
    return parseExactJson(line);
  } catch {
    throw unexpectedError(`an event that is ${plainText(line)}`);
  }
}
