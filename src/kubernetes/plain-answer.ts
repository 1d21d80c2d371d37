/**
 * Returns true for the error of TLS with a server that answers in plain text, whose first byte is not one of TLS. Node has its code, or only EPROTO
 * with the text of OpenSSL, by its version.
 */
export function isPlainAnswer(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  if (/^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(code)) return true;
  return /wrong version number|packet length too long/i.test(message);
}
