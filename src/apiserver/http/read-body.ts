import type { IncomingMessage } from 'node:http';
import { StatusError } from '../api/status-error.js';
import { maxShortLength, takeTurn } from './turns.js';

/** Source: observed. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** Many bodies of this length are handled in milliseconds. */
const maxTinyLength = 16 * 1024;

/** Methods whose requests have no body that the server reads. */
const bodiless = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT']);

/** Returns true if the declared length of a body is beyond the limit. */
export function isDeclaredTooLarge(request: IncomingMessage): boolean {
  return hasBody(request) && Number(request.headers['content-length'] ?? 0) > maxBodyBytes;
}

function hasBody(request: IncomingMessage): boolean {
  return !bodiless.has(request.method ?? '');
}

/** Reads the body of a request. @throws StatusError 413 as soon as it is known to be too large */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (!hasBody(request)) return undefined;
  if (isDeclaredTooLarge(request)) throw bodyTooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not end the connection before the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw bodyTooLarge();
    chunks.push(chunk);
    // Many large bodies that arrive at once are read one after the other, with small requests between their parts.
    if (size > maxShortLength) await takeTurn();
  }
  if (size > maxTinyLength) await takeTurn();
  return Buffer.concat(chunks);
}

function bodyTooLarge(): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${maxBodyBytes}`);
}
