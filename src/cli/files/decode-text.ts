import { FieldwiseError } from '../../util/error.js';

/**
 * Decodes a YAML or JSON file: UTF-8, or UTF-16 with a byte order mark, as PowerShell redirects output. Source: YAML 1.2.2, section 5.2.
 *
 * @param next the next step if the bytes are not text.
 * @throws FieldwiseError `yaml-invalid` for bytes that are not text.
 */
export function decodeText(bytes: Buffer, location: string, next = 'Pass a file that contains a CRD.'): string {
  const mark = bytes.toString('hex', 0, 3);
  if (mark.startsWith('fffe')) return bytes.toString('utf16le', 2);
  if (mark.startsWith('feff'))
    return Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)))
      .swap16()
      .toString('utf16le');
  if (bytes.includes(0)) {
    throw new FieldwiseError('yaml-invalid', 'usage', 'The file is binary, not YAML or JSON', {
      location: { file: location },
      next,
    });
  }
  return bytes.toString('utf8', mark === 'efbbbf' ? 3 : 0);
}
