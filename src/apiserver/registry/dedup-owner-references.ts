import { metadataOf } from '../../fields/object.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { sorted } from '../patch/patched-text.js';
import type { RequestTarget } from './backend.js';

/**
 * Removes duplicate owner references, with a warning. A patch is checked after admission, a complete object before. Source: observed.
 */
export function dedupOwnerReferences(target: RequestTarget, object: JsonObject, source: 'body' | 'patch'): JsonObject {
  const metadata = metadataOf(object);
  if (!Array.isArray(metadata.ownerReferences)) return object;
  const owners = metadata.ownerReferences as readonly Json[];
  const uidOf = (owner: Json) => (isJsonObject(owner) ? (owner.uid ?? '') : '');
  const first = new Map<string, Json>();
  const repeated: string[] = [];
  for (const owner of owners) {
    const key = stringifyExactJson(sorted(owner));
    if (first.has(key)) repeated.push(String(uidOf(owner)));
    else first.set(key, owner);
  }
  const kept = [...first.values()];
  if (repeated.length === 0) return object;
  const when = source === 'patch' ? ' after mutating admission happens' : '';
  target.warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
  return { ...object, metadata: { ...metadata, ownerReferences: kept } };
}
