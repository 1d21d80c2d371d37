import type { JsonObject } from '../../../util/json.js';
import { type FieldError, required } from '../../api/field-error.js';
import { structOf } from '../convert/json-access.js';

/** Validates the spec of a claim for a volume. Source: Kubernetes documentation "Persistent Volumes"; messages as observed. */
export function claimSpecErrors(spec: JsonObject, at: string): readonly FieldError[] {
  const modes = Array.isArray(spec.accessModes) ? spec.accessModes : [];
  const { storage } = structOf(structOf(spec.resources).requests);
  return [
    ...(modes.length === 0 ? [required(`${at}.accessModes`, 'at least 1 access mode is required')] : []),
    ...(storage === undefined ? [required(`${at}.resources[storage]`)] : []),
  ];
}
