export const invalidUtf8 = 'invalid UTF-8 in bytes, cannot convert to string';

/** Returns the text that bytes are; undefined if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
