import { hasFormat } from '../schema/string-format.js';
import { describeValue } from './describe.js';

/** Returns the error in a text of a format that a server checks, or undefined. */
export function checkFormat(format: string, text: string): string | undefined {
  const isRight = format === 'byte' ? isBase64(text) : hasFormat(format, text);
  return isRight ? undefined : `${describeValue(text)} is not a valid ${format}`;
}

/**
 * Returns true for the base64 that a server reads in objects of the built-in API: also nothing, and with ends of lines in it. A server is stricter with
 * custom resources.
 */
function isBase64(text: string): boolean {
  const code = text.replace(/[\r\n]/g, '');
  return code.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(code);
}
