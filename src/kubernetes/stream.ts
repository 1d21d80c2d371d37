import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { parseExactJson } from '../util/exact-json.js';
import type { Json } from '../util/json.js';
import { AnswerTooLarge } from './answer.js';
import type { Connection } from './connection.js';
import { deepestJson, isTooDeep, readAnswer } from './read-answer.js';
import { ApiError } from './status.js';
import { plainText, tooLarge, unexpectedAnswer, unexpectedContent } from './unexpected-answer.js';

export interface StreamRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Seconds after which the stream is ended from here, however it goes on: connections may die without a word. */
  readonly seconds: number;
}

export interface StreamLimits {
  /** Milliseconds for a refusal to come. */
  readonly timeout: number;
  /** Bytes of a line, at most. */
  readonly largest: number;
}

/**
 * A GET whose answer is one JSON value a line and goes on for as long as the server likes. It has a connection of its own, so that
 * it takes no place from requests.
 *
 * @throws ApiError where the server refuses, FieldwiseError `answer-unexpected` and `answer-too-large`, Error where the connection breaks;
 *   ends without error where the server ends it.
 */
export async function* openStream(connection: Connection, request: StreamRequest, limits: StreamLimits): AsyncGenerator<Json> {
  const url = new URL(connection.server + request.path);
  for (const [name, value] of Object.entries(request.query)) if (value !== undefined) url.searchParams.set(name, value);
  const secure = url.protocol === 'https:';
  const agent = (connection.proxyAgent as HttpAgent | undefined) ?? (secure ? new HttpsAgent(connection.tls) : new HttpAgent());
  const headers = { ...(await connection.headers()), accept: 'application/json', 'user-agent': 'fieldwise' };
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(request.seconds * 1000)]);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = (secure ? httpsRequest : httpRequest)(url, { agent, headers, signal }, resolve);
    call.on('error', reject);
    call.end();
  });
  const asked = { method: 'GET', path: request.path };
  const { server } = connection;
  try {
    if (response.statusCode !== 200 || response.headers['content-encoding'] !== undefined) {
      response.setTimeout(limits.timeout, () => response.destroy(new Error(`no answer within ${limits.timeout / 1000} s`)));
      const answer = await readAnswer(response, limits.timeout, limits.largest);
      const strange = unexpectedContent(answer);
      if (strange !== undefined || answer.code < 300) throw unexpectedAnswer(server, asked, strange ?? String(answer.code));
      throw new ApiError('GET', request.path, answer.code, answer.body);
    }
    for await (const line of linesOf(response, limits.largest)) {
      if (isTooDeep(line)) throw unexpectedAnswer(server, asked, `an event that is nested more than ${deepestJson} levels deep`);
      yield eventOf(line, (what) => unexpectedAnswer(server, asked, what));
    }
  } catch (error) {
    throw error instanceof AnswerTooLarge ? tooLarge(server, asked, error) : error;
  } finally {
    response.destroy();
  }
}

async function* linesOf(response: IncomingMessage, largest: number): AsyncGenerator<string> {
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
    if (length > largest) throw new AnswerTooLarge(largest);
  }
}

function eventOf(line: string, unexpected: (what: string) => Error): Json {
  try {
    return parseExactJson(line);
  } catch {
    throw unexpected(`an event that is ${plainText(line)}`);
  }
}
