import { createHash } from 'node:crypto';
import { FieldwiseError } from '../../util/error.js';
import type { Json } from '../../util/json.js';
import { isJsonObject } from '../../util/json.js';

/** Returns `sha256:HEX` of a text or of bytes. */
export function textDigest(...texts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return `sha256:${hash.digest('hex')}`;
}

/**
 * Returns `sha256:HEX` of a JSON value, whatever the order of its members.
 *
 * @throws FieldwiseError `schema-too-deep`.
 */
export function digestOf(value: unknown): string {
  return textDigest(JSON.stringify(sortedMembers(value as Json)));
}

const maxDepth = 2000;

/**
 * Returns a JSON value with sorted members.
 *
 * @throws FieldwiseError `schema-too-deep`.
 */
export function sortedMembers(value: Json | undefined, depth = 0): Json | undefined {
  if (depth > maxDepth) {
    throw new FieldwiseError('schema-too-deep', 'usage', `A document is nested deeper than ${maxDepth} levels`, {
      next: 'Check that the source is neither damaged nor hostile.',
    });
  }
  if (Array.isArray(value)) return value.map((item: Json) => sortedMembers(item, depth + 1) ?? null);
  if (!isJsonObject(value)) return value;
  const members = Object.keys(value)
    .sort()
    .map((name) => [name, sortedMembers(value[name], depth + 1)] as const);
  return Object.fromEntries(members);
}
