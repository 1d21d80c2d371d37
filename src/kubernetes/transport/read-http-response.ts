import type { IncomingMessage } from 'node:http';
import { parseExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';
import type { Machine } from '../../util/machine.js';
import { maxJsonDepth } from '../../util/max-json-depth.js';
import { retryAfterSeconds } from '../../util/retry-after.js';
import { type HttpResponse, ResponseTooLarge, slowResponse } from './http-response.js';

/** Reads a complete response, by events: an iterator over the chunks of a small response costs more than the rest of the read. */
export function readHttpResponse(
  response: IncomingMessage,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
  machine: Machine,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const slow = `the response was not complete within ${(2 * timeoutMs) / 1000} s`;
    let cancelDeadline = () => {};
    response.on('data', (chunk: Buffer) => {
      // The timeout for silence does not end a response that trickles. Most responses are complete with their first chunk.
      if (chunks.length === 1) {
        cancelDeadline = machine.after(2 * timeoutMs, () => response.destroy(Object.assign(new Error(slow), { code: slowResponse })));
      }
      length += chunk.length;
      if (length > maxBytes) response.destroy(new ResponseTooLarge(maxBytes));
      else chunks.push(chunk);
    });
    response.on('end', () => {
      cancelDeadline();
      const text = (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString('utf8');
      resolve(httpResponseOf({ code: response.statusCode ?? 0, headers: response.headers, text }, machine.wall()));
    });
    response.on('error', reject);
    response.on('close', () => {
      cancelDeadline();
      if (!response.readableEnded) reject(new Error('the connection was closed within the response')); // Without effect after an error.
    });
  });
}

/** The parts of a complete response; headers by their names in lower case. */
export interface RawResponse {
  readonly code: number;
  readonly headers: { readonly [name in UsedHeader]?: string | undefined };
  readonly text: string;
}

type UsedHeader = 'content-type' | 'content-encoding' | 'location' | 'retry-after' | 'warning' | 'date';

/** Returns a complete response in parts. @param now milliseconds since 1970. */
export function httpResponseOf({ code, headers, text }: RawResponse, now: number): HttpResponse {
  const contentType = headers['content-type'] ?? '';
  const json = contentType.startsWith('application/json');
  const deep = isTooDeep(text);
  const parsed = deep ? { body: text, isJson: true } : parseBody(text);
  return {
    code,
    text,
    body: parsed?.body,
    // Responses with 204 and 205 are empty by definition. Source: RFC 9110, 15.3.5 and 15.3.6.
    isComplete: parsed ? !json || parsed.isJson : code >= 300 || code === 204 || code === 205,
    isTooDeep: deep,
    contentType: contentType.split(';')[0]?.trim() ?? '',
    encoding: headers['content-encoding'] ?? '',
    location: headers.location ?? '',
    retryAfterSeconds: retryAfterSeconds(headers['retry-after'], now),
    date: headers.date,
    warnings: readWarnings(headers.warning),
  };
}

function parseBody(text: string): { readonly body: Json; readonly isJson: boolean } | undefined {
  if (text === '') return undefined;
  try {
    return { body: parseExactJson(text), isJson: true };
  } catch {
    return { body: text, isJson: false };
  }
}

/** Parses Warning headers, which are `299 - "text"`, several joined by commas. */
function readWarnings(header: string | undefined): string[] {
  if (header === undefined) return [];
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1'));
}

/** Returns true if JSON is nested more than `maxJsonDepth` levels deep; strings are skipped. */
export function isTooDeep(text: string): boolean {
  if (text.length < maxJsonDepth * 2) return false; // Each level takes two characters.
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === 0x22) index = endOfString(text, index);
    else if (character === 0x7b || character === 0x5b) {
      if (++depth > maxJsonDepth) return true;
    } else if (character === 0x7d || character === 0x5d) depth -= 1;
  }
  return false;
}

/** Returns the index of the closing quote of the string that begins at `start`, or the length of the text if there is none. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end; // An escaped quote does not end a string.
  }
  return text.length;
}
