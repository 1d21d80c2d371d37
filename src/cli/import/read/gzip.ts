import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { maxSourceBytes, megabytes } from '../../../schema/read/source-limits.js';

/** Returns true for bytes that begin as gzip. Source: RFC 1952, section 2.3.1. */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Compressed bytes that are enough to recognize the content. They unpack to a thousand times as many at most. */
const head = 4096;

/** Returns the first bytes that a gzip file unpacks to. @throws Error if it is damaged. */
export function unpackedHead(bytes: Buffer): Buffer {
  return gunzipSync(bytes.subarray(0, head), { finishFlush: constants.Z_SYNC_FLUSH });
}

/** Unpacks a gzip file. @throws Error if it is damaged, or unpacks to more than a source may contain. */
export async function gunzip(bytes: Buffer): Promise<Buffer> {
  const stream = createGunzip();
  stream.end(bytes);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxSourceBytes) {
      stream.destroy();
      throw new UnpackedTooLarge(`the source unpacks to more than ${megabytes(maxSourceBytes)}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Thrown for a source that unpacks beyond a limit; the message names it. */
export class UnpackedTooLarge extends Error {}
