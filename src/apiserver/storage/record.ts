import { createHash } from 'node:crypto';
import fs from 'node:fs';

/** Checksum and length of the text, in hexadecimal digits, each with a space after it. */
const headerLength = 16 + 1 + 8 + 1;
const headerPattern = /^([0-9a-f]{16}) ([0-9a-f]{8}) $/;

/**
 * Encodes a record of a log or snapshot: one line, with a checksum.
 *
 * @param salt random text of the file; with it, nothing that a client wrote into an object looks like a record.
 */
export function encodeRecord(salt: string, text: string): Buffer {
  const length = Buffer.byteLength(text);
  const record = Buffer.allocUnsafe(headerLength + length + 1);
  record.write(text, headerLength);
  record[headerLength + length] = newline;
  const checksum = checksumOf(salt, record.subarray(headerLength, headerLength + length));
  record.write(`${checksum} ${length.toString(16).padStart(8, '0')} `, 0, 'latin1');
  return record;
}

/** A record as read; `text` is undefined where it is torn or damaged. */
export interface ReadRecord {
  readonly text: string | undefined;
  /** Offsets in the file. */
  readonly start: number;
  readonly end: number;
}

/** Reads the record at an offset; undefined at the end of the file. */
export function readRecord(descriptor: number, salt: string, start: number): ReadRecord | undefined {
  const header = readBytes(descriptor, start, headerLength);
  if (header.length === 0) return undefined;
  const [, checksum, length] = headerPattern.exec(header.toString('latin1')) ?? [];
  const torn = { text: undefined, start, end: start };
  if (checksum === undefined || length === undefined) return torn;
  const contentLength = Number.parseInt(length, 16);
  const end = start + headerLength + contentLength + 1;
  if (end > fs.fstatSync(descriptor).size) return torn;
  const line = readBytes(descriptor, start + headerLength, contentLength + 1);
  const content = line.subarray(0, contentLength);
  if (line[contentLength] !== newline || checksumOf(salt, content) !== checksum) return torn;
  return { text: content.toString(), start, end };
}

/** Returns true if a whole record begins after an offset. */
export function hasRecordAfter(descriptor: number, salt: string, offset: number): boolean {
  const { size } = fs.fstatSync(descriptor);
  // The windows overlap by a header.
  for (let start = offset + 1; start < size; start += windowLength) {
    const text = readBytes(descriptor, start, windowLength + headerLength).toString('latin1');
    for (const { index } of text.matchAll(/(?=[0-9a-f]{16} [0-9a-f]{8} )/g)) {
      if (readRecord(descriptor, salt, start + index)?.text !== undefined) return true;
    }
  }
  return false;
}

const windowLength = 1024 * 1024;
const newline = 0x0a;

function checksumOf(salt: string, content: Buffer): string {
  return createHash('sha256').update(salt).update(content).digest('hex').slice(0, 16);
}

function readBytes(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let read = 0;
  while (read < length) {
    const more = fs.readSync(descriptor, bytes, read, length - read, offset + read);
    if (more === 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}
