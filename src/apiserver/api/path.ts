import { badRequest } from './status-error.js';

/** An escape of a path that is not a percent sign and two hexadecimal digits. */
const badEscape = /%(?![0-9a-f]{2})/i;

/** Returns true if a path has only valid escapes. */
export function isValidPath(path: string): boolean {
  return !badEscape.test(path);
}

/**
 * Decodes a path as a whole: an escaped slash separates segments, too. Source: observed.
 *
 * @throws StatusError 400
 */
export function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  if (!isValidPath(path)) throw badRequest('400 Bad Request');
  try {
    return decodeURIComponent(path);
  } catch {
    // Bytes that are not UTF-8 become replacement characters.
    const bytes = path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  }
}

/** Reads a query as the server does: it drops parameters with a semicolon or an invalid escape. */
export function parseQuery(text: string): URLSearchParams {
  if (!text.includes(';') && isValidPath(text)) return new URLSearchParams(text);
  const valid = text.split('&').filter((parameter) => !parameter.includes(';') && isValidPath(parameter));
  return new URLSearchParams(valid.join('&'));
}

/** Returns the reason for which a segment of a path cannot be the name of an object; undefined if it can. */
export function nameParameterError(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const found = ['/', '%'].find((character) => name.includes(character));
  return found === undefined ? undefined : `may not contain '${found}'`;
}
