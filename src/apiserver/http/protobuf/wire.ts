import type { Reader } from 'protobufjs/minimal.js';

/** Wire types. Source: Protocol Buffers documentation "Encoding". */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, endGroup: 4 } as const;

/** Bytes that are not a message; the text is that of the server. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** Returns the error for bytes that the protobuf library refused; undefined for any other error. */
export function wireError(error: unknown): WireError | undefined {
  if (error instanceof WireError) return error;
  if (error instanceof RangeError) return new WireError('unexpected EOF');
  const text = error instanceof Error ? error.message : '';
  const illegalType = /^invalid wire type (\d)/.exec(text)?.[1];
  if (illegalType !== undefined) return new WireError(`proto: illegal wireType ${illegalType}`);
  return /^(invalid|illegal|max depth)/.test(text) ? new WireError('proto: integer overflow') : undefined;
}

/** Reads the length of a value; returns the position of its end. @throws WireError */
export function endOfValue(reader: Reader): number {
  const end = reader.uint32() + reader.pos;
  if (end > reader.len) throw new WireError('unexpected EOF');
  return end;
}
