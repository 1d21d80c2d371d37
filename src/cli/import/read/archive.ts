import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { maxArchiveBytes, megabytes } from '../../../schema/read/source-limits.js';
import { isGzip, UnpackedTooLarge } from './gzip.js';

/** A regular file in an archive. */
export interface ArchivedFile {
  readonly path: string;
  readonly size: number;
  /** Undefined if `wanted` returned false. */
  readonly content: Buffer | undefined;
}

const block = 512;
const maxPathRecord = 64 * 1024;

/**
 * Yields the regular files of a tar archive, gzipped or not, in order, and holds no more than one file in memory. Source: POSIX.1-2001,
 * pax interchange format, and the older ustar format, which it extends.
 *
 * @param wanted returns true for files whose content is read.
 * @param limit bytes of the unpacked archive.
 * @throws Error if the archive is truncated, is not an archive, or unpacks to more than `limit`.
 */
export async function* filesOfTarball(
  archive: Buffer,
  wanted: (path: string, size: number) => boolean,
  limit = maxArchiveBytes,
): AsyncGenerator<ArchivedFile> {
  const packed = Readable.from([archive], { objectMode: false });
  const unpacked = isGzip(archive) ? packed.pipe(createGunzip()) : packed;
  const input = new BoundedReader(unpacked, limit);
  try {
    let longPath: string | undefined;
    for (;;) {
      const header = await input.read(block);
      if (header === undefined || header.every((byte) => byte === 0)) return;
      const size = Number.parseInt(text(header, 124, 12).trim() || '0', 8);
      if (!Number.isSafeInteger(size) || size < 0) throw damaged();
      const type = text(header, 156, 1);
      if (type === 'x' || type === 'L') {
        if (size > maxPathRecord) throw damaged();
        const content = await input.content(size);
        longPath = type === 'x' ? (paxPath(content) ?? longPath) : text(content, 0, size);
        continue;
      }
      const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : '';
      const path = longPath ?? `${prefix === '' ? '' : `${prefix}/`}${text(header, 0, 100)}`;
      longPath = type === 'g' ? longPath : undefined;
      const isFile = type === '0' || type === '';
      const content = isFile && wanted(path, size) ? await input.content(size) : undefined;
      if (content === undefined) await input.skip(size);
      if (isFile) yield { path, size, content };
    }
  } finally {
    unpacked.destroy();
  }
}

/** Reads given numbers of bytes from a stream, up to a total limit. */
class BoundedReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #limit: number;
  #rest: Buffer = Buffer.alloc(0);
  #total = 0;

  constructor(stream: Readable, limit: number) {
    this.#limit = limit;
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Reads `size` bytes; undefined at the end of the stream. */
  async read(size: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let missing = size;
    while (missing > 0) {
      if (this.#rest.length === 0 && !(await this.#next())) {
        if (missing === size) return undefined;
        throw damaged();
      }
      const part = this.#rest.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return Buffer.concat(parts);
  }

  /** Reads the content of a file, without the padding of its last block. */
  async content(size: number): Promise<Buffer> {
    if (size === 0) return Buffer.alloc(0);
    const content = await this.read(Math.ceil(size / block) * block);
    if (content === undefined) throw damaged();
    return content.subarray(0, size);
  }

  async skip(size: number): Promise<void> {
    let missing = Math.ceil(size / block) * block;
    while (missing > 0) {
      if (this.#rest.length === 0 && !(await this.#next())) throw damaged();
      const part = Math.min(missing, this.#rest.length);
      this.#rest = this.#rest.subarray(part);
      missing -= part;
    }
  }

  async #next(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done) return false;
    this.#rest = value;
    this.#total += value.length;
    if (this.#total > this.#limit) throw new UnpackedTooLarge(`the archive unpacks to more than ${megabytes(this.#limit)}`);
    return true;
  }
}

function damaged(): Error {
  return new Error('the archive is damaged or truncated');
}

// Records of the form `LENGTH path=VALUE\n`.
function paxPath(content: Buffer): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(content.toString('utf8'))?.[1];
}

function text(bytes: Buffer, start: number, length: number): string {
  const part = bytes.subarray(start, start + length);
  const end = part.indexOf(0);
  return part.subarray(0, end < 0 ? part.length : end).toString('utf8');
}
