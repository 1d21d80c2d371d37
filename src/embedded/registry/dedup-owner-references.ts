import { metadataOf } from '../../kubernetes/object.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import type { RequestTarget } from './backend.js';

/**
 * Removes duplicate owner references, with a warning. A patch is checked after admission, a complete object before. Source: observed.
 */
export function dedupOwnerReferences(target: RequestTarget, object: JsonObject, source: 'body' | 'patch'): JsonObject {
  const metadata = metadataOf(object);
  if (!Array.isArray(metadata.ownerReferences)) return object;
  const owners = metadata.ownerReferences as readonly Json[];
  const uidOf = (owner: Json) => (isJsonObject(owner) ? (owner.uid ?? '') : '');
  const kept = owners.filter((owner, index) => owners.findIndex((other) => jsonEqual(other, owner)) === index);
  const repeated = owners.filter((owner) => !kept.includes(owner)).map((owner) => String(uidOf(owner)));
  if (repeated.length === 0) return object;
  const when = source === 'patch' ? ' after mutating admission happens' : '';
  target.warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
  return { ...object, metadata: { ...metadata, ownerReferences: kept } };
}
